#pragma once
// split_axes: an axis of a domain becomes two where a reshape that is read through it ends.
//
// Why: a normalisation by groups of channels reads what it computed over (n, group, channel, y, x)
// back at (n, channel, y, x). Over the coarser axes every element is taken apart into coordinates,
// by divisions; over the finer ones, of which shaping brings together what no operand tells apart,
// all operands are strided.

#include "ir/passes/body.hpp"

namespace sinter::ir {

/// Splits axes of `domain` so that operands of b which are unravelled are affine, as far as their
/// extents divide each other; elements stay in their order. The extents become conditions of the
/// plan. REQUIRES: no scans in b.
void split_axes(body& b, shape_t& domain, std::vector<bool>& reduced);

}  // namespace sinter::ir
