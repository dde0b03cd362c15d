#pragma once
// A graph as a program would have written it: recorded as arrays, evaluated by the engine.

#include <sinter/session.hpp>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// The outputs; which are evaluated together, and which arrays are still held by then, is drawn.
std::vector<ir::tensor> run_recorded(const ir::graph&, const std::vector<ir::tensor>& sources,
                                     sinter::device, std::uint64_t seed);

}  // namespace sinter::fuzz
