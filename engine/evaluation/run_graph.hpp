#pragma once
// Running a graph as it is, without arrays: a printed graph can be run again.

#include <memory>
#include <vector>

#include "engine/evaluation/kernel_store.hpp"
#include "ir/graph.hpp"
#include "ir/machine.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// The buffers of the graph's outputs, in order. `sources` are in the order of the graph's source
/// nodes and dense; one that nothing else holds may be overwritten. REQUIRES: the evaluation lock,
/// and a machine of the device's target.
std::vector<std::shared_ptr<runtime::buffer>> run_graph(
    const ir::graph&, std::vector<std::shared_ptr<runtime::buffer>> sources, runtime::device&,
    kernel_store&, const ir::machine&);

}  // namespace sinter::detail
