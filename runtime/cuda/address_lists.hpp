#pragma once
// The addresses of a batch's matrices, as batched routines take them: lists in device memory.

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"

namespace sinter::runtime {

class cuda_kernel;

/// Addresses with a constant distance of `step` bytes.
struct address_row {
  void* first;
  std::int64_t step;
};

/// Writes lists with a kernel of its own. Thread-safe.
class address_lists {
 public:
  static constexpr std::size_t most_rows = 2;

  /// REQUIRES: `context` outlives it.
  explicit address_lists(const cuda_context& context);
  ~address_lists();

  /// Queues `count` addresses of each row, row after row, into device memory at `to`. False, and
  /// nothing queued, if the driver cannot compile. REQUIRES: at most `most_rows` rows.
  bool write(void* to, std::span<const address_row> rows, std::int64_t count, cuda_stream& on);

 private:
  const cuda_kernel* kernel();

  const cuda_context& context_;
  std::once_flag asked_;
  std::unique_ptr<cuda_kernel> kernel_;
};

}  // namespace sinter::runtime
