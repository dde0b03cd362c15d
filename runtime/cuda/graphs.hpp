#pragma once
// Sequences of launches as CUDA graphs.
//
// Why: queueing a kernel costs the host 2 to 3 us, a kernel in a graph a few tenths. A graph is
// made for slots that come again: buffers that are updated in place or handed round by the pool
// have few sets of addresses, and each gets a graph of its own. Where only a few slots differ from
// a graph's (a time step's number), those nodes are changed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/cuda/streams.hpp"
#include "runtime/device.hpp"

struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

namespace sinter::runtime {

/// Of a launch: 32,764 bytes of parameters, since CUDA 12.1 on all that NVRTC 13 compiles for.
inline constexpr std::size_t most_slots = 4095;

/// Thread-safe. REQUIRES: the context outlives it.
class cuda_sequence final : public launch_memory {
 public:
  explicit cuda_sequence(const cuda_context& context) : context_(context) {}

  /// Queues the list as a graph. False: nothing is queued, for a graph would not pay (yet).
  bool launch(std::span<const launch_record> list, cuda_stream& on);

 private:
  struct graph;
  struct graph_deleter {
    void operator()(graph*) const;
  };
  using graph_handle = std::unique_ptr<graph, graph_deleter>;

  graph* find(std::span<const launch_record> list, std::uint64_t hash);
  graph* nearest(std::span<const launch_record> list, std::size_t& different);
  bool seen(std::uint64_t hash);
  graph_handle make(std::span<const launch_record> list, std::uint64_t hash, bool early);
  graph* changed(graph*, std::span<const launch_record> list, std::uint64_t hash);
  bool change(graph&, std::span<const launch_record> list, std::uint64_t hash);

  const cuda_context& context_;
  std::mutex mutex_;
  std::vector<graph_handle> graphs_;   // latest used first
  std::vector<std::uint64_t> recent_;  // hashes of the slots of the last runs
  std::size_t runs_ = 0;
  bool broken_ = false;
};

}  // namespace sinter::runtime
