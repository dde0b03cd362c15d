#pragma once
// Sums of rows at places, on a GPU, by who owns the place.
//
// Why: where threads meet at places, a sum takes two words of memory an element and two rounds of
// atomics (`sum_places`), one after the other where most go to one place. To sort the places of
// rows costs little beside the rows: then an element of a place's row is one thread's, who adds up
// what comes there in order, in a register. Pieces of the order that are one place's are added up
// before, and pieces of pieces, so that no place is the work of one thread.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Rows of the order that are added up before, if one place's.
inline constexpr int rows_of_piece = 64;

/// Sums of fewer elements, and of shorter rows, are not worth the sorting.
inline constexpr std::int64_t worth_sorting = std::int64_t{1} << 22;
inline constexpr int wide_row = 8;

/// The graph, for GPUs that have a library for sorting, without scatters that are `summed` and add
/// many rows that wide. REQUIRES: their indices are inside the base.
graph sum_rows(const graph&, const machine&);

}  // namespace sinter::ir
