#pragma once
// Reduces a failing graph to a small one that still fails.

#include <functional>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// Does the trial still fail? Only called with graphs that verify.
using fails = std::function<bool(const trial&)>;

/// Drops steps of the tape and lowers its numbers, which gives smaller arrays and graphs.
trial shrink_tape(const tape&, const fails&, double seconds);

/// The same for tapes that describe no trial.
tape shrink_steps(const tape&, const std::function<bool(const tape&)>& fails, double seconds);

/// Drops outputs and instructions, replaces nodes by sources and by their inputs, and fills sources
/// with simpler values.
trial shrink_graph(const trial&, const fails&, double seconds);

}  // namespace sinter::fuzz
