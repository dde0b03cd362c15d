#include "ir/passes/tiny_factors.hpp"

#include <algorithm>
#include <map>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

constexpr std::int64_t side = 2;

/// Matrices of a CPU's stack: of one, the library's call is no more than a kernel's.
constexpr std::int64_t least_matrices = 16;

class factor_writer {
 public:
  explicit factor_writer(graph_builder& b) : b_(b) {}

  /// What "getrf" gives.
  struct factors {
    node_id status, lu, pivots;
  };

  /// By columns: element (row, column) of a matrix is at 2 column + row.
  factors factorise(node_id a) {
    const shape_t shape = b_.out[a].shape;
    const extent stack = size_of(shape) / (side * side);
    const auto at = [&](std::int64_t i) { return b_.view(a, {stack}, {extent(4)}, i); };
    const node_id top = at(0), below = at(1), top_right = at(2), below_right = at(3);
    const node_id zero = b_.constant(b_.out[a].type, 0);
    const node_id swaps = b_.apply(op::greater, {absolute(below), absolute(top)});
    const node_id p = choose(swaps, below, top), r = choose(swaps, top, below);
    const node_id q = choose(swaps, below_right, top_right);
    const node_id s = choose(swaps, top_right, below_right);
    const node_id nothing = b_.apply(op::equal, {p, zero});
    // Under a zero pivot there are zeros, which stay.
    const node_id l = choose(nothing, r, b_.apply(op::divide, {r, p}));
    const node_id u = minus(s, l, q);
    const node_id second = choose(b_.apply(op::equal, {u, zero}), number(2), number(0));
    const node_id status = choose(nothing, number(1), second);
    const shape_t rows{stack, side}, whole{stack, side, side};
    const node_id lu = joined(joined(p, l, whole), joined(q, u, whole), whole, 1);
    const node_id pivots = joined(choose(swaps, number(2), number(1)), number(2), rows);
    const shape_t front(shape.begin(), shape.end() - 2);
    shape_t of_pivots = front;
    of_pivots.push_back(side);
    return {shaped(status, front), shaped(lu, shape), shaped(pivots, of_pivots)};
  }

  /// What "getrs" gives: right sides one behind the other.
  node_id solve(node_id lu, node_id pivots, node_id right, bool transposed) {
    const shape_t shape = b_.out[right].shape;
    const extent columns = shape[shape.size() - 2];
    const shape_t sides{size_of(shape) / (side * columns), columns};
    const auto row = [&](std::int64_t i) {
      return b_.view(right, sides, {side * columns, extent(side)}, i);
    };
    const parts f = parts_of(lu, pivots, sides);
    const rows x =
        transposed ? solved_transposed(f, {row(0), row(1)}) : solved(f, {row(0), row(1)});
    return shaped(joined(x.top, x.below, {sides[0], columns, side}), shape);
  }

  /// That for the identity: columns that a reader knows by their numbers.
  node_id inverse(node_id lu, node_id pivots) {
    const shape_t shape = b_.out[lu].shape;
    const shape_t whole{size_of(shape) / (side * side), side, side};
    const dtype type = b_.out[lu].type;
    const node_id one = b_.constant(type, 1), zero = b_.constant(type, 0);
    const parts f = parts_of(lu, pivots, {whole[0]});
    const rows x = solved(f, {one, zero}), y = solved(f, {zero, one});
    return shaped(joined(joined(x.top, x.below, whole), joined(y.top, y.below, whole), whole, 1),
                  shape);
  }

 private:
  struct parts {
    node_id p, l, q, u, swaps;  // U has p and q over u, L has l
  };
  struct rows {
    node_id top, below;
  };

  /// For every right side of each matrix, if `sides` has a second axis.
  parts parts_of(node_id lu, node_id pivots, const shape_t& sides) {
    const auto each = [&](std::int64_t step) {
      extent_list strides(sides.size(), extent(0));
      strides[0] = step;
      return strides;
    };
    const auto at = [&](std::int64_t i) { return b_.view(lu, sides, each(side * side), i); };
    const node_id pivot = b_.view(pivots, sides, each(side));
    return {at(0), at(1), at(2), at(3), b_.apply(op::equal, {pivot, number(2)})};
  }

  rows solved(const parts& f, const rows& b) {
    const node_id first = choose(f.swaps, b.below, b.top), second = choose(f.swaps, b.top, b.below);
    const node_id below = b_.apply(op::divide, {minus(second, f.l, first), f.u});
    return {b_.apply(op::divide, {minus(first, f.q, below), f.p}), below};
  }

  rows solved_transposed(const parts& f, const rows& b) {
    const node_id w = b_.apply(op::divide, {b.top, f.p});
    const node_id below = b_.apply(op::divide, {minus(b.below, f.q, w), f.u});
    const node_id top = minus(w, f.l, below);
    return {choose(f.swaps, below, top), choose(f.swaps, top, below)};
  }

