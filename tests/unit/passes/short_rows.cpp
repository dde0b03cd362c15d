// A CPU's walks over rows of a vector or two: one row per lane, unrolled if they are short.
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace short_rows_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// "kept 1, reduced 1, kept lanes, unroll 2": a plan's only kernel; vectors have 4 lanes.
std::string walk_of(const floats& root) {
  const ir::plan p = plan_for({root}, ir::target::cpu);
  REQUIRE(p.kernels.size() == 1);
  const ir::kernel& k = p.kernels[0];
  return "kept " + std::to_string(k.kept) + ", reduced " + std::to_string(k.reduced) +
         (k.schedule.lanes == ir::lane_axis::kept ? ", kept lanes" : ", reduced lanes") +
         ", unroll " + std::to_string(k.schedule.unroll) +
         (k.schedule.abreast > 0 ? ", abreast" : "");
}

}  // namespace

TEST_CASE("short rows: a map that is not flat is written out, row for row") {
  const floats x = stored({6000, 3}), row = stored({3}), column = stored({6000, 1});
  CHECK(walk_of(floats(x * 2)) == "kept 1, reduced 0, kept lanes, unroll 4");
  CHECK(walk_of(floats(x * row)) == "kept 1, reduced 0, kept lanes, unroll 4");
  CHECK(walk_of(floats(x * column)) == "kept 1, reduced 0, kept lanes, unroll 4");
  CHECK(walk_of(floats(column * row)) == "kept 1, reduced 0, kept lanes, unroll 4");
  const floats whole = stored({300, 4}), four = stored({4});
  CHECK(walk_of(floats(whole * four)) == "kept 2, reduced 0, kept lanes, unroll 4");
  const floats few = stored({20, 3});
  CHECK(walk_of(floats(few * row)) == "kept 1, reduced 1, kept lanes, unroll 2");
  CHECK(walk_of(floats(stored({3, 3}) * row)) == "kept 2, reduced 0, kept lanes, unroll 4");
}

TEST_CASE("short rows: those that an index picks, or is told where to add, are done whole") {
  const sn::array<int> rows = sn::astype<int>(stored({6000}) * 100.0f);
  sn::eval(rows);
  const auto whole_row = [](const floats& root) {
    int row = -1;
    for (const ir::kernel& k : plan_for({root}, ir::target::cpu).kernels) {
      row = std::max(row, k.schedule.whole_row);
    }
    return row;
  };
  CHECK(whole_row(floats(stored({100, 3})(rows) * 2)) == 3);
  CHECK(whole_row(floats(stored({100, 32})(rows))) == 32);
  CHECK(whole_row(floats(stored({100, 33})(rows))) == 0);
  CHECK(whole_row(floats(stored({300, 5})(sn::_, sn::array<int>({1, 0, 4, 2})))) == 0);
  CHECK(whole_row(stored({100, 6}).at(rows).add(stored({6000, 6}))) == 6);
  CHECK(whole_row(floats(stored({6000, 3}) * stored({3}))) == 0);
}

TEST_CASE("short rows: by vectors of eight and more a map goes on over their ends") {
  ir::machine m;
  m.vector_bytes = 64;
  const auto vector_of = [&](const floats& root) {
    const auto plan = [&](const ir::graph& g) { return ir::verified(ir::make_plan(g, m)); };
    const ir::plan p = of_graph({root}, plan);
    REQUIRE(p.kernels.size() == 1);
    const ir::schedule& s = p.kernels[0].schedule;
    return s.flat ? s.vector : 0;
  };
  const auto of_rows = [&](std::int64_t n) {
    return vector_of(floats(stored({6000, n}) * stored({n})));
  };
  CHECK(of_rows(7) == 0);
  CHECK(of_rows(8) == 0);  // whole vectors
  CHECK(of_rows(9) == 8);
  CHECK(of_rows(15) == 8);
  CHECK(of_rows(16) == 0);
  CHECK(of_rows(17) == 16);
  CHECK(of_rows(127) == 16);
  CHECK(of_rows(129) == 0);
  const floats x = stored({6000, 20}), row = stored({20}), column = stored({6000, 1});
  CHECK(vector_of(floats(x(sn::_, sn::slice(0, 12)) * x(sn::_, sn::slice(3, 15)))) == 0);
  CHECK(vector_of(floats(x(sn::_, sn::slice(0, 12)) * stored({6000, 12}))) == 8);
  CHECK(vector_of(floats(column + row)) == 0);  // each element would be in two places
  CHECK(vector_of(floats(x * stored({6000, 40})(sn::_, sn::slice(0, 40, 2)))) == 0);
  CHECK(vector_of(floats(sn::take(row, sn::astype<int>(x)) * column)) == 0);
  const floats k = stored({500, 12, 20}) * stored({12, 1}) + stored({500, 1, 20});
  CHECK(vector_of(k) == 16);
}

