#pragma once
// Reductions along rows and columns.

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

using ir::op;
using steps = std::vector<ir::step>;

/// out[i] = code over a row of in, or over a column.
struct one_reduction {
  op code = op::add;
  dtype type = dtype::int32;
  bool arg = false;
  bool columns = false;

  builder build() const {
    builder b(1, 1);
    const int in = b.input(type, columns ? steps{one, any} : steps{any, one});
    const int out =
        b.output(arg ? dtype::int64 : type, columns ? steps{one, zero} : steps{any, zero});
    b.store(out, b.reduce(code, b.load(in), arg));
    return b;
  }

  std::string name() const {
    return (arg ? "arg of " : "") + std::string(ir::name(code)) + " in " +
           std::string(sinter::name(type)) + (columns ? ", columns" : ", rows");
  }

  trial on(ir::kernel k, std::vector<std::int64_t> extents, fill contents = fill::small) const {
    return {.name = name(), .k = std::move(k), .extents = std::move(extents), .contents = contents};
  }
};

inline std::vector<trial> sums_of_rows() {
  std::vector<trial> trials;
  const one_reduction sum;
  for (int row_threads : {1, 4, 32, 64, 128}) {
    for (int vector : {1, 4}) {
      for (int unroll : {1, 4}) {
        const ir::kernel k = sum.build().rows(128, row_threads, vector, unroll);
        for (std::int64_t length : {1, 37, 4096}) {
          // rows are aligned to vectors
          if (length % vector == 0) trials.push_back(sum.on(k, {9, length}));
        }
        trials.push_back(sum.on(k, {1, 1003}));
      }
    }
  }
  return trials;
}

inline std::vector<trial> sums_of_columns() {
  std::vector<trial> trials;
  const one_reduction sum{.columns = true};
  for (int row_threads : {1, 8, 32}) {
    for (int vector : {1, 4}) {
      for (int unroll : {1, 2}) {
        const ir::kernel k = sum.build().columns(64, row_threads, vector, unroll);
        for (std::int64_t length : {1, 37, 256}) trials.push_back(sum.on(k, {52, length}));
      }
    }
  }
  return trials;
}

inline void add_reduction(std::vector<trial>& trials, op code, dtype t, bool arg) {
  const one_reduction rows{code, t, arg}, columns{code, t, arg, true};
  trials.push_back(rows.on(rows.build().rows(64, 8, 2), {5, 48}));
  trials.push_back(columns.on(columns.build().columns(64, 4, 2), {14, 33}));
  // extrema do not depend on the order of elements
  if (code != op::maximum && code != op::minimum) return;
  trials.push_back(rows.on(rows.build().rows(64, 64, 1, 2), {5, 301}, fill::edges));
  trials.push_back(columns.on(columns.build().columns(64, 4, 2), {14, 3}, fill::edges));
  trials.push_back(rows.on(rows.build().rows(64, 64, 1, 2), {5, 301}, fill::lowest));
  trials.push_back(columns.on(columns.build().columns(64, 4, 2), {14, 30}, fill::lowest));
}

inline std::vector<trial> reductions_of_types() {
  std::vector<trial> trials;
  for (dtype t :
       {dtype::bool_, dtype::int8, dtype::uint32, dtype::int64, dtype::float32, dtype::float64}) {
    for (op code : {op::add, op::multiply, op::maximum, op::minimum}) {
      if (!ir::accepts(code, t)) continue;
      add_reduction(trials, code, t, false);
      if (code == op::maximum || code == op::minimum) add_reduction(trials, code, t, true);
    }
  }
  for (op code : {op::logical_and, op::logical_or, op::logical_xor}) {
    add_reduction(trials, code, dtype::bool_, false);
  }
  for (op code : {op::bitwise_and, op::bitwise_or, op::bitwise_xor}) {
    for (dtype t : {dtype::uint16, dtype::int64}) add_reduction(trials, code, t, false);
  }
  return trials;
}

