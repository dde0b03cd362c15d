#include "ir/passes/rows_at_places.hpp"

#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

/// The stride of axes [from, to) walked as one, row-major.
std::optional<extent> merged(const shape_t& shape, const extent_list& strides, std::size_t from,
                             std::size_t to) {
  extent step = 0, next = 0;
  bool any = false;
  for (std::size_t d = to; d-- > from;) {
    if (shape[d] == 1) continue;
    if (any && !(strides[d] == next)) return std::nullopt;
    if (!any) step = strides[d];
    any = true;
    next = strides[d] * shape[d];
  }
  return step;
}

/// The value before a widening cast.
node_id unwidened(const graph& g, node_id value) {
  const node& v = g[value];
  const bool cast = v.kind == node_kind::map && v.program.code.size() == 1 &&
                    v.program.code[0].code == op::cast && is_real(v.program.inputs[0]);
  return cast && size_of(v.program.inputs[0]) < size_of(v.type) ? v.inputs[0] : value;
}

extent size_from(const shape_t& s, std::size_t from, std::size_t to) {
  return size_of(shape_t{s.begin() + static_cast<std::ptrdiff_t>(from),
                         s.begin() + static_cast<std::ptrdiff_t>(to)});
}

/// The number of axes before those that are the base's last ones, whole, and along which the index
/// does not move.
std::optional<std::size_t> axes_of_rows(const graph& g, const node& n) {
  const node& index = g[n.inputs[1]];
  std::size_t lead = index.shape.size();
  if (index.kind != node_kind::view) return std::nullopt;
  while (lead > 0 && index.map.strides[lead - 1] == 0) --lead;
  const std::size_t inner = index.shape.size() - lead;
  if (inner > n.shape.size() || !(n.map.offset == 0)) return std::nullopt;
  const extent_list dense = dense_strides(n.shape);
  for (std::size_t d = 0; d < index.shape.size(); ++d) {
    const std::size_t in_base = n.shape.size() - inner + d - lead;
    const bool fits = d < lead ? n.map.strides[d] == 0
                               : index.shape[d] == n.shape[in_base] &&
                                     n.map.strides[d] == dense[in_base];
    if (!fits) return std::nullopt;
  }
  return lead;
}

}  // namespace

std::optional<matrix> seen_as_rows(const index_map& map, const shape_t& shape, std::size_t lead) {
  const auto row = merged(shape, map.strides, 0, lead);
  const auto column = merged(shape, map.strides, lead, shape.size());
  return row && column ? std::optional(matrix{-1, map.offset, *row, *column}) : std::nullopt;
}

std::optional<matrix> seen_as_rows(const graph& g, node_id id, const shape_t& shape,
                                   std::size_t lead) {
  const node& n = g[id];
  if (n.shape.empty()) return matrix{id};
  const bool view = n.kind == node_kind::view;
  auto seen = seen_as_rows(view ? n.map : index_map{0, extent_list(dense_strides(shape))}, shape,
                           lead);
  if (seen) seen->x = view ? n.inputs[0] : id;
  return seen;
}

std::optional<row_sums> rows_at_places(const graph& g, const node& n) {
  if (n.kind != node_kind::scatter || !n.reduction.summed) return std::nullopt;
  const shape_t& shape = g[n.inputs[1]].shape;
  const auto lead = axes_of_rows(g, n);
  if (!lead) return std::nullopt;
  row_sums s;
  s.lead = *lead;
  s.rows = size_from(shape, 0, *lead);
  s.width = size_from(shape, *lead, shape.size());
  const std::size_t inner = shape.size() - *lead;
  s.places = size_from(n.shape, 0, n.shape.size() - inner);
  const node_id value = unwidened(g, n.inputs[2]);
  const auto values = seen_as_rows(g, value, shape, *lead);
  s.values = values.value_or(matrix{value, 0, s.width, 1});
  const auto at = seen_as_rows(g, n.inputs[1], shape, *lead);  // none: a list that is broadcast
  if (!at || g[s.values.x].shape.empty()) return std::nullopt;
  s.at = *at;
  std::optional<matrix>* const further[] = {&s.counts, &s.wrong, &s.words};
  for (std::size_t k = 3; k < n.inputs.size(); ++k) {
    const auto seen = seen_as_rows(g, n.inputs[k], shape, *lead);
    if (!seen || !(seen->column == 0)) return std::nullopt;
    *further[k - 3] = seen;
  }
  return s;
}

}  // namespace sinter::ir
