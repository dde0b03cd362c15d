#include "ir/passes/tiny_factors.hpp"

#include <algorithm>
#include <map>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

class factor_writer {
 public:
  explicit factor_writer(graph_builder& b) : b_(b) {}

  /// The results of "getrf".
  struct factors {
    node_id status, lu, pivots;
  };

  factors factorise(node_id a) {
    const shape_t shape = b_.out[a].shape;
    const std::int64_t n = shape.back();
    const extent stack = size_of(shape) / (n * n);
    const node_id zero = b_.constant(b_.out[a].type, 0);
    square e = square_of(a, {stack}, n);
    list pivots;
    for (std::int64_t k = 0; k < n; ++k) {
      pivots.push_back(place_of_largest(e, k));
      if (k + 1 < n) {
        for (list& column : e) swap(column, k, pivots.back());
      }
      eliminate(e, k, zero);
    }
    node_id status = number(0);
    for (std::size_t k = e.size(); k-- > 0;) {
      const node_id nothing = b_.apply(op::equal, {e[k][k], zero});
      status = choose(nothing, number(static_cast<std::int64_t>(k) + 1), status);
    }
    const shape_t front(shape.begin(), shape.end() - 2);
    shape_t of_pivots = front;
    of_pivots.push_back(n);
    return {shaped(status, front), shaped(joined(e, stack), shape),
            shaped(joined(pivots, {stack, n}, 1), of_pivots)};
  }

  /// The result of "getrs": right-hand sides one after another.
  node_id solve(node_id lu, node_id pivots, node_id right, bool transposed) {
    const shape_t shape = b_.out[right].shape;
    const std::int64_t n = shape.back();
    const extent columns = shape[shape.size() - 2];
    const shape_t sides{size_of(shape) / (n * columns), columns};
    list b;
    for (std::int64_t i = 0; i < n; ++i) {
      b.push_back(b_.view(right, sides, {n * columns, extent(n)}, i));
    }
    const square f = square_of(lu, sides, n);
    const list swaps = elements(pivots, sides, n, n, 0);
    transposed ? solve_transposed(f, swaps, b) : solve(f, swaps, b);
    return shaped(joined(b, {sides[0], columns, n}, 2), shape);
  }

  /// The same for the identity, whose columns are known by their numbers.
  node_id inverse(node_id lu, node_id pivots) {
    const shape_t shape = b_.out[lu].shape;
    const std::int64_t n = shape.back();
    const extent stack = size_of(shape) / (n * n);
    const node_id one = b_.constant(b_.out[lu].type, 1), zero = b_.constant(b_.out[lu].type, 0);
    const square f = square_of(lu, {stack}, n);
    const list swaps = elements(pivots, {stack}, n, n, 0);
    square x;
    for (std::int64_t k = 0; k < n; ++k) {
      list b(static_cast<std::size_t>(n), zero);
      b[static_cast<std::size_t>(k)] = one;
      solve(f, swaps, b);
      x.push_back(std::move(b));
    }
    return shaped(joined(x, stack), shape);
  }

 private:
  using list = std::vector<node_id>;
  using square = std::vector<list>;  // columns

  node_id number(std::int64_t n) { return b_.constant(dtype::int32, static_cast<double>(n)); }
  node_id absolute(node_id x) { return b_.apply(op::abs, {x}); }
  node_id choose(node_id condition, node_id x, node_id y) {
    return b_.apply(op::where, {condition, x, y});
  }
  /// x - y z
  node_id minus(node_id x, node_id y, node_id z) {
    return b_.apply(op::subtract, {x, b_.apply(op::multiply, {y, z})});
  }

  /// `count` elements from `first` on of every `step`, for every place along the first axis.
  list elements(node_id x, const shape_t& shape, std::int64_t step, std::int64_t count,
                std::int64_t first) {
    list all;
    for (std::int64_t i = 0; i < count; ++i) {
      extent_list strides(shape.size(), extent(0));
      strides[0] = step;
      all.push_back(b_.view(x, shape, std::move(strides), first + i));
    }
    return all;
  }
  square square_of(node_id x, const shape_t& shape, std::int64_t n) {
    square all;
    for (std::int64_t c = 0; c < n; ++c) all.push_back(elements(x, shape, n * n, n, c * n));
    return all;
  }

  /// The row, from 1 on, of the first of the largest elements of column k from its diagonal on.
  node_id place_of_largest(const square& e, std::int64_t k) {
    const list& column = e[static_cast<std::size_t>(k)];
    node_id place = number(k + 1), most = absolute(column[static_cast<std::size_t>(k)]);
    for (std::size_t r = static_cast<std::size_t>(k) + 1; r < column.size(); ++r) {
      const node_id size = absolute(column[r]), larger = b_.apply(op::greater, {size, most});
      place = choose(larger, number(static_cast<std::int64_t>(r) + 1), place);
      most = choose(larger, size, most);
    }
    return place;
  }

