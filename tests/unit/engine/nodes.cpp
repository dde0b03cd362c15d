// Handles and nodes: release without recursion, the bound on pending graphs, composition of maps.

#include <random>
#include <thread>

#include <sinter/sinter.hpp>

#include "engine/nodes/node.hpp"
#include "tests/catch.hpp"

namespace nodes_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using detail::compose;

namespace {

using extents = std::vector<std::int64_t>;

/// The places of all elements under a map, row-major.
extents places(const detail::element_map& map, const extents& shape) {
  extents result = {map.offset};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    extents next;
    for (auto p : result) {
      for (std::int64_t i = 0; i < shape[d]; ++i) next.push_back(p + i * map.strides[d]);
    }
    result = std::move(next);
  }
  return result;
}

/// A random view of an array of shape `from`: some axes dropped, flipped, cut, reordered.
detail::element_map random_view(std::mt19937& rng, const extents& from, extents& shape) {
  const auto dense = detail::dense_strides(from);
  detail::element_map map;
  std::vector<std::size_t> order(from.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::shuffle(order.begin(), order.end(), rng);
  shape.clear();
  for (std::size_t d : order) {
    const auto first = static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(from[d]));
    const std::int64_t step = 1 + static_cast<std::int64_t>(rng() % 2);
    const std::int64_t count = (from[d] - first + step - 1) / step;
    if (rng() % 4 == 0) {
      map.offset += first * dense[d];
    } else if (rng() % 3 == 0) {
      map.offset += (first + (count - 1) * step) * dense[d];
      shape.push_back(count);
      map.strides.push_back(-step * dense[d]);
    } else {
      map.offset += first * dense[d];
      shape.push_back(count);
      map.strides.push_back(step * dense[d]);
    }
  }
  if (rng() % 4 == 0) {
    shape.insert(shape.begin(), 3);
    map.strides.insert(map.strides.begin(), 0);
  }
  return map;
}

}  // namespace

TEST_CASE("composed maps show the same elements") {
  std::mt19937 rng(3);
  int composed = 0, refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const extents base = {2 + static_cast<std::int64_t>(rng() % 4),
                          2 + static_cast<std::int64_t>(rng() % 4),
                          1 + static_cast<std::int64_t>(rng() % 5)};
    extents inner_shape, outer_shape;
    const auto inner = random_view(rng, base, inner_shape);
    detail::element_map outer;
    extents flat = inner_shape;
    if (rng() % 3 == 0) {  // with a reshape in between
      std::int64_t n = 1;
      for (auto e : inner_shape) n *= e;
      flat = n % 2 == 0 ? extents{2, n / 2} : extents{n};
    }
    outer = random_view(rng, flat, outer_shape);
    const auto whole = compose(inner, inner_shape, outer, outer_shape);
    const auto below = places(inner, inner_shape);
    extents expected;
    for (auto p : places(outer, outer_shape))
      expected.push_back(below[static_cast<std::size_t>(p)]);
    if (whole) {
      CHECK(places(*whole, outer_shape) == expected);
    } else {
      // Rejected only if no offset and strides fit.
      bool affine = true;
      detail::element_map forced{expected.empty() ? 0 : expected[0],
                                 extents(outer_shape.size(), 0)};
      std::int64_t step = 1;
      for (std::size_t d = outer_shape.size(); d-- > 0; step *= outer_shape[d]) {
        if (outer_shape[d] > 1)
          forced.strides[d] = expected[static_cast<std::size_t>(step)] - expected[0];
      }
      affine = places(forced, outer_shape) == expected;
      CHECK_FALSE(affine);
    }
    ++(whole ? composed : refused);
  }
  CHECK(composed > 500);
  CHECK(refused > 10);
}

TEST_CASE("a million nodes are released without recursion") {
  detail::node* last = nullptr;
  {
    sn::any_array x = detail::make_iota(extents{2}, {});
    for (int i = 0; i < 1'000'000; ++i) {
      auto* n = new detail::node;
      n->kind = sn::ir::node_kind::map;
      n->inputs.push_back(x);
      n->inputs.push_back(x);
      x = sn::any_array::take(n);
    }
    last = x.get();
  }
  CHECK(last != nullptr);
}

TEST_CASE("a chain longer than the bound is evaluated while it is recorded") {
  auto x = sn::zeros<double>({4});
  for (int i = 0; i < 1000; ++i) {
    x = x + 1;
    REQUIRE(x.get()->depth <= detail::max_depth + 1);
  }
  CHECK(x.to_host() == std::vector<double>(4, 1000));
}

TEST_CASE("views at the bound stay views") {
  auto x = sn::zeros<int>({2, 3});
  for (int i = 0; i < 500; ++i) x = sn::transpose(x.T() + 1);
  CHECK(x.to_host() == std::vector<int>(6, 500));
}

TEST_CASE("two chains that feed each other stay bounded") {
  auto a = sn::ones<float>({3}), b = sn::zeros<float>({3});
  for (int i = 0; i < 300; ++i) {
    const auto sum = (a + b).to_array();
    b = a;
    a = sum * 0.5f;
  }
  CHECK(a.get()->depth <= detail::max_depth + 1);
  CHECK(a.to_host().size() == 3);
}

TEST_CASE("an evaluated array lets go of what it was made from") {
  auto x = sn::arange<float>(10).to_array();
  const auto y = (sn::exp(x) + 1).to_array();
  y.to_host();
  CHECK(y.get()->inputs.empty());
  CHECK(y.get()->depth == 0);
}

TEST_CASE("one statement is one node") {
  const auto a = sn::arange<float>(4), b = sn::arange<float>(4);
  const sn::array<float> c = sn::sin(a) * b + a / 2;
  const auto& n = *c.get();
  CHECK(n.kind == sn::ir::node_kind::map);
  CHECK(n.inputs.size() == 3);
  CHECK(n.inputs[0].get() == a.get());
  CHECK(n.inputs[1].get() == b.get());
  CHECK(n.scalars.size() == 1);
  CHECK(n.program.code.size() == 4);
  CHECK(n.details == nullptr);
}

TEST_CASE("arrays are recorded and read from many threads") {
  const auto shared = sn::transpose(sn::reshape(sn::arange<float>(1200), {30, 40}) * 2).to_array();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto row = shared((t * 7 + i) % 40);
        const auto part = sn::flip(shared, 0)(0, sn::slice(0, 30, 2));
        wrong += row(1).item() != static_cast<float>(2 * (40 + (t * 7 + i) % 40));
        wrong += part(1).item() != static_cast<float>(2 * (2 * 40 + 39));
        if (i == 20) shared.to_host();
      }
    });
  }
  for (auto& t : threads) t.join();
  CHECK(wrong == 0);
}

}  // namespace nodes_test
