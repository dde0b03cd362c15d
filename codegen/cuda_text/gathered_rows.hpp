#pragma once
// Rows that are picked by indices, `table(i)`: all lanes of a vector have the same index, and read
// elements beside each other. Read as a vector where it happens to be aligned; element by element
// every load of a warp goes over as many lines as it has rows (dot products of picked rows of 16
// floats took 1.8 times as long, of 8 four times).

#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// The gathers among `list` that read such rows.
inst_list gathered_rows(const body_writer&, const access_writer&, const frame&,
                        const inst_list& list);

/// Declares the registers of such gathers, all vectors of the frame.
void declare_rows(const body_writer&, const frame&, const inst_list& rows, writer&);

/// Loads one vector of each. REQUIRES: their indices and conditions have values here.
void load_rows(body_writer&, const access_writer&, const frame&, const inst_list& rows);

/// Where lanes are columns, what the kept axes made is an array by lanes: of what all lanes agree
/// on, the first one's value is taken in the block that begins here.
void take_first_lane(const body_writer&, writer&);

/// Does both, ahead of the loop over lanes, for all such gathers among `list`, of which only those
/// that are no lane's own statements have values yet.
void write_gathered_rows(body_writer&, const access_writer&, const frame&, const inst_list& list,
                         writer&);

/// Has each lane read columns of a row that it picks by one load: gathers among `list` with the
/// same index, from operands beside each other (operand::turn).
void join_columns(body_writer&, const inst_list& list);

}  // namespace sinter::codegen::cuda_text