TEST_CASE("short rows: a kernel for each length is made for large arrays alone") {
  const auto walk = [](std::int64_t rows) {
    return walk_of(floats(stored({rows, 3}) * stored({3})));
  };
  CHECK(walk(2700) == "kept 1, reduced 1, kept lanes, unroll 2");
  CHECK(walk(2800) == "kept 1, reduced 0, kept lanes, unroll 4");
}

TEST_CASE("short rows: a map that cannot be written out walks along them") {
  const floats x = stored({6000, 3}), row = stored({3});
  floats dear = x * row;
  for (int i = 0; i < 40; ++i) dear += sn::sin(x * i) * sn::exp(x - i);
  CHECK(walk_of(dear) == "kept 1, reduced 1, kept lanes, unroll 1");
}

TEST_CASE("short rows: of several axes across them one is long enough") {
  const floats x = stored({6000, 2, 3}), y = stored({2, 1}), z = stored({6000, 1, 3});
  CHECK(walk_of(floats(x * y * z)) == "kept 1, reduced 0, kept lanes, unroll 1");
  const auto half = [&](std::int64_t i) {
    return floats(x(sn::slice(), sn::slice(i, i + 1)) * y(i) * z);
  };
  CHECK(sn::array_equal(floats(x * y * z), sn::concatenate({half(0), half(1)}, {.axis = 1})));
}

TEST_CASE("short rows: reductions and scans of them") {
  const floats x = stored({6000, 3}), long_rows = stored({6000, 30});
  CHECK(walk_of(floats(sn::sum(x, {.axis = 1}))) == "kept 1, reduced 0, kept lanes, unroll 4");
  CHECK(walk_of(floats(x / sn::sum(x, {.axis = 1, .keepdims = true}))) ==
        "kept 1, reduced 0, kept lanes, unroll 4");
  CHECK(walk_of(floats(sn::cumsum(x, {.axis = 1}))) == "kept 1, reduced 1, kept lanes, unroll 4");
  CHECK(walk_of(floats(sn::sum(long_rows, {.axis = 1}))) ==
        "kept 1, reduced 1, reduced lanes, unroll 1, abreast");
}

TEST_CASE("short rows: side by side are many of a few vectors, whatever follows them") {
  const std::string abreast = "kept 1, reduced 1, reduced lanes, unroll 1, abreast";
  const std::string alone = "kept 1, reduced 1, reduced lanes, unroll 4";
  const auto sums = [](std::int64_t rows, std::int64_t length) {
    return walk_of(floats(sn::exp(sn::sum(stored({rows, length}), {.axis = 1}))));
  };
  CHECK(sums(6000, 12) == "kept 1, reduced 0, kept lanes, unroll 1");
  CHECK(sums(6000, 14) == abreast);
  CHECK(sums(6000, 64) == abreast);
  CHECK(sums(6000, 65) == alone);  // more than 16 vectors
  CHECK(sums(63, 30) == alone);
  CHECK(sums(64, 30) == abreast);
  const floats x = stored({6000, 30}), bias = stored({30}), column = stored({6000, 1});
  const floats e = sn::exp(x * column - sn::max(x, {.axis = 1, .keepdims = true}));
  CHECK(walk_of(floats(e / sn::sum(e, {.axis = 1, .keepdims = true}) + bias)) == abreast);
  const auto positions = [](std::int64_t length) {
    const auto which = sn::argmax(stored({6000, length}), {.axis = 1});
    return walk_of(floats(sn::where(which == 2, 1.f, 0.f)));
  };
  CHECK(positions(6) == "kept 1, reduced 0, kept lanes, unroll 1");
  CHECK(positions(20) == abreast);
  CHECK(walk_of(floats(sn::sum(sn::cumsum(x, {.axis = 1}), {.axis = 1}))) != abreast);
}

