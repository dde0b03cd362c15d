#pragma once
// Maps over every layout and vector width.

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

using ir::op;

inline constexpr dtype all_types[] = {
    dtype::bool_,    dtype::int8,    dtype::int16,   dtype::int32,     dtype::int64,
    dtype::uint8,    dtype::uint16,  dtype::uint32,  dtype::uint64,    dtype::float16,
    dtype::bfloat16, dtype::float32, dtype::float64, dtype::complex64, dtype::complex128};

inline void copy_elements(builder& b, dtype t, int from, int to) {
  for (int part = 0; part < (is_complex(t) ? 2 : 1); ++part) b.store(to, b.load(from, part), part);
}

/// Copies `from` to `to`, laid out as given.
inline trial copy(std::string name, dtype t, std::vector<std::int64_t> extents, int vector,
                  int unroll, std::vector<ir::step> from, std::vector<ir::step> to,
                  std::vector<layout> layouts = {}) {
  builder b(static_cast<int>(extents.size()));
  const int in = b.input(t, std::move(from)), out = b.output(t, std::move(to));
  copy_elements(b, t, in, out);
  return {.name = std::move(name),
          .k = b.map(vector, unroll),
          .extents = std::move(extents),
          .layouts = std::move(layouts)};
}

inline std::vector<trial> flat_maps() {
  std::vector<trial> trials;
  for (int vector : {1, 2, 4, 16}) {
    for (int unroll : {1, 2, 4}) {
      for (std::int64_t n : {1, 3, 64, 1000, 4096}) {
        trials.push_back(copy("copy of " + std::to_string(n) + " by " + std::to_string(vector) +
                                  " x " + std::to_string(unroll),
                              dtype::float32, {n}, vector, unroll, {one}, {one}));
        trials.back().donor = 0;
      }
    }
  }
  return trials;
}

inline std::vector<trial> vectors_of_types() {
  std::vector<trial> trials;
  for (dtype t : all_types) {
    for (int vector : {1, 2, 8}) {
      trials.push_back(copy("copy of " + std::string(name(t)), t, {203}, vector, 1, {one}, {one}));
    }
  }
  return trials;
}

inline std::vector<trial> layouts_of_maps() {
  std::vector<trial> trials;
  for (int vector : {1, 4}) {
    for (int unroll : {1, 2}) {
      const auto add = [&](std::string name, std::vector<std::int64_t> extents,
                           std::vector<ir::step> from, std::vector<ir::step> to,
                           std::vector<layout> layouts = {}) {
        for (dtype t : {dtype::float32, dtype::uint8, dtype::complex64}) {
          trials.push_back(copy(name, t, extents, vector, unroll, from, to, layouts));
        }
      };
      add("strided", {301}, {any}, {one}, {{{3}}, {}});
      add("strided output", {301}, {one}, {any}, {{}, {{2}}});
      add("flip", {301}, {any}, {one}, {{{-1}}, {}});
      add("broadcast scalar", {301}, {zero}, {one});
      add("transpose", {24, 36}, {any, any}, {any, one}, {{{1, 24}}, {}});
      add("row broadcast", {24, 36}, {zero, one}, {any, one});
      add("column broadcast", {24, 36}, {any, zero}, {any, one});
      add("rank 3", {5, 7, 8}, {any, any, one}, {any, any, any}, {{{64, 8, 1}}, {{1, 5, 35}}});
      add("rank 5", {2, 3, 2, 5, 4}, {any, any, any, any, one}, {any, any, any, any, any},
          {{}, {{120, 40, 20, 4, -1}}});
    }
  }
  return trials;
}

/// Rows of `apart` elements, each rotated back by one within its row.
inline trial rows_in_turn(dtype t, int apart, std::int64_t n, int vector, int unroll) {
  builder b(1);
  const std::vector<int> in = b.turns(ir::operand_role::input, t, apart);
  const std::vector<int> out = b.turns(ir::operand_role::output, t, apart);
  std::vector<std::int32_t> values;
  for (int o : in) values.push_back(b.load(o));
  for (std::size_t i = 0; i < out.size(); ++i) b.store(out[i], values[(i + 1) % values.size()]);
  trial made{.name = "rows of " + std::to_string(apart) + " " + std::string(name(t)),
             .k = b.map(vector, unroll),
             .extents = {n}};
  made.layouts.resize(in.size() + out.size(), {{apart}});
  return made;
}

