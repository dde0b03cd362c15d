// Every row of the op table for every type, and every conversion, against the reference.

#include <bit>
#include <cstdint>
#include <set>

#include "../../catch.hpp"
#include "harness.hpp"

namespace ops_test {

using namespace llvm_tests;

namespace {

problem one_op(ir::op code, dtype t) {
  builder w(1);
  std::int32_t args[3] = {-1, -1, -1};
  const int arity = ir::info(code).arity;
  for (int i = 0; i < arity; ++i) {
    args[i] = w.load(w.input(ir::argument_type(code, t, i), {one}));
  }
  // Internal ops are for formulas, which keep shifts in range.
  if ((ir::info(code).traits & ir::internal) && arity == 2 && is_integer(t)) {
    args[1] = w.op(ir::op::bitwise_and, t, args[1], w.constant(t, 8 * size_of(t) - 1));
  }
  // Whole numbers that take an element below the smallest value and beyond the largest.
  if (code == ir::op::scaled) {
    const bool single = t == dtype::float32;
    const auto number = [&](float x, double y) {
      return w.constant(
          t, single ? std::bit_cast<std::uint32_t>(x) : std::bit_cast<std::uint64_t>(y));
    };
    args[1] = w.op(ir::op::floor, t, args[1]);
    args[1] = w.op(ir::op::larger, t, number(-250, -2040), args[1]);
    args[1] = w.op(ir::op::smaller, t, number(250, 2040), args[1]);
  }
  const dtype r = ir::result_type(code, t);
  const auto v = ir::emit(w.k.body, code, t, args);
  w.store(w.output(r, {one}), v);
  return {w.k, {517}, {}};
}

}  // namespace

TEST_CASE("Every exact op on every type gives the reference bits") {
  for (int n = 0; n < ir::op_count; ++n) {
    const auto code = static_cast<ir::op>(n);
    for (int m = 0; m < dtype_count; ++m) {
      const auto t = static_cast<dtype>(m);
      if (is_complex(t) || is_half(t) || !ir::accepts(code, t) || !ir::is_exact(code, t)) continue;
      if (ir::operand_type(code, t) != t) continue;
      for (const int vector : {8, 16}) {
        problem p = one_op(code, t);
        p.k.schedule.vector = vector;
        p.seed = static_cast<unsigned>(n);
        check(p);
      }
      problem p = one_op(code, t);
      p.contents = fill::small;
      check(p);
    }
  }
}

TEST_CASE("Every conversion saturates, wraps and rounds as the reference does") {
  for (int n = 0; n < dtype_count; ++n) {
    for (int m = 0; m < dtype_count; ++m) {
      const auto from = static_cast<dtype>(n), to = static_cast<dtype>(m);
      if (is_complex(from) || is_complex(to)) continue;
      for (const int vector : {1, 8, 16, 32}) {
        builder w(1);
        w.k.schedule.vector = vector;
        w.k.schedule.tile = 256;
        const auto v = w.load(w.input(from, {one}));
        w.store(w.output(to, {one}), w.cast(v, to));
        check({w.k, {2039}, {}});
      }
    }
  }
}

TEST_CASE("Bit patterns pass between types of one size") {
  const dtype pairs[][2] = {{dtype::float32, dtype::int32},  {dtype::uint32, dtype::float32},
                            {dtype::float64, dtype::uint64}, {dtype::int64, dtype::float64},
                            {dtype::float16, dtype::uint16}, {dtype::bfloat16, dtype::int16}};
  for (const auto& [from, to] : pairs) {
    builder w(1);
    ir::inst i;
    i.code = ir::op::bitcast;
    i.type = from;
    i.result = to;
    i.args[0] = w.load(w.input(from, {one}));
    w.k.body.push_back(i);
    w.store(w.output(to, {one}), i.args[0] + 1);
    check({w.k, {333}, {}});
  }
}

TEST_CASE("Rounding to a half type and back is never left out") {
  for (const dtype h : {dtype::float16, dtype::bfloat16}) {
    for (const dtype t : {dtype::float32, dtype::float64}) {
      builder w(1);
      const auto v = w.load(w.input(t, {one}));
      const auto rounded = w.cast(w.cast(v, h), t);
      w.store(w.output(t, {one}), w.op(ir::op::add, t, rounded, rounded));
      check({w.k, {999}, {}});
    }
  }
}

TEST_CASE("Complex arithmetic") {
  for (const dtype t : {dtype::complex64, dtype::complex128}) {
    for (const ir::op code : {ir::op::add, ir::op::multiply, ir::op::divide, ir::op::conj,
                              ir::op::square, ir::op::equal, ir::op::real}) {
      for (const auto& steps : {std::vector{one}, {any}, {zero}}) {
        builder w(1);
        const int x = w.input(t, steps), y = w.input(t, {one});
        const std::int32_t args[] = {w.load(x, 0), w.load(x, 1), w.load(y, 0),
                                     w.load(y, 1), -1,           -1};
        const auto [re, im] = ir::emit_complex(w.k.body, code, t, args);
        const dtype r = ir::result_type(code, t);
        const int z = w.output(r, {one});
        w.store(z, re, 0);
        if (is_complex(r)) w.store(z, im, 1);
        problem p{w.k, {205}, {{{-3}, {}, {}}, {}, {}}};
        check(p);
        p.k.operands[static_cast<std::size_t>(z)].access.steps = {any};
        p.layouts.push_back({{2}, {}, {}});
        check(p);
      }
    }
  }
}

TEST_CASE("Random bits are Philox at the element number") {
  for (const dtype t : {dtype::uint32, dtype::uint64}) {
    for (const std::int64_t start : {0ll, 1ll, 3ll, (1ll << 34) - 5}) {
      for (const int vector : {1, 4, 16}) {
        builder w(2);
        w.k.schedule.vector = vector;
        const int ix = w.index({any, one}), iy = w.index({one, any});
        const auto key = w.scalar(dtype::uint64);
        w.store(w.output(t, {any, one}), w.random(w.number(ix), key, t));
        w.store(w.output(t, {any, one}), w.random(w.number(iy), key, t));
        problem p{w.k, {9, 47}, {{{}, {}, {}, start}, {{0, 5}, {}, {}, start}, {}, {}}};
        p.scalars = {0x0123456789abcdef};
        check(p);
      }
    }
  }
}

}  // namespace ops_test
