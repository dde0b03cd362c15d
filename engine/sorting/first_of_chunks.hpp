#pragma once
// The first few elements of long rows without sorting whole rows, on a GPU.
//
// Why: the sorting library there only sorts whole rows, and for 64 rows of 256,000 floats (a step
// of a beam search, H200) that took 1.7 ms for eight elements each. The first `count` of a row are
// in the `count` chunks whose own first elements come first, or after the last whole chunk.

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// Elements per chunk, so that the chunks and the elements of the selected ones are few together;
/// 0: sorting whole rows is as good.
std::int64_t chunk_of_first(std::int64_t length, std::int64_t count);

/// The positions of the first `count` of a stable sort along the last axis, int32. REQUIRES: x is
/// neither complex nor empty; `chunk` is the result of chunk_of_first(), not 0.
any_array first_of_chunks(const any_array& x, std::int64_t count, std::int64_t chunk,
                          bool descending, location where);

}  // namespace sinter::detail
