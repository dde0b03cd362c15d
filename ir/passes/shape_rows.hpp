#pragma once
// keep_rows: rows of a GPU reduction that stay in the registers of the threads that share them.
//
// Why: a normalisation walks its rows two or three times, and memory is the slowest of all places
// to walk them in. Rows that no block can hold, and rows too few for a block each, are shared by
// the blocks of a cluster.

#include <vector>

#include "ir/extent.hpp"
#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Registers of a GPU's multiprocessor.
inline constexpr int registers_of_all = 65536;

/// Makes a reduction whose lanes run along whole rows `resident`, if more than one walk needs the
/// elements and a block, or a cluster, can hold a row of `length`; chooses threads and vectors,
/// which may begin before a row (lead_rows).
/// Rows that are too few and too long for that are walked by clusters. False: left alone.
bool keep_rows(kernel& k, const std::vector<index_expr>& operands, extent rows, extent length,
               const machine& m);

}  // namespace sinter::ir
