#include "ir/passes/sums_of_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/simplify.hpp"
#include "ir/passes/slice_of_join.hpp"

namespace sinter::ir {
namespace {

/// Places of a row that are unrolled, and the length up to which a row is short. Two cores of an
/// EPYC, sums of 200,000 and of 6 million squares, us, as rows, unrolled, and by columns: rows of 2
/// 329, 12 and 78, 7,640, 230 and 3,390; of 3 213, 18, 54, 4,240, 670 and 1,590; of 5 87, 22 and
/// 31; of 8 50, 33 and 20, 4,400, 670, 670; of 12 36, 50 and 14, 3,850, 6,000 and 900; of 33 25, 97
/// and 18; of 50 and 100 by columns 15 and 15 for 22 and 16.
constexpr std::int64_t few_written = 5, short_rows_end = 64;

/// Rows, and elements, from which on a second reduction is worth it.
constexpr std::int64_t least_added = 64, least_reduced = 1 << 13;

/// The most nodes to unroll, each place having its own; more if the rows are unrolled already and
/// the result is short again, like entries of small matrices: 200,003 products of 2 x 2 floats
/// summed up took 5.3 ms with lanes along a row, 0.1 so (two cores of an EPYC).
constexpr std::size_t most_nodes_written = 96, most_nodes_again = 288;

/// The nodes that x is computed from by maps and choices, x included, as far as they have x's axes.
std::vector<node_id> computed_from(const graph& g, node_id x) {
  std::vector<node_id> all, open{x};
  std::set<node_id> seen;
  while (!open.empty()) {
    const node_id id = open.back();
    open.pop_back();
    const node& n = g[id];
    if (n.shape.size() != g[x].shape.size() || !seen.insert(id).second) continue;
    all.push_back(id);
    const bool inside = n.kind == node_kind::map || n.kind == node_kind::pad;
    if (inside) open.insert(open.end(), n.inputs.begin(), n.inputs.end());
  }
  return all;
}

/// Are its elements not contiguous along the last two axes?
bool lies_apart(const node& n) {
  if (n.kind != node_kind::view && n.kind != node_kind::pad) return false;
  const std::size_t last = n.shape.size() - 1;
  return n.map.strides[last - 1] != n.map.strides[last] * n.shape[last];
}

bool reduces_both(const node& n, const shape_t& shape) {
  const auto& axes = n.reduction.axes;
  const int last = static_cast<int>(shape.size()) - 1;
  return axes.size() >= 2 && axes.back() == last && axes[axes.size() - 2] == last - 1;
}

bool has_short_rows(const graph& g, const node& n) {
  if (n.kind != node_kind::reduce || n.reduction.arg || is_complex(n.type)) return false;
  const node& x = g[n.inputs[0]];
  if (x.type != n.type || x.kind != node_kind::map || !reduces_both(n, x.shape)) return false;
  const extent& width = x.shape.back();
  if (!(width >= 2 && width <= short_rows_end)) return false;
  extent rows = 1;
  for (std::size_t a = 0; a + 1 < n.reduction.axes.size(); ++a) {
    rows *= x.shape[static_cast<std::size_t>(n.reduction.axes[a])];
  }
  if (!(rows >= least_added && rows * width >= least_reduced)) return false;
  return std::ranges::any_of(computed_from(g, n.inputs[0]),
                             [&](node_id i) { return lies_apart(g[i]); });
}

/// One place of the last axis of a computed array, from that place of its operands.
class places_of {
 public:
  explicit places_of(graph_builder& b) : b_(b) {}

  node_id at(node_id x, std::int64_t place) {
    const auto known = made_.find({x, place});
    if (known != made_.end()) return known->second;
    return made_[{x, place}] = made(x, place);
  }

 private:
  node_id made(node_id x, std::int64_t place) {
    node n = b_.out[x];
    if (n.shape.empty()) return x;
    // A place of a choice is one of its alternatives: `simplify` finds which.
    if (n.kind == node_kind::map && !is_choice_by_place(b_.out, n)) {
      for (node_id& i : n.inputs) i = at(i, place);
      n.shape.pop_back();
      return b_.out.add(std::move(n));
    }
    index_expr e;
    e.strides = dense_strides(n.shape);
    e.offset = e.strides.back() * place;
    e.strides.pop_back();
    n.shape.pop_back();
    if (n.kind == node_kind::view) {
      const auto below = compose(e, n.shape, b_.out, b_.out[x]);
      if (below && below->affine()) {
        extent_list steps(below->strides);
        steps.resize(n.shape.size(), 0);
        return b_.view(n.inputs[0], n.shape, steps, below->offset);
      }
    }
    return b_.view(x, n.shape, extent_list(e.strides), e.offset);
  }

  graph_builder& b_;
  std::map<std::pair<node_id, std::int64_t>, node_id> made_;
};

/// The places of each row combined; sums start from 0, as in a walk.
node_id rows_written_out(graph_builder& b, node_id x, op code) {
  const dtype type = b.out[x].type;
  const extent width = b.out[x].shape.back();
  places_of places(b);
  node_id held = code == op::add ? b.constant(type, 0) : node_id{-1};
  for (std::int64_t i = 0; width > i; ++i) {
    const node_id next = places.at(x, i);
    held = held < 0 ? next : b.apply(code, {held, next});
  }
  return held;
}

/// Can the places of a row be unrolled?
bool are_few(const graph& g, node_id x, std::size_t most) {
  const extent width = g[x].shape.back();
  if (!(width <= few_written)) return false;
  std::size_t nodes = 0;
  for (std::int64_t i = 0; width > i; ++i) nodes += computed_from(g, x).size();
  return nodes <= most;
}

/// Are the remaining rows short as well, and not contiguous?
bool is_short_again(const graph& g, node_id x, const std::vector<int>& axes) {
  node left;
  left.reduction.axes = axes;
  return reduces_both(left, g[x].shape) && are_few(g, x, most_nodes_again) &&
         std::ranges::any_of(computed_from(g, x), [&](node_id i) { return lies_apart(g[i]); });
}

node_id one_by_one(graph_builder& b, const node& n, node_id x) {
  const op code = n.reduction.code;
  x = b.cast(x, is_half(n.type) ? dtype::float32 : n.type);
  std::vector<int> others = n.reduction.axes;
  others.pop_back();
  if (are_few(b.out, x, most_nodes_written)) {
    x = rows_written_out(b, x, code);
    while (is_short_again(b.out, x, others)) {
      x = rows_written_out(b, x, code);
      others.pop_back();
    }
    return b.cast(b.reduce(x, code, others), n.type);
  }
  const node_id columns = b.reduce(x, code, others);
  const int last = static_cast<int>(b.out[columns].shape.size()) - 1;
  return b.cast(b.reduce(columns, code, {last}), n.type);
}

}  // namespace

graph sums_of_rows(const graph& g, const machine& m) {
  if (m.target != target::cpu || !m.fuse) return g;
  bool any = false;
  const auto asks = [&](const node& n) {
    const bool here = has_short_rows(g, n);
    any = any || here;
    return here;
  };
  graph out = replaced(g, asks, [](graph_builder& b, const node& n, const node& copy) {
    return one_by_one(b, n, copy.inputs[0]);
  });
  return any ? simplify(out) : out;
}

}  // namespace sinter::ir