/// A sum in 64 bits of a narrower type.
inline trial wide_sum(dtype t, ir::kernel (*shape)(builder&, int), int vector,
                      std::vector<std::int64_t> extents) {
  builder b(1, 1);
  const int in = b.input(t, {any, one}), out = b.output(dtype::int64, {any, zero});
  b.store(out, b.reduce(op::add, b.cast(b.load(in), dtype::int64)));
  return {.name = "sum in 64 bits of " + std::string(name(t)),
          .k = shape(b, vector),
          .extents = std::move(extents),
          .contents = fill::edges};
}

/// Integers in vectors of eight and sixteen, which a thread reduces one by one.
inline std::vector<trial> merged_lanes() {
  std::vector<trial> trials;
  constexpr ir::kernel (*shapes[])(builder&, int) = {
      [](builder& b, int v) { return b.rows(64, 1, v); },
      [](builder& b, int v) { return b.rows(64, 8, v, 2); },
      [](builder& b, int v) { return b.rows(64, 64, v); }};
  for (dtype t : {dtype::bool_, dtype::int8, dtype::uint8, dtype::int16, dtype::uint16}) {
    const int vector = static_cast<int>(16 / size_of(t));
    for (auto* shape : shapes) {
      for (const auto& extents : {std::vector<std::int64_t>{7, 48}, {3, 4096}, {1, 301}}) {
        trials.push_back(wide_sum(t, shape, vector, extents));
        for (op code : {op::maximum, op::minimum}) {
          if (!ir::accepts(code, t)) continue;
          builder b = one_reduction{code, t}.build();
          const one_reduction r{code, t};
          trials.push_back(r.on(shape(b, vector), extents, fill::edges));
          trials.push_back(r.on(shape(b, vector), extents, fill::lowest));
        }
        if (is_bool(t)) {
          builder b = one_reduction{op::logical_or, t}.build();
          trials.push_back(one_reduction{op::logical_or, t}.on(shape(b, vector), extents));
        }
      }
    }
  }
  return trials;
}

inline std::vector<trial> chunks() {
  std::vector<trial> trials;
  for (bool arg : {false, true}) {
    for (bool columns : {false, true}) {
      const one_reduction r{arg ? op::maximum : op::add, dtype::int32, arg, columns};
      for (int vector : {1, 4}) {
        for (int unroll : {1, 2}) {
          builder b = r.build();
          b.k.operands[1].access.steps = {any, zero};
          trial t = r.on(columns ? b.columns(64, 4, vector, unroll, true)
                                 : b.rows(64, 16, vector, unroll, true),
                         {12, 1000});
          t.splits = 4;
          t.chunk = 256;
          trials.push_back(t);
          t.contents = fill::lowest;
          trials.push_back(t);
        }
      }
    }
  }
  return trials;
}

inline trial rows_of_two_axes(int vector, int unroll) {
  builder b(2, 2);
  const int in = b.input(dtype::int32, {any, any, any, one});
  const int scale = b.input(dtype::int32, {zero, zero, any, zero});
  const int bias = b.input(dtype::int32, {any, zero, zero, zero});
  const int out = b.output(dtype::int32, {any, any, zero, zero});
  const int sum = b.reduce(op::add, b.op(op::multiply, dtype::int32, {b.load(in), b.load(scale)}));
  b.store(out, b.op(op::add, dtype::int32, {sum, b.load(bias)}));
  return {.name = "rows of two axes",
          .k = b.rows(64, 32, vector, unroll),
          .extents = {3, 5, 7, 12},
          .layouts = {{{12, 252, 36, 1}}, {}, {{2, 0, 0, 0}}},
          .contents = fill::small};
}

inline trial columns_of_two_axes(int vector, int unroll) {
  builder b(2, 2);
  const int in = b.input(dtype::int16, {any, one, any, any});
  const int out = b.output(dtype::int16, {any, one, zero, zero});
  b.store(out, b.reduce(op::add, b.load(in)));
  return {.name = "columns of two axes",
          .k = b.columns(64, 8, vector, unroll),
          .extents = {5, 24, 7, 3},
          .contents = fill::small};
}

