#pragma once
// Quotients and roots of floats have a rare case that takes a call: one branch for each of them,
// and nothing crosses it. For a whole vector at once there is one branch for all its lanes, whose
// arithmetic then interleaves; so a map's loop over lanes is cut in stages, between which such
// functions stand. Of fifty operations, ten of these among them, it is 48 instructions an element
// for every ten without and 31 with.

#include <vector>

#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

struct stage {
  inst_list lanes;     // computed lane by lane
  inst_list divisors;  // what it divides by and no stage before did: reciprocals are taken once
  inst_list together;  // then all lanes of these at once
};

/// The instructions of a body in stages, as late as what reads them allows. One stage where there
/// is nothing to gain: of one lane, of bodies with loops, or where too many registers would live
/// from stage to stage.
std::vector<stage> stages_of(const ir::kernel&, const inst_list& all, int lanes);

/// Declares what several stages use. Call before the first of them.
void keep_between(body_writer&, const std::vector<stage>&, int lanes, writer&);

/// Inside the loop over lanes: the arguments of what its stage does together.
void write_arguments(body_writer&, const stage&, writer&);

/// Behind it: the functions.
void write_together(const body_writer&, const stage&, writer&);

}  // namespace sinter::codegen::cuda_text
