#pragma once
// Zero-copy import and export of memory.

#include <memory>
#include <vector>

#include <sinter/interop.hpp>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The location of an array's elements; `base` keeps the memory alive.
struct exposed {
  any_array base;
  const std::byte* data = nullptr;
  std::vector<std::int64_t> strides;  // in elements
  bool dense = true;
};

/// The elements of x, for work queued on `stream` from now on. Evaluates; a view of a stored array
/// stays a view unless `dense`. Throws what the checks of x found.
exposed expose(const any_array& x, stream_handle stream, bool dense, std::string_view op,
               location where);

/// x in memory of its own.
any_array duplicate(const any_array& x, std::string_view op, location where);

sinter::device public_id(const runtime::device&);

}  // namespace sinter::detail
