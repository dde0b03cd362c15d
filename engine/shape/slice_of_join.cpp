#include "engine/shape/slice_of_join.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/evaluation/session.hpp"
#include "engine/indexing/gather.hpp"

namespace sinter::detail {
namespace {

/// With more pieces a slice of the join is as cheap.
constexpr std::size_t most_shown = 3;

using places = inline_vector<std::int64_t, 4>;

/// The coordinates of a view's first element, if it moves along each axis in unit steps; else
/// nullopt.
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

/// The elements of a piece within a slice, in the slice's coordinates.
struct shown {
  any_array base;
  element_map map;

  shown(const any_array& of, const joined_piece& piece, const places& start, bool along_alone)
      : base(of), map{piece.map.offset, piece.map.strides} {
    for (std::size_t d = 0; d < start.size(); ++d) map.offset += start[d] * map.strides[d];
    if (along_alone) map.along = piece.map.along;
  }

  /// If the base is itself such a join, descends into it for the places [from, to) of the slice.
  void look_below(std::size_t axis, std::int64_t from, std::int64_t to, shape_view whole,
                  location where) {
    if (base.get()->kind != ir::node_kind::join) return;
    places part(whole);
    part[axis] = to - from;
    const element_map there{map.offset + from * map.strides[axis], map.strides};
    const auto below = slice_of_join(base, part, there, where);
    if (!below) return;
    std::tie(base, map) = base_of(*below);
    map.along = -1;
    map.offset -= from * map.strides[axis];
  }
};

/// The pieces that intersect [first, last) along the axis.
inline_vector<std::size_t, 4> touched(const std::vector<joined_piece>& pieces, std::int64_t first,
                                      std::int64_t last) {
  inline_vector<std::size_t, 4> all;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const std::int64_t begin = k ? pieces[k - 1].end : 0;
    if (begin < last && pieces[k].end > first) all.push_back(k);
  }
  return all;
}

/// Is it cheaper to join only these pieces? On a CPU only a single piece: its lanes select
/// expensively, element by element if rows are short.
bool is_less(std::size_t shown, std::size_t all, bool of_joins) {
  if (shown == 0 || shown > most_shown || (shown == all && !of_joins)) return false;
  return shown == 1 || on_gpu();
}

bool is_whole_beside(std::size_t axis, shape_view from, shape_view shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d != axis && shape[d] != from[d]) return false;
  }
  return true;
}

}  // namespace

std::optional<any_array> slice_of_join(const any_array& x, shape_view shape,
                                       const element_map& map, location where) {
  if (x.get()->kind != ir::node_kind::join) return std::nullopt;
  const auto bases = inputs_of(x);
  const auto first_base = [&](const any_array& b) { return b.get() == bases[0].get(); };
  if (bases.empty() || !std::ranges::all_of(bases, first_base)) return std::nullopt;
  const auto start = start_of(x.extents(), shape, map);
  if (!start) return std::nullopt;
  const std::vector<joined_piece>& pieces = x.get()->details->pieces;
  const std::size_t axis = x.get()->details->axis;
  const std::int64_t first = (*start)[axis], last = first + shape[axis];
  const auto wanted = touched(pieces, first, last);
  if (!is_less(wanted.size(), pieces.size(), is_join(bases[0]))) return std::nullopt;
  const bool along_alone = is_whole_beside(axis, x.extents(), shape);
  inline_vector<any_array, 4> shown_bases;
  std::vector<joined_piece> parts;
  parts.reserve(wanted.size());
  for (const std::size_t k : wanted) {
    const std::int64_t from = parts.empty() ? 0 : parts.back().end,
                       to = std::min(last, pieces[k].end) - first;
    shown part(bases[k], pieces[k], *start, along_alone);
    part.look_below(axis, from, to, shape, where);
    if (wanted.size() > 1 && is_join(part.base)) return std::nullopt;  // four to nine pieces
    shown_bases.push_back(std::move(part.base));
    parts.push_back({std::move(part.map), to});
  }
  if (parts.size() == 1) {
    parts[0].map.along = -1;
    return make_part_view(shown_bases[0], shape, std::move(parts[0].map), map, where);
  }
  any_array several = make_join(shown_bases, std::move(parts), axis, shape, where);
  several.get()->details->within = map;
  return several;
}

}  // namespace sinter::detail
