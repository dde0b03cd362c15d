#pragma once
// Finds a condition that one number decides for a whole kernel.
//
// Why: the value of one array may tell that an alternative is not needed (see sum_places). A plan
// contains the launches of both; the blocks of the other one read that number and exit.

#include "ir/kernel.hpp"

namespace sinter::ir {

/// The instruction, a bool that is the same for all elements, without which the kernel stores
/// nothing; -1 if there is none. Linear in the body.
int condition_of(const kernel&);

}  // namespace sinter::ir
