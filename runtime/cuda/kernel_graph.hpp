#pragma once
// One chain of kernels as a CUDA graph whose arguments and block counts can be changed. Library
// calls in it are what the libraries queued for them, and cannot change.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/cuda/streams.hpp"
#include "runtime/device.hpp"

struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

namespace sinter::runtime {

/// Per launch: 32,764 bytes of parameters, since CUDA 12.1 on every architecture NVRTC 13 supports.
inline constexpr std::size_t most_slots = 4095;

/// Not thread-safe. If destroyed while running, it completes. REQUIRES: the context is current and
/// outlives it; the kernels outlive its last launch.
class kernel_graph {
 public:
  /// Null if the driver refuses.
  static std::unique_ptr<kernel_graph> make(std::span<const launch_record> list,
                                            const cuda_context&, cuda_stream& on);
  ~kernel_graph();
  kernel_graph(const kernel_graph&) = delete;
  kernel_graph& operator=(const kernel_graph&) = delete;

  /// Is it a graph of these kernels and calls, for this stream? In one graph two streams would wait
  /// for each other.
  bool is_of(std::span<const launch_record> list, const cuda_stream& on) const {
    return matches(list, on, false);
  }
  /// Is it that, and would every launch be the same as last time?
  bool is_same(std::span<const launch_record> list, const cuda_stream& on) const {
    return matches(list, on, true);
  }
  /// How many launches differ from last time. REQUIRES: it is of the list.
  std::size_t changes(std::span<const launch_record> list) const;
  /// Sets the arguments. Launches already queued are unaffected. False: the driver refuses, and the
  /// graph is unusable. REQUIRES: it is of the list.
  bool change(std::span<const launch_record> list);
  /// The driver's result.
  int launch();

 private:
  struct kernel {
    CUfunc_st* function;  // null: a call
    std::int64_t blocks;
    int threads;
    std::size_t slots;
  };

  kernel_graph() = default;
  bool build(std::span<const launch_record> list, bool early, cuda_stream& on);
  bool add_kernel(const launch_record&, bool early);
  bool add_call(const library_call&, cuda_stream& on);
  bool matches(std::span<const launch_record> list, const cuda_stream& on,
               bool as_last_time) const;
  bool same(std::size_t i, const launch_record& r, std::size_t first_slot) const;
  void keep(std::span<const launch_record> list);
  template <class F> void each_change(std::span<const launch_record> list, F f) const;

  const cuda_stream* on_ = nullptr;
  CUgraph_st* made_ = nullptr;
  CUgraphExec_st* ready_ = nullptr;
  std::vector<CUgraphNode_st*> nodes_;
  std::vector<std::shared_ptr<void>> needs_;  // of the calls
  std::vector<kernel> kernels_;
  std::vector<std::uint64_t> slots_;  // of all kernels
};

}  // namespace sinter::runtime
