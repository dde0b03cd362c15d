#pragma once
// What the planner knows of a device: enough to price a kernel and to shape it.

#include <cstdint>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// What a CPU's thread should have to do, in seconds: waking one takes some microseconds.
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
  int stack_limit = 0;           // maps that may lie upon each other in a kernel (0: none do)
  bool sorts = true;             // may a pass add calls of the routine "sort"
  bool bfloat16_products = false;  // CPU: does its library multiply bfloat16, added up in float32
  bool int8_products = false;      // does the library multiply bytes, added up in int32
  bool fuse = true;              // false: one kernel an op, for comparison
  bool verify = true;            // check the graph after every pass, and the kernels at the end
  // Tests lower these, so that small arrays meet what large ones do. 0: what suits the target.
  std::int64_t split_length = 0;  // the shortest row that several blocks share
  std::int64_t split_grain = 0;   // a block's part of such a row is a multiple of this
  std::int64_t half_side = 0;     // the shortest side of an x^T x of which half is computed
  std::int64_t product_steps = 0;  // of an integer product that doubles are multiplied for
  std::int64_t sorted_sums = 0;   // elements of rows whose places are sorted to add them up
  std::int64_t stack_points = 1 << 17;  // the fewest points of a stack's largest map: of 128^2 it
                                        // gains nothing, of 700^2 a third
  std::int64_t stack_held = 1 << 21;    // GPU: of fewer points a stack's tiles stay for borders
  std::int64_t launch_limit = std::int64_t{1} << 31;  // elements a GPU map reaches in one launch

  /// Does the library multiply numbers of this narrow type, added up in 32 bits?
  bool multiplies(dtype type) const {
    if (is_half(type) && target == ir::target::gpu) return true;
    return type == dtype::bfloat16 ? bfloat16_products : type == dtype::int8 && int8_products;
  }

  /// The fewest points where sweeps copy what they update before: on a GPU they are two kernels.
  std::int64_t stack_points_copied() const {
    return target == ir::target::gpu ? (stack_points + 63) / 64 : stack_points;
  }
};

}  // namespace sinter::ir
