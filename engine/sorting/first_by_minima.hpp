#pragma once
// The first few of short rows, one after the other, each the least of what is left.
//
// Why: the sorting libraries know whole rows alone. The two largest of 64 scores (a gate of
// experts), of which one kernel keeps a row in registers, took as long as 400,000 sorts.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Are `count` walks of a row less than a sort of it? They are for keys of up to 32 bits.
bool is_first_by_minima(dtype type, std::int64_t length, std::int64_t count);

/// Where the first `count` of a stable sort along the last axis are, int32. REQUIRES:
/// is_first_by_minima() says so; x is not empty.
any_array first_by_minima(const any_array& x, std::int64_t count, bool descending, location where);

}  // namespace sinter::detail
