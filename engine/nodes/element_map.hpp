#pragma once
// Which elements of an array a node reads or writes: element i of its own shape is element
// offset + sum over d of i[d] * strides[d], counted in row-major order.
//
// Recorded nodes hold plain numbers, few of them, without the heap; ir::index_map is the planner's
// version, which traces what its numbers were computed from.

#include <cstdint>

#include "engine/nodes/inline_vector.hpp"
#include "ir/graph.hpp"

namespace sinter::detail {

struct element_map {
  std::int64_t offset = 0;
  inline_vector<std::int64_t, 4> strides;
  std::int8_t along = -1;  // see ir::index_map
};

inline ir::index_map index_map_of(const element_map& m) {
  return {m.offset, {m.strides.begin(), m.strides.end()}, m.along};
}

/// The numbers of a map without its trace.
inline element_map plain(const ir::index_map& m) {
  return {m.offset.peek(), ir::plain(m.strides), static_cast<std::int8_t>(m.along)};
}

}  // namespace sinter::detail
