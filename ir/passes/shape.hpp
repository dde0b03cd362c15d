#pragma once
// shape_kernel: merges axes and chooses lanes, vectors and blocks for one body.
//
// Why: the ranks, step classes and schedule of a kernel are baked into its code, so two programs
// share a compiled kernel exactly when this pass makes the same choices. It decides by classes of
// sizes and never writes a size into the kernel.

#include <cstdint>

#include "ir/machine.hpp"
#include "ir/passes/body.hpp"

namespace sinter::ir {

/// A kernel and the sizes of one launch.
struct shaped {
  ir::kernel kernel;
  shape_t extents;                   // kept axes, then reduced, merged
  std::vector<index_expr> operands;  // over those axes
  extent blocks = 0;
  extent splits = 1, chunk = 0;
  std::vector<std::size_t> order;  // the domain's kept axes of extent > 1, in walking order
  std::vector<std::size_t> short_axes;  // axes of the domain to unroll (`unroll_axes`); ascending
};

/// Which way a CPU's lanes run if rows are shorter than a vector.
enum class row_lanes : std::uint8_t { across, along };

/// `domain` and `reduced` are the group's (for the combining kernel: kept axes and the splits).
/// `split` asks for the partial kernel of a split reduction.
shaped shape_kernel(const body&, const shape_t& domain, const std::vector<bool>& reduced,
                    const machine&, bool split, row_lanes lanes = row_lanes::across);

/// Blocks worth one CPU thread (`cpu_device::launch`): one, unless rows are short.
extent grain_of(const shaped&);

/// The cost of the compute instructions of one element, in float additions.
double work_of(const kernel&, const machine&);

/// Estimated seconds that one block or thread computes on this many elements of a row: 10 us for
/// 10,000 roots and quotients of doubles on an H200, without which a round takes 11.7 us less.
double row_seconds(const kernel&, const machine&, double length);

}  // namespace sinter::ir