  node_id number(std::int32_t n) { return b_.constant(dtype::int32, n); }
  node_id absolute(node_id x) { return b_.apply(op::abs, {x}); }
  node_id choose(node_id condition, node_id x, node_id y) {
    return b_.apply(op::where, {condition, x, y});
  }
  /// x - y z
  node_id minus(node_id x, node_id y, node_id z) {
    return b_.apply(op::subtract, {x, b_.apply(op::multiply, {y, z})});
  }

  node_id shaped(node_id x, const shape_t& shape) {
    const std::vector<extent> dense = dense_strides(shape);
    return b_.view(x, shape, {dense.begin(), dense.end()});
  }

  /// Is the place along an axis the first one?
  node_id is_first(const shape_t& shape, std::size_t axis) {
    extent_list strides(shape.size(), extent(0));
    strides[axis] = 1;
    const node_id two = b_.count(side);
    return b_.apply(op::less, {b_.view(two, shape, std::move(strides)), b_.view(two, {}, {}, 1)});
  }

  /// Of two arrays without the last axes, or numbers, one at each place along an axis.
  node_id joined(node_id first, node_id second, const shape_t& shape, std::size_t axis) {
    const auto spread = [&](node_id x) {
      const shape_t& from = b_.out[x].shape;
      if (from == shape) return x;
      extent_list strides(shape.size(), extent(0));
      const std::vector<extent> dense = dense_strides(from);
      std::ranges::copy(dense, strides.begin());
      return b_.view(x, shape, std::move(strides));
    };
    return choose(is_first(shape, axis), spread(first), spread(second));
  }
  node_id joined(node_id first, node_id second, const shape_t& shape) {
    return joined(first, second, shape, shape.size() - 1);
  }

  graph_builder& b_;
};

bool is_call(const node& n, std::string_view routine) {
  return n.kind == node_kind::call && n.routine == routine;
}

class factor_rewriter {
 public:
  /// `least`: matrices of a stack that are worth it.
  factor_rewriter(const graph& g, std::int64_t least) : in_(g), least_(least), writer_(b_) {
    b_.out.origins = g.origins;
  }

  bool some() const {
    for (const node& n : in_.nodes) {
      if (factorises(n) || solves(n)) return true;
    }
    return false;
  }

  graph run() {
    for (const node& n : in_.nodes) id_.push_back(moved(n));
    for (const node_id o : in_.outputs) {
      b_.out.outputs.push_back(id_[static_cast<std::size_t>(o)]);
    }
    return std::move(b_.out);
  }

 private:
  bool is_tiny(node_id x) const {
    const node& n = in_[x];
    const std::size_t rank = n.shape.size();
    return (n.type == dtype::float32 || n.type == dtype::float64) && n.shape[rank - 1] == side &&
           n.shape[rank - 2] == side && size_of(n.shape) >= least_ * side * side;
  }
  bool factorises(const node& n) const { return is_call(n, "getrf") && is_tiny(n.inputs[0]); }
  bool solves(const node& n) const {
    return is_call(n, "getrs") && is_tiny(n.inputs[0]) && size_of(n.shape) > 0;
  }

  node_id moved(const node& n) {
    b_.origin = n.origin;
    const auto at = [&](std::size_t i) { return id_[static_cast<std::size_t>(n.inputs[i])]; };
    if (factorises(n)) {
      const auto made = writer_.factorise(at(0));
      made_[static_cast<node_id>(&n - in_.nodes.data())] = made;
      return made.status;
    }
    if (solves(n)) {
      const bool inverse = n.attributes[0] == 0 && n.attributes[1] != 0;
      if (inverse) return writer_.inverse(at(0), at(1));
      return writer_.solve(at(0), at(1), at(2), n.attributes[0] != 0);
    }
    if (n.kind == node_kind::result) {
      if (const auto found = made_.find(n.inputs[0]); found != made_.end()) {
        return n.value[0] == 1 ? found->second.lu : found->second.pivots;
      }
    }
    node copy = n;
    for (node_id& i : copy.inputs) i = id_[static_cast<std::size_t>(i)];
    return b_.out.add(std::move(copy));
  }

  const graph& in_;
  const std::int64_t least_;
  graph_builder b_;
  factor_writer writer_;
  std::map<node_id, factor_writer::factors> made_;
  std::vector<node_id> id_;
};

}  // namespace

graph tiny_factors(const graph& g, const machine& m) {
  factor_rewriter r(g, m.target == target::gpu ? 1 : least_matrices);
  return r.some() ? r.run() : g;
}

}  // namespace sinter::ir
