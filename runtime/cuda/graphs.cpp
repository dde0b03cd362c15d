#include "runtime/cuda/graphs.hpp"

#include <algorithm>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/buffers.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t least_kernels = 3, most_graphs = 4, remembered = 16;

std::uint64_t hash_of(std::span<const launch_record> list) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  for (const launch_record& r : list) {
    for (const std::uint64_t w : r.slots) {
      h = (h ^ w) * 0xff51afd7ed558ccdull;
      h ^= h >> 32;
    }
  }
  return h;
}

/// A node's parameters; `places` is kept until the driver has read them.
CUDA_KERNEL_NODE_PARAMS parameters_of(const launch_record& r, void* (&places)[most_slots]) {
  for (std::size_t i = 0; i < r.slots.size(); ++i) {
    places[i] = const_cast<std::uint64_t*>(&r.slots[i]);
  }
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = static_cast<const cuda_kernel*>(r.kernel)->function();
  p.gridDimX = static_cast<unsigned>(r.config.blocks);
  p.blockDimX = static_cast<unsigned>(r.config.threads);
  p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.kernelParams = places;
  return p;
}

#if CUDA_VERSION >= 12030
bool has_early_edges() { return the_driver().add_dependencies != nullptr; }

/// `node` begins early, and waits for `before` by itself.
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

struct cuda_sequence::graph {
  CUgraph_st* made = nullptr;
  CUgraphExec_st* ready = nullptr;
  std::vector<CUgraphNode_st*> nodes;
  std::vector<std::uint64_t> slots;  // of all kernels
  std::uint64_t hash = 0;
  bool early = false;  // its nodes begin early

  void keep(std::span<const launch_record> list, std::uint64_t h) {
    slots.clear();
    for (const launch_record& r : list) slots.insert(slots.end(), r.slots.begin(), r.slots.end());
    hash = h;
  }
  /// Calls f(i, begin of its slots) for the kernels whose slots differ from the graph's.
  template <class F> void each_change(std::span<const launch_record> list, F f) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& now = list[i].slots;
      if (std::memcmp(slots.data() + at, now.data(), now.size_bytes()) != 0) f(i);
      at += now.size();
    }
  }
};

void cuda_sequence::graph_deleter::operator()(graph* g) const {
  if (g->ready) the_driver().cuGraphExecDestroy(g->ready);
  if (g->made) the_driver().cuGraphDestroy(g->made);
  delete g;
}

bool cuda_sequence::seen(std::uint64_t hash) {
  const bool before = std::ranges::find(recent_, hash) != recent_.end();
  if (recent_.size() < remembered) {
    recent_.push_back(hash);
  } else {
    recent_[runs_ % remembered] = hash;
  }
  ++runs_;
  return before;
}

cuda_sequence::graph* cuda_sequence::find(std::span<const launch_record> list, std::uint64_t hash) {
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    if (graphs_[i]->hash != hash) continue;
    bool same = true;
    graphs_[i]->each_change(list, [&](std::size_t) { same = false; });
    if (!same) continue;
    std::swap(graphs_[0], graphs_[i]);
    return graphs_[0].get();
  }
  return nullptr;
}

cuda_sequence::graph* cuda_sequence::nearest(std::span<const launch_record> list,
                                             std::size_t& different) {
  graph* best = nullptr;
  for (const graph_handle& g : graphs_) {
    std::size_t n = 0;
    g->each_change(list, [&](std::size_t) { ++n; });
    if (!best || n < different) {
      best = g.get();
      different = n;
    }
  }
  return best;
}

cuda_sequence::graph_handle cuda_sequence::make(std::span<const launch_record> list,
                                                std::uint64_t hash, bool early) {
  graph_handle g(new graph);
  g->early = early;
  const auto& driver = the_driver();
  if (driver.cuGraphCreate(&g->made, 0) != CUDA_SUCCESS) return nullptr;
  void* places[most_slots];
  for (const launch_record& r : list) {
    const CUDA_KERNEL_NODE_PARAMS p = parameters_of(r, places);
    CUgraphNode before = g->nodes.empty() ? nullptr : g->nodes.back(), node = nullptr;
    CUresult added =
        driver.cuGraphAddKernelNode(&node, g->made, &before, before && !early ? 1 : 0, &p);
    if (added == CUDA_SUCCESS && before && early) added = add_early_edge(g->made, before, node);
    if (added != CUDA_SUCCESS) return nullptr;
    g->nodes.push_back(node);
  }
  if (driver.cuGraphInstantiate(&g->ready, g->made, 0) != CUDA_SUCCESS) return nullptr;
  g->keep(list, hash);
  return g;
}

/// The graph with these slots in the place of its own; null if that fails.
cuda_sequence::graph* cuda_sequence::changed(graph* g, std::span<const launch_record> list,
                                             std::uint64_t hash) {
  if (!g->early) return change(*g, list, hash) ? g : nullptr;
  // Changing nodes that begin early costs more than they gain (1,000 sweeps on an H200: 2.8 ms,
  // where plain edges take 1.6), so what changes once is made anew without.
  graph_handle made = make(list, hash, false);
  if (!made) return nullptr;
  const auto own = std::ranges::find(graphs_, g, &graph_handle::get);
  *own = std::move(made);
  return own->get();
}

// What was queued before keeps the parameters it was queued with.
bool cuda_sequence::change(graph& g, std::span<const launch_record> list, std::uint64_t hash) {
  bool done = true;
  void* places[most_slots];
  g.each_change(list, [&](std::size_t i) {
    const CUDA_KERNEL_NODE_PARAMS p = parameters_of(list[i], places);
    done = done &&
           the_driver().cuGraphExecKernelNodeSetParams(g.ready, g.nodes[i], &p) == CUDA_SUCCESS;
  });
  if (done) g.keep(list, hash);
  return done;
}

bool cuda_sequence::launch(std::span<const launch_record> list, cuda_stream& on) {
  if (list.size() < least_kernels) return false;
  const std::lock_guard one(mutex_);
  if (broken_) return false;
  const std::uint64_t hash = hash_of(list);
  graph* g = find(list, hash);
  if (!g) {
    const bool again = seen(hash);
    std::size_t different = 0;
    graph* near = nearest(list, different);
    if (near && different * 3 <= list.size()) {
      g = changed(near, list, hash);
      broken_ = !g;
    } else if (again || runs_ == remembered) {
      // Slots that come again; or that never do, and then a graph shows what changes among them.
      graph_handle made = make(list, hash, context_.launches_early() && has_early_edges());
      broken_ = !made;
      g = made.get();
      if (graphs_.size() == most_graphs) graphs_.pop_back();
      if (made) graphs_.insert(graphs_.begin(), std::move(made));
    } else {
      return false;
    }
    if (broken_) {
      graphs_.clear();
      return false;
    }
  }
  const std::size_t noted = std::min<std::size_t>(list.size(), 4);
  for (const launch_record& r : list.last(noted)) on.note(r.config);
  const CUresult result = the_driver().cuGraphLaunch(g->ready, on.handle());
  if (result != CUDA_SUCCESS) on.fail(result, "launching a graph of kernels");
  on.queued();
  return true;
}

}  // namespace sinter::runtime
