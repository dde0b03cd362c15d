#pragma once
// Concatenation. Everything here is made of pads: x seen inside a larger array, with zeros around
// it. A pad is computed where it is read, so nothing is copied.

#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Pieces concatenated along an axis; all of one dtype, their other extents equal. REQUIRES: at
/// least one piece.
any_array join(const std::vector<any_array>& pieces, std::size_t axis, std::string_view op,
               location);

/// x rotated along an axis: its last `by` elements come first. REQUIRES: 0 < by < the extent.
any_array turned(const any_array& x, std::int64_t by, std::size_t axis, location);

/// x inside an array of shape `shape`, x(0, 0, ...) at `low`, surrounded by `fill`, a value of x's
/// dtype.
any_array surround(const any_array& x, const std::vector<std::int64_t>& low,
                   const std::vector<std::int64_t>& shape, const any_array& fill, location);

/// Elements [first, first + count) of x along an axis, backwards if `step` is -1, one element
/// repeated if it is 0.
any_array section(const any_array& x, std::size_t axis, std::int64_t first, std::int64_t count,
                  std::int64_t step, location);

/// where(condition, a, b) of arrays of one dtype, which may be a half type.
any_array choose(const any_array& condition, const any_array& a, const any_array& b, location);

}  // namespace sinter::detail
