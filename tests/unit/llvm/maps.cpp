// Elementwise kernels: ranks, strides, lengths, unravelled reads, in place.

#include "../../catch.hpp"
#include "harness.hpp"

namespace maps_test {

using namespace llvm_tests;

namespace {

/// (a * b + a) where b is positive, else a - b
ir::kernel three_operands(std::vector<ir::step> a, std::vector<ir::step> b, std::vector<ir::step> c,
                          dtype t = dtype::float32) {
  builder w(static_cast<int>(a.size()));
  const int x = w.input(t, std::move(a)), y = w.input(t, std::move(b)),
            z = w.output(t, std::move(c));
  const auto p = w.load(x), q = w.load(y);
  const auto sum = w.op(ir::op::add, t, w.op(ir::op::multiply, t, p, q), p);
  const auto positive = w.op(ir::op::greater, t, q, w.constant(t, 0));
  w.store(z, w.op(ir::op::where, t, positive, sum, w.op(ir::op::subtract, t, p, q)));
  return w.k;
}

}  // namespace

TEST_CASE("Maps of every length up to three rounds of the loop") {
  for (const auto& [vector, unroll] : {std::pair{8, 2}, {16, 4}, {4, 1}, {1, 1}, {2, 3}}) {
    ir::kernel k = three_operands({one}, {one}, {one});
    k.schedule.vector = vector;
    k.schedule.unroll = unroll;
    k.schedule.tile = 1 << 20;
    for (std::int64_t n = 0; n <= 3 * vector * unroll; ++n) check({k, {n}, {}});
    k.schedule.tile = 7;
    check({k, {100}, {}});
  }
}

TEST_CASE("Maps over any strides") {
  for (const ir::step last : {one, any, zero}) {
    const std::int64_t stride = last == any ? 3 : 1;
    check({three_operands({last}, {one}, {one}), {101}, {{{stride}, {}, {}}, {}, {}}});
    check({three_operands({any}, {last}, {any}),
           {101},
           {{{-2}, {}, {}}, {{-5}, {}, {}}, {{-3}, {}, {}}}});
  }
  for (const dtype t : {dtype::int8, dtype::int16, dtype::int64, dtype::float64, dtype::uint8}) {
    check({three_operands({any}, {one}, {any}, t), {77}, {{{-2}, {}, {}}, {}, {{2}, {}, {}}}});
  }
}

TEST_CASE("Maps that read strips") {
  const auto turned = [](dtype t, std::vector<std::int64_t> extents, std::int64_t tile) {
    const std::int64_t rows = extents[extents.size() - 2], columns = extents.back();
    std::vector<ir::step> across(extents.size(), any), plain(across), row(extents.size(), zero);
    across[extents.size() - 2] = plain.back() = row.back() = one;
    problem p{three_operands(across, row, plain, t), extents, {}};
    std::vector<std::int64_t> strides(extents.size(), rows * columns + 3);
    strides.back() = rows + 2;
    strides[extents.size() - 2] = 1;
    p.layouts = {{strides, {}, {}}};
    p.k.operands[0].reach = ir::reach::strips;
    p.k.schedule.tile = tile;
    return p;
  };
  for (const std::int64_t rows : {1, 7, 16, 130, 300}) {
    for (const std::int64_t columns : {1, 5, 16, 41, 70}) {
      for (const std::int64_t tile : {13, 1000}) {
        for (const int unroll : {1, 4}) {
          problem flat = turned(dtype::float32, {rows, columns}, tile);
          problem stack = turned(dtype::float64, {3, rows, columns}, tile);
          flat.k.schedule.unroll = stack.k.schedule.unroll = unroll;
          check(flat);
          check(stack);
        }
      }
    }
  }
  for (const dtype t : {dtype::bool_, dtype::int8, dtype::uint16, dtype::bfloat16}) {
    const bool copied = t == dtype::bool_ || t == dtype::bfloat16;
    problem p = turned(copied ? dtype::int8 : t, {2, 150, 77}, 4096);
    if (copied) {
      builder w(3);
      const int x = w.input(t, {any, one, any}), z = w.output(t, {any, any, one});
      w.store(z, w.load(x));
      const auto layouts = p.layouts;
      p = {w.k, p.extents, layouts};
      p.k.operands[0].reach = ir::reach::strips;
    }
    for (int vector : {4, 16, 64}) {
      p.k.schedule.vector = vector;
      check(p);
    }
  }
}

TEST_CASE("Maps that run backwards") {
  const auto reversed = [](dtype t, std::int64_t n, bool reads, bool writes) {
    problem p{three_operands({reads ? any : one}, {one}, {writes ? any : one}, t), {n}, {}};
    if (reads) p.k.operands[0].reach = ir::reach::backwards;
    if (writes) p.k.operands[2].reach = ir::reach::backwards;
    p.layouts = {{{reads ? -1 : 1}, {}, {}}, {}, {{writes ? -1 : 1}, {}, {}}};
    return p;
  };
  for (const dtype t : {dtype::int8, dtype::uint16, dtype::float32, dtype::float64}) {
    for (const std::int64_t n : {1, 3, 16, 63, 64, 65, 1000}) {
      for (int which = 1; which < 4; ++which) check(reversed(t, n, which & 1, which & 2));
    }
  }
  for (const auto& [vector, unroll] : {std::pair{8, 2}, {16, 4}, {4, 1}, {1, 1}, {2, 3}}) {
    problem p = reversed(dtype::float32, 101, true, true);
    p.k.schedule.vector = vector;
    p.k.schedule.unroll = unroll;
    check(p);
  }
  problem large = reversed(dtype::float32, 5 << 20, true, true);
  large.k.schedule.tile = 1 << 16;
  check(large);
}

TEST_CASE("Maps of ranks 2 to 5") {
  for (int rank = 2; rank <= 5; ++rank) {
    for (const std::int64_t last : {1, 2, 3, 7, 16, 33}) {
      std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 3);
      extents.back() = last;
      extents[0] = 5;
      std::vector<ir::step> plain(extents.size(), any), row(extents.size(), zero), turned(plain);
      plain.back() = row.back() = one;
      std::vector<ir::step> column(extents.size(), zero);
      column[0] = any;
      std::vector<std::int64_t> back = dense(extents);
      for (std::int64_t& s : back) s = -s;
      std::vector<std::int64_t> reversed = dense({extents.rbegin(), extents.rend()});
      reversed = {reversed.rbegin(), reversed.rend()};
      check({three_operands(plain, row, plain), extents, {}});
      check({three_operands(column, plain, plain), extents, {}});
      check({three_operands(turned, plain, turned),
             extents,
             {{back, {}, {}}, {}, {reversed, {}, {}}}});
      check({three_operands(turned, column, plain),
             extents,
             {{reversed, {}, {}}, {{1}, {}, {}}, {}}});
    }
  }
}

