#pragma once
// Rows gathered by indices, `table(i)`: all lanes of a vector have the same index, and read
// adjacent elements. They are read as a vector if it happens to be aligned; element by element
// every load of a warp touches as many lines as it has rows (dot products of gathered rows of 16
// floats took 1.8 times as long, of 8 four times).

#include "codegen/cuda_text/operands.hpp"

namespace sinter::codegen::cuda_text {

/// The gathers among `list` that read such rows.
inst_list gathered_rows(const body_writer&, const access_writer&, const frame&,
                        const inst_list& list);

/// Declares the registers of such gathers, all vectors of the frame.
void declare_rows(const body_writer&, const frame&, const inst_list& rows, writer&);

/// Loads one vector of each. REQUIRES: their indices and conditions are computed here.
void load_rows(body_writer&, const access_writer&, const frame&, const inst_list& rows);

/// If lanes are columns, the values of kept axes are arrays over lanes: for those on which all
/// lanes agree, uses the first lane's value in the block that begins here.
void take_first_lane(const body_writer&, writer&);

/// Does both, before the loop over lanes, for all such gathers in `list`, of which only
/// instructions outside the lanes' own statements have values yet.
void write_gathered_rows(body_writer&, const access_writer&, const frame&, const inst_list& list,
                         writer&);

/// Lets each lane read columns of a row it gathers by one load: gathers in `list` with the same
/// index, from adjacent operands (operand::turn).
void join_columns(body_writer&, const inst_list& list);

}  // namespace sinter::codegen::cuda_text
