#pragma once
// A graph as a program would write it: recorded as arrays, evaluated by the engine.

#include <sinter/session.hpp>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// The value of x. Evaluates.
ir::tensor tensor_of(const any_array& x);

/// The outputs, evaluated in random groups while a random set of arrays is still held.
std::vector<ir::tensor> run_recorded(const ir::graph&, const std::vector<ir::tensor>& sources,
                                     sinter::device, std::uint64_t seed);

/// Does `vmap` accept the graph, and is there anything to slice?
bool has_vmap(const ir::graph&);

/// The outputs for several lists of sources, by `vmap` over a function that records the
/// graph; sources that are the `same` in all lists are not sliced. The axes of slices are
/// random.
std::vector<std::vector<ir::tensor>> run_vmapped(
    const ir::graph&, const std::vector<std::vector<ir::tensor>>& slices,
    const std::vector<bool>& same, sinter::device, std::uint64_t seed);

}  // namespace sinter::fuzz
