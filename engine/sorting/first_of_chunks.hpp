#pragma once
// The first few of long rows without a sort of all of them, on a GPU.
//
// Why: the sorting library there knows whole rows alone, and of 64 rows of 256,000 floats (a step
// of a beam search, H200) their sort took 1.7 ms for eight elements each. The first `count` of a
// row are in the `count` chunks whose own first elements come first, or behind the last whole
// chunk.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Elements of a chunk, so that the chunks and what is in the chosen ones are few together; 0: a
/// sort of whole rows is as good.
std::int64_t chunk_of_first(std::int64_t length, std::int64_t count);

/// Where the first `count` of a stable sort along the last axis are, int32. REQUIRES: x is not
/// complex nor empty; `chunk` is what chunk_of_first() says, not 0.
any_array first_of_chunks(const any_array& x, std::int64_t count, std::int64_t chunk,
                          bool descending, location where);

}  // namespace sinter::detail
