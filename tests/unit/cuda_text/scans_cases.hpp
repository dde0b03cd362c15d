#pragma once
// Scans along rows and columns, with values computed before and after them.

#include "tests/unit/cuda_text/builder.hpp"
#include "tests/unit/cuda_text/trial.hpp"

namespace sinter::tests {

/// out = scan of in + in: the scan's operand is used again after it.
struct one_scan {
  ir::op code = ir::op::add;
  dtype type = dtype::int32;
  bool columns = false;
  bool plain = false;  // nothing but the scan

  builder build() const {
    builder b(1, 1);
    const std::vector<ir::step> steps = columns ? std::vector{one, any} : std::vector{any, one};
    const int in = b.input(type, steps), out = b.output(type, steps);
    const int scan = b.scan(code, b.load(in));
    b.store(out, plain || is_bool(type) ? scan : b.op(ir::op::add, type, {scan, b.load(in)}));
    return b;
  }

  trial on(ir::kernel k, std::vector<std::int64_t> extents, fill contents = fill::small) const {
    return {.name = std::string(ir::name(code)) + " in " + std::string(sinter::name(type)) +
                    (columns ? ", columns" : ", rows"),
            .k = std::move(k),
            .extents = std::move(extents),
            .contents = contents};
  }

  /// Rows in chunks.
  trial chained(int threads, int vector, int unroll, std::vector<std::int64_t> extents) const {
    builder b = build();
    b.state();
    trial t = on(b.rows(threads, threads, vector, unroll, true), std::move(extents));
    t.chunk = std::int64_t{threads} * vector * unroll;
    t.splits = (t.extents.back() + t.chunk - 1) / t.chunk;
    t.name += ", " + std::to_string(t.splits) + " chunks";
    return t;
  }
};

inline std::vector<trial> scans_of_rows() {
  std::vector<trial> trials;
  const one_scan sum;
  for (int row_threads : {1, 4, 32, 128}) {
    for (int vector : {1, 4}) {
      for (int unroll : {1, 4}) {
        const ir::kernel k = sum.build().rows(128, row_threads, vector, unroll);
        for (std::int64_t length : {4, 1028}) trials.push_back(sum.on(k, {5, length}));
        trials.push_back(sum.on(k, {1, 1003}));
      }
    }
  }
  return trials;
}

inline std::vector<trial> scans_of_columns() {
  std::vector<trial> trials;
  const one_scan sum{.columns = true};
  for (int row_threads : {1, 8, 32}) {
    for (int vector : {1, 4}) {
      for (int unroll : {1, 4}) {
        const ir::kernel k = sum.build().columns(64, row_threads, vector, unroll);
        for (std::int64_t length : {1, 37, 256}) trials.push_back(sum.on(k, {20, length}));
      }
    }
  }
  return trials;
}

inline std::vector<trial> scans_of_types() {
  std::vector<trial> trials;
  for (dtype t :
       {dtype::bool_, dtype::int8, dtype::uint32, dtype::int64, dtype::float32, dtype::float64}) {
    for (ir::op code : {ir::op::add, ir::op::multiply, ir::op::maximum, ir::op::minimum,
                        ir::op::logical_xor, ir::op::bitwise_or}) {
      if (!ir::accepts(code, t)) continue;
      const one_scan rows{code, t}, columns{code, t, true}, plain{code, t, false, true};
      trials.push_back(rows.on(rows.build().rows(64, 8, 2), {5, 48}));
      trials.push_back(columns.on(columns.build().columns(64, 4, 2), {14, 33}));
      if (code != ir::op::maximum && code != ir::op::minimum) continue;
      trials.push_back(plain.on(plain.build().rows(64, 64, 1, 2), {5, 301}, fill::edges));
    }
  }
  return trials;
}

/// Several chunked scans of rows, each published by its own warp; an operand of a scan and a value
/// per row are used after them.
inline trial chained_siblings(int scans, std::vector<std::int64_t> extents, bool donates = false) {
  builder b(1, 1);
  const int in = b.input(dtype::int32, {any, one}), row = b.input(dtype::int32, {any, zero});
  const int x = b.op(ir::op::multiply, dtype::int32, {b.load(in), b.load(row)});
  std::vector<int> values;
  for (int s = 0; s < scans; ++s) {
    values.push_back(b.scan(s % 2 == 0 ? ir::op::add : ir::op::maximum, x));
  }
  // The first output does not depend on the scans: it may take over their operand's memory.
  b.store(b.output(dtype::int32, {any, one}), b.op(ir::op::add, dtype::int32, {x, b.load(row)}));
  for (int v : values) {
    b.store(b.output(dtype::int32, {any, one}), b.op(ir::op::subtract, dtype::int32, {v, x}));
  }
  b.state();
  trial t{.name = std::to_string(scans) + " chained scans",
          .k = b.rows(64, 64, 4, 2, true),
          .extents = std::move(extents),
          .contents = fill::small};
  if (donates) t.donor = in;
  t.chunk = 512;
  t.splits = (t.extents.back() + t.chunk - 1) / t.chunk;
  return t;
}

/// The elements above zero, compacted, each twice, and their number.
inline trial chosen(dtype t, int threads, int vector, int unroll, std::int64_t length,
                    bool packs = true) {
  builder b(1, 1);
  const int in = b.input(t, {any, one}), out = b.output(t, {zero, zero});
  const int count = b.output(dtype::int64, {zero, zero});
  const int number = b.number(b.index({zero, one})), x = b.load(in);
  const int wanted = b.op(ir::op::greater, t, {x, b.constant(t, 0)});
  const int scan = b.scan(ir::op::add, b.cast(wanted, dtype::int32));
  const int all = b.cast(scan, dtype::int64), first = b.constant(dtype::int64, 1);
  b.scatter(out, b.op(ir::op::add, t, {x, x}), b.op(ir::op::subtract, dtype::int64, {all, first}),
            wanted);
  const int last = b.constant(dtype::int64, static_cast<std::uint64_t>(length - 1));
  b.scatter(count, all, -1, b.op(ir::op::equal, dtype::int64, {number, last}));
  b.state();
  trial r{.name = "chosen " + std::string(name(t)) + ", " + std::to_string(threads) + " threads",
          .k = b.rows(threads, threads, vector, unroll, true),
          .extents = {1, length},
          .layouts = {{}, {.strides = {0, 1}}},
          .contents = fill::small};
  r.k.schedule.packs = packs;
  r.chunk = std::int64_t{threads} * vector * unroll;
  r.splits = (length + r.chunk - 1) / r.chunk;
  return r;
}

inline std::vector<trial> packed_stores() {
  std::vector<trial> trials;
  for (dtype t : {dtype::int8, dtype::int64, dtype::float32, dtype::float64}) {
    trials.push_back(chosen(t, 64, 4, 2, 3001));
    trials.push_back(chosen(t, 64, 1, 1, 2500));
    trials.push_back(chosen(t, 128, 4, 1, 512));
  }
  trials.push_back(chosen(dtype::int64, 256, 4, 4, 2 * 4096 + 5));
  trials.push_back(chosen(dtype::int64, 64, 4, 2, 3001, false));
  return trials;
}

/// More than 32 and more than 1024 chunks, values of one word and of two, more parts of a chunk
/// than a warp has lanes, and not a multiple of the lanes.
inline std::vector<trial> chained_scans() {
  std::vector<trial> trials;
  for (int scans : {1, 3, 4}) trials.push_back(chained_siblings(scans, {2, 3004}));
  trials.push_back(chained_siblings(1, {2, 3004}, true));
  for (dtype t : {dtype::int32, dtype::float64}) {
    trials.push_back(one_scan{ir::op::add, t}.chained(256, 4, 8, {1, 2 * 8192 + 77}));
    trials.push_back(one_scan{ir::op::add, t}.chained(128, 2, 10, {3, 2 * 2560 + 6}));
  }
  for (dtype t : {dtype::int32, dtype::float64}) {
    const one_scan sum{ir::op::add, t};
    trials.push_back(sum.chained(64, 2, 2, {1, 700}));
    trials.push_back(sum.chained(64, 1, 1, {2, 2500}));
  }
  trials.push_back(one_scan{}.chained(64, 1, 1, {1, 1060 * 64 + 5}));
  const one_scan least{ir::op::minimum, dtype::int8};
  trials.push_back(least.chained(128, 4, 4, {2, 5000}));
  return trials;
}

/// The scan of a scan, minus its sum, and the row's sum.
inline std::vector<trial> stages_of_scans() {
  std::vector<trial> trials;
  for (bool columns : {false, true}) {
    for (int unroll : {1, 2}) {
      builder b(1, 1);
      const std::vector<ir::step> steps = columns ? std::vector{one, any} : std::vector{any, one};
      const int in = b.input(dtype::int32, steps), out = b.output(dtype::int32, steps);
      const int last =
          b.output(dtype::int32, columns ? std::vector{one, zero} : std::vector{any, zero});
      const int first = b.scan(ir::op::add, b.load(in));
      const int second =
          b.scan(ir::op::maximum, b.op(ir::op::add, dtype::int32, {first, b.load(in)}));
      const int sum = b.reduce(ir::op::add, second);
      b.store(out, b.op(ir::op::subtract, dtype::int32, {sum, first}));
      b.store(last, sum);
      trials.push_back({.name = "stages",
                        .k = columns ? b.columns(64, 8, 2, unroll) : b.rows(128, 64, 2, unroll),
                        .extents = {12, 300},
                        .contents = fill::small});
    }
  }
  return trials;
}

/// A complex element whose imaginary part is known before the scan that its real part needs.
inline std::vector<trial> parts_of_scans() {
  std::vector<trial> trials;
  for (bool columns : {false, true}) {
    builder b(1, 1);
    const std::vector<ir::step> steps = columns ? std::vector{one, any} : std::vector{any, one};
    const int in = b.input(dtype::float32, steps), out = b.output(dtype::complex64, steps);
    b.store(out, b.load(in), 1);
    b.store(out, b.scan(ir::op::add, b.load(in)), 0);
    trials.push_back({.name = columns ? "parts, columns" : "parts, rows",
                      .k = columns ? b.columns(64, 8, 2, 2) : b.rows(128, 64, 2, 2),
                      .extents = {12, 300},
                      .contents = fill::small});
  }
  return trials;
}

}  // namespace sinter::tests