TEST_CASE("Operands that lie the other way round") {
  for (const std::int64_t rows : {1, 7, 130, 300}) {
    for (const std::int64_t columns : {1, 5, 8, 41}) {
      for (const std::int64_t tile : {13, 64, 1000}) {
        problem p{three_operands({one, any}, {any, one}, {any, one}),
                  {rows, columns},
                  {{{1, rows}, {}, {}}}};
        p.k.schedule.tile = tile;
        check(p);
        p.k = three_operands({zero, any, one}, {any, one, any}, {any, one, any}, dtype::int8);
        p.k.schedule.tile = tile;
        p.extents = {3, rows, columns};
        const layout turned = {{rows * columns, 1, rows}, {}, {}};
        p.layouts = {{{0, columns, 1}, {}, {}}, turned, turned};
        check(p);
      }
    }
  }
}

TEST_CASE("Unravelled reads and writes") {
  for (const dtype t : {dtype::float32, dtype::int8, dtype::complex64, dtype::complex128}) {
    builder w(2);
    const int x = w.input(t, {any, one}, 3), y = w.output(t, {any, one}, 2);
    const int parts = is_complex(t) ? 2 : 1;
    for (int part = 0; part < parts; ++part) w.store(y, w.load(x, part), part);
    const layout in = {{11, 1}, {4, 5, 7}, {50, -9, 1}, 3};
    const layout out = {{9, 1}, {40, 3}, {4, 1}, 1};
    check({w.k, {11, 9}, {in, out}});
  }
  builder w(2);
  const int x = w.input(dtype::float32, {any, zero}, 2), y = w.output(dtype::float32, {any, one});
  w.store(y, w.load(x));
  check({w.k, {6, 20}, {{{2, 0}, {4, 4}, {7, 2}, 1}, {}}});
}

TEST_CASE("Element numbers") {
  builder w(3);
  const int ix = w.index({any, any, one}), iy = w.index({zero, any, zero});
  const int z = w.output(dtype::int64, {any, any, one});
  w.store(z, w.op(ir::op::multiply, dtype::int64, w.number(ix), w.number(iy)));
  check({w.k, {3, 4, 21}, {{{84, 21, 1}, {}, {}, 5}, {{0, -3, 0}, {}, {}, 100}, {}}});
}

TEST_CASE("Element numbers that are unravelled") {
  builder w(2);
  const int ix = w.operand(ir::operand_role::index, dtype::int64, {any, one}, 3);
  w.store(w.output(dtype::int64, {any, one}), w.number(ix));
  check({w.k, {6, 23}, {{{20, 1}, {4, 5, 7}, {50, -9, 1}, 3}, {}}});
}

TEST_CASE("Maps in place") {
  problem p{three_operands({one}, {one}, {one}), {1000}, {}};
  p.in_place = 0;
  check(p);
  p.k = three_operands({any, one}, {zero, one}, {any, one});
  p.extents = {20, 50};
  check(p);
}

TEST_CASE("Large outputs are written past the caches") {
  problem p{three_operands({one}, {one}, {one}), {(9 << 20) + 5}, {}};
  p.k.schedule.vector = 16;
  p.k.schedule.unroll = 4;
  p.k.schedule.tile = 1 << 16;
  check(p);
}

TEST_CASE("Stores of values that do not move") {
  builder w(2);
  const int y = w.output(dtype::float64, {any, one}), z = w.output(dtype::bool_, {any, one});
  const auto s = w.scalar(dtype::float64);
  w.store(y, w.op(ir::op::add, dtype::float64, s, s));
  w.store(z, w.constant(dtype::bool_, 1));
  problem p{w.k, {3, 30}, {}};
  p.scalars = {0x3ff8000000000000};
  check(p);
}

TEST_CASE("Scalars of every type") {
  for (int n = 0; n < dtype_count; ++n) {
    const auto t = static_cast<dtype>(n);
    if (is_complex(t)) continue;
    builder w(1);
    const int y = w.output(t, {one});
    w.store(y, w.scalar(t));
    problem p{w.k, {19}, {}};
    p.scalars = {is_bool(t) ? 1u : 0x4142434445464748u};
    check(p);
  }
}

}  // namespace maps_test
