#pragma once
// keep_rows: rows of a GPU reduction that stay in the registers of the threads that share them.
//
// Why: a normalisation walks its rows two or three times, and memory is the slowest of all places
// to walk them in.

#include "ir/extent.hpp"
#include "ir/kernel.hpp"

namespace sinter::ir {

/// Makes a reduction whose lanes run along whole rows `resident`, if more than one walk needs the
/// elements and a block can hold a row of `length`; chooses threads and vectors. False: left alone.
bool keep_rows(kernel& k, extent length);

}  // namespace sinter::ir
