// Operands that are interleaved in one array.

#include "../../catch.hpp"
#include "harness.hpp"

namespace turns_test {

using namespace llvm_tests;

namespace {

int taking_turns(builder& w, ir::operand_role role, dtype t, int apart, int turn, int base) {
  const int o = w.operand(role, t, {any});
  ir::operand& x = w.k.operands[static_cast<std::size_t>(o)];
  x.apart = apart;
  x.base = base < 0 ? o : base;
  x.turn = turn;
  return o;
}

/// Rows of `apart` elements: each element plus the next one in its row, or times itself.
problem rows(dtype t, int apart, std::int64_t count, bool from_the_middle = false) {
  builder w(1);
  std::vector<std::int32_t> values;
  const int first = from_the_middle ? apart / 2 : 0;
  int base = -1;
  for (int i = 0; i < apart; ++i) {
    const int place = (first + i) % apart;
    const int o = taking_turns(w, ir::operand_role::input, t, apart, place - first, base);
    if (base < 0) base = o;
    values.push_back(w.load(o));
  }
  base = -1;
  for (int i = 0; i < apart; ++i) {
    const int o = taking_turns(w, ir::operand_role::output, t, apart, i, base);
    if (base < 0) base = o;
    const auto next = values[static_cast<std::size_t>((i + 1) % apart)];
    w.store(o, w.op(ir::op::add, t, values[static_cast<std::size_t>(i)], next));
  }
  problem p{w.k, {count}, {}};
  for (std::size_t o = 0; o < w.k.operands.size(); ++o) p.layouts.push_back({{apart}, {}, {}});
  return p;
}

}  // namespace

TEST_CASE("Rows that are read and written a vector at a time") {
  for (int apart = 2; apart <= ir::most_apart; ++apart) check(rows(dtype::float32, apart, 203));
  for (const dtype t : {dtype::int8, dtype::uint16, dtype::int64, dtype::float64}) {
    for (int apart : {2, 3, 5, 16}) check(rows(t, apart, 77));
  }
  for (const auto& [vector, unroll] : {std::pair{16, 4}, {4, 1}, {2, 3}, {1, 1}}) {
    problem p = rows(dtype::float32, 3, 150);
    p.k.schedule.vector = vector;
    p.k.schedule.unroll = unroll;
    check(p);
  }
  for (std::int64_t n = 0; n < 40; ++n) check(rows(dtype::float32, 3, n));
}

TEST_CASE("Turns count from whichever operand is first") {
  for (int apart : {2, 3, 7}) check(rows(dtype::float32, apart, 100, true));
}

TEST_CASE("Some of a row's elements, and nothing behind the last") {
  for (const auto& [apart, turn] : {std::pair{2, 1}, {3, 2}, {4, 3}, {4, 1}}) {
    builder w(1);
    const int a = taking_turns(w, ir::operand_role::input, dtype::float32, apart, 0, -1);
    const int b = taking_turns(w, ir::operand_role::input, dtype::float32, apart, turn, a);
    const int out = w.output(dtype::float32, {one});
    w.store(out, w.op(ir::op::subtract, dtype::float32, w.load(a), w.load(b)));
    for (std::int64_t n : {1, 8, 16, 33, 64}) {
      check({w.k, {n}, {{{apart}, {}, {}}, {{apart}, {}, {}}, {}}});
    }
  }
}

TEST_CASE("Large outputs that take turns go past the caches") {
  problem p = rows(dtype::float32, 3, (5 << 20) / 3);
  p.k.schedule.tile = 1 << 16;
  check(p);
}

}  // namespace turns_test