inline std::vector<trial> many_axes() {
  std::vector<trial> trials;
  for (int vector : {1, 4}) {
    for (int unroll : {1, 2}) {
      trials.push_back(rows_of_two_axes(vector, unroll));
      trials.push_back(columns_of_two_axes(vector, unroll));
    }
  }
  return trials;
}

/// Softmax along rows or columns, and minus the maximum, which is an outer value.
inline builder softmax(bool columns) {
  const steps whole = columns ? steps{one, any} : steps{any, one};
  const steps kept = columns ? steps{one, zero} : steps{any, zero};
  builder b(1, 1);
  const int in = b.input(dtype::float32, whole), out = b.output(dtype::float32, whole);
  const int largest = b.output(dtype::float32, kept);
  const int scale = b.input(dtype::float32, columns ? steps{zero, any} : steps{zero, one});
  const int top = b.reduce(op::maximum, b.load(in));
  const int shifted = b.op(op::subtract, dtype::float32, {b.load(in), top});
  const int e = b.op(op::exp, dtype::float32, {shifted});
  const int share = b.op(op::divide, dtype::float32, {e, b.reduce(op::add, e)});
  b.store(out, b.op(op::multiply, dtype::float32, {share, b.load(scale)}));
  b.store(largest, b.op(op::negative, dtype::float32, {top}));
  return b;
}

inline std::vector<trial> phases() {
  std::vector<trial> trials;
  for (bool columns : {false, true}) {
    for (int vector : {1, 4}) {
      for (int row_threads : {1, 8, 64, 128}) {
        if (columns && row_threads > 32) continue;
        for (int unroll : {1, 2}) {
          builder b = softmax(columns);
          trials.push_back({.name = "softmax",
                            .k = columns ? b.columns(128, row_threads, vector, unroll)
                                         : b.rows(128, row_threads, vector, unroll),
                            .extents = {12, 260},
                            .contents = fill::small,
                            .tolerance = 1e-5,
                            .donor = 0});
        }
      }
    }
  }
  return trials;
}

/// Each element divided by its row's maximum, and by a number, as exactly as any division.
inline std::vector<trial> quotients() {
  std::vector<trial> trials;
  for (int vector : {1, 2}) {
    for (bool resident : {false, true}) {
      builder b(1, 1);
      const int in = b.input(dtype::float32, {any, one});
      const int out = b.output(dtype::float32, {any, one});
      const int other = b.output(dtype::float32, {any, one}), x = b.load(in);
      const int top = b.reduce(op::maximum, x), times = b.scalar(dtype::float32);
      const int by = b.scalar(dtype::float32);
      const int share = b.op(op::divide, dtype::float32, {x, top});
      b.store(out, share);
      const int large = b.op(op::multiply, dtype::float32, {vector > 1 ? share : x, times});
      b.store(other, b.op(op::divide, dtype::float32, {large, by}));
      b.k.schedule.resident = resident;
      b.k.schedule.filled = resident ? 2 : 0;
      const ir::kernel k = b.rows(64, 2, vector, 3);
      for (float divisor : {3.0f, 0x1.fffffep+1f, 0x1.8p-120f, 0x1.234568p+90f, 0.0f, INFINITY,
                            0x1.8p-18f, 0x1.4p-4f}) {
        for (float factor : {0.7f, 0x1.ep+124f}) {
          trials.push_back({.name = "quotients",
                            .k = k,
                            .extents = {600, 6 * vector},
                            .scalars = {std::bit_cast<std::uint32_t>(factor),
                                        std::bit_cast<std::uint32_t>(divisor)}});
        }
      }
    }
  }
  return trials;
}

