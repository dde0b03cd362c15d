#pragma once
// Axis arguments, checked.

#include <vector>

#include <sinter/any_array.hpp>

namespace sinter::detail {

/// The axes counted from the front, in the order given. Throws axis_error for one out of range or
/// given twice.
std::vector<int> distinct_axes(shape_view axes, int ndim, std::string_view op, location where);

}  // namespace sinter::detail