inline std::vector<trial> rows_in_turns() {
  std::vector<trial> trials;
  for (int apart : {2, 3, 4, 8}) {
    for (int unroll : {1, 2}) {
      trials.push_back(rows_in_turn(dtype::float32, apart, 1003, 4, unroll));
      trials.push_back(rows_in_turn(dtype::float32, apart, 1000, 2, unroll));
      trials.push_back(rows_in_turn(dtype::float64, apart, 515, 2, unroll));
      trials.push_back(rows_in_turn(dtype::uint8, apart, 2000, 16, unroll));
      trials.push_back(rows_in_turn(dtype::int16, apart, 301, 8, unroll));
    }
  }
  return trials;
}

/// Rows through shared memory, of which all but the last `less` places are read, times one number
/// per row, each rotated by one place.
inline trial brought_row(dtype t, int apart, int less, std::int64_t n, int threads) {
  builder b(1);
  const std::vector<int> in = b.turns(ir::operand_role::input, t, apart, apart - less);
  const std::vector<int> out = b.turns(ir::operand_role::output, t, apart);
  const int factor = b.load(b.input(t, {one}));
  std::vector<std::int32_t> values;
  for (int o : in) values.push_back(b.op(op::multiply, t, {b.load(o), factor}));
  for (std::size_t i = 0; i < out.size(); ++i) b.store(out[i], values[(i + 1) % values.size()]);
  trial made{.name = "brought rows of " + std::to_string(apart) + " " + std::string(name(t)),
             .k = b.map(1, 1, threads),
             .extents = {n}};
  made.layouts.resize(in.size() + out.size(), {{apart}});
  return made;
}

inline std::vector<trial> brought_rows() {
  std::vector<trial> trials;
  for (int apart : {2, 5, 6, 9, 12, 16}) {
    for (std::int64_t n : {1, 128, 1003}) {
      trials.push_back(brought_row(dtype::float32, apart, 0, n, 128));
      trials.push_back(brought_row(dtype::float64, apart, 1, n, 64));
      trials.push_back(brought_row(dtype::int32, apart, apart / 2, n, 128));
    }
  }
  return trials;
}

/// An element of another input, starting at the fourth of its row.
inline int gathered(builder& b, dtype t, const std::vector<ir::step>& steps) {
  std::vector<ir::step> column(steps.size(), zero);
  column.back() = one;
  const int in = b.input(t, steps), number = b.number(b.index(column));
  const int three = b.constant(dtype::int64, 3);
  return b.gather(in, -1, b.op(op::less, dtype::int64, {three, number}));
}

/// Transposed operands: every class of sides and vectors, next to one that is not transposed.
inline trial transposed(dtype t, std::vector<std::int64_t> extents, int rows, int columns,
                        int vector, int turn_vector, int threads) {
  const auto rank = extents.size();
  builder b(static_cast<int>(rank));
  std::vector<ir::step> turned(rank, any), straight(rank, any);
  turned[rank - 2] = one;
  straight[rank - 1] = one;
  const int in = b.input(t, turned), other = b.input(t, straight), row = b.input(t, turned);
  const int out = b.output(t, straight), copied = b.output(t, straight);
  b.reach(in, ir::reach::turned);
  b.reach(row, ir::reach::turned);
  copy_elements(b, t, in, out);
  if (is_complex(t) || is_half(t)) {
    copy_elements(b, t, other, copied);
  } else {
    const int both = b.op(op::maximum, t, {b.load(row), b.load(other)});
    const int far = gathered(b, t, straight);
    b.store(copied, b.op(op::maximum, t, {b.op(op::maximum, t, {both, b.load(in)}), far}));
  }
  return {.name = "transpose of " + std::string(name(t)),
          .k = b.tiles(rows, columns, vector, turn_vector, threads),
          .extents = std::move(extents)};
}

