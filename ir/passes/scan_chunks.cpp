#include "ir/passes/scan_chunks.hpp"

#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/fuse.hpp"

namespace sinter::ir {
namespace {

/// The length of a column from which some more kernels take less time than its own threads.
constexpr std::int64_t least_column = 4096;

/// Lengths of a chunk: one that divides the column leaves no remainder.
constexpr std::int64_t chunk_lengths[] = {128, 125, 120, 100, 96, 80, 75, 64};

extent chunk_of(extent length, std::int64_t shrink) {
  for (const std::int64_t chunk : chunk_lengths) {
    if (length % (chunk / shrink) == 0) return chunk / shrink;
  }
  return chunk_lengths[0] / shrink;
}

/// The length from which a column is split, and how much shorter chunks then are: tests split short
/// columns.
extent least_of(const machine& m) {
  return m.split_length ? extent(4 * m.split_length) : extent(least_column);
}
std::int64_t shrink_of(const machine& m) { return m.split_length ? 8 : 1; }

class chunked_scan {
 public:
  chunked_scan(graph_builder& b, const node& n, const machine& m)
      : b_(b), n_(n), m_(m), axis_(static_cast<std::size_t>(n.reduction.axes[0])) {
    b_.origin = n.origin;
    chunk_ = chunk_of(length(), shrink_of(m));
    chunks_ = length() / chunk_;
    strides_ = extent_list(dense_strides(n.shape));
  }

  node_id run() {
    const node_id x = part(n_.inputs[0], chunks_, chunk_, 0);
    const node_id totals = scan_of(b_.reduce(x, n_.reduction.code, {within()}), axis_);
    const node_id whole = behind_others(totals, scanned(x, axis_ + 1));
    const extent rest = length() % chunk_;
    if (rest == 0) return b_.view(whole, n_.shape, strides_);
    // Stored in place: a join of two arrays would read both.
    const node_id last = part(n_.inputs[0], 1, rest, chunks_ * chunk_);
    const node_id all = b_.spread(b_.constant(n_.type, 0), n_.shape);
    const node_id most = updated(all, whole, 0);
    const node_id own = rest == 1 ? last : scanned(last, axis_ + 1);
    return updated(most, behind_all(totals, own), chunks_ * chunk_);
  }

 private:
  const extent& length() const { return n_.shape[axis_]; }
  int within() const { return static_cast<int>(axis_) + 1; }

  /// The map of the chunks of an array of the scan's shape, from place `from` on.
  index_map lies(extent chunk, extent from) const {
    extent_list strides = strides_;
    const extent step = strides[axis_];
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(axis_), step * chunk);
    return {from * step, strides};
  }
  shape_t over(extent chunks, extent places) const {
    shape_t shape = n_.shape;
    shape[axis_] = chunks;
    shape.insert(shape.begin() + within(), places);
    return shape;
  }
  node_id part(node_id x, extent chunks, extent places, extent from) {
    const index_map at = lies(places, from);
    return b_.view(x, over(chunks, places), at.strides, at.offset);
  }

  node scan(node_id x, std::size_t axis) const {
    node s = n_;
    s.inputs = {x};
    s.shape = b_.out[x].shape;
    s.reduction.axes = {static_cast<int>(axis)};
    return s;
  }
  node_id scanned(node_id x, std::size_t axis) { return b_.out.add(scan(x, axis)); }
  /// A scan that may be long enough to be split as well.
  node_id scan_of(node_id x, std::size_t axis) {
    if (!(b_.out[x].shape[axis] >= least_of(m_))) return scanned(x, axis);
    return chunked_scan(b_, scan(x, axis), m_).run();
  }

  /// The totals of chunks, broadcast over the places of each, and the distance from one to the
  /// next.
  std::pair<extent_list, extent> along_chunks(node_id totals) const {
    extent_list strides(dense_strides(b_.out[totals].shape));
    const extent step = strides[axis_];
    strides.insert(strides.begin() + within(), extent(0));
    return {std::move(strides), step};
  }
  /// Each chunk, combined with the running total up to the one before it.
  node_id behind_others(node_id totals, node_id own) {
    const shape_t shape = b_.out[own].shape;
    const auto [strides, step] = along_chunks(totals);
    extent_list along(std::vector<extent>(shape.size(), extent(0)));
    along[axis_] = 1;
    const node_id chunk = b_.view(b_.count(shape[axis_]), shape, along);
    const node_id later = b_.apply(op::greater_equal, {chunk, b_.constant(dtype::int64, 1)});
    const node_id ahead = b_.pad(totals, later, {extent(0) - step, strides});
    return b_.choose(later, b_.apply(n_.reduction.code, {ahead, own}), own);
  }
  /// A chunk after the last one, combined with the last running total.
  node_id behind_all(node_id totals, node_id own) {
    auto [strides, step] = along_chunks(totals);
    strides[axis_] = 0;
    const node_id ahead =
        b_.view(totals, b_.out[own].shape, strides, (chunks_ - 1) * step);
    return b_.apply(n_.reduction.code, {ahead, own});
  }

  node_id updated(node_id base, node_id value, extent from) {
    node u;
    u.kind = node_kind::update;
    u.type = n_.type;
    u.shape = n_.shape;
    u.inputs = {base, value};
    u.map = lies(b_.out[value].shape[axis_ + 1], from);
    u.origin = n_.origin;
    return b_.out.add(std::move(u));
  }

  graph_builder& b_;
  const node& n_;
  const machine& m_;
  std::size_t axis_;
  extent chunk_, chunks_;
  extent_list strides_;
};

/// Does it scan columns that occupy few threads of the machine, as needs_split judges reductions?
bool is_wanted(const node& n, const machine& m) {
  if (n.kind != node_kind::scan || is_complex(n.type) || n.type == dtype::bool_) return false;
  const auto axis = static_cast<std::size_t>(n.reduction.axes[0]);
  extent behind = 1;
  for (std::size_t d = axis + 1; d < n.shape.size(); ++d) behind *= n.shape[d];
  if (!(behind > 1 && n.shape[axis] >= least_of(m))) return false;
  const extent columns = size_of(n.shape) / n.shape[axis];
  // Three columns, which are walked as rows, us: floats 711 and 562 by chunks, halves 949 and
  // 1,168, doubles 436 and 454 (H100).
  if (columns <= 4 && size_of(n.type) != 4 && !m.split_length) return false;
  return fills_little(m, columns, n.type);
}

/// A gather's index is row-major, and finds the same element in the chunks as in the whole, which a
/// kernel of its own would store after the scan's.
void gather_from_chunks(graph& g) {
  for (node& n : g.nodes) {
    if (n.kind != node_kind::gather) continue;
    node_id base = n.inputs[0];
    while (is_reshape(g, base) && g[g[base].inputs[0]].kind != node_kind::source) {
      base = g[base].inputs[0];
    }
    if (base == n.inputs[0]) continue;
    n.inputs[0] = base;
    n.map.along = -1;
  }
}

}  // namespace

graph scan_chunks(const graph& g, const machine& m) {
  if (m.target != target::gpu) return g;
  graph out = replaced(g, [&](const node& n) { return is_wanted(n, m); },
                       [&](graph_builder& b, const node&, node copy) {
                         return chunked_scan(b, copy, m).run();
                       });
  gather_from_chunks(out);
  return out;
}

}  // namespace sinter::ir
