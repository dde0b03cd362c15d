#pragma once
// Element numbers, unravelled operands, random numbers.

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

using ir::op;

inline trial element_numbers_of(int vector, int unroll) {
  builder b(3);
  const int forwards = b.index({any, any, one}), backwards = b.index({any, zero, any});
  const int out = b.output(dtype::int64, {any, any, one});
  b.store(out, b.op(op::subtract, dtype::int64, {b.number(forwards), b.number(backwards)}));
  return {
      .name = "element numbers",
      .k = b.map(vector, unroll),
      .extents = {3, 5, 8},
      .layouts = {{.strides = {40, 8, 1}, .start = 17}, {.strides = {-100, 0, -3}, .start = 1000}}};
}

/// out[i] = element i + 2 of the flattened transpose of a 6 x 10 matrix.
inline trial unravelled_input(int vector, int unroll) {
  builder b(1);
  const int in = b.input(dtype::float32, {one}, 2), out = b.output(dtype::float32, {one});
  b.store(out, b.load(in));
  return {.name = "unravelled input",
          .k = b.map(vector, unroll),
          .extents = {57},
          .layouts = {{.strides = {1}, .extents = {6, 10}, .steps = {1, 6}, .start = 2}}};
}

inline trial unravelled_output(int vector, int unroll) {
  builder b(2);
  const int in = b.input(dtype::complex64, {any, one});
  const int out = b.output(dtype::complex64, {any, one}, 3);
  b.store(out, b.load(in, 0), 1);
  b.store(out, b.load(in, 1), 0);
  return {.name = "unravelled output",
          .k = b.map(vector, unroll),
          .extents = {5, 12},
          .layouts = {{}, {.strides = {12, 1}, .extents = {3, 4, 5}, .steps = {1, 3, 12}}}};
}

inline trial unravelled_rows(int vector, int unroll) {
  builder b(1, 1);
  const int in = b.input(dtype::int32, {any, one}, 2), out = b.output(dtype::int32, {any, zero});
  b.store(out, b.reduce(op::add, b.load(in)));
  return {.name = "unravelled rows",
          .k = b.rows(64, 32, vector, unroll),
          .extents = {6, 75},
          .layouts = {{.strides = {75, 1}, .extents = {45, 10}, .steps = {1, 45}}},
          .contents = fill::small};
}

inline trial unravelled_columns(int vector, int unroll) {
  builder b(1, 1);
  const int in = b.input(dtype::int32, {one, any}, 2), out = b.output(dtype::int32, {one, zero});
  b.store(out, b.reduce(op::add, b.load(in)));
  return {.name = "unravelled columns",
          .k = b.columns(64, 4, vector, unroll),
          .extents = {76, 6},
          .layouts = {{.strides = {1, 76}, .extents = {38, 12}, .steps = {1, 38}}},
          .contents = fill::small};
}

inline trial random_map(dtype t, int vector, std::int64_t start) {
  builder b(1);
  const int counter = b.number(b.index({one}));
  b.store(b.output(t, {one}), b.random(t, counter, b.scalar(dtype::uint64)));
  const int key = b.constant(dtype::uint64, 0x123456789abcdef);
  b.store(b.output(t, {one}), b.random(t, counter, key));
  return {.name = "random",
          .k = b.map(vector, 2),
          .extents = {203},
          .layouts = {{.strides = {1}, .start = start}},
          .scalars = {0xfedcba9876543210}};
}

inline trial random_sum(dtype t, int vector) {
  builder b(1, 1);
  const int counter = b.number(b.index({any, one}));
  b.store(b.output(t, {any, zero}),
          b.reduce(op::add, b.random(t, counter, b.scalar(dtype::uint64))));
  return {.name = "sum of random",
          .k = b.rows(64, 32, vector, 2),
          .extents = {5, 300},
          .layouts = {{.strides = {300, 1}, .start = 3}},
          .scalars = {42}};
}

