#pragma once
// Few places of a GPU's scatter are held in shared memory.
//
// Why: values that are combined at few places meet there, and a memory that many threads meet in
// serves them one after the other: 1e7 integers into 16 places took 3 ms where a copy of them takes
// 30 us. Shared memory is a block's own and near. A block goes through so many elements that what
// it does for each place at its beginning and its end is little beside them.

#include "ir/machine.hpp"
#include "ir/passes/shape.hpp"

namespace sinter::ir {

/// Bytes of places that a kernel may hold: what it may declare of shared memory without asking.
inline constexpr std::int64_t most_held = 48 << 10;

/// Sets `held` and what follows from it, if the kernel is a map that combines values at places, if
/// there are so few of these, and enough elements. REQUIRES: every combined operand begins at its
/// array and has at most so many elements.
void hold_places(shaped&, extent places, const machine&);

}  // namespace sinter::ir
