#pragma once
// Building blocks of transforms. Nothing here normalises or checks.

#include <string_view>
#include <vector>

#include "engine/nodes/node.hpp"
#include "ir/fourier.hpp"

namespace sinter::detail {

/// x with `count` elements along an axis: cropped, or zero-padded at the end.
any_array fit(const any_array& x, int axis, std::int64_t count, location where);

/// x times a real number.
any_array scaled(const any_array& x, double factor, location where);

/// The complex transform over distinct axes, in any order.
any_array transform_complex(const any_array& x, std::vector<int> axes, bool inverse,
                            location where);
/// The transform of real x over distinct axes, one of which (`halved`) keeps n / 2 + 1 elements.
/// Halves may be transformed in half precision.
any_array transform_from_real(const any_array& x, std::vector<int> axes, int halved,
                              location where);
/// The inverse along one axis, of n points, to real numbers.
any_array transform_to_real(const any_array& x, int axis, std::int64_t n, location where);

}  // namespace sinter::detail
