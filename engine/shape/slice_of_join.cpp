#include "engine/shape/slice_of_join.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

/// Of more pieces a slice is no less to ask for.
constexpr std::size_t most_shown = 3;

using places = inline_vector<std::int64_t, 4>;

/// Where a view's first element stands, if it goes along each axis by ones; else nothing.
std::optional<places> start_of(shape_view from, shape_view shape, const element_map& map) {
  if (from.size() != shape.size()) return std::nullopt;
  places strides, start;
  strides.resize(from.size(), 0);
  write_dense_strides(from, strides.data());
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (shape[d] == 0 || (shape[d] > 1 && map.strides[d] != strides[d])) return std::nullopt;
    start.push_back(map.offset / strides[d] % from[d]);
    if (start[d] + shape[d] > from[d]) return std::nullopt;
  }
  return start;
}

bool is_join(const any_array& x) {
  return x.get()->kind == ir::node_kind::join && !inputs_of(x).empty();
}

/// What of a piece stands at places [from, to) along the join's axis, from `start` on along others.
any_array shown(const any_array& base, const joined_piece& piece, std::size_t axis, places start,
                std::int64_t from, std::int64_t to, shape_view whole, location where) {
  places shape(whole);
  shape[axis] = to - from;
  start[axis] = from;
  element_map map{piece.map.offset, piece.map.strides};
  for (std::size_t d = 0; d < start.size(); ++d) map.offset += start[d] * map.strides[d];
  if (auto below = slice_of_join(base, shape, map, where)) return std::move(*below);
  return make_view(base, shape, std::move(map), where);
}

}  // namespace

std::optional<any_array> slice_of_join(const any_array& x, shape_view shape,
                                       const element_map& map, location where) {
  if (x.get()->kind != ir::node_kind::join) return std::nullopt;
  const auto bases = inputs_of(x);
  if (bases.empty()) return std::nullopt;
  const auto start = start_of(x.shape(), shape, map);
  if (!start) return std::nullopt;
  const std::vector<joined_piece>& pieces = x.get()->details->pieces;
  const std::size_t axis = x.get()->details->axis;
  const std::int64_t first = (*start)[axis], last = first + shape[axis];
  std::vector<std::size_t> touched;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::int64_t begin = k ? pieces[k - 1].end : 0;
    if (begin < last && pieces[k].end > first) touched.push_back(k);
  }
  const auto joined = [&](std::size_t k) { return is_join(bases[k]); };
  const bool all = touched.size() == pieces.size() && std::ranges::none_of(touched, joined);
  if (all || touched.size() > most_shown) return std::nullopt;
  std::vector<any_array> parts;
  for (const std::size_t k : touched) {
    const std::int64_t from = std::max(first, k ? pieces[k - 1].end : 0),
                       to = std::min(last, pieces[k].end);
    parts.push_back(shown(bases[k], pieces[k], axis, *start, from, to, shape, where));
  }
  return parts.size() == 1 ? parts[0] : join(parts, axis, "index", where);
}

}  // namespace sinter::detail
