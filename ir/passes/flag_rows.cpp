#include "ir/passes/flag_rows.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

/// The number of trailing axes along which a value stays the same.
std::size_t still_axes(const node& n, std::size_t rank) {
  if (n.shape.empty()) return rank;
  if (n.kind != node_kind::view) return 0;
  std::size_t axes = 0;
  while (axes < rank && n.map.strides[rank - 1 - axes] == 0) ++axes;
  return axes;
}

}  // namespace

index_expr flag_rows::place(index_expr rows) const {
  for (extent& s : rows.strides) s *= each;
  return rows;
}

const shape_t& walked_shape(const graph& g, const node& n) {
  return n.kind == node_kind::scatter ? g[n.inputs[1]].shape : n.shape;
}

flag_rows rows_of_flag(const graph& g, const node& n) {
  const shape_t& all = walked_shape(g, n);
  std::size_t still = all.size();
  for (std::size_t k = inputs_before_range(n.kind); k < n.inputs.size(); ++k) {
    still = std::min(still, still_axes(g[n.inputs[k]], all.size()));
  }
  flag_rows rows{all, 1};
  if (still == all.size() || size_of(all) == 0) return rows;
  for (; still > 0; --still) {
    rows.each *= rows.shape.back();
    rows.shape.pop_back();
  }
  return rows;
}

}  // namespace sinter::ir
