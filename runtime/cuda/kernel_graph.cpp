#include "runtime/cuda/kernel_graph.hpp"

#include <algorithm>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/buffers.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

CUfunc_st* function_of(const launch_record& r) {
  return r.call ? nullptr : static_cast<const cuda_kernel*>(r.kernel)->function();
}

/// A node's parameters; `places` must live until the driver has read them.
CUDA_KERNEL_NODE_PARAMS parameters_of(const launch_record& r, void* (&places)[most_slots]) {
  for (std::size_t i = 0; i < r.slots.size(); ++i) {
    places[i] = const_cast<std::uint64_t*>(&r.slots[i]);
  }
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = function_of(r);
  p.gridDimX = static_cast<unsigned>(r.config.blocks);
  p.blockDimX = static_cast<unsigned>(r.config.threads);
  p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.kernelParams = places;
  return p;
}

#if CUDA_VERSION >= 12030
bool has_early_edges() { return the_driver().add_dependencies != nullptr; }

/// `node` begins early, and itself waits for `before`.
CUresult add_early_edge(CUgraph g, CUgraphNode before, CUgraphNode node) {
  CUgraphEdgeData edge{};
  edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return the_driver().add_dependencies(g, &before, &node, &edge, 1);
}
#else
bool has_early_edges() { return false; }
CUresult add_early_edge(CUgraph, CUgraphNode, CUgraphNode) { return CUDA_ERROR_NOT_SUPPORTED; }
#endif

}  // namespace

std::unique_ptr<kernel_graph> kernel_graph::make(std::span<const launch_record> list,
                                                 const cuda_context& context, cuda_stream& on) {
  std::unique_ptr<kernel_graph> g(new kernel_graph);
  g->on_ = &on;
  if (!g->build(list, context.launches_early() && has_early_edges(), on)) return nullptr;
  g->keep(list);
  return g;
}

bool kernel_graph::build(std::span<const launch_record> list, bool early, cuda_stream& on) {
  const auto& driver = the_driver();
  if (driver.cuGraphCreate(&made_, 0) != CUDA_SUCCESS) return false;
  bool behind_kernel = false;
  for (const launch_record& r : list) {
    if (!(r.call ? add_call(*r.call, on) : add_kernel(r, early && behind_kernel))) return false;
    behind_kernel = !r.call;
  }
  return driver.cuGraphInstantiate(&ready_, made_, 0) == CUDA_SUCCESS;
}

/// `early`: it may begin before the preceding kernel has ended.
bool kernel_graph::add_kernel(const launch_record& r, bool early) {
  void* places[most_slots];
  const CUDA_KERNEL_NODE_PARAMS p = parameters_of(r, places);
  CUgraphNode before = nodes_.empty() ? nullptr : nodes_.back(), node = nullptr;
  CUresult added =
      the_driver().cuGraphAddKernelNode(&node, made_, &before, before && !early, &p);
  if (added == CUDA_SUCCESS && early) added = add_early_edge(made_, before, node);
  nodes_.push_back(node);
  return added == CUDA_SUCCESS;
}

bool kernel_graph::add_call(const library_call& call, cuda_stream& on) {
  const CUgraph queued = on.record(call, needs_);
  if (!queued) return false;
  CUgraphNode before = nodes_.empty() ? nullptr : nodes_.back(), node = nullptr;
  const CUresult added = the_driver().cuGraphAddChildGraphNode(&node, made_, &before,
                                                               before != nullptr, queued);
  the_driver().cuGraphDestroy(queued);  // the node has a copy
  nodes_.push_back(node);
  return added == CUDA_SUCCESS;
}

kernel_graph::~kernel_graph() {
  if (ready_) the_driver().cuGraphExecDestroy(ready_);
  if (made_) the_driver().cuGraphDestroy(made_);
}

void kernel_graph::keep(std::span<const launch_record> list) {
  kernels_.clear();
  slots_.clear();
  for (const launch_record& r : list) {
    kernels_.push_back({function_of(r), r.config.blocks, r.config.threads, r.slots.size()});
    slots_.insert(slots_.end(), r.slots.begin(), r.slots.end());
  }
}

/// Has the kernel the same launch arguments? REQUIRES: it is the same kernel.
bool kernel_graph::same(std::size_t i, const launch_record& r, std::size_t first_slot) const {
  return r.config.blocks == kernels_[i].blocks && r.config.threads == kernels_[i].threads &&
         std::memcmp(slots_.data() + first_slot, r.slots.data(), r.slots.size_bytes()) == 0;
}

bool kernel_graph::matches(std::span<const launch_record> list, const cuda_stream& on,
                           bool as_last_time) const {
  if (on_ != &on || list.size() != kernels_.size()) return false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {  // most mismatches are found at the first kernel
    const launch_record& r = list[i];
    const bool is = function_of(r) == kernels_[i].function && r.slots.size() == kernels_[i].slots;
    if (!is || ((as_last_time || r.call) && !same(i, r, at))) return false;
    at += r.slots.size();
  }
  return true;
}

template <class F>
void kernel_graph::each_change(std::span<const launch_record> list, F f) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!same(i, list[i], at)) f(i);
    at += list[i].slots.size();
  }
}

std::size_t kernel_graph::changes(std::span<const launch_record> list) const {
  std::size_t n = 0;
  each_change(list, [&](std::size_t) { ++n; });
  return n;
}

bool kernel_graph::change(std::span<const launch_record> list) {
  bool done = true;
  void* places[most_slots];
  each_change(list, [&](std::size_t i) {
    const CUDA_KERNEL_NODE_PARAMS p = parameters_of(list[i], places);
    done = done &&
           the_driver().cuGraphExecKernelNodeSetParams(ready_, nodes_[i], &p) == CUDA_SUCCESS;
  });
  if (done) keep(list);
  return done;
}

int kernel_graph::launch() { return the_driver().cuGraphLaunch(ready_, on_->handle()); }

}  // namespace sinter::runtime