  /// Exchanges element k and the one at a place, from 1 on, that is not before it.
  void swap(list& column, std::int64_t k, node_id place) {
    const auto to = static_cast<std::size_t>(k);
    const node_id was = column[to];
    for (std::size_t r = to + 1; r < column.size(); ++r) {
      const node_id here = b_.apply(op::equal, {place, number(static_cast<std::int64_t>(r) + 1)});
      column[to] = choose(here, column[r], column[to]);
      column[r] = choose(here, was, column[r]);
    }
  }

  /// Below a zero pivot there are zeros, which stay.
  void eliminate(square& e, std::int64_t step, node_id zero) {
    const auto k = static_cast<std::size_t>(step);
    const node_id pivot = e[k][k], nothing = b_.apply(op::equal, {pivot, zero});
    for (std::size_t r = k + 1; r < e.size(); ++r) {
      e[k][r] = choose(nothing, e[k][r], b_.apply(op::divide, {e[k][r], pivot}));
      for (std::size_t c = k + 1; c < e.size(); ++c) e[c][r] = minus(e[c][r], e[k][r], e[c][k]);
    }
  }

  void solve(const square& f, const list& swaps, list& b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k + 1 < n; ++k) swap(b, static_cast<std::int64_t>(k), swaps[k]);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = k + 1; r < n; ++r) b[r] = minus(b[r], f[k][r], b[k]);
    }
    for (std::size_t k = n; k-- > 0;) {
      b[k] = b_.apply(op::divide, {b[k], f[k][k]});
      for (std::size_t r = 0; r < k; ++r) b[r] = minus(b[r], f[k][r], b[k]);
    }
  }

  void solve_transposed(const square& f, const list& swaps, list& b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t r = 0; r < k; ++r) b[k] = minus(b[k], f[k][r], b[r]);
      b[k] = b_.apply(op::divide, {b[k], f[k][k]});
    }
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t r = k + 1; r < n; ++r) b[k] = minus(b[k], f[k][r], b[r]);
    }
    for (std::size_t k = n - 1; k-- > 0;) swap(b, static_cast<std::int64_t>(k), swaps[k]);
  }

  node_id shaped(node_id x, const shape_t& shape) {
    const std::vector<extent> dense = dense_strides(shape);
    return b_.view(x, shape, {dense.begin(), dense.end()});
  }

  /// Joins arrays without the last axes, or numbers, one per place along an axis.
  node_id joined(const list& pieces, const shape_t& shape, std::size_t axis) {
    const auto spread = [&](node_id x) {
      const shape_t& from = b_.out[x].shape;
      if (from == shape) return x;
      extent_list strides(shape.size(), extent(0));
      const std::vector<extent> dense = dense_strides(from);
      std::ranges::copy(dense, strides.begin());
      return b_.view(x, shape, std::move(strides));
    };
    extent_list along(shape.size(), extent(0));
    along[axis] = 1;
    const node_id numbers = b_.count(shape[axis]);
    const node_id at = b_.view(numbers, shape, std::move(along));
    node_id all = spread(pieces.back());
    for (std::size_t i = pieces.size() - 1; i-- > 0;) {
      const node_id end = b_.view(numbers, {}, {}, extent(static_cast<std::int64_t>(i) + 1));
      all = choose(b_.apply(op::less, {at, end}), spread(pieces[i]), all);
    }
    return all;
  }
  node_id joined(const square& e, extent stack) {
    const auto n = static_cast<std::int64_t>(e.size());
    const shape_t whole{stack, n, n};
    list columns;
    for (const list& column : e) columns.push_back(joined(column, whole, 2));
    return joined(columns, whole, 1);
  }

  graph_builder& b_;
};

bool is_call(const node& n, std::string_view routine) {
  return n.kind == node_kind::call && n.routine == routine;
}

class factor_rewriter {
 public:
  explicit factor_rewriter(const graph& g) : in_(g), writer_(b_) { b_.out.origins = g.origins; }

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
    if (n.type != dtype::float32 && n.type != dtype::float64) return false;
    const extent rows = n.shape.back(), columns = n.shape[n.shape.size() - 2];
    return rows == columns && rows >= 2 && rows <= most_factored &&
           size_of(n.shape) >= least_factored * rows * rows;
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
  graph_builder b_;
  factor_writer writer_;
  std::map<node_id, factor_writer::factors> made_;
  std::vector<node_id> id_;
};

}  // namespace

graph tiny_factors(const graph& g) {
  factor_rewriter r(g);
  return r.some() ? r.run() : g;
}

}  // namespace sinter::ir
