#pragma once
// keep_rows: keeps the rows of a GPU reduction in the registers of the threads that share them.
//
// Why: a normalisation walks its rows two or three times, and rereading them from memory is the
// slowest way to do so. Rows that no block can hold, and rows too few for a block each, are shared
// by the blocks of a cluster.

#include <vector>

#include "ir/extent.hpp"
#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Registers of a GPU multiprocessor.
inline constexpr int registers_of_all = 65536;

/// Are a GPU's rows so short and so few that a launch takes longer than any walk over them? Then
/// one schedule serves many lengths: each decoding step has a new length, and 500 of them were 86
/// kernels of 40 ms of compile time each.
bool are_small(const extent& rows, const extent& length);

/// Makes a reduction whose lanes run along whole rows `resident`, if more than one walk reads the
/// elements and a block, or a cluster, can hold a row of `length`; chooses threads and vectors,
/// which may begin before a row (lead_rows). Rows too few and too long for that are walked by
/// clusters. False: left unchanged.
bool keep_rows(kernel& k, const std::vector<index_expr>& operands, extent rows, extent length,
               const machine& m);

}  // namespace sinter::ir
