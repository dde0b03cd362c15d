#pragma once
// Elements chosen by masks. How many there are has to be known before anything can be said of the
// result, so these evaluate.

#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The elements of x where the mask holds, row-major, in one dimension. REQUIRES: one shape.
any_array choose_by(const any_array& x, const any_array& mask, std::string_view op, location);

/// The coordinates, an int64 array an axis, of the elements that are not zero.
std::vector<any_array> places_of(const any_array& x, std::string_view op, location);

}  // namespace sinter::detail
