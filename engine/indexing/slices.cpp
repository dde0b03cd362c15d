#include "engine/indexing/slices.hpp"

#include <algorithm>

#include "engine/nodes/report.hpp"

namespace sinter::detail {

slice_places places_of(const slice& s, std::int64_t extent, std::string_view op, location where) {
  if (s.step == 0) {
    fail<value_error>(error_code::bad_argument, op, "a slice has step 0", where);
  }
  const std::int64_t low = s.step < 0 ? -1 : 0, high = s.step < 0 ? extent - 1 : extent;
  const auto bound = [&](std::int64_t i, std::int64_t unset) {
    if (i == slice::unset) return unset;
    return std::clamp(i < 0 ? i + extent : i, low, high);
  };
  const std::int64_t first = bound(s.start, s.step < 0 ? high : low),
                     last = bound(s.stop, s.step < 0 ? low : high);
  // The magnitude of an int64's step may not fit in an int64.
  const auto step =
      s.step < 0 ? 0 - static_cast<std::uint64_t>(s.step) : static_cast<std::uint64_t>(s.step);
  const std::int64_t span = s.step < 0 ? first - last : last - first;
  if (span <= 0) return {first, 0};
  return {first, static_cast<std::int64_t>((static_cast<std::uint64_t>(span) - 1) / step) + 1};
}

}  // namespace sinter::detail
