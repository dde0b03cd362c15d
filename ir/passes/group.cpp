#include "ir/passes/fuse.hpp"

#include <algorithm>

namespace sinter::ir {

namespace {

/// Elements of a row that one block of a cluster keeps: 1024 threads with eight vectors of four
/// each.
constexpr std::int64_t longest_part = 32768;

/// Bytes of a row per SM, whose columns keep a quarter of its threads busy: 32 threads share a
/// vector of 16 bytes.
constexpr std::int64_t bytes_across = 256;

/// The length of a column from which walking it several times costs more than one kernel per walk.
constexpr std::int64_t long_column = 1024;

}  // namespace

shape_t group::kept_shape() const {
  shape_t s;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (!reduced[i]) s.push_back(domain[i]);
  }
  return s;
}

shape_t group::reduced_shape() const {
  shape_t s;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (reduced[i]) s.push_back(domain[i]);
  }
  return s;
}

index_expr group::kept_index() const {
  index_expr e;
  e.strides.assign(domain.size(), 0);
  extent n = 1;
  for (std::size_t i = domain.size(); i-- > 0;) {
    if (reduced[i]) continue;
    e.strides[i] = n;
    n *= domain[i];
  }
  return e;
}

bool needs_split(const machine& m, extent rows, extent length) {
  const extent own = m.target == target::cpu ? 65536 : 16384;
  const extent least = m.split_length ? extent(m.split_length) : own;
  return rows < 2 * m.units && length >= least;
}

bool walks_across(const graph& g, const node& n) {
  const auto reduced = [&](std::size_t d) {
    return std::ranges::find(n.reduction.axes, static_cast<int>(d)) != n.reduction.axes.end();
  };
  const shape_t& shape = g[n.inputs[0]].shape;
  node_id i = n.inputs[0];
  while (g[i].kind == node_kind::map) {
    const auto whole = std::ranges::find_if(g[i].inputs, [&](node_id x) {
      return g[x].shape == shape;
    });
    if (whole == g[i].inputs.end()) return false;
    i = *whole;
  }
  const extent_list strides = g[i].kind == node_kind::view ? g[i].map.strides
                                                           : extent_list(dense_strides(shape));
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && strides[d] == 1) return !reduced(d);
  }
  return false;
}

bool needs_split(const machine& m, const graph& g, const node& n) {
  const shape_t& shape = g[n.inputs[0]].shape;
  const extent rows = size_of(n.shape);
  if (!(rows > 0)) return false;
  const extent length = size_of(shape) / rows;
  if (needs_split(m, rows, length)) return true;
  const extent least = m.split_length ? extent(m.split_length) : extent(long_column);
  return m.target == target::gpu && length >= least &&
         fills_little(m, rows, g[n.inputs[0]].type) && walks_across(g, n);
}

bool fills_little(const machine& m, extent columns, dtype type) {
  return columns * extent(static_cast<std::int64_t>(size_of(type))) <
         extent(bytes_across * m.units);
}

bool fits_cluster(const machine& m, extent length) {
  return m.cluster > 1 && length <= extent(m.cluster) * longest_part;
}

extent scan_chunk(const machine& m) {
  // Whole vectors, whatever their length.
  if (!m.split_length) return 32768;
  return (std::max<extent>(m.split_grain, 1) + 63) / 64 * 64;
}

/// The lanes by which a CPU scans a row; shorter rows are scanned side by side.
constexpr extent least_scanned_row = 8;

bool scans_rows(const machine& m, const shape_t& shape, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  extent behind = 1;
  for (std::size_t d = a + 1; d < shape.size(); ++d) behind *= shape[d];
  if (behind == 1) return m.target != target::cpu || shape[a] >= least_scanned_row;
  const extent columns = shape[a] > 0 ? size_of(shape) / shape[a] : extent(0);
  return columns < (m.target == target::cpu ? 64 : 512) && shape[a] > 32768;
}

bool needs_chain(const machine& m, const shape_t& shape, int axis) {
  const extent length = shape[static_cast<std::size_t>(axis)];
  if (length == 0 || !scans_rows(m, shape, axis)) return false;
  if (m.target == target::cpu) return length > scan_chunk(m);
  const extent least = m.split_length ? extent(m.split_length) : extent(16384);
  return size_of(shape) / length < 16 * m.units && length >= least;
}

index_expr reduction_index(const shape_t& shape, const reduction& r,
                           const std::vector<bool>& reduced) {
  const auto strides = dense_strides(shape);
  std::vector<bool> mask(shape.size());
  for (int a : r.axes) mask[static_cast<std::size_t>(a)] = true;
  std::vector<extent> of_kept, of_reduced;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (mask[i] ? of_reduced : of_kept).push_back(strides[i]);
  }
  index_expr e;
  std::size_t k = 0, j = 0;
  for (bool is_reduced : reduced) e.strides.push_back(is_reduced ? of_reduced[j++] : of_kept[k++]);
  return e;
}

bool is_reshape(const graph& g, node_id n) {
  const node& x = g[n];
  return x.kind == node_kind::view && x.map.offset == 0 &&
         size_of(g[x.inputs[0]].shape) == size_of(x.shape) &&
         x.map.strides == extent_list(dense_strides(x.shape));
}

bool merges_short_runs(const graph& g, node_id n, std::int64_t run) {
  if (!is_reshape(g, n)) return false;
  const node& from = g[g[n].inputs[0]];
  if (from.kind != node_kind::view || from.shape.empty()) return false;
  if (from.map.strides.back() == 1 && from.shape.back() >= run) return false;
  return size_of(from.shape) <= size_of(g[from.inputs[0]].shape);
}

bool combines_alone(const machine& m, const node& n) {
  constexpr extent crowded = 65536;
  constexpr int few_threads = 4;
  if (m.target != target::cpu || n.kind != node_kind::scatter) return false;
  if (n.reduction.code == op::cast) return false;
  return n.reduction.summed || m.units <= few_threads || size_of(n.shape) < crowded;
}

void put_in_order(fusion& f, const group_waits& waits) {
  std::vector<std::int32_t> place(f.groups.size(), -1), sorted;
  std::vector<std::pair<std::int32_t, bool>> todo;
  for (auto g = static_cast<std::int32_t>(f.groups.size()); g-- > 0;) {
    todo.push_back({g, false});
    while (!todo.empty()) {
      const auto [x, done] = todo.back();
      todo.pop_back();
      const auto at = static_cast<std::size_t>(x);
      if (place[at] >= 0) continue;
      if (done) {
        place[at] = static_cast<std::int32_t>(sorted.size());
        sorted.push_back(x);
        continue;
      }
      todo.push_back({x, true});
      for (std::int32_t y : waits.of(x)) todo.push_back({y, false});
    }
  }
  std::vector<group> groups;
  for (std::int32_t x : sorted) groups.push_back(std::move(f.groups[static_cast<std::size_t>(x)]));
  f.groups = std::move(groups);
  for (auto& s : f.stored) {
    if (s >= 0) s = place[static_cast<std::size_t>(s)];
  }
}

}  // namespace sinter::ir
