#pragma once
// Maps numbers to unsigned keys with the same order, which is all that the sorting libraries need.
// Keys are computed and inverted by elementwise expressions, which fuse with the producers and
// consumers of the numbers.
//
// NaN is last in either order, and all NaNs are equal.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

enum class zero_signs : std::uint8_t {
  equal,  // -0 and 0 have one key: what equality and stability mean
  apart,  // -0 is before 0: keys can be inverted
};

/// Keys of x's elements: uint8 to uint64, as wide as x's type. REQUIRES: x is not complex.
any_array sort_key(const any_array& x, bool descending, zero_signs, location where);

/// The numbers of type `type` with these keys, made with zeros apart.
any_array from_sort_key(const any_array& key, dtype type, bool descending, location where);

}  // namespace sinter::detail