inline std::vector<trial> tiles() {
  std::vector<trial> trials;
  for (dtype t : {dtype::uint8, dtype::bfloat16, dtype::float32, dtype::float64, dtype::complex64,
                  dtype::complex128}) {
    trials.push_back(transposed(t, {37, 45}, 32, 32, 1, 1, 64));
    trials.push_back(transposed(t, {40, 72}, 32, 32, 2, 4, 64));
    trials.push_back(transposed(t, {40, 72}, 32, 32, 4, 1, 64));
    trials.push_back(transposed(t, {3, 5, 36, 68}, 16, 64, 4, 4, 64));
    trials.push_back(transposed(t, {2, 3, 300}, 4, 128, 4, 1, 64));
    trials.push_back(transposed(t, {300, 3}, 256, 4, 1, 4, 64));
  }
  for (dtype t : {dtype::bool_, dtype::int8, dtype::float16}) {
    for (int v : {4, 8}) trials.push_back(transposed(t, {20 * v, 176}, 16 * v, 64, v, v, 256 / v));
  }
  return trials;
}

/// Rows at any alignment: out and in0 have rows of `stride` elements starting at `first`, in1 has
/// rows of another length, in2 is one row.
inline trial anywhere(dtype t, std::vector<std::int64_t> extents, int vector, int across,
                      std::int64_t stride, bool lead, bool alike = false, int planes = 1) {
  const auto rank = extents.size();
  const auto rows_of = [&](std::int64_t row) {
    std::vector<std::int64_t> strides = {1};
    for (std::size_t d = rank - 1; d-- > 0;) {
      strides.insert(strides.begin(), d + 2 == rank ? row : strides[0] * extents[d + 1]);
    }
    return layout{strides};
  };
  builder b(static_cast<int>(rank));
  std::vector<ir::step> steps(rank, any), row(rank, zero);
  steps[rank - 1] = row[rank - 1] = one;
  const int in = b.input(t, steps), other = b.input(t, steps), line = b.input(t, row);
  const int out = b.output(t, steps);
  b.reach(other, ir::reach::shifted);
  b.reach(line, ir::reach::shifted);
  if (!lead) b.reach(in, ir::reach::shifted);
  const int two = b.op(op::maximum, t, {b.load(other), b.load(line)});
  const int far = gathered(b, t, steps);
  b.store(out, b.op(op::maximum, t, {b.op(op::maximum, t, {two, b.load(in)}), far}));
  const int threads = 64;
  if (lead) b.k.schedule.lead = out;
  b.k.schedule.planes = planes;
  if (alike) {
    b.k.schedule.early = 0;
    b.k.operands[static_cast<std::size_t>(out)].like = in;
  }
  const std::int64_t n = extents.back();
  const layout first = rows_of(lead ? stride : n + 3);
  std::vector<layout> layouts = {first, rows_of(n + 1), {}, rows_of(stride)};
  return {.name = "rows of " + std::to_string(stride) + " " + std::string(name(t)),
          .k = lead ? b.tiles(threads / across, across * vector, vector, 1, threads)
                    : b.map(vector, 1, threads),
          .extents = std::move(extents),
          .layouts = std::move(layouts)};
}

inline std::vector<trial> rows_anywhere() {
  std::vector<trial> trials;
  for (dtype t : {dtype::uint8, dtype::int16, dtype::float32, dtype::float64}) {
    const int vector = static_cast<int>(16 / size_of(t));
    for (int v : {vector, vector / 2}) {
      for (std::int64_t stride : {201, 203, 208}) {
        trials.push_back(anywhere(t, {7, 200}, v, 16, stride, true));
        trials.push_back(anywhere(t, {3, 5, 35}, v, 8, stride, true));
        if (stride % v == 0) trials.push_back(anywhere(t, {7, 201}, v, 16, stride, true, true));
      }
      trials.push_back(anywhere(t, {1000}, v, 64, 1, true));
      trials.push_back(anywhere(t, {7, 208}, v, 0, 208, false));
      trials.push_back(anywhere(t, {1001}, v, 0, 1, false));
    }
  }
  return trials;
}