/// out[n - 1 - i] = in[i] where in[i] > 0, with the index computed from i.
inline trial scattered(int vector, int unroll) {
  builder b(1);
  const int x = b.load(b.input(dtype::int32, {one})), i = b.number(b.index({one}));
  const int last = b.constant(dtype::int64, 202), none = b.constant(dtype::int32, 0);
  const int twice = b.op(op::add, dtype::int64, {i, i});
  const int place = b.op(op::subtract, dtype::int64, {last, twice});
  b.scatter(b.output(dtype::int32, {one}), x, place, b.op(op::greater, dtype::int32, {x, none}));
  b.scatter(b.output(dtype::float32, {one}), b.cast(x, dtype::float32), place, -1);
  return {.name = "scattered",
          .k = b.map(vector, unroll),
          .extents = {203},
          .layouts = {{}, {.strides = {1}}},
          .contents = fill::small};
}

/// out[i % 16] = code(out[i % 16], in[i]), where in[i] > 0 or everywhere.
inline trial combined(op code, dtype t, int vector, bool everywhere) {
  builder b(1);
  const int x = b.load(b.input(t, {one})), i = b.number(b.index({one}));
  const int fifteen = b.constant(dtype::int64, 15), none = b.constant(t, 0);
  const int place = b.op(op::subtract, dtype::int64,
                         {b.op(op::bitwise_and, dtype::int64, {i, fifteen}), i});
  const int condition = everywhere ? -1 : b.op(op::greater, t, {x, none});
  b.combine(code, b.output(t, {one}), x, place, condition);
  return {.name = "combined by " + std::string(ir::name(code)),
          .k = b.map(vector),
          .extents = {203},
          .layouts = {{}, {.strides = {1}}},
          .contents = fill::small};
}

/// out[i % 16] = code(out[i % 16], in[i]) where in[i] > 0, first accumulated in words of each
/// block; and out1[i % 16] = the same for 2 in[i].
inline trial held(op code, dtype t, int vector, int tiles, bool both) {
  builder b(1);
  const int x = b.load(b.input(t, {one})), i = b.number(b.index({one}));
  const int rest = b.op(op::bitwise_and, dtype::int64, {i, b.constant(dtype::int64, 15)});
  const int place = b.op(op::subtract, dtype::int64, {rest, i});
  const int condition = b.op(op::greater, t, {x, b.constant(t, 0)});
  b.combine(code, b.output(t, {one}), x, place, condition);
  std::vector<layout> layouts = {{}, {.strides = {1}}};
  if (both) {
    b.combine(code, b.output(t, {one}), b.op(op::add, t, {x, x}), place, condition);
    layouts.push_back({.strides = {1}});
  }
  trial held{.name = "held " + std::string(ir::name(code)),
             .k = b.map(vector),
             .extents = {1203},
             .layouts = std::move(layouts),
             .contents = fill::small};
  held.k.schedule.held = 16;
  held.k.schedule.tile *= tiles;
  return held;
}

/// Adds to the imaginary parts of out[0].
inline trial combined_parts() {
  builder b(1);
  const int x = b.load(b.input(dtype::complex64, {one}), 1), i = b.number(b.index({one}));
  const int place = b.op(op::negative, dtype::int64, {i});
  const int out = b.output(dtype::complex64, {one});
  b.combine(op::add, out, x, place, -1);
  b.k.body.back().part = 1;
  return {.name = "combined parts",
          .k = b.map(2),
          .extents = {64},
          .layouts = {{}, {.strides = {1}}},
          .contents = fill::small};
}

inline std::vector<trial> combinations() {
  std::vector<trial> trials = {combined_parts()};
  for (dtype t : {dtype::int8, dtype::uint8, dtype::int16, dtype::uint16, dtype::int32,
                  dtype::uint32, dtype::int64, dtype::uint64, dtype::float32, dtype::float64}) {
    for (op code : {op::add, op::multiply, op::maximum, op::minimum, op::subtract}) {
      trials.push_back(combined(code, t, 1, false));
      trials.push_back(combined(code, t, 4, true));
    }
  }
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (op code : {op::maximum, op::minimum}) {
      trials.push_back(combined(code, t, 4, true));
      trials.back().contents = fill::edges;  // some places get a NaN
    }
  }
  return trials;
}

