#pragma once
// From a graph that fails to a small one that fails too.

#include <functional>

#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

/// Does the trial still fail? Never asked about a graph that does not verify.
using fails = std::function<bool(const trial&)>;

/// Leaves out steps of the tape and lowers its numbers: arrays become smaller, graphs shorter.
trial shrink_tape(const tape&, const fails&, double seconds);

/// The same of what a tape makes that is no trial.
tape shrink_steps(const tape&, const std::function<bool(const tape&)>& fails, double seconds);

/// Drops outputs and instructions, replaces nodes by sources and by their inputs, fills sources
/// with plainer values.
trial shrink_graph(const trial&, const fails&, double seconds);

}  // namespace sinter::fuzz