/// A contiguous run of elements, with a row, a column and two coordinates that every lane computes
/// by itself, or `together` lanes share.
inline trial over_ends_of(dtype t, std::vector<std::int64_t> extents, int vector,
                          int together = 0, int unroll = 1) {
  const auto rank = extents.size();
  builder b(static_cast<int>(rank));
  std::vector<ir::step> run(rank, any), row(rank, zero), column(rank, zero), middle(rank, zero);
  run[rank - 1] = row[rank - 1] = one;
  column[0] = any;
  middle[rank - 2] = any;
  if (together > 0) middle[rank - 1] = one;
  const int in = b.input(t, run), line = b.input(t, row), side = b.input(t, column),
            channel = b.input(t, middle), out = b.output(t, run);
  const int at = b.index(row), number = b.index(column);
  for (int picked : {line, side, channel, at, number}) b.reach(picked, ir::reach::picked);
  const auto most = [&](int x, int y) { return b.op(op::maximum, t, {x, y}); };
  const int lines = most(b.load(line), b.load(side)), all = most(b.load(channel), b.load(in));
  const int places = b.op(op::add, dtype::int64, {b.number(at), b.number(number)});
  const int even = b.op(op::equal, dtype::int64, {places, b.scalar(dtype::int64)});
  b.store(out, b.op(op::where, t, {even, lines, all}));
  b.k.schedule.flat = true;
  b.k.schedule.row_lanes = together;
  return {.name = "over the ends of rows of " + std::string(name(t)),
          .k = b.map(vector, unroll, 64),
          .extents = std::move(extents),
          .scalars = {4}};
}

inline std::vector<trial> over_ends() {
  std::vector<trial> trials;
  for (dtype t : {dtype::uint8, dtype::float32, dtype::float64}) {
    const int vector = static_cast<int>(16 / size_of(t));
    for (int v : {vector, 2}) {
      trials.push_back(over_ends_of(t, {7, 3}, v));
      trials.push_back(over_ends_of(t, {1, 35}, v));
      trials.push_back(over_ends_of(t, {40, 33}, v));
      trials.push_back(over_ends_of(t, {3, 5, 7}, v));
      trials.push_back(over_ends_of(t, {2, 3, 5, 49}, v));
    }
    for (int together = 1; together <= vector; together *= 2) {
      for (int unroll : {1, 2}) {
        const std::int64_t n = vector + together;
        trials.push_back(over_ends_of(t, {41, n}, vector, together, unroll));
        trials.push_back(over_ends_of(t, {3, 5, 2 * n}, vector, together, unroll));
        trials.push_back(over_ends_of(t, {2, 3, 5, 3 * n}, vector, together, unroll));
      }
    }
  }
  return trials;
}

/// Blocks that process several planes, the last block fewer.
inline std::vector<trial> planes_in_turn() {
  std::vector<trial> trials;
  for (dtype t : {dtype::int16, dtype::float32}) {
    const int vector = static_cast<int>(16 / size_of(t));
    for (int planes : {2, 4}) {
      trials.push_back(anywhere(t, {9, 5, 35}, vector, 8, 43, true, false, planes));
      trials.push_back(anywhere(t, {3, 9, 17, 35}, vector, 8, 48, true, true, planes));
      trials.push_back(anywhere(t, {2, 2, 4, 8, 200}, vector, 16, 203, true, false, planes));
    }
  }
  return trials;
}

