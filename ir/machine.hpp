#pragma once
// The planner's model of a device: enough to price a kernel and to choose its schedule.

#include <cstdint>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// Seconds of work that justify another CPU thread: waking one takes some microseconds.
inline constexpr double worth_a_thread = 10e-6;

struct machine {
  ir::target target = ir::target::cpu;
  int units = 1;                 // multiprocessors, or threads
  int vector_bytes = 16;         // widest register or memory access
  double bandwidth = 1e10;       // bytes per second
  double arithmetic = 1e11;      // float additions per second
  double launch = 1e-6;          // seconds
  std::int64_t cache = 1 << 25;  // bytes of the last-level cache
  int cluster = 1;               // GPU: blocks that may share a row (1: no clusters)
  std::int64_t share_limit = 0;  // GPU: elements of a map that shares its launch (0: none do)
  int stack_limit = 0;           // maps that may be stacked in one kernel (0: none are)
  bool sorts = true;             // may a pass add calls of the routine "sort"
  bool bfloat16_products = false;  // CPU: does its library multiply bfloat16, accumulated in
                                   // float32
  bool int8_products = false;      // does the library multiply bytes, accumulated in int32
  bool fuse = true;              // false: one kernel per op, for comparison
  bool verify = true;            // check the graph after every pass, and the kernels at the end
  // Tests lower these, so that small arrays take the paths of large ones. 0: what suits the target.
  std::int64_t split_length = 0;  // the shortest row that several blocks share
  std::int64_t split_grain = 0;   // a block's part of such a row is a multiple of this
  std::int64_t half_side = 0;     // the shortest side of an x^T x of which only half is computed
  std::int64_t product_steps = 0;  // steps from which an integer product is done in doubles
  std::int64_t sorted_sums = 0;   // elements from which rows are sorted by place to sum them
  std::int64_t stack_points = 1 << 17;  // the fewest points of a stack's largest map: of 128^2 it
                                        // gains nothing, of 700^2 a third
  std::int64_t stack_held = 1 << 21;    // GPU: below so many points a stack's tiles keep borders
  std::int64_t launch_limit = std::int64_t{1} << 31;  // elements a GPU map covers in one launch

  /// Does the library multiply numbers of this narrow type, accumulated in 32 bits?
  bool multiplies(dtype type) const {
    if (is_half(type) && target == ir::target::gpu) return true;
    return type == dtype::bfloat16 ? bfloat16_products : type == dtype::int8 && int8_products;
  }

  /// The fewest points if sweeps copy what they update: on a GPU they are two kernels each.
  std::int64_t stack_points_copied() const {
    return target == ir::target::gpu ? (stack_points + 63) / 64 : stack_points;
  }
};

}  // namespace sinter::ir
