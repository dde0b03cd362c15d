#pragma once
// A condition that one number decides for a whole kernel.
//
// Why: what one array comes to may say that another way of going about it is not wanted (see
// sum_places). A plan has the launches of both; the blocks of the one that is not wanted read that
// number, and nothing else.

#include "ir/kernel.hpp"

namespace sinter::ir {

/// The instruction, a bool that is the same for all elements, without which the kernel stores
/// nothing; -1 if there is none. Linear in the body.
int condition_of(const kernel&);

}  // namespace sinter::ir
