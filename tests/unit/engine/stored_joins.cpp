#include "engine/evaluation/stored_joins.hpp"

#include <algorithm>
#include <cmath>

#include <sinter/sinter.hpp>

#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"

namespace stored_joins_test {

namespace sn = sinter;
namespace ir = sinter::ir;

namespace {

using floats = sn::array<float>;

/// The number of x's nodes that have an axis of pieces.
std::size_t made(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  const sn::detail::stored_joins joins(snapshot);
  return static_cast<std::size_t>(std::ranges::count_if(
      snapshot.pending, [&](const sn::detail::node* n) { return joins.of(*n) != nullptr; }));
}

/// The number of arrays, or pieces of one, that the kernels store.
std::int64_t stores(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  std::int64_t all = 0;
  const ir::plan p = ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{});
  for (const ir::kernel& k : p.kernels) {
    all += std::ranges::count(k.body, ir::inst_kind::store, &ir::inst::kind);
  }
  return all;
}

floats stored(const sn::int_list& shape, std::uint64_t seed) {
  floats x = sn::random::uniform<float>(shape, {.seed = seed, .low = -1});
  sn::eval(x);
  return x;
}

const floats& table() {
  static const floats x = stored({50, 20}, 1);
  return x;
}

/// Element (i, j) of (piece 0, piece 1, ...) joined along the rows of the table.
template <class F> floats by_hand(int pieces, F value) {
  const std::vector<float> x = table().to_host();
  std::vector<float> all;
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 20 * pieces; ++j) {
      all.push_back(value(j / 20, x[static_cast<std::size_t>(i * 20 + j % 20)], i, j));
    }
  }
  return floats(all).reshape({50, 20 * pieces});
}

bool close(const floats& a, const floats& b) {
  return static_cast<bool>(sn::allclose(a, b, {.rtol = 1e-6, .atol = 1e-7}));
}

float wave(int piece, float x, int, int) {
  return piece == 0 ? std::sin(x) : std::cos(x);
}

}  // namespace

TEST_CASE("equal pieces are stored side by side") {
  const auto x = table();
  const floats j = sn::concatenate({sn::sin(x), sn::cos(x)}, 1);
  CHECK(made(j) == 1);
  CHECK(stores(j) == 2);
  CHECK(close(j, by_hand(2, wave)));
  const floats rows = sn::concatenate({sn::exp(x), x, sn::sin(x)}, 0);
  CHECK(stores(rows) == 3);
  CHECK(close(rows(sn::slice(50, 100)), x));
  CHECK(close(rows(sn::slice(100, 150)), floats(sn::sin(x))));
}

TEST_CASE("maps over joins of equal pieces are stored side by side") {
  const auto x = table();
  const auto column = stored({50, 1}, 2);
  const auto wide = stored({50, 40}, 3);
  const auto waves = [&] { return floats(sn::concatenate({sn::sin(x), sn::cos(x)}, 1)); };
  const floats scaled = waves() * 3.0f + wide * column;
  CHECK(made(scaled) == 2);
  CHECK(stores(scaled) == 2);
  const std::vector<float> w = wide.to_host(), c = column.to_host();
  CHECK(close(scaled, by_hand(2, [&](int piece, float v, int i, int j) {
          return wave(piece, v, i, j) * 3.0f +
                 w[static_cast<std::size_t>(i * 40 + j)] * c[static_cast<std::size_t>(i)];
        })));
  const floats product = waves() * floats(sn::concatenate({sn::exp(x), sn::sin(x)}, 1));
  CHECK(made(product) == 3);
  CHECK(close(product, by_hand(2, [](int piece, float v, int i, int j) {
          return wave(piece, v, i, j) * (piece == 0 ? std::exp(v) : std::sin(v));
        })));
}

TEST_CASE("what libraries read is stored anyway") {
  const auto x = table();
  const floats waves = sn::concatenate({sn::sin(x), sn::cos(x)}, 1);
  const floats product = sn::matmul(waves, stored({40, 3000}, 6));  // not a sum of a GPU's
  CHECK(made(product) == 1);
}

TEST_CASE("of a join that is read otherwise each element asks which piece it is of") {
  const auto x = table();
  const auto waves = [&] { return floats(sn::concatenate({sn::sin(x), sn::cos(x)}, 1)); };
  const floats j = waves();
  const floats rolled = j + sn::roll(j, 1, 1);
  CHECK(made(rolled) == 0);
  CHECK(made(j(sn::_, sn::slice(5, 30))) == 0);
  CHECK(made(sn::sum(j, {.axis = 1})) == 0);
  CHECK(made(floats(j / sn::sum(j, {.axis = 1, .keepdims = true}))) == 0);
  const auto once = by_hand(2, wave);
  CHECK(close(rolled, once + sn::roll(once, 1, 1)));
  const auto left = x(sn::_, sn::slice(0, 10)), right = x(sn::_, sn::slice(10, 20));
  const auto four = [&] {
    return floats(
        sn::concatenate({sn::exp(left), sn::exp(right), sn::sin(left), sn::sin(right)}, 1));
  };
  const floats product = waves() * four();
  CHECK(made(product) == 0);
  CHECK(close(product, by_hand(2, [](int piece, float v, int i, int j) {
          return wave(piece, v, i, j) * (piece == 0 ? std::exp(v) : std::sin(v));
        })));
}

TEST_CASE("pieces that differ in length, or cost little, are joined as they are") {
  const auto x = table();
  CHECK(made(sn::concatenate({sn::sin(x), sn::cos(x(sn::_, sn::slice(0, 19)))}, 1)) == 0);
  CHECK(made(sn::concatenate({x * 2.0f, x + 1.0f}, 1)) == 0);
  CHECK(made(sn::concatenate({x, table()}, 1)) == 0);
}

TEST_CASE("rows that are picked are stored side by side, their places beside each other") {
  const auto x = table();
  const sn::array<std::int64_t> first{3, 1, 4, 49}, second{0, 1, -1, 2};
  const floats picked = sn::concatenate({x(first), x(second), x(first), x(second)}, 1);
  CHECK(made(picked) == 1);
  const floats again = sn::concatenate({x(first), x(second), x(first), x(second)}, 1);
  CHECK(close(again(2, sn::slice(20, 40)), x(-1)));
  CHECK(close(again(3, sn::slice(40, 60)), x(49)));
}

TEST_CASE("sixteen equal pieces are one join") {
  const auto x = table();
  std::vector<floats> all;
  for (int k = 0; k < 16; ++k) all.push_back(sn::sin(x * float(k)));
  const floats waves = sn::concatenate(all, 1);
  CHECK(made(waves) == 1);
  CHECK(close(waves, by_hand(16, [](int piece, float v, int, int) {
          return std::sin(v * static_cast<float>(piece));
        })));
}

TEST_CASE("a plan for equal pieces is not one for others of the same shape") {
  for (const std::int64_t first : {20, 16, 20, 24}) {
    const auto a = stored({50, first}, 4), b = stored({50, 40 - first}, 5);
    const floats j = sn::concatenate({sn::sin(a), sn::cos(b)}, 1);
    CHECK(close(j(sn::_, sn::slice(0, first)), floats(sn::sin(a))));
    CHECK(close(j(sn::_, sn::slice(first, 40)), floats(sn::cos(b))));
    const floats again = sn::concatenate({sn::sin(a), sn::cos(b)}, 1);
    sn::eval(again);
    CHECK(close(again, j));
  }
}

}  // namespace stored_joins_test
