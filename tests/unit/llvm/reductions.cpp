// Reductions: along and across lanes, in parts, in phases, positions.

#include "../../catch.hpp"
#include "harness.hpp"

namespace reductions_test {

using namespace llvm_tests;

namespace {

using extents = std::vector<std::int64_t>;

std::vector<ir::step> plain(int rank) {
  std::vector<ir::step> s(static_cast<std::size_t>(rank), any);
  s.back() = one;
  return s;
}

/// The output of a reduction: dense over the kept axes.
std::vector<ir::step> over_rows(int kept, int reduced) {
  std::vector<ir::step> s = plain(kept);
  s.resize(static_cast<std::size_t>(kept + reduced), zero);
  return s;
}

layout rows_layout(const extents& e, int kept) {
  extents strides = dense({e.begin(), e.begin() + kept});
  strides.resize(e.size());
  return {strides, {}, {}};
}

struct shape_case {
  int kept;
  extents e;
};

const shape_case shapes[] = {
    {1, {1, 1}},     {1, {1, 100}},   {1, {5, 3}},       {1, {7, 16}},         {1, {3, 333}},
    {2, {3, 5, 40}}, {1, {4, 3, 17}}, {2, {2, 9, 3, 4}}, {3, {2, 3, 4, 2, 9}}, {1, {40, 3}},
    {1, {4, 0}},     {1, {0, 4}},     {2, {3, 33, 5}},   {1, {65, 2, 2}},
};

/// `input_turned`: lanes run along the last kept axis, which then is the contiguous one.
problem reduction(const shape_case& s, ir::op code, dtype t, bool arg, ir::lane_axis lanes) {
  const int reduced = static_cast<int>(s.e.size()) - s.kept;
  builder w(s.kept, reduced);
  w.k.schedule.lanes = lanes;
  w.k.schedule.rows = 3;
  const bool turned = lanes == ir::lane_axis::kept;
  std::vector<ir::step> steps =
      turned ? std::vector<ir::step>(s.e.size(), any) : plain(static_cast<int>(s.e.size()));
  layout in;
  if (turned) {
    steps[static_cast<std::size_t>(s.kept) - 1] = one;
    // Reduced axes outermost in memory.
    extents order(s.e.begin() + s.kept, s.e.end());
    order.insert(order.end(), s.e.begin(), s.e.begin() + s.kept);
    const extents strides = dense(order);
    in.strides.assign(strides.begin() + reduced, strides.end());
    in.strides.insert(in.strides.end(), strides.begin(), strides.begin() + reduced);
  }
  const int x = w.input(t, steps);
  const dtype c = compute_of(t);
  const auto r = w.reduce(code, w.cast(w.load(x), c), arg);
  const int y = w.output(arg ? dtype::int64 : t, over_rows(s.kept, reduced));
  w.store(y, arg ? r : w.cast(r, t));
  return {w.k, s.e, {in, rows_layout(s.e, s.kept)}};
}

}  // namespace

TEST_CASE("Sums and products") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const shape_case& s : shapes) {
      for (const dtype t : {dtype::float32, dtype::float64, dtype::float16, dtype::int32,
                            dtype::int64, dtype::uint8}) {
        problem p = reduction(s, ir::op::add, t, false, lanes);
        p.contents = is_integer(t) ? fill::edges : fill::small;
        p.tolerance = is_integer(t) ? 0 : 1e-5;
        check(p);
      }
      problem p = reduction(s, ir::op::multiply, dtype::int32, false, lanes);
      p.contents = fill::positive;
      check(p);
    }
  }
}

TEST_CASE("Extrema, with NaN") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const shape_case& s : shapes) {
      for (const ir::op code : {ir::op::maximum, ir::op::minimum}) {
        for (const dtype t :
             {dtype::float32, dtype::float64, dtype::int8, dtype::uint64, dtype::bool_}) {
          // Zeros of both signs are equal: which one is kept depends on the order.
          problem p = reduction(s, code, t, false, lanes);
          p.tolerance = 1e-300;
          p.contents = is_real(t) ? fill::small : fill::edges;
          check(p);
          p.contents = fill::edges;
          p.seed = 7;
          check(p);
        }
      }
    }
  }
}

TEST_CASE("Logical reductions") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const shape_case& s : shapes) {
      for (const ir::op code : {ir::op::logical_and, ir::op::logical_or, ir::op::logical_xor}) {
        check(reduction(s, code, dtype::bool_, false, lanes));
      }
      check(reduction(s, ir::op::bitwise_and, dtype::uint16, false, lanes));
    }
  }
}

TEST_CASE("Positions of extrema: the first NaN, else the first extremum") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const shape_case& s : shapes) {
      for (const ir::op code : {ir::op::maximum, ir::op::minimum}) {
        for (const dtype t :
             {dtype::float32, dtype::float64, dtype::int8, dtype::uint32, dtype::bool_}) {
          for (const fill f : {fill::small, fill::edges, fill::positive}) {
            problem p = reduction(s, code, t, true, lanes);
            p.contents = f;
            check(p);
          }
        }
      }
    }
  }
}

