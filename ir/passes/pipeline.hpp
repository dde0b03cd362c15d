#pragma once
// The pipeline: from a graph to a plan, as one list.

#include <functional>
#include <string>

#include "ir/machine.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// A pass from graph to graph, by name; the list can be dumped, timed, cut and bisected.
struct graph_pass {
  const char* name;
  graph (*run)(const graph&, const machine&);
};

/// verify runs between them in debug builds.
std::span<const graph_pass> graph_passes();

/// Called after each stage with its name; for dumps.
struct observer {
  std::function<void(const char* pass, const graph&)> after_pass;
  std::function<void(const graph&, const fusion&)> after_fusion;
};

/// Throws verify_error (a bug in a pass).
plan make_plan(const graph&, const machine&, const observer& = {});

}  // namespace sinter::ir
