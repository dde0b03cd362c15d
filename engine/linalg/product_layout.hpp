#pragma once
// Which matrices a product of two labelled operands is: so that what lies in memory is read there,
// and the result is written in the order it was asked for, without a copy of either.

#include "engine/linalg/contraction.hpp"

namespace sinter::detail {

/// Labels of a pair by what becomes of them; m, n and k elements of `left`, `right` and `summed`.
struct pair_roles {
  label_list batch, left, right, summed;
  std::int64_t m = 1, n = 1, k = 1;
};

/// The first operand is read as (batch, rows, summed), the second as (batch, summed, columns).
struct product_layout {
  label_list batch, rows, columns, summed;
  bool swapped = false;  // the second of the pair is the first of the product
};

/// The layout that moves the fewest elements before and after the product. Leading axes of the
/// result may become matrices of their own where these are no worse to multiply. `wanted`: the
/// order that the product's labels are to be in; empty: any.
product_layout layout_of(const labelled& a, const labelled& b, const pair_roles&,
                         const label_list& wanted);

/// One list after the other.
label_list joined(std::initializer_list<label_list> parts);

}  // namespace sinter::detail
