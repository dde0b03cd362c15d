#pragma once
// Products of complex elements.
//
// Why: a reduction accumulates one number, and a complex product needs both parts of the previous
// one. Pairwise halving alone reads every element separately: one kernel of 512 of them compiled
// for 45 s.

#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The product over ascending axes, which the result lacks. REQUIRES: x is complex, and has
/// elements along them.
any_array complex_product(const any_array& x, const std::vector<int>& axes, location where);

}  // namespace sinter::detail
