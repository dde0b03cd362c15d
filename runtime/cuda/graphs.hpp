#pragma once
// Launches as CUDA graphs.
//
// Why: queueing a kernel costs the host 2.6 to 3.6 us. A graph costs it 1.1 to 1.8, each kernel
// in it some 0.05, and each whose arguments changed since its last launch 0.4 to 0.6 more. Another
// function would cost 1.6. So graphs are made for the kernels they have, and take any arguments; and
// where the same arguments come again, as of buffers that a pool hands round, each set has a graph
// of its own.

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
  /// One or two kernels of more blocks than `few_blocks` are no graph: the device takes longer than
  /// the host then, and waits less between launches that begin early.
  cuda_sequence(const cuda_context& context, std::int64_t few_blocks)
      : context_(context), few_blocks_(few_blocks) {}

  /// Queues the list as a graph. False: nothing is queued, for a graph would not pay (yet).
  bool launch(std::span<const launch_record> list, cuda_stream& on);

 private:
  struct graph;
  struct graph_deleter {
    void operator()(graph*) const;
  };
  using graph_handle = std::unique_ptr<graph, graph_deleter>;

  bool pays(std::span<const launch_record> list) const;
  /// The graph of these kernels on this stream of which the fewest change; null if there is none.
  graph* nearest(std::span<const launch_record> list, const cuda_stream& on, std::size_t& changes);
  /// Were these slots among the last runs' that changed something? They are from now on.
  bool come_again(std::span<const launch_record> list);
  /// The graph to launch, with these slots; null if none is worth making, or it failed (broken_).
  graph* graph_for(std::span<const launch_record> list, const cuda_stream& on);
  graph* add(std::span<const launch_record> list, const cuda_stream& on);

  const cuda_context& context_;
  const std::int64_t few_blocks_;
  std::mutex mutex_;
  std::vector<graph_handle> graphs_;   // latest used first
  std::vector<std::uint64_t> recent_;  // hashes of slots
  std::size_t runs_ = 0, remembered_ = 0;
  bool broken_ = false;
};

}  // namespace sinter::runtime
