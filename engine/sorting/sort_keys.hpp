#pragma once
// Unsigned keys whose order is that of the numbers they stand for: all that the sorting libraries
// have to know. They are made and undone by elementwise expressions, which fuse with what produces
// and what reads the numbers.
//
// NaN is last in either order, and one NaN is like another.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

enum class zero_signs : std::uint8_t {
  equal,  // -0 and 0 have one key: what equality and stability mean
  apart,  // -0 is before 0: keys can be undone
};

/// Keys of x's elements: uint8 to uint64, of the width of x's type. REQUIRES: x is not complex.
any_array sort_key(const any_array& x, bool descending, zero_signs, location where);

/// The numbers of type `type` whose keys, with zeros apart, these are.
any_array from_sort_key(const any_array& key, dtype type, bool descending, location where);

}  // namespace sinter::detail
