#pragma once
// stage_rows: brings short rows of a GPU's reductions and scans to shared memory as contiguous
// runs.
//
// Why: one thread per row is right for a million rows of ten floats, but then neighbouring threads
// access memory forty bytes apart: ten lines where one would do, and a sector written four times.
// Adjacent rows are one run, which all threads of a block bring to shared memory together; each
// then reads its own row from there.

#include <vector>

#include "ir/index_expr.hpp"
#include "ir/kernel.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// Makes a reduction or scan whose lanes run along its rows `staged`, if the rows are short and
/// many enough, its operands are contiguous along them, and nothing is read or written elsewhere.
/// False: left unchanged.
bool stage_rows(kernel&, const shape_t& extents, const std::vector<index_expr>& operands,
                const machine&);

}  // namespace sinter::ir
