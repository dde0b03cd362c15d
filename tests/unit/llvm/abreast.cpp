// Rows walked side by side: trees over lanes, and values per row for many rows at once.

#include "../../catch.hpp"
#include "harness.hpp"

namespace abreast_test {

using namespace llvm_tests;

namespace {

using extents = std::vector<std::int64_t>;

constexpr int vectors[] = {4, 8, 16};

builder rows_abreast(int kept, int vector) {
  builder w(kept, 1);
  ir::schedule& s = w.k.schedule;
  s.lanes = ir::lane_axis::reduced;
  s.vector = vector;
  s.unroll = 1;
  s.abreast = 16 * vector;
  s.rows = 2 * vector;
  return w;
}

/// Rows shorter and longer than a vector, up to all; fewer and more rows than lanes.
std::vector<extents> shapes(int vector) {
  const std::int64_t v = vector;
  return {{v - 1, v + 1}, {v, v}, {3 * v + 2, 2 * v + 3}, {v + 1, 16 * v}, {2 * v, 1}, {v, 0}};
}

problem reduction(int vector, const extents& e, ir::op code, dtype t, bool arg) {
  builder w = rows_abreast(1, vector);
  const int x = w.input(t, {any, one});
  const dtype c = compute_of(t);
  const auto r = w.reduce(code, w.cast(w.load(x), c), arg);
  const int y = w.output(arg ? dtype::int64 : t, {one, zero});
  w.store(y, arg ? r : w.cast(r, t));
  return {w.k, e, {}};
}

}  // namespace

TEST_CASE("Rows abreast: sums, extrema, whether any and all") {
  for (int v : vectors) {
    for (const extents& e : shapes(v)) {
      for (const dtype t : {dtype::float32, dtype::float64, dtype::bfloat16, dtype::int64,
                            dtype::uint8}) {
        problem p = reduction(v, e, ir::op::add, t, false);
        p.contents = is_integer(t) ? fill::edges : fill::small;
        p.tolerance = is_integer(t) ? 0 : 1e-5;
        check(p);
        p = reduction(v, e, ir::op::maximum, t, false);
        p.tolerance = 1e-300;  // zeros of both signs are equal
        check(p);
      }
      check(reduction(v, e, ir::op::logical_and, dtype::bool_, false));
      check(reduction(v, e, ir::op::logical_or, dtype::bool_, false));
    }
  }
}

TEST_CASE("Rows abreast: positions, the first NaN, else the first extremum") {
  for (int v : vectors) {
    for (const extents& e : shapes(v)) {
      for (const ir::op code : {ir::op::maximum, ir::op::minimum}) {
        for (const dtype t : {dtype::float32, dtype::float64, dtype::int8, dtype::bool_}) {
          for (const fill f : {fill::small, fill::edges}) {
            problem p = reduction(v, e, code, t, true);
            p.contents = f;
            check(p);
          }
        }
      }
    }
  }
}

TEST_CASE("Rows abreast: softmax, and what its rows come to") {
  for (int v : vectors) {
    for (const dtype t : {dtype::float32, dtype::float64}) {
      for (const extents& e : shapes(v)) {
        builder w = rows_abreast(1, v);
        const int x = w.input(t, {any, one}), y = w.output(t, {any, one});
        const int biggest = w.output(t, {one, zero}), sure = w.output(dtype::bool_, {one, zero});
        const auto in = w.load(x);
        const auto m = w.reduce(ir::op::maximum, in);
        const auto ex = w.op(ir::op::exp, t, w.op(ir::op::subtract, t, in, m));
        const auto total = w.reduce(ir::op::add, ex);
        w.store(biggest, m);
        w.store(sure, w.op(ir::op::less, t, m, total));
        w.store(y, w.op(ir::op::divide, t, ex, total));
        problem p{w.k, e, {}};
        p.contents = fill::small;
        p.tolerance = 1e-6;
        check(p);
      }
    }
  }
}

TEST_CASE("Rows abreast: in place, with weights, columns that lie apart and numbers of rows") {
  const dtype t = dtype::float64;
  const auto normalised = [&](int v, const extents& e, bool in_place) {
    builder w = rows_abreast(2, v);
    const int x = w.input(t, {any, any, one}), weights = w.input(t, {zero, zero, one});
    const int column = w.input(t, {any, any, zero}), y = w.output(t, {any, any, one});
    const int ix = w.index({any, one, zero});
    const auto in = w.op(ir::op::multiply, t, w.load(x), w.load(column));
    const auto number = w.cast(w.number(ix), t);
    const auto mean = w.op(ir::op::divide, t, w.reduce(ir::op::add, in), w.scalar(t));
    const auto apart = w.op(ir::op::subtract, t, in, w.op(ir::op::add, t, mean, number));
    const auto spread =
        w.op(ir::op::sqrt, t, w.reduce(ir::op::add, w.op(ir::op::multiply, t, apart, apart)));
    const auto scaled = w.op(ir::op::divide, t, apart, spread);
    w.store(y, w.op(ir::op::multiply, t, scaled, w.load(weights)));
    const layout turned = {{1, e[0], 0}, {}, {}};
    problem p{w.k, e, {{}, {}, turned, {}, {{e[1], 1, 0}, {}, {}}}};
    if (!in_place) {
      const int z = w.output(t, {any, any, zero});
      w.store(z, w.op(ir::op::add, t, w.op(ir::op::add, t, spread, number), w.load(column)));
      p.k = w.k;
      p.layouts.push_back(turned);
    }
    p.scalars = {0x4035000000000000};  // 21
    p.contents = fill::small;
    p.tolerance = 1e-9;
    p.in_place = in_place ? 0 : -1;
    return p;
  };
  for (int v : vectors) {
    for (const extents& e : {extents{3, 2 * v + 1, 21}, extents{2, v, v}, extents{5, 3, 2}}) {
      check(normalised(v, e, false));
      check(normalised(v, e, true));
    }
  }
}

TEST_CASE("Rows abreast: complex numbers, and what does not move along a row") {
  for (int v : vectors) {
    builder w = rows_abreast(1, v);
    const int x = w.input(dtype::complex64, {any, one});
    const int y = w.output(dtype::complex64, {one, zero});
    const int z = w.output(dtype::complex64, {any, one});
    const int c = w.input(dtype::int32, {one, zero}), o = w.output(dtype::int32, {one, zero});
    const auto re = w.reduce(ir::op::add, w.load(x, 0)), im = w.reduce(ir::op::add, w.load(x, 1));
    w.store(y, re, 0);
    w.store(y, im, 1);
    w.store(o, w.reduce(ir::op::add, w.load(c)));
    w.store(z, w.op(ir::op::subtract, dtype::float32, w.load(x, 0), re), 0);
    w.store(z, w.op(ir::op::multiply, dtype::float32, w.load(x, 1), im), 1);
    problem p{w.k, {2 * v + 3, 19}, {}};
    p.contents = fill::small;
    p.tolerance = 1e-6;
    check(p);
  }
}

}  // namespace abreast_test
