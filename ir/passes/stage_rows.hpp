#pragma once
// Short rows of a GPU's reductions and scans are brought to shared memory as runs.
//
// Why: a thread a row is right for a million rows of ten floats, but what neighbouring threads then
// ask of memory at once lies forty bytes apart: ten lines where one would do, and a sector written
// four times. Rows that lie one behind the other are one run for all threads of a block, who bring
// it to shared memory together and each take their own from there.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Makes a reduction or scan whose lanes run along its rows `staged`, if they are short and many
/// enough, what it reads and writes along them lies so, and nothing is read or written elsewhere.
/// False: left alone.
bool stage_rows(kernel&, const shape_t& extents, const std::vector<index_expr>& operands,
                const machine&);

}  // namespace sinter::ir
