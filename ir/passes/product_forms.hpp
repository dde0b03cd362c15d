#pragma once
// How a product of matrices is computed: by a library, or as a sum that kernels fuse.
//
// Why it stands by itself: what a library is slow at was measured, and is a matter of shapes.

#include <cstdint>

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

enum class product_form : std::uint8_t {
  library,
  vector,     // one column or one row, or an outer product
  by_depth,   // outer products, one after the other
  between,    // every row times every column, summed along what stands between their axes
  exchanged,  // the same of the transposed product
};

/// A call of a library's product without anything folded into it.
bool is_product(const node&);

/// REQUIRES: is_product(n); operands are dense (read_in_place has not run).
product_form form_of(const graph&, const node& n, const machine&);

}  // namespace sinter::ir
