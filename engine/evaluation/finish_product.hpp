#pragma once
// The epilogue of a product as a kernel of its own, if the library does not fold it.

#include "engine/calls/calls.hpp"
#include "ir/product.hpp"

namespace sinter::detail {

/// Makes output 0 of a product from its accumulators, dense and of the type that was computed in.
/// REQUIRES: the evaluation lock.
void finish_product(const call_site&, const ir::matmul_form&, void* sums);

}  // namespace sinter::detail
