#pragma once
// Chooses how a matrix product is computed: by a library, or as a sum that fuses into kernels.
//
// Why a file of its own: what a library is slow at was measured, and is a matter of shapes alone.

#include <cstdint>

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

enum class product_form : std::uint8_t {
  library,
  vector,     // one column or one row, or an outer product
  by_depth,   // a sum of outer products, one per step of the depth
  between,    // every row times every column, summed along an axis between theirs
  exchanged,  // `between`, of the transposed product
};

/// A library product call with no epilogue.
bool is_product(const node&);

/// REQUIRES: is_product(n); operands are dense (read_in_place has not run).
product_form form_of(const graph&, const node& n, const machine&);

}  // namespace sinter::ir