inline std::vector<trial> held_places() {
  std::vector<trial> trials;
  for (dtype t : {dtype::int32, dtype::uint32, dtype::int64, dtype::uint64}) {
    for (op code : {op::add, op::maximum, op::minimum}) {
      trials.push_back(held(code, t, 1, 1, false));
      trials.push_back(held(code, t, 2, 3, true));
    }
  }
  for (dtype t : {dtype::float32, dtype::float64}) {
    for (op code : {op::maximum, op::minimum}) {
      trials.push_back(held(code, t, 1, 1, false));
      trials.push_back(held(code, t, 2, 3, true));
    }
  }
  return trials;
}

/// One gathered row per row: in[i % 8], starting at element `start` of the array; some are zeros.
inline trial picked_row(dtype t, ir::kernel (*finish)(builder&), std::int64_t width,
                        std::int64_t start, bool some) {
  builder b(2);
  const int in = b.input(t, {any, one}), i = b.number(b.index({any, zero}));
  const int rest = b.op(op::bitwise_and, dtype::int64, {i, b.constant(dtype::int64, 7)});
  const int back = b.op(op::subtract, dtype::int64, {rest, i});
  const int length = b.constant(dtype::int64, static_cast<std::uint64_t>(width));
  const int place = b.op(op::multiply, dtype::int64, {back, length});
  const int few = b.op(op::less, dtype::int64, {rest, b.constant(dtype::int64, 5)});
  b.store(b.output(t, {any, one}), b.gather(in, place, some ? few : -1));
  return {.name = "picked rows",
          .k = finish(b),
          .extents = {23, width},
          .layouts = {{.start = start}, {.strides = {1, 0}}}};
}

/// Columns of the row that each element gathers: in[i % 8][column].
inline trial picked_columns(dtype t, int vector, std::vector<int> columns, std::int64_t width,
                            std::int64_t start) {
  builder b(1);
  trial all{.name = "picked columns", .k = {}, .extents = {203}};
  const int i = b.number(b.index({any}));
  all.layouts.push_back({.strides = {1}});
  const int rest = b.op(op::bitwise_and, dtype::int64, {i, b.constant(dtype::int64, 7)});
  const int back = b.op(op::subtract, dtype::int64, {rest, i});
  const int length = b.constant(dtype::int64, static_cast<std::uint64_t>(width));
  const int place = b.op(op::multiply, dtype::int64, {back, length});
  const int few = b.op(op::less, dtype::int64, {rest, b.constant(dtype::int64, 5)});
  int first = -1;
  for (const int c : columns) {
    const int in = b.input(t, {any});
    all.layouts.push_back({.strides = {width}, .start = start});
    if (first < 0) first = in;
    ir::operand& o = b.k.operands[static_cast<std::size_t>(in)];
    if (in != first) o.base = first, o.turn = c - columns[0];
    b.store(b.output(t, {one}), b.gather(in, place, width % 2 == 0 ? few : -1));
    all.layouts.push_back({});
  }
  all.k = b.map(vector);
  return all;
}

/// The same, summed along rows.
inline trial picked_sum(dtype t, int threads, int vector, int unroll, std::int64_t width,
                        std::int64_t start) {
  builder b(1, 1);
  const int in = b.input(t, {any, one}), i = b.number(b.index({any, zero}));
  const int rest = b.op(op::bitwise_and, dtype::int64, {i, b.constant(dtype::int64, 7)});
  const int back = b.op(op::subtract, dtype::int64, {rest, i});
  const int length = b.constant(dtype::int64, static_cast<std::uint64_t>(width));
  const int row = b.gather(in, b.op(op::multiply, dtype::int64, {back, length}), -1);
  const int product = b.op(op::multiply, t, {row, b.load(b.input(t, {any, one}))});
  b.store(b.output(t, {any, zero}), b.reduce(op::add, product));
  return {.name = "sums of picked rows",
          .k = b.rows(64, threads, vector, unroll),
          .extents = {23, width},
          .layouts = {{.start = start}, {.strides = {1, 0}}},
          .contents = fill::small};
}

