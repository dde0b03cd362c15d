#include "ir/passes/solve_in_triangles.hpp"

#include <limits>
#include <utility>

#include "ir/graph_builder.hpp"

namespace sinter::ir {
namespace {

/// Below this side the library's batched routines take all of it in less time than four calls.
constexpr std::int64_t least_side = 33;

// The attributes of "trsm": which triangle, transposition, unit diagonal.
constexpr std::int64_t lower = 0, upper = 1;

class solve_rewriter {
 public:
  explicit solve_rewriter(const graph& g) : in_(g) { b_.out.origins = g.origins; }

  graph run() {
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
      id_.push_back(fits(n) ? solved(copy) : b_.out.add(std::move(copy)));
    }
    for (const node_id o : in_.outputs) {
      b_.out.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    }
    return std::move(b_.out);
  }

  bool some() const {
    for (const node& n : in_.nodes) {
      if (fits(n)) return true;
    }
    return false;
  }

 private:
  /// Row numbers, times the distance of rows, travel as 32-bit words.
  bool fits(const node& n) const {
    if (n.kind != node_kind::call || n.routine != "getrs" || n.attributes.size() != 2) return false;
    extent matrices = 1;
    for (std::size_t d = 0; d + 2 < n.shape.size(); ++d) matrices *= n.shape[d];
    return matrices == 1 && n.shape.back() >= least_side && size_of(n.shape) > 0 &&
           size_of(in_[n.inputs[2]].shape) <= std::numeric_limits<std::int32_t>::max() &&
           reach(n.inputs[2]) <= std::numeric_limits<std::int32_t>::max();
  }

  /// Elements of what the right sides are read from.
  extent reach(node_id x) const {
    return size_of(in_[in_[x].kind == node_kind::view ? in_[x].inputs[0] : x].shape);
  }

  /// The numbers 0, step, 2 step, ... in the order that the pivots give rows.
  node_id order(node_id pivots, extent n, extent step, bool backwards) {
    const node_id numbers = b_.view(b_.count((n - 1) * step + 1), {1, n}, {extent(0), step});
    // The library moves floats; they are bits.
    const node_id bits = b_.bitcast(b_.cast(numbers, dtype::int32), dtype::float32);
    const node_id list = b_.view(pivots, {n}, {extent(1)});
    const node_id moved =
        b_.call("laswp", dtype::float32, {1, n}, {list, bits}, {backwards ? 1 : 0});
    const node_id row = b_.view(moved, {n}, {extent(1)});
    return b_.cast(b_.bitcast(row, dtype::int32), dtype::int64);
  }

  /// One number a row, for all columns.
  node_id along_rows(node_id numbers, const shape_t& shape) {
    extent_list strides(shape.size(), extent(0));
    strides.back() = 1;
    return b_.view(numbers, shape, std::move(strides));
  }

  /// The right sides with their rows in order.
  node_id ordered(const node& n) {
    const shape_t& shape = n.shape;
    const extent rows = shape.back();
    const node_id from = n.inputs[2];
    if (n.attributes[1] != 0) {
      const node_id row = along_rows(order(n.inputs[1], rows, 1, false), shape);
      extent_list strides(shape.size(), extent(0));
      strides[shape.size() - 2] = 1;
      const node_id column = b_.view(b_.count(rows), shape, std::move(strides));
      return b_.cast(b_.apply(op::equal, {row, column}), n.type);
    }
    const node& side = b_.out[from];
    const bool seen = side.kind == node_kind::view && side.map.strides.back() >= 0;
    const node_id base = seen ? b_.out[from].inputs[0] : from;
    index_map map = seen ? b_.out[from].map : index_map{0, dense(shape)};
    const extent step = std::exchange(map.strides.back(), extent(0));
    const node_id row = along_rows(order(n.inputs[1], rows, step, false), shape);
    return b_.gather(base, row, std::move(map));
  }

  static extent_list dense(const shape_t& shape) {
    extent_list strides(shape.size(), extent(1));
    for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
    return strides;
  }

  node_id triangle(const node& n, node_id b, std::int64_t which, std::int64_t inverse) {
    const std::int64_t unit = which == lower ? 1 : 0;
    return b_.call("trsm", n.type, n.shape, {n.inputs[0], b},
                   {which, n.attributes[0], unit, inverse});
  }

  // a = P L U: U^-1 L^-1 P^T b, or P L^-T U^-T b.
  node_id solved(const node& n) {
    b_.origin = n.origin;
    if (n.attributes[0] == 0) {
      return triangle(n, triangle(n, ordered(n), lower, 0), upper, n.attributes[1]);
    }
    const node_id z = triangle(n, triangle(n, n.inputs[2], upper, 0), lower, 0);
    const node_id back = order(n.inputs[1], n.shape.back(), 1, true);
    index_map map{0, dense(n.shape)};
    map.strides.back() = 0;
    return b_.gather(z, along_rows(back, n.shape), std::move(map));
  }

  const graph& in_;
  graph_builder b_;
  std::vector<node_id> id_;
};

}  // namespace

graph solve_in_triangles(const graph& g, const machine& m) {
  if (m.target != target::gpu) return g;
  solve_rewriter r(g);
  return r.some() ? r.run() : g;
}

}  // namespace sinter::ir