/// Rows kept in registers.
inline std::vector<trial> resident_rows() {
  std::vector<trial> trials;
  for (int row_threads : {1, 8, 64, 96, 128, 224}) {
    const int threads = row_threads == 96 ? 96 : std::max(row_threads, 128);
    for (int vector : {1, 4}) {
      for (int unroll : {1, 3, 4}) {
        const std::int64_t room = std::int64_t{row_threads} * vector * unroll;
        builder whole = softmax(false);
        whole.k.schedule.resident = true;
        const ir::kernel k = whole.rows(threads, row_threads, vector, unroll);
        for (std::int64_t length : {room, (room / 2 / vector + 1) * vector, std::int64_t{vector}}) {
          trials.push_back({.name = "resident softmax",
                            .k = k,
                            .extents = {11, std::min(room, length)},
                            .contents = fill::small,
                            .tolerance = 1e-5,
                            .donor = 0});
        }
        trials.push_back(trials.back());
        trials.back().extents = {1, room - std::min<std::int64_t>(room - 1, 3)};
        for (int filled : {unroll - 1, unroll}) {
          if (filled == 0) continue;
          trials.push_back({.name = "filled softmax",
                            .k = k,
                            .extents = {11, filled == unroll ? room : room - vector},
                            .contents = fill::small,
                            .tolerance = 1e-5,
                            .donor = 0});
          trials.back().k.schedule.filled = filled;
        }
      }
    }
  }
  trial two_axes = rows_of_two_axes(4, 2);
  two_axes.k.schedule.resident = true;
  trials.push_back(two_axes);
  return trials;
}

/// Rows of n elements staged in shared memory, one per thread, in blocks of 128.
inline trial staged(builder& b, int n, bool scans) {
  ir::schedule& s = b.k.schedule;
  s.staged = n;
  s.resident = !scans;
  s.filled = scans ? 0 : n;
  for (ir::operand& o : b.k.operands) {
    const bool run = o.access.steps == std::vector{any, one};
    if (run) o.reach = ir::reach::staged;
  }
  return {.name = "staged rows",
          .k = b.rows(128, 1, 1, n),
          .extents = {300, n},
          .contents = fill::small,
          .tolerance = 1e-5,
          .donor = scans ? -1 : 0};
}

/// Normalised with a gain and stored with their sums; sums alone; scans.
inline std::vector<trial> staged_rows() {
  std::vector<trial> trials;
  for (int n : {3, 5, 8, 12}) {
    for (dtype t : {dtype::float32, dtype::float64, dtype::int32}) {
      builder unit(1, 1);
      const int x = unit.load(unit.input(t, {any, one}));
      const int gain = unit.load(unit.input(t, {zero, one}));
      const int sum = unit.reduce(op::add, x);
      const int scaled = unit.op(op::multiply, t, {x, gain});
      unit.store(unit.output(t, {any, one}), unit.op(op::subtract, t, {scaled, sum}));
      unit.store(unit.output(t, {any, zero}), sum);
      trials.push_back(staged(unit, n, false));
      builder sums(1, 1);
      const int in = sums.input(t, {any, one});
      sums.store(sums.output(t, {any, zero}), sums.reduce(op::add, sums.load(in)));
      trials.push_back(staged(sums, n, false));
      trials.back().donor = -1;
      builder best(1, 1);
      const int of = best.input(t, {any, one});
      best.store(best.output(dtype::int64, {any, zero}),
                 best.reduce(op::maximum, best.load(of), true));
      trials.push_back(staged(best, n, false));
      trials.back().donor = -1;
      builder scan(1, 1);
      const int values = scan.load(scan.input(t, {any, one}));
      scan.store(scan.output(t, {any, one}), scan.scan(op::add, values));
      trials.push_back(staged(scan, n, true));
    }
  }
  builder halves(1, 1);
  const int x = halves.cast(halves.load(halves.input(dtype::bfloat16, {any, one})), dtype::float32);
  const int top = halves.reduce(op::maximum, x);
  halves.store(halves.output(dtype::bfloat16, {any, one}),
               halves.cast(halves.op(op::subtract, dtype::float32, {x, top}), dtype::bfloat16));
  trials.push_back(staged(halves, 6, false));
  return trials;
}

}  // namespace sinter::tests