/// out[i, c] = the sum over j of in[j % 4, c], or of row (j + i) % 4 if `computed`.
inline trial bag_of_rows(dtype t, int threads, int vector, int unroll, std::int64_t start,
                         bool computed) {
  builder b(2, 1);
  const int in = b.input(t, {any, one, zero}), i = b.number(b.index({any, zero, zero}));
  const int j = b.number(b.index({zero, zero, any}));
  const int three = b.constant(dtype::int64, 3);
  const int from = computed ? b.op(op::bitwise_and, dtype::int64, {i, three}) : i;
  const int by = computed ? b.op(op::add, dtype::int64, {j, from}) : j;
  const int rest = b.op(op::bitwise_and, dtype::int64, {by, three});
  const int back = b.op(op::subtract, dtype::int64, {rest, i});
  const int place = b.op(op::multiply, dtype::int64, {back, b.constant(dtype::int64, 16)});
  b.store(b.output(t, {any, one, zero}), b.reduce(op::add, b.gather(in, place, -1)));
  return {.name = "bags of rows",
          .k = b.columns(64, threads, vector, unroll),
          .extents = {9, 16, 13},
          .layouts = {{.start = start}, {.strides = {1, 0, 0}}, {.strides = {0, 0, 1}}},
          .contents = fill::small};
}

inline std::vector<trial> picked_rows() {
  std::vector<trial> trials;
  const auto flat = [](builder& b) { return b.map(4); };
  const auto twice = [](builder& b) { return b.map(4, 2); };
  const auto tiled = [](builder& b) { return b.tiles(4, 64, 4); };
  for (dtype t : {dtype::bool_, dtype::uint8, dtype::bfloat16, dtype::float32, dtype::float64}) {
    for (std::int64_t start : {0, 1}) {
      trials.push_back(picked_row(t, flat, 12, start, false));
      trials.push_back(picked_row(t, twice, 20, start, true));
      trials.push_back(picked_row(t, tiled, 36, start, true));
    }
  }
  for (dtype t : {dtype::bool_, dtype::int16, dtype::float32, dtype::float64}) {
    for (std::int64_t width : {4, 9}) {
      trials.push_back(picked_columns(t, 4, {0, 1, 2, 3}, width, 0));
      trials.push_back(picked_columns(t, 1, {1, 3, 2}, width, 1));
    }
  }
  for (std::int64_t start : {0, 1}) {
    for (int unroll : {1, 4}) {
      trials.push_back(picked_sum(dtype::float32, 1, 4, unroll, 16, start));
      trials.push_back(picked_sum(dtype::int32, 8, 4, unroll, 100, start));
      for (const bool computed : {false, true}) {
        trials.push_back(bag_of_rows(dtype::float32, 1, 4, unroll, start, computed));
        trials.push_back(bag_of_rows(dtype::int64, 4, 2, unroll, start, computed));
      }
    }
  }
  return trials;
}

template <class... makers> std::vector<trial> by_vector_and_unroll(makers... make) {
  std::vector<trial> trials;
  for (int vector : {1, 4}) {
    for (int unroll : {1, 2}) (trials.push_back(make(vector, unroll)), ...);
  }
  return trials;
}

inline std::vector<trial> element_numbers() {
  return by_vector_and_unroll(element_numbers_of);
}

inline std::vector<trial> scatters() { return by_vector_and_unroll(scattered); }

inline std::vector<trial> unravelled() {
  std::vector<trial> trials = by_vector_and_unroll(unravelled_input, unravelled_output,
                                                   unravelled_rows, unravelled_columns);
  for (std::size_t i = 0, count = trials.size(); i < count; ++i) {
    trials.push_back(trials[i]);
    trials.back().name += ", narrow";
    for (ir::operand& o : trials.back().k.operands) o.access.narrow = o.access.unravel > 0;
  }
  return trials;
}

inline std::vector<trial> random_numbers() {
  std::vector<trial> trials;
  for (dtype t : {dtype::uint32, dtype::uint64}) {
    for (int vector : {1, 4}) {
      for (std::int64_t start : {0l, 1l, 6l, 1000000000000l}) {
        trials.push_back(random_map(t, vector, start));
      }
      trials.push_back(random_sum(t, vector));
    }
  }
  return trials;
}

}  // namespace sinter::tests
