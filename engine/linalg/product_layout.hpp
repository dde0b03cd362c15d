#pragma once
// Chooses the matrices of a product of two labelled operands, so that operands are read in place
// and the result is written in the requested order, without copies.

#include "engine/linalg/contraction.hpp"

namespace sinter::detail {

/// Labels of a pair by their role; m, n and k are the sizes of `left`, `right` and `summed`.
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
/// result may become separate matrices if these are no slower to multiply. `wanted`: the required
/// order of the product's labels; empty: any.
product_layout layout_of(const labelled& a, const labelled& b, const pair_roles&,
                         const label_list& wanted);

/// The concatenation of the lists.
label_list joined(std::initializer_list<label_list> parts);

}  // namespace sinter::detail
