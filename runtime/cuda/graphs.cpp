#include "runtime/cuda/graphs.hpp"

#include <algorithm>
#include <cstring>

#include <cuda.h>

#include "runtime/cuda/buffers.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

namespace {

constexpr std::size_t most_graphs = 4, most_remembered = 16;

/// A graph takes 4.6 us a kernel to make, and saves 1 us of a single one at each launch. So many
/// kernels have to have been queued before.
constexpr std::size_t worth_making = 4;

std::uint64_t hash_of(std::span<const launch_record> list) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  const auto mix = [&](std::uint64_t w) {
    h = (h ^ w) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  };
  for (const launch_record& r : list) {
    mix(static_cast<std::uint64_t>(r.config.blocks));
    for (const std::uint64_t w : r.slots) mix(w);
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
  struct kernel {
    CUfunc_st* function;
    std::int64_t blocks;
    int threads;
    std::size_t slots;
  };

  CUgraph_st* made = nullptr;
  CUgraphExec_st* ready = nullptr;
  const cuda_stream* on = nullptr;
  std::vector<CUgraphNode_st*> nodes;
  std::vector<kernel> kernels;
  std::vector<std::uint64_t> slots;  // of all of them

  bool is_of(std::span<const launch_record> list) const {
    return std::ranges::equal(list, kernels, [](const launch_record& r, const kernel& k) {
      return static_cast<const cuda_kernel*>(r.kernel)->function() == k.function &&
             r.slots.size() == k.slots;
    });
  }
  /// REQUIRES: is_of(list) is true, or nothing is kept yet.
  void keep(std::span<const launch_record> list) {
    kernels.clear();
    slots.clear();
    for (const launch_record& r : list) {
      kernels.push_back({static_cast<const cuda_kernel*>(r.kernel)->function(), r.config.blocks,
                         r.config.threads, r.slots.size()});
      slots.insert(slots.end(), r.slots.begin(), r.slots.end());
    }
  }
  /// Calls f(i) for the kernels that are launched otherwise than in the graph. REQUIRES:
  /// is_of(list).
  template <class F> void each_change(std::span<const launch_record> list, F f) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& now = list[i];
      const bool same = now.config.blocks == kernels[i].blocks &&
                        now.config.threads == kernels[i].threads &&
                        std::memcmp(slots.data() + at, now.slots.data(),
                                    now.slots.size_bytes()) == 0;
      if (!same) f(i);
      at += now.slots.size();
    }
  }
  /// What was queued before keeps the parameters it was queued with.
  bool change(std::span<const launch_record> list) {
    bool done = true;
    void* places[most_slots];
    each_change(list, [&](std::size_t i) {
      const CUDA_KERNEL_NODE_PARAMS p = parameters_of(list[i], places);
      done = done &&
             the_driver().cuGraphExecKernelNodeSetParams(ready, nodes[i], &p) == CUDA_SUCCESS;
    });
    if (done) keep(list);
    return done;
  }
};

void cuda_sequence::graph_deleter::operator()(graph* g) const {
  if (g->ready) the_driver().cuGraphExecDestroy(g->ready);
  if (g->made) the_driver().cuGraphDestroy(g->made);
  delete g;
}

bool cuda_sequence::pays(std::span<const launch_record> list) const {
  return list.size() > 2 || std::ranges::any_of(list, [&](const launch_record& r) {
           return r.config.blocks <= few_blocks_;
         });
}

cuda_sequence::graph* cuda_sequence::nearest(std::span<const launch_record> list,
                                             const cuda_stream& on, std::size_t& changes) {
  std::size_t best = graphs_.size();
  for (std::size_t i = 0; i < graphs_.size() && (best == graphs_.size() || changes > 0); ++i) {
    if (graphs_[i]->on != &on || !graphs_[i]->is_of(list)) continue;
    std::size_t n = 0;
    graphs_[i]->each_change(list, [&](std::size_t) { ++n; });
    if (best < graphs_.size() && n >= changes) continue;
    best = i;
    changes = n;
  }
  if (best == graphs_.size()) return nullptr;
  std::swap(graphs_[0], graphs_[best]);
  return graphs_[0].get();
}

bool cuda_sequence::come_again(std::span<const launch_record> list) {
  const std::uint64_t hash = hash_of(list);
  const bool before = std::ranges::find(recent_, hash) != recent_.end();
  if (before) return true;
  if (recent_.size() < most_remembered) recent_.push_back(hash);
  else recent_[remembered_ % most_remembered] = hash;
  ++remembered_;
  return false;
}

cuda_sequence::graph* cuda_sequence::add(std::span<const launch_record> list,
                                         const cuda_stream& on) {
  graph_handle g(new graph);
  g->on = &on;
  const bool early = context_.launches_early() && has_early_edges();
  const auto& driver = the_driver();
  broken_ = true;
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
  broken_ = false;
  g->keep(list);
  if (graphs_.size() == most_graphs) graphs_.pop_back();
  return graphs_.insert(graphs_.begin(), std::move(g))->get();
}

cuda_sequence::graph* cuda_sequence::graph_for(std::span<const launch_record> list,
                                               const cuda_stream& on) {
  std::size_t changes = 0;
  graph* g = nearest(list, on, changes);
  if (g && changes == 0) return g;
  const bool again = come_again(list);
  if (!g) {
    ++runs_;
    return runs_ > 1 && runs_ * list.size() >= worth_making ? add(list, on) : nullptr;
  }
  // A set of slots that comes again gets its own, unless little of this one differs.
  if (again && changes * 3 > list.size() && graphs_.size() < most_graphs) return add(list, on);
  broken_ = !g->change(list);
  return g;
}

bool cuda_sequence::launch(std::span<const launch_record> list, cuda_stream& on) {
  if (!pays(list)) return false;
  const std::lock_guard one(mutex_);
  if (broken_) return false;
  const graph* g = graph_for(list, on);
  if (broken_) graphs_.clear();
  if (broken_ || !g) return false;
  const std::size_t noted = std::min<std::size_t>(list.size(), 4);
  for (const launch_record& r : list.last(noted)) on.note(r.config);
  const CUresult result = the_driver().cuGraphLaunch(g->ready, on.handle());
  if (result != CUDA_SUCCESS) on.fail(result, "launching a graph of kernels");
  on.queued();
  return true;
}

}  // namespace sinter::runtime
