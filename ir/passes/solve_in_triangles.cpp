#include "ir/passes/solve_in_triangles.hpp"

#include <utility>

#include "ir/graph_builder.hpp"
#include "ir/passes/pivot_order.hpp"

namespace sinter::ir {
namespace {

/// Below these sides, of one matrix and of a stack, the library's batched routines take less time
/// than two calls and two kernels.
constexpr std::int64_t least_side = 33, least_side_of_stack = 16;

// The attributes of "trsm": which triangle, transposition, unit diagonal.
constexpr std::int64_t lower = 0, upper = 1;

bool is_triangular_solve(const node& n) {
  if (n.kind != node_kind::call || n.routine != "getrs" || n.attributes.size() != 2) return false;
  const extent rows = n.shape.back(), one = rows * n.shape[n.shape.size() - 2];
  const bool stack = size_of(n.shape) > one;
  return size_of(n.shape) > 0 && rows >= (stack ? least_side_of_stack : least_side);
}

class solve_writer {
 public:
  explicit solve_writer(graph_builder& b) : b_(b) {}

  // a = P L U: U^-1 L^-1 P^T b, or P L^-T U^-T b.
  node_id solved(const node& n) {
    if (n.attributes[0] == 0) {
      return triangle(n, triangle(n, ordered(n), lower, 0), upper, n.attributes[1]);
    }
    const node_id z = triangle(n, triangle(n, n.inputs[2], upper, 0), lower, 0);
    const node_id back = order(n, true);
    index_map map{0, dense(n.shape)};
    map.strides.back() = 0;
    return b_.gather(z, back, std::move(map));
  }

 private:
  /// The row that goes to each place, for all columns.
  node_id order(const node& n, bool backwards) {
    const node_id list = rows_by_pivots(b_, n.inputs[1], n.shape.back(), backwards);
    extent_list strides = dense(b_.out[list].shape);
    strides.insert(strides.end() - 1, extent(0));
    return b_.view(list, n.shape, std::move(strides));
  }

  /// The right-hand sides with their rows in order.
  node_id ordered(const node& n) {
    const shape_t& shape = n.shape;
    const node_id from = n.inputs[2], row = order(n, false);
    if (n.attributes[1] != 0) {
      extent_list strides(shape.size(), extent(0));
      strides[shape.size() - 2] = 1;
      const node_id column = b_.view(b_.count(shape.back()), shape, std::move(strides));
      return b_.cast(b_.apply(op::equal, {row, column}), n.type);
    }
    const node& side = b_.out[from];
    const bool seen = side.kind == node_kind::view && side.map.strides.back() >= 0;
    const node_id base = seen ? side.inputs[0] : from;
    index_map map = seen ? side.map : index_map{0, dense(shape)};
    const extent step = std::exchange(map.strides.back(), extent(0));
    if (step == 1) return b_.gather(base, row, std::move(map));
    return b_.gather(base, b_.apply(op::multiply, {row, b_.size(step)}), std::move(map));
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

  graph_builder& b_;
};

}  // namespace

graph solve_in_triangles(const graph& g, const machine& m) {
  if (m.target != target::gpu) return g;
  return replaced(g, is_triangular_solve, [](graph_builder& b, const node&, const node& copy) {
    return solve_writer(b).solved(copy);
  });
}

}  // namespace sinter::ir
