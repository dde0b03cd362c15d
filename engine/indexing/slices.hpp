#pragma once
// Where a slice lies on an axis. Apart from what reads by it, as deleting needs the places alone.

#include <string_view>

#include <sinter/array.hpp>

namespace sinter::detail {

/// Elements first, first + step, ... of an axis.
struct slice_places {
  std::int64_t first = 0, count = 0;
};

/// Of an axis of this extent, as Python clips it. Throws value_error, naming `op`, for a step of 0.
slice_places places_of(const slice&, std::int64_t extent, std::string_view op, location);

}  // namespace sinter::detail
