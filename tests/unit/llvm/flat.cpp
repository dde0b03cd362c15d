// Vectors of a map that continue across the ends of rows.

#include "../../catch.hpp"
#include "harness.hpp"

namespace flat_test {

using namespace llvm_tests;

namespace {

void make_flat(builder& w, int vector, std::initializer_list<int> picked) {
  for (int o : picked) w.k.operands[static_cast<std::size_t>(o)].reach = ir::reach::picked;
  w.k.schedule.flat = true;
  w.k.schedule.row_lanes = 1;
  w.k.schedule.vector = vector;
  w.k.schedule.unroll = 1;
  w.k.schedule.tile = 64;
}

/// x * column + row, and a wider array's elements there, over the rows of a plane.
problem plane(dtype t, int vector, std::int64_t rows, std::int64_t length) {
  builder w(2);
  const int x = w.input(t, {any, one}), column = w.input(t, {any, zero}),
            row = w.input(t, {zero, one}), wide = w.input(t, {any, one}),
            still = w.input(t, {zero, zero}), out = w.output(t, {any, one});
  const auto product = w.op(ir::op::multiply, t, w.load(x), w.load(column));
  const auto sum = w.op(ir::op::add, t, product, w.load(row));
  const auto shifted = w.op(ir::op::subtract, t, w.load(wide), w.load(still));
  // Depends on the column only: computed once a row, but for the lanes of two rows.
  const auto alone = w.op(ir::op::add, t, w.load(column), w.load(column));
  w.store(out, w.op(ir::op::add, t, w.op(ir::op::add, t, sum, alone), shifted));
  make_flat(w, vector, {column, row, wide});
  problem p{w.k, {rows, length}, {}};
  p.layouts.resize(w.k.operands.size());
  p.layouts[static_cast<std::size_t>(column)] = {{2, 0}, {}, {}};
  p.layouts[static_cast<std::size_t>(wide)] = {{length + 3, 1}, {}, {}};
  p.contents = fill::small;
  return p;
}

}  // namespace

TEST_CASE("Vectors over the ends of rows, of every length and number of rows") {
  for (std::int64_t length = 8; length <= 35; ++length) {
    for (std::int64_t rows : {0, 1, 2, 3, 9}) check(plane(dtype::float32, 8, rows, length));
  }
  for (std::int64_t length : {16, 17, 29, 31, 33, 100}) {
    check(plane(dtype::float32, 16, 13, length));
    check(plane(dtype::int32, 16, 13, length));
  }
}

TEST_CASE("Vectors over the ends of rows, of every size of elements") {
  for (const dtype t : {dtype::int8, dtype::uint16, dtype::int64, dtype::float64}) {
    for (int vector : {4, 8, 16, 32}) check(plane(t, vector, 11, 37));
  }
}

TEST_CASE("Vectors over the ends of rows: several axes, coordinates and places in a run") {
  builder w(3);
  const dtype t = dtype::int64;
  const int x = w.input(t, {any, any, one}), block = w.input(t, {any, zero, one}),
            side = w.input(t, {zero, any, zero}), at = w.index({zero, zero, one}),
            number = w.index({any, any, zero}), all = w.index({any, any, one}),
            out = w.output(t, {any, any, one});
  auto sum = w.op(ir::op::add, t, w.load(x), w.load(block));
  for (const auto v : {w.load(side), w.number(at), w.number(number), w.number(all)}) {
    sum = w.op(ir::op::add, t, w.op(ir::op::multiply, t, sum, w.constant(t, 3)), v);
  }
  w.store(out, sum);
  make_flat(w, 8, {block, side, at, number});
  for (std::int64_t length : {8, 9, 15, 20}) {
    problem p{w.k, {5, 3, length}, {}};
    p.layouts.resize(w.k.operands.size());
    p.layouts[static_cast<std::size_t>(block)] = {{length, 0, 1}, {}, {}};
    p.layouts[static_cast<std::size_t>(side)] = {{0, 7, 0}, {}, {}};
    p.layouts[static_cast<std::size_t>(at)] = {{0, 0, 1}, {}, {}, 4};
    p.layouts[static_cast<std::size_t>(number)] = {{100, 10, 0}, {}, {}};
    p.layouts[static_cast<std::size_t>(all)] = {{3 * length, length, 1}, {}, {}, 2};
    check(p);
  }
}

TEST_CASE("Vectors over the ends of rows of what is written past the caches") {
  problem p = plane(dtype::float32, 16, 200000, 17);
  p.k.schedule.tile = 8192;
  check(p);
}

}  // namespace flat_test
