#include "ir/passes/short_sums.hpp"

#include <algorithm>
#include <set>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/fuse.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/passes/slice_of_join.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {
namespace {

/// The most elements of a reduction, and how many times the elements it is computed from it must
/// read: below that, reading the stored result costs no more than computing it again.
constexpr std::int64_t most_elements = 8, least_repeats = 8;

/// The most elements of a window, and the fewest windows: few are no work, and stay reductions.
/// Maxima of 2 x 2 (16 x 32 images of 56 x 56 floats, a thread of an EPYC with AVX-512): 4.7 ms as
/// rows, 0.6 as maps; of 3 x 3 3.6 and 0.4.
constexpr std::int64_t most_of_window = 32, least_windows = 1024;

/// The number of elements that the maps and joins below a node read, including operands of its own
/// size.
extent read_by(const graph& g, node_id from) {
  extent elements = 0;
  std::set<node_id> seen;
  std::vector<node_id> open{from};
  while (!open.empty()) {
    const node_id id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const node& n = g[id];
    if (n.kind == node_kind::map || n.kind == node_kind::view || n.kind == node_kind::pad) {
      open.insert(open.end(), n.inputs.begin(), n.inputs.end());
    } else if (n.kind != node_kind::scalar && n.kind != node_kind::iota) {
      elements += size_of(n.shape);
    }
  }
  return elements;
}

/// The views that x is computed from by maps.
std::vector<const node*> views_below(const graph& g, node_id from) {
  std::vector<const node*> views;
  std::set<node_id> seen;
  std::vector<node_id> open{from};
  while (!open.empty()) {
    const node_id id = open.back();
    open.pop_back();
    const node& n = g[id];
    if (!seen.insert(id).second || n.shape.size() != g[from].shape.size()) continue;
    if (n.kind == node_kind::map) open.insert(open.end(), n.inputs.begin(), n.inputs.end());
    if (n.kind == node_kind::view) views.push_back(&n);
  }
  return views;
}

/// Do all views below x, down to nodes that are no maps, walk adjacent axes as one?
bool walks_as_one(const graph& g, node_id from, std::size_t first, std::size_t last) {
  const shape_t& shape = g[from].shape;
  for (const node* n : views_below(g, from)) {
    for (std::size_t a = first; a < last; ++a) {
      if (n->map.strides[a] != n->map.strides[a + 1] * shape[a + 1]) return false;
    }
  }
  return true;
}

/// The most elements of a sliding window: as rows, each element is read once per place of the
/// window. Maxima of 33, 500 x 100,003 floats: 3.9 ms on an H100, 0.28 as a map. Weighted sums of 8
/// x 8, 600 x 600 floats on two cores of an EPYC: 4.2 ms as rows.
constexpr std::int64_t most_that_slide = 64;

/// Do windows, the last axis of a view, overlap along their elements' closest neighbours? Along
/// other axes lanes are adjacent already. A sum's bits depend on the answer, so each comparison is
/// a condition of the plan.
bool slides(const node& view) {
  const extent& step = view.map.strides.back();
  if (step == 0) return false;
  bool over = false;
  for (std::size_t a = 0; a + 1 < view.shape.size(); ++a) {
    const extent& s = view.map.strides[a];
    if (s == 0) continue;
    if (magnitude(s) < magnitude(step)) return false;
    over = over || (s == step && view.shape[a] > 1);
  }
  return over;
}

bool has_sliding_view(const graph& g, node_id x) {
  return std::ranges::any_of(views_below(g, x), [](const node* v) { return slides(*v); });
}

/// Does it reduce few elements, along several axes that are not walked as one?
bool window(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || n.reduction.axes.size() < 2) return false;
  const node& x = g[n.inputs[0]];
  if (x.type != n.type || is_complex(n.type) || size_of(n.shape) < least_windows) return false;
  const auto& axes = n.reduction.axes;
  extent size = 1;
  for (int a : axes) size *= x.shape[static_cast<std::size_t>(a)];
  if (!(size >= 2 && size <= most_that_slide)) return false;
  if (!(size <= most_of_window) && !has_sliding_view(g, n.inputs[0])) return false;
  const auto first = static_cast<std::size_t>(axes.front());
  const auto last = static_cast<std::size_t>(axes.back());
  return last - first + 1 > axes.size() || !walks_as_one(g, n.inputs[0], first, last);
}

bool sliding_window(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || n.reduction.axes.size() != 1) return false;
  const node& x = g[n.inputs[0]];
  if (x.type != n.type || is_complex(n.type) || size_of(n.shape) < least_windows) return false;
  if (static_cast<std::size_t>(n.reduction.axes[0]) + 1 != x.shape.size()) return false;
  if (!(x.shape.back() >= 2 && x.shape.back() <= most_that_slide)) return false;
  return has_sliding_view(g, n.inputs[0]);
}

/// Does it reduce a window whose axes were merged? Maxima of 2 x 2, reshaped to rows of four, took
/// 850 us where two axes take 140 (128 images of 56 x 60 floats, two cores of an EPYC).
bool merged_window(const graph& g, const node& n) {
  if (!is_plain_sum(g, n) || size_of(n.shape) < least_windows) return false;
  const shape_t& shape = g[n.inputs[0]].shape;
  if (static_cast<std::size_t>(n.reduction.axes[0]) + 1 != shape.size()) return false;
  if (!(shape.back() >= 2 && shape.back() <= most_of_window)) return false;
  return std::ranges::any_of(views_below(g, n.inputs[0]),
                             [&](const node* v) {
                               const auto id = static_cast<node_id>(v - g.nodes.data());
                               return merges_short_runs(g, id, most_of_window);
                             });
}