/// An element of rows that consist, from left to right, of another array's row reversed, of 0, and
/// of two that swap from row to row.
inline int chosen_element(builder& b, dtype t) {
  const int back = b.input(t, {any, any}), left = b.input(t, {any, one}),
            right = b.input(t, {any, one});
  const int at = b.number(b.index({zero, one})), row = b.number(b.index({one, zero}));
  const auto condition = [&](op code, int a) {
    return b.op(code, dtype::int64, {a, b.scalar(dtype::int64)});
  };
  const auto choice = [&](int c, int x, int y) { return b.op(op::where, t, {c, x, y}); };
  const int mirrored = condition(op::less, at), there = condition(op::greater_equal, at),
            upper = condition(op::less_equal, row);
  const int low = b.op(op::logical_and, dtype::bool_, {there, upper});
  const int inner = choice(upper, b.gather(left, -1, low), b.gather(right, -1, there));
  const int rest = choice(there, inner, b.constant(t, 0));
  b.k.schedule.pieces = true;
  return choice(mirrored, b.gather(back, -1, mirrored), rest);
}

/// Five rows of n; `stride`: of the rows they select from.
inline trial chosen(dtype t, builder& b, std::string form, ir::kernel k, std::int64_t n,
                    std::int64_t stride, layout out) {
  trial made{.name = form + " of rows of " + std::to_string(n) + " " + std::string(name(t)),
             .k = std::move(k),
             .extents = {5, n},
             .scalars = {5, 9, 2}};
  made.layouts = {{{stride, -1}}, {{stride, 1}}, {{stride, 1}}};
  made.layouts.resize(b.k.operands.size());
  made.layouts.back() = std::move(out);
  return made;
}

inline trial chosen_map(dtype t, std::int64_t n, int vector, std::int64_t stride) {
  builder b(2);
  const int value = chosen_element(b, t);
  b.store(b.output(t, {any, one}), value);
  return chosen(t, b, "choices", b.map(vector), n, stride, {{n, 1}});
}

inline trial chosen_tiles(dtype t, std::int64_t n, int vector, std::int64_t stride) {
  builder b(2);
  const int value = chosen_element(b, t);
  b.k.schedule.lead = b.output(t, {any, one});
  b.store(b.k.schedule.lead, value);
  return chosen(t, b, "tiles", b.tiles(4, 16 * vector, vector), n, stride, {{stride, 1}});
}

/// Sums, in which no element may be missing; maxima for bool.
inline trial chosen_sums(dtype t, std::int64_t n, int vector, std::int64_t stride) {
  builder b(1, 1);
  const int value = chosen_element(b, t);
  b.store(b.output(t, {one, zero}), b.reduce(is_bool(t) ? op::maximum : op::add, value));
  trial made = chosen(t, b, "sums", b.rows(64, 8, vector, 2), n, stride, {{1, 0}});
  made.contents = fill::small;
  return made;
}

/// Each element minus its row's sum: the row is walked twice.
inline trial chosen_twice(dtype t, std::int64_t n, int vector, std::int64_t stride) {
  builder b(1, 1);
  const int value = chosen_element(b, t);
  const int sum = b.reduce(op::add, value);
  b.store(b.output(t, {any, one}), b.op(op::subtract, t, {value, sum}));
  trial made = chosen(t, b, "rests", b.rows(64, 8, vector, 2), n, stride,
                      {{(n + vector) / vector * vector, 1}});
  made.contents = fill::small;
  return made;
}

inline std::vector<trial> chosen_rows() {
  std::vector<trial> trials;
  for (dtype t : {dtype::bool_, dtype::int8, dtype::uint16, dtype::float32, dtype::int64}) {
    const int widest = static_cast<int>(16 / size_of(t));
    for (int v = widest; v > 1; v /= 2) {
      trials.push_back(chosen_map(t, 12 * v, v, 12 * v));
      trials.push_back(chosen_map(t, 12 * v, v, 12 * v + 1));
      trials.push_back(chosen_tiles(t, 12 * v + 1, v, 12 * v + 3));
      trials.push_back(chosen_sums(t, 40 * v + 1, v, 40 * v + 3));
      if (!is_bool(t)) trials.push_back(chosen_twice(t, 40 * v + 1, v, 40 * v + 3));
    }
  }
  return trials;
}

}  // namespace sinter::tests