TEST_CASE("Split reductions leave one partial result for each chunk") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const shape_case& s : shapes) {
      for (const std::int64_t splits : {1, 2, 3, 7}) {
        for (const bool arg : {false, true}) {
          problem p = reduction(s, arg ? ir::op::minimum : ir::op::add, dtype::float32, arg, lanes);
          p.k.schedule.split = true;
          p.splits = splits;
          p.contents = fill::small;
          p.tolerance = 1e-5;
          check(p);
        }
      }
    }
  }
}

TEST_CASE("Schedules of reductions") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const auto& [vector, unroll] : {std::pair{16, 4}, {4, 3}, {1, 1}, {2, 1}, {1, 4}}) {
      for (std::int64_t n = 1; n < 140; n += 1 + n / 9) {
        problem p = reduction({1, {n, 141 - n}}, ir::op::add, dtype::int32, false, lanes);
        p.k.schedule.vector = vector;
        p.k.schedule.unroll = unroll;
        check(p);
        p = reduction({1, {n, 141 - n}}, ir::op::maximum, dtype::int32, true, lanes);
        p.k.schedule.vector = vector;
        p.k.schedule.unroll = unroll;
        check(p);
      }
    }
  }
}

TEST_CASE("Softmax: three phases, the last one stores") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const extents& e : {extents{5, 37}, {3, 128}, {20, 3}, {2, 1000}}) {
      const dtype t = dtype::float32;
      builder w(1, 1);
      w.k.schedule.lanes = lanes;
      const int x = w.input(t, {any, one}), y = w.output(t, {any, one});
      const int biggest = w.output(t, {one, zero});
      const auto v = w.load(x);
      const auto m = w.reduce(ir::op::maximum, v);
      const auto ex = w.op(ir::op::exp, t, w.op(ir::op::subtract, t, v, m));
      const auto total = w.reduce(ir::op::add, ex);
      w.store(biggest, m);
      w.store(y, w.op(ir::op::divide, t, ex, total));
      problem p{w.k, e, {}};
      p.contents = fill::small;
      p.tolerance = 1e-6;
      check(p);
    }
  }
}

TEST_CASE("Normalisation over two axes, with a row of weights") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    const dtype t = dtype::float64;
    builder w(2, 2);
    w.k.schedule.lanes = lanes;
    const int x = w.input(t, {any, any, any, one}), weights = w.input(t, {zero, zero, zero, one});
    const int bias = w.input(t, {zero, any, zero, zero}), y = w.output(t, {any, any, any, one});
    const auto n = w.scalar(t);
    const auto v = w.load(x);
    const auto mean = w.op(ir::op::divide, t, w.reduce(ir::op::add, v), n);
    const auto apart = w.op(ir::op::subtract, t, v, mean);
    const auto square = w.op(ir::op::multiply, t, apart, apart);
    const auto spread =
        w.op(ir::op::sqrt, t, w.op(ir::op::divide, t, w.reduce(ir::op::add, square), n));
    const auto scaled =
        w.op(ir::op::multiply, t, w.op(ir::op::divide, t, apart, spread), w.load(weights));
    w.store(y, w.op(ir::op::add, t, scaled, w.load(bias)));
    problem p{w.k, {3, 5, 4, 21}, {{}, {}, {{0, 1, 0, 0}, {}, {}}, {}}};
    p.scalars = {0x4055000000000000};  // 84
    p.contents = fill::small;
    p.tolerance = 1e-9;
    check(p);
    p.in_place = 0;
    check(p);
  }
}

TEST_CASE("Reductions of what does not move, and of numbers alone") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    builder w(1, 1);
    w.k.schedule.lanes = lanes;
    const int x = w.input(dtype::int32, {one, zero}), ix = w.index({any, one});
    const int y = w.output(dtype::int32, {one, zero}), z = w.output(dtype::int64, {one, zero});
    const int q = w.input(dtype::int32, {zero, one}), o = w.output(dtype::int32, {one, zero});
    w.store(y, w.reduce(ir::op::add, w.load(x)));
    w.store(z, w.reduce(ir::op::add, w.number(ix)));
    w.store(o, w.reduce(ir::op::add, w.load(q)));
    check({w.k, {21, 45}, {{}, {}, {}, {}, {}, {}}});
  }
}

TEST_CASE("Complex sums keep their parts together") {
  for (const ir::lane_axis lanes : {ir::lane_axis::reduced, ir::lane_axis::kept}) {
    for (const dtype t : {dtype::complex64, dtype::complex128}) {
      builder w(1, 1);
      w.k.schedule.lanes = lanes;
      const int x =
          w.input(t, lanes == ir::lane_axis::kept ? std::vector{one, any} : std::vector{any, one});
      const int y = w.output(t, {one, zero});
      const auto re = w.reduce(ir::op::add, w.load(x, 0));
      const auto im = w.reduce(ir::op::add, w.load(x, 1));
      w.store(y, re, 0);
      w.store(y, im, 1);
      problem p{w.k, {23, 35}, {}};
      if (lanes == ir::lane_axis::kept) p.layouts = {{{1, 23}, {}, {}}, {}};
      p.contents = fill::small;
      p.tolerance = 1e-6;
      check(p);
      p.k.schedule.split = true;
      p.splits = 3;
      check(p);
    }
  }
}

}  // namespace reductions_test
