#pragma once
// Validation of axis arguments.

#include <vector>

#include <sinter/any_array.hpp>

namespace sinter::detail {

/// The axes counted from the front, in the order given. Throws axis_error for one out of range or
/// given twice.
std::vector<int> distinct_axes(shape_view axes, int ndim, std::string_view op, location where);

/// Axis 0 or -1 of a scalar: it has none, but NumPy's ufuncs reduce and scan along it.
constexpr bool is_axis_of_number(std::int64_t axis, int ndim) {
  return ndim == 0 && (axis == 0 || axis == -1);
}

}  // namespace sinter::detail
