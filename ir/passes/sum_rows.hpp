#pragma once
// sum_rows: turns scatter-adds of many wide rows on a GPU into segmented sums in sorted order.
//
// Why: with atomics a sum takes two words of memory and two rounds of atomics per element
// (`sum_places`), serialised where most values go to one place. Sorting the rows' places is cheap
// compared with moving the rows: each element of a place's row then belongs to one thread, which
// sums in order, in a register. Pieces of the order that belong to one place are summed first, and
// pieces of pieces, so that no place is the work of a single thread.
//
// REQUIRES: indices are inside the base.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Consecutive rows of the order that are summed first, if they belong to one place.
inline constexpr int rows_of_piece = 64;

/// Fewer elements, or shorter rows, are not worth sorting.
inline constexpr std::int64_t worth_sorting = std::int64_t{1} << 22;
inline constexpr int wide_row = 8;

/// The graph, for GPUs with a sorting library, without `summed` scatters that add many rows that
/// wide.
graph sum_rows(const graph&, const machine&);

}  // namespace sinter::ir
