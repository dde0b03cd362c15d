#pragma once
// The lanes of a vector of a map, or of a walk. If quotients and roots go without tests
// (schedule::quick), a vector in which one was not of ordinary size is recomputed by a function.

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/body.hpp"

namespace sinter::codegen::cuda_text {

/// That function, for one element; nothing if the schedule does not ask for it.
void write_careful_function(const ir::kernel&, writer&);

/// What each lane computes, and its assignments to the registers of the outputs.
void write_lanes(body_writer&, const access_writer&, const frame&, const inst_list&, writer&);

/// What each lane of a walk's vector computes, without tests; values to accumulate are kept per
/// lane.
void write_walked_lanes(body_writer&, const inst_list& walked, int vector, writer&);

}  // namespace sinter::codegen::cuda_text
