#pragma once
// Elements selected by masks. Their number must be known before the result has a shape, so these
// evaluate.

#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The elements of x where the mask holds, row-major, in one dimension. REQUIRES: one shape.
any_array choose_by(const any_array& x, const any_array& mask, std::string_view op, location);

/// The coordinates, one int64 array per axis, of the nonzero elements.
std::vector<any_array> places_of(const any_array& x, std::string_view op, location);

}  // namespace sinter::detail
