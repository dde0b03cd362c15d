#pragma once
// Which operands a section of the body touches, and how its values are bound to them.

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

struct operand_sets {
  operand_list inputs;
  operand_list gathered;  // read or written one element at a time, at indices
  operand_list indices, outputs;  // all ascending, each once
};

operand_sets operands_of(const ir::kernel&, const inst_list&);

inst_list every_inst(const ir::kernel&);

/// Those of `among` that the values `of` depend on, themselves included.
inst_list needed_for(const ir::kernel&, const inst_list& of, const inst_list& among);

/// Declares the distances between adjacent inputs (operand::turn), so that a compiler sees which
/// reads coincide.
void write_distances(const ir::kernel&, writer&);

/// Binds loads, gathers and indices among the instructions to their values.
void bind_operands(body_writer&, const access_writer&, const frame&, const inst_list&);

/// Writes, before the loop over lanes, random numbers whose counters are consecutive there.
void write_random_runs(body_writer&, const access_writer&, const frame&, const inst_list&, writer&);

/// Writes the assignments of stored values to the registers of outputs, and raises flags.
void write_store_registers(body_writer&, const access_writer&, const frame&, const inst_list&);

}  // namespace sinter::codegen::cuda_text