TEST_CASE("short rows: a row has the same bits wherever it stands") {
  for (std::int64_t length : {14, 17, 20, 31, 32, 50, 64, 100, 128, 200, 256}) {
    const floats row = sn::random::normal<float>({length}, {.seed = 3});
    const floats x = sn::broadcast_to(row, {131, length}) * 1.f;
    const auto same = [](const floats& y) {
      return sn::array_equal(y, sn::broadcast_to(y(sn::slice(130, 131)), y.shape()));
    };
    sn::eval(x);
    const floats e = sn::exp(x - sn::max(x, {.axis = 1, .keepdims = true}));
    CHECK(same(sn::sum(x, {.axis = 1})));
    CHECK(same(floats(e / sn::sum(e, {.axis = 1, .keepdims = true}))));
  }
}

TEST_CASE("short rows: columns come in as many vectors as there are whole ones") {
  const auto walk = [](std::int64_t columns) {
    return walk_of(floats(sn::sum(stored({100, columns}), {.axis = 0})));
  };
  CHECK(walk(4) == "kept 1, reduced 1, kept lanes, unroll 1");
  CHECK(walk(13) == "kept 1, reduced 1, kept lanes, unroll 3");
  CHECK(walk(63) == "kept 1, reduced 1, kept lanes, unroll 4");
}

TEST_CASE("short rows: stacks of small matrices have lanes along the stack") {
  const floats m = stored({2000, 3, 5}), v = stored({2000, 1, 5}), few = stored({20, 3, 5});
  const floats little = stored({20, 1, 5});
  const auto product = [](const floats& a, const floats& b) {
    return floats(sn::sum(a * b, {.axis = 2}));
  };
  CHECK(walk_of(product(m, v)) == "kept 1, reduced 0, kept lanes, unroll 1");
  CHECK(walk_of(product(few, little)) == "kept 2, reduced 1, reduced lanes, unroll 4");
  const auto start = sn::slice(0, 40);
  const floats all = product(m, v), half = product(floats(m(start)), floats(v(start)));
  CHECK(sn::allclose(floats(all(start)), half).item());
}

TEST_CASE("short rows: lanes go where what is read stands still or lies side by side") {
  const floats d = stored({40, 32}), step = stored({32, 32});
  const auto along = [&](const floats& x) { return walk_of(floats(sn::max(x, {.axis = 1}))); };
  const sn::array<float> scores = d(sn::_, sn::_, sn::newaxis) + step;
  CHECK(along(scores).find("kept lanes") != std::string::npos);
  const sn::array<float> turned = d(sn::_, sn::newaxis, sn::_) + step.T();
  CHECK(along(turned).find("reduced lanes") != std::string::npos);
  CHECK(walk_of(floats(sn::max(turned, {.axis = 2}))).find("kept lanes") != std::string::npos);
}

TEST_CASE("short_rows: pairs in short groups have their lanes along the pairs") {
  using floats = sn::array<float>;
  for (const std::int64_t group : {32, 64, 128}) {
    const std::int64_t rows = 64, groups = 512 / group;
    const floats a = stored({rows, 256}), b = stored({rows, 256}), by = stored({rows, groups, 1});
    const floats pairs = sn::stack({a + 1, b * 2}, -1);
    const floats scaled = sn::reshape(pairs, {rows, groups, group}) * by;
    const ir::plan p = plan_for({scaled}, ir::target::cpu);
    CHECK(p.kernels.size() == 1);
    CHECK(p.kernels[0].operands.size() <= 6);
    const floats again = sn::reshape(scaled / by, {rows, 256, 2});
    CHECK(sn::allclose(again(sn::_, sn::_, 0), a + 1));
    CHECK(sn::allclose(again(sn::_, sn::_, 1), b * 2));
  }
}

}  // namespace short_rows_test
