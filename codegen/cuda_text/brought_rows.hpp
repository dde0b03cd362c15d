#pragma once
// Rows of a map by way of shared memory (ir::brings_rows): a block's rows lie one behind the other,
// so its threads bring them as one run, and take them back as one. Nine entries of a 3 x 3 matrix
// that a thread stores one by one touch nine sectors of 32 bytes for each sector that they fill.

#include <string>

#include "codegen/cuda_text/access.hpp"

namespace sinter::codegen::cuda_text {

/// Brings the block's rows, and makes their elements, and those of the outputs that take turns,
/// elements of shared memory. `first` and `rows`: variables, the block's first row and how many.
void write_brought_rows(const ir::kernel&, access_writer&, writer&);

/// Takes what the block has stored to memory. REQUIRES: all its threads come here.
void write_rows_back(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text
