#pragma once
// A call with copies of the lists its site refers to, so that it can be queued later, and
// repeatedly.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/calls/calls.hpp"

namespace sinter::detail {

/// REQUIRES, whenever it is queued: the device, the step, the buffers and `said` still exist.
class kept_call final : public runtime::library_call {
 public:
  /// Copies the site's lists.
  void set(call_function, const call_site&);
  void queue() const override;
  /// Calls of one step with equal words do the same work.
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  call_function run_ = nullptr;
  runtime::device* device_ = nullptr;
  const ir::plan_step* step_ = nullptr;
  once* said_ = nullptr;
  std::vector<void*> inputs_, outputs_;
  std::vector<runtime::buffer*> input_buffers_, output_buffers_;
  std::vector<std::uint64_t> scalars_, words_;
};

}  // namespace sinter::detail
