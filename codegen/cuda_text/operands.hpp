#pragma once
// Which operands a stretch of the body touches, and how its values meet them.

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

struct operand_sets {
  operand_list inputs;
  operand_list gathered;  // from or to: an element at a time, at indices
  operand_list indices, outputs;  // all ascending, each once
};

operand_sets operands_of(const ir::kernel&, const inst_list&);

inst_list every_inst(const ir::kernel&);

/// Those of `among` that the values `of` take, themselves included.
inst_list needed_for(const ir::kernel&, const inst_list& of, const inst_list& among);

/// Says of inputs that stand beside others how far: a compiler then sees which of what they read is
/// the same.
void write_distances(const ir::kernel&, writer&);

/// Tells the body where loads, gathers and indices among the instructions have their values.
void bind_operands(body_writer&, const access_writer&, const frame&, const inst_list&);

/// Writes, ahead of the loop over lanes, the random numbers whose counters are consecutive there.
void write_random_runs(body_writer&, const access_writer&, const frame&, const inst_list&, writer&);

/// Writes the assignments of stored values to the registers of outputs, and raises flags.
void write_store_registers(body_writer&, const access_writer&, const frame&, const inst_list&);

}  // namespace sinter::codegen::cuda_text
