#pragma once
// The elements of a slice of an axis. Separate from reading, because deletion needs only these.

#include <string_view>

#include <sinter/array.hpp>

namespace sinter::detail {

/// Elements first, first + step, ... of an axis.
struct slice_places {
  std::int64_t first = 0, count = 0;
};

/// For an axis of this extent, clipped as in Python. Throws value_error, naming `op`, for a step of
/// 0.
slice_places places_of(const slice&, std::int64_t extent, std::string_view op, location);

}  // namespace sinter::detail
