#pragma once
// split_axes: splits an axis of a domain where an axis of a reshape read through it ends.
//
// Why: a normalisation by groups of channels reads what it computed over (n, group, channel, y, x)
// back at (n, channel, y, x). Over the coarser axes every element is unravelled into coordinates by
// divisions; over the finer ones, which shaping merges again where no operand distinguishes them,
// all operands are strided.
//
// REQUIRES: no scans in the body.

#include "ir/passes/body.hpp"

namespace sinter::ir {

/// Splits axes of `domain` so that unravelled operands of b become affine, as far as their extents
/// divide each other; the order of elements is unchanged. The extents become conditions of the
/// plan.
void split_axes(body& b, shape_t& domain, std::vector<bool>& reduced);

}  // namespace sinter::ir
