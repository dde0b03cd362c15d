#pragma once
// What follows a product, by a kernel of its own, where the library does not fold it.

#include "engine/calls/calls.hpp"
#include "ir/product.hpp"

namespace sinter::detail {

/// Makes output 0 of a product from its sums, dense and of the type that was computed in. REQUIRES:
/// the evaluation lock.
void finish_product(const call_site&, const ir::matmul_form&, void* sums);

}  // namespace sinter::detail
