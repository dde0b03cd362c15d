#pragma once
// The pipeline from graph to plan: the graph passes as one list, then fusion and lowering.

#include <functional>
#include <string>

#include "ir/machine.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// A pass from graph to graph, by name; the list can be dumped, timed, truncated and bisected.
struct graph_pass {
  const char* name;
  graph (*run)(const graph&, const machine&);
};

/// In debug builds verify runs after each.
std::span<const graph_pass> graph_passes();

/// Called with its name after each stage; for dumps.
struct observer {
  std::function<void(const char* pass, const graph&)> after_pass;
  std::function<void(const graph&, const fusion&)> after_fusion;
};

/// Throws verify_error (a bug in a pass).
plan make_plan(const graph&, const machine&, const observer& = {});

}  // namespace sinter::ir
