#pragma once
// Rows of a map through shared memory (ir::brings_rows): a block's rows are contiguous, so its
// threads load and store them as one run. Nine entries of a 3 x 3 matrix stored one by one touch
// nine sectors of 32 bytes for each sector they fill.

#include <string>

#include "codegen/cuda_text/access.hpp"

namespace sinter::codegen::cuda_text {

/// Brings the block's rows to shared memory, and makes their elements, and those of interleaved
/// outputs, elements of it. `first` and `rows`: variables with the block's first row and its number
/// of rows.
void write_brought_rows(const ir::kernel&, access_writer&, writer&);

/// Stores the block's rows to memory. REQUIRES: all its threads come here.
void write_rows_back(const ir::kernel&, writer&);

}  // namespace sinter::codegen::cuda_text
