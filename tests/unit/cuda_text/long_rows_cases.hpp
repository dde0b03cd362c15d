#pragma once
// Rows whose number of threads adapts, and rows shared by the blocks of a cluster.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/cuda_text/reductions_cases.hpp"

namespace sinter::tests {

/// Rows with as many threads as a launch chooses, alone or in clusters.
inline std::vector<trial> elastic_rows() {
  std::vector<trial> trials;
  for (const auto& [cluster, most] : {std::pair(1, 192), std::pair(2, 128)}) {
    for (int vector : {1, 4}) {
      const int unroll = 3;
      const std::int64_t warp = std::int64_t{32} * cluster * vector * unroll;
      for (int filled : {0, unroll - 1, unroll}) {
        builder b = softmax(false);
        b.k.schedule.cluster = cluster;
        b.k.schedule.resident = b.k.schedule.elastic = true;
        b.k.schedule.filled = filled;
        const ir::kernel k = b.rows(most, most, vector, unroll);
        for (int warps : {1, 2, 3, 4}) {
          // The last vector of some threads is out of range, or begins there; none is, if filled.
          const std::int64_t less = filled == unroll ? 0 : filled == 0 ? warp / 2 : 3 * vector;
          trials.push_back({.name = "softmax of elastic threads",
                            .k = k,
                            .extents = {3, warps * warp - less},
                            .contents = fill::small,
                            .tolerance = 1e-5,
                            .donor = 0});
        }
      }
    }
  }
  return trials;
}

/// Halves minus their maximum, times a value shared by all rows, and the maximum's position.
inline builder centred_halves() {
  builder b(1, 1);
  const int in = b.input(dtype::bfloat16, {any, one});
  const int gain = b.input(dtype::bfloat16, {zero, one});
  const int x = b.cast(b.load(in), dtype::float32);
  const int less = b.op(op::subtract, dtype::float32, {x, b.reduce(op::maximum, x)});
  const int times = b.cast(b.load(gain), dtype::float32);
  const int scaled = b.op(op::multiply, dtype::float32, {less, times});
  b.store(b.output(dtype::bfloat16, {any, one}), b.cast(scaled, dtype::bfloat16));
  b.store(b.output(dtype::int64, {any, zero}), b.reduce(op::maximum, less, true));
  return b;
}

/// Rows whose vectors begin at an aligned address before the row: with an adaptive number of
/// threads, with clusters, and with part of a block's threads.
inline std::vector<trial> led_rows() {
  struct way {
    int cluster, threads, row_threads, unroll;
  };
  std::vector<trial> trials;
  constexpr way ways[] = {{1, 96, 96, 3}, {1, 64, 64, 2}, {2, 64, 64, 3}, {1, 128, 8, 4}};
  for (const way& w : ways) {
    for (bool halves : {false, true}) {
      builder b = halves ? centred_halves() : softmax(false);
      const int vector = halves ? 8 : 4;
      b.reach(halves ? 1 : 3, ir::reach::shifted);
      ir::schedule& s = b.k.schedule;
      s.resident = true;
      s.elastic = w.row_threads == w.threads;
      s.cluster = w.cluster;
      s.filled = w.unroll - 1;
      s.lead = halves ? 2 : 1;
      const ir::kernel k = b.rows(w.threads, w.row_threads, vector, w.unroll);
      const std::int64_t room = std::int64_t{w.cluster} * w.row_threads * vector * w.unroll;
      for (std::int64_t length : {room - vector + 1, room - 2 * vector, room - 2 * vector - 1,
                                  room - room / w.unroll + vector + 2}) {
        trials.push_back({.name = "rows with a lead",
                          .k = k,
                          .extents = {vector + 3, length},
                          .contents = fill::small,
                          .tolerance = halves ? 0.01 : 1e-5,
                          .donor = 0});
      }
    }
  }
  return trials;
}

/// Rows shared by the blocks of a cluster, in registers or walked together.
inline std::vector<trial> clusters() {
  std::vector<trial> trials;
  for (const auto& [cluster, threads] : {std::pair(2, 128), std::pair(8, 32), std::pair(2, 96)}) {
    for (int vector : {1, 4}) {
      const int unroll = 3;
      const std::int64_t step = std::int64_t{cluster} * threads * vector, room = step * unroll;
      for (int filled : {-1, 0, unroll - 1, unroll}) {
        if (filled < 0 && threads == 96) continue;  // walked together only by powers of two
        builder b = softmax(false);
        b.k.schedule.cluster = cluster;
        b.k.schedule.resident = filled >= 0;
        b.k.schedule.filled = std::max(filled, 0);
        const ir::kernel k = b.rows(threads, threads, vector, unroll);
        std::vector<std::int64_t> lengths{room};
        if (filled < 0) lengths.insert(lengths.end(), {2 * room + vector, room / 2});
        if (filled >= 0 && filled < unroll) lengths.push_back(step * filled + vector);
        for (std::int64_t length : lengths) {
          trials.push_back({.name = "softmax of a cluster",
                            .k = k,
                            .extents = {3, length},
                            .contents = fill::small,
                            .tolerance = 1e-5,
                            .donor = 0});
        }
      }
    }
  }
  return trials;
}

/// Reductions of every kind of value, which blocks exchange as words.
inline std::vector<trial> cluster_values() {
  std::vector<trial> trials;
  const auto add = [&](dtype t, op code, bool arg) {
    builder b(1, 1);
    const int in = b.input(t, {any, one});
    const int out = b.output(arg ? dtype::int64 : t, {any});
    b.store(out, b.reduce(code, b.load(in), arg));
    b.k.schedule.cluster = 4;
    trials.push_back({.name = "a cluster's " + std::string(name(t)),
                      .k = b.rows(64, 64, 2, 2),
                      .extents = {5, 1100},
                      .contents = is_real(t) && !arg ? fill::small : fill::edges});
    trials.push_back(trials.back());
    trials.back().extents = {2, 4};
    trials.back().contents = fill::lowest;
  };
  for (dtype t : {dtype::bool_, dtype::int8, dtype::int16, dtype::int32, dtype::int64,
                  dtype::float32, dtype::float64}) {
    add(t, op::maximum, false);
    if (t != dtype::bool_) add(t, op::add, false);
    add(t, op::maximum, true);
    add(t, op::minimum, true);
  }
  return trials;
}

}  // namespace sinter::tests