bool few_computed(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || n.reduction.axes.size() != 1) return false;
  const node& x = g[n.inputs[0]];
  if (x.kind != node_kind::map || x.type != n.type || is_half(n.type) || is_complex(n.type)) {
    return false;
  }
  const node_id id = static_cast<node_id>(&n - g.nodes.data());
  if (std::ranges::find(g.outputs, id) != g.outputs.end()) return false;
  const extent length = x.shape[static_cast<std::size_t>(n.reduction.axes[0])];
  if (!(length >= 2 && length <= most_elements)) return false;
  return read_by(g, n.inputs[0]) * least_repeats <= size_of(x.shape);
}

/// Does it reduce few elements of a join along the reduced axis, or of maps of one? Each element is
/// one of the pieces; as a walk, a kernel would test for every element which one.
bool across_a_join(const graph& g, const node& n) {
  if (!is_plain_sum(g, n)) return false;
  const node& x = g[n.inputs[0]];
  const auto axis = static_cast<std::size_t>(n.reduction.axes[0]);
  if (!(x.shape[axis] >= 2 && x.shape[axis] <= most_joined_places)) return false;
  const bool section = x.kind == node_kind::view && x.map.strides.size() == x.shape.size();
  const bool choice = is_choice_by_place(g, section ? g[x.inputs[0]] : x);
  if (!choice && (x.kind != node_kind::map || x.shape[axis] <= most_shared_places)) return false;
  node piece;
  piece.kind = node_kind::view;
  piece.type = x.type;
  piece.inputs = {n.inputs[0]};
  piece.shape = n.shape;
  piece.map.strides = dense_strides(x.shape);
  if (section) {
    piece.inputs = x.inputs;
    piece.map = x.map;
  }
  piece.map.strides.erase(piece.map.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return choice ? shows_a_piece(g, piece) : slices_of_maps().reach_a_piece(g, piece);
}

/// The offsets of a row's elements from its first one, in the order of a walk.
std::vector<extent> offsets(const shape_t& shape, const extent_list& strides,
                            const std::vector<int>& axes) {
  std::vector<extent> all{0};
  for (int a : axes) {
    const auto axis = static_cast<std::size_t>(a);
    std::vector<extent> next;
    for (const extent& from : all) {
      for (std::int64_t i = 0; shape[axis] > i; ++i) next.push_back(from + i * strides[axis]);
    }
    all = std::move(next);
  }
  return all;
}

/// One element of every row; for a window, as a view of the array under it, so that pricing counts
/// all readers. (The borders of a padded image were computed in each of 25 places.)
node_id one_of_window(graph_builder& b, node_id x, const shape_t& shape, const extent_list& strides,
                       const extent& at) {
  const node& from = b.out[x];
  if (from.kind == node_kind::view) {
    index_expr e;
    e.offset = at;
    e.strides = strides;
    const auto below = compose(e, shape, b.out, from);
    if (below && below->affine()) {
      extent_list steps(below->strides);
      steps.resize(shape.size(), 0);
      return b.view(from.inputs[0], shape, steps, below->offset);
    }
  }
  return b.view(x, shape, strides, at);
}

/// As a walk computes it: sums start from 0 (so that of -0 is 0), and those of halves are in float.
node_id written_out(graph_builder& b, const node& n, node_id x) {
  const shape_t shape = b.out[x].shape;
  extent_list strides(dense_strides(shape));
  const std::vector<extent> all = offsets(shape, strides, n.reduction.axes);
  for (std::size_t k = n.reduction.axes.size(); k-- > 0;) {
    strides.erase(strides.begin() + n.reduction.axes[k]);
  }
  const dtype type = is_half(n.type) ? dtype::float32 : n.type;
  const bool sum = n.reduction.code == op::add && is_real(type);
  node_id held = sum ? b.constant(type, 0) : node_id{-1};
  for (const extent& at : all) {
    const node_id next = b.cast(one_of_window(b, x, n.shape, strides, at), type);
    held = held < 0 ? next : b.apply(n.reduction.code, {held, next});
  }
  return b.cast(held, n.type);
}

}  // namespace

bool is_plain_sum(const graph& g, const node& n) {
  return n.kind == node_kind::reduce && !n.reduction.arg && n.reduction.axes.size() == 1 &&
         g[n.inputs[0]].type == n.type && is_real(n.type);
}

graph short_sums(const graph& g) {
  bool joins = false;
  const auto asks = [&](const node& n) {
    const bool join = across_a_join(g, n);
    joins = joins || join;
    return join || window(g, n) || sliding_window(g, n) || merged_window(g, n) ||
           few_computed(g, n);
  };
  graph out = replaced(g, asks, [](graph_builder& b, const node& n, const node& copy) {
    return written_out(b, n, copy.inputs[0]);
  });
  return joins ? simplify(out) : out;
}

}  // namespace sinter::ir
