#pragma once
// The first few elements of short rows, one after the other, each the minimum of the rest.
//
// Why: the sorting libraries only sort whole rows. The two largest of 64 scores (mixture-of-experts
// gating), whose row fits the registers of one kernel, took as long as 400,000 sorts.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Do `count` walks of a row cost less than a sort? For keys of up to 32 bits.
bool is_first_by_minima(dtype type, std::int64_t length, std::int64_t count);

/// The positions of the first `count` of a stable sort along the last axis, int32. REQUIRES:
/// is_first_by_minima() holds; x is not empty.
any_array first_by_minima(const any_array& x, std::int64_t count, bool descending, location where);

}  // namespace sinter::detail
