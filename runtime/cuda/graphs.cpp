#include "runtime/cuda/graphs.hpp"

#include <algorithm>
#include <iterator>

#include <cuda.h>

namespace sinter::runtime {

namespace {

// Per sequence. A fused function of thousands of statements runs in chunks, each with a few buffer
// sets of its own: four graphs were not enough for two arrays that alternate.
constexpr std::size_t most_graphs = 16, most_remembered = 64;

/// The most recently used graphs, among which the one with the fewest changed kernels is chosen.
constexpr std::size_t most_compared = 4;

/// A graph takes 4.6 us per kernel to build, and saves 1 us of a single kernel's launch each time.
/// So this many kernels must have been queued before.
constexpr std::size_t worth_making = 4;

/// Hashes all arguments of the launches, or only those of the calls among them.
std::uint64_t hash_of(std::span<const launch_record> list, stream_id on, bool of_calls) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull;
  const auto mix = [&](std::uint64_t w) {
    h = (h ^ w) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  };
  mix(on);
  for (const launch_record& r : list) {
    if (of_calls && !r.call) continue;
    mix(static_cast<std::uint64_t>(r.config.blocks));
    for (const std::uint64_t w : r.slots) mix(w);
  }
  return h;
}

}  // namespace

graph_shelf::place graph_shelf::add(std::span<const launch_record> list, cuda_stream& on,
                                    cuda_sequence& owner) {
  auto made = kernel_graph::make(list, context_, on);
  if (!made) return entries_.end();
  while (!entries_.empty() &&
         (entries_.size() >= most_ || kernels_ + list.size() > most_kernels_)) {
    entries_.back().owner->forget(entries_.back().graph.get());
    drop(std::prev(entries_.end()));
  }
  kernels_ += list.size();
  entries_.push_front({std::move(made), &owner, list.size()});
  return entries_.begin();
}

cuda_sequence::~cuda_sequence() {
  const std::lock_guard one(shelf_.mutex);
  for (const graph_shelf::place p : graphs_) shelf_.drop(p);
}

void cuda_sequence::forget(const kernel_graph* g) {
  std::erase_if(graphs_, [&](graph_shelf::place p) { return p->graph.get() == g; });
}

bool cuda_sequence::pays(std::span<const launch_record> list) const {
  return list.size() > 2 || std::ranges::any_of(list, [&](const launch_record& r) {
           return r.config.blocks <= few_blocks_;  // a call has none
         });
}

std::unique_ptr<launch_memory>& cuda_sequence::piece(std::size_t i) {
  if (pieces_.size() <= i) pieces_.resize(i + 1);
  return pieces_[i];
}

kernel_graph* cuda_sequence::nearest(std::span<const launch_record> list, const cuda_stream& on,
                                     std::size_t& changes) {
  changes = 0;
  const auto is_same = [&](graph_shelf::place p) { return p->graph->is_same(list, on); };
  auto best = std::ranges::find_if(graphs_, is_same);
  if (best == graphs_.end()) best = closest(list, on, changes);
  if (best == graphs_.end()) return nullptr;
  std::rotate(graphs_.begin(), best, best + 1);
  shelf_.used(graphs_[0]);
  return graphs_[0]->graph.get();
}

cuda_sequence::places::iterator cuda_sequence::closest(std::span<const launch_record> list,
                                                       const cuda_stream& on,
                                                       std::size_t& changes) {
  auto best = graphs_.end();
  std::size_t compared = 0;
  for (auto p = graphs_.begin(); p != graphs_.end() && compared < most_compared; ++p) {
    const kernel_graph& g = *(*p)->graph;
    if (!g.is_of(list, on)) continue;
    ++compared;
    const std::size_t n = g.changes(list);
    if (best != graphs_.end() && n >= changes) continue;
    best = p;
    changes = n;
  }
  return best;
}

bool cuda_sequence::come_again(std::uint64_t hash) {
  if (std::ranges::find(recent_, hash) != recent_.end()) return true;
  if (recent_.size() < most_remembered) {
    recent_.push_back(hash);
  } else {
    recent_[remembered_ % most_remembered] = hash;
  }
  ++remembered_;
  return false;
}

kernel_graph* cuda_sequence::add(std::span<const launch_record> list, cuda_stream& on) {
  const graph_shelf::place made = shelf_.add(list, on, *this);
  broken_ = made == shelf_.end();
  if (broken_) return nullptr;
  if (graphs_.size() == most_graphs) {
    shelf_.drop(graphs_.back());
    graphs_.pop_back();
  }
  return (*graphs_.insert(graphs_.begin(), made))->graph.get();
}

kernel_graph* cuda_sequence::graph_for(std::span<const launch_record> list, cuda_stream& on) {
  std::size_t changes = 0;
  kernel_graph* g = nearest(list, on, changes);
  if (g && changes == 0) return g;
  if (!g && std::ranges::any_of(list, &launch_record::is_call)) {
    return come_again(hash_of(list, on.id(), true)) ? add(list, on) : nullptr;
  }
  const bool again = come_again(hash_of(list, on.id(), false));
  if (!g) {
    ++runs_;
    return runs_ > 1 && runs_ * list.size() >= worth_making ? add(list, on) : nullptr;
  }
  // Repeated arguments get a graph of their own, unless only few kernels of this one change.
  if (again && changes * 3 > list.size() && graphs_.size() < most_graphs) return add(list, on);
  broken_ = !g->change(list);
  return g;
}

bool cuda_sequence::launch(std::span<const launch_record> list, cuda_stream& on) {
  if (!pays(list)) return false;
  const std::lock_guard one(shelf_.mutex);
  if (broken_) return false;
  kernel_graph* g = graph_for(list, on);
  if (broken_ || !g) return false;
  const std::size_t noted = std::min<std::size_t>(list.size(), 4);
  for (const launch_record& r : list.last(noted)) {
    if (!r.call) on.note(r.config);
  }
  const int result = g->launch();
  if (result != CUDA_SUCCESS) on.fail(result, "launching a graph of kernels");
  on.queued();
  return true;
}

}  // namespace sinter::runtime
