#pragma once
// Launches as CUDA graphs.
//
// Why: queueing a kernel costs the host 2.6 to 3.6 us. A graph costs it 1.1 to 1.8, each kernel in
// it some 0.05, and each whose arguments changed since its last launch 0.4 to 0.6 more. Another
// function would cost 1.6. So graphs are made per sequence of kernels, and take any arguments; and
// where the same arguments recur, as for buffers that a pool recycles, each set has a graph of its
// own.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/cuda/kernel_graph.hpp"

namespace sinter::runtime {

class cuda_sequence;

/// All graphs of a device, LRU: bounded in number and in kernels, since each graph takes 113 KB of
/// device memory (H200). Members are used under `mutex`. REQUIRES: the context outlives it, and it
/// outlives every sequence.
class graph_shelf {
 public:
  struct entry {
    std::unique_ptr<kernel_graph> graph;
    cuda_sequence* owner;
    std::size_t kernels;
  };
  using place = std::list<entry>::iterator;

  explicit graph_shelf(const cuda_context& context, std::size_t most = 512,
                       std::size_t most_kernels = 1 << 16)
      : context_(context), most_(most), most_kernels_(most_kernels) {}

  /// Returns the end if the driver refuses.
  place add(std::span<const launch_record> list, cuda_stream& on, cuda_sequence& owner);
  place end() { return entries_.end(); }
  void used(place p) { entries_.splice(entries_.begin(), entries_, p); }
  void drop(place p) {
    kernels_ -= p->kernels;
    entries_.erase(p);
  }

  std::mutex mutex;

 private:
  const cuda_context& context_;
  const std::size_t most_, most_kernels_;
  std::size_t kernels_ = 0;
  std::list<entry> entries_;  // most recently used first
};

/// Thread-safe.
class cuda_sequence final : public launch_memory {
 public:
  /// One or two kernels of more blocks than `few_blocks` are not made a graph: the device then
  /// takes longer than the host, and idles less between launches that begin early.
  cuda_sequence(graph_shelf& shelf, std::int64_t few_blocks)
      : shelf_(shelf), few_blocks_(few_blocks) {}
  ~cuda_sequence() override;
  cuda_sequence(const cuda_sequence&) = delete;
  cuda_sequence& operator=(const cuda_sequence&) = delete;

  /// Queues the list as a graph. False: nothing is queued, because a graph would not pay (yet). A
  /// call in a graph is always the same call: other calls make it another list.
  bool launch(std::span<const launch_record> list, cuda_stream& on);
  /// What is remembered of the kernels before the list's first call, between the first and the
  /// second...
  std::unique_ptr<launch_memory>& piece(std::size_t);
  /// The shelf is about to evict this one. REQUIRES: its lock.
  void forget(const kernel_graph*);

 private:
  using places = std::vector<graph_shelf::place>;

  bool pays(std::span<const launch_record> list) const;
  /// The graph of these kernels on this stream with the same arguments, else among the latest ones
  /// the one with the fewest changes; moved to the front. Null if there is none.
  kernel_graph* nearest(std::span<const launch_record> list, const cuda_stream& on,
                        std::size_t& changes);
  places::iterator closest(std::span<const launch_record> list, const cuda_stream& on,
                           std::size_t& changes);
  /// Was this among the latest runs with changes? It is from now on.
  bool come_again(std::uint64_t hash);
  /// The graph to launch, with these slots; null if none is worth making, or if that failed
  /// (broken_).
  kernel_graph* graph_for(std::span<const launch_record> list, cuda_stream& on);
  kernel_graph* add(std::span<const launch_record> list, cuda_stream& on);

  graph_shelf& shelf_;
  const std::int64_t few_blocks_;
  places graphs_;                           // most recently used first
  std::vector<std::uint64_t> recent_;       // hashes of slots, per stream
  std::vector<std::unique_ptr<launch_memory>> pieces_;
  std::size_t runs_ = 0, remembered_ = 0;
  bool broken_ = false;
};

}  // namespace sinter::runtime
