#pragma once
// Memory that goes in and out without a copy.

#include <memory>
#include <vector>

#include <sinter/interop.hpp>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Where the elements of an array are: `base` keeps the memory.
struct exposed {
  any_array base;
  const std::byte* data = nullptr;
  std::vector<std::int64_t> strides;  // in elements
  bool dense = true;
};

/// The elements of x for what `stream` is given from now on. Evaluates; a view of what is stored
/// stays one unless `dense`. Throws what is wrong with x.
exposed expose(const any_array& x, stream_handle stream, bool dense, std::string_view op,
               location where);

/// x in memory of its own.
any_array duplicate(const any_array& x, std::string_view op, location where);

sinter::device public_id(const runtime::device&);

}  // namespace sinter::detail
