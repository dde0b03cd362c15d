#pragma once
// A graph as a program would have written it: recorded as arrays, evaluated by the engine.

#include <sinter/session.hpp>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// The value of x, which it evaluates.
ir::tensor tensor_of(const any_array& x);

/// The outputs; which are evaluated together, and which arrays are still held by then, is drawn.
std::vector<ir::tensor> run_recorded(const ir::graph&, const std::vector<ir::tensor>& sources,
                                     sinter::device, std::uint64_t seed);

/// Can `vmap` take it, and is there anything to slice?
bool has_vmap(const ir::graph&);

/// The outputs for each of several lists of sources, by `vmap` over a function that records the
/// graph; sources that are the `same` in all lists are not sliced. Along which axes slices stand is
/// drawn.
std::vector<std::vector<ir::tensor>> run_vmapped(
    const ir::graph&, const std::vector<std::vector<ir::tensor>>& slices,
    const std::vector<bool>& same, sinter::device, std::uint64_t seed);

}  // namespace sinter::fuzz
