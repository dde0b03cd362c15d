#include "ir/passes/maps_of_joins.hpp"

#include <utility>
#include <vector>

#include "ir/index_expr.hpp"
#include "ir/passes/slice_of_join.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {
namespace {

/// With longer pieces, such as a roll's two, each place would be computed by itself: two steps of a
/// stencil by rolls, 8,192 x 16 floats, were 373 nodes in kernels that ran for 8.2 ms, 63 nodes and
/// 0.3 ms without.
constexpr std::int64_t most_places_of_a_piece = 2;

class rejoiner {
 public:
  rejoiner(graph& g, const node& map, const place_node& place)
      : g_(g), map_(map), place_(place) {}

  std::optional<node_id> run() {
    if (is_choice_by_place(g_, map_)) return std::nullopt;  // a join itself
    if (is_half(map_.type)) return std::nullopt;            // there is no select of half types
    for (node_id i : map_.inputs) {
      const node& x = g_[i];
      if (x.shape.empty() || !is_choice_by_place(g_, x)) continue;
      const std::int64_t count = joined_pieces(g_, i);
      for (std::size_t a = 0; a < map_.shape.size(); ++a) {
        if (!(map_.shape[a] >= 2 && map_.shape[a] <= most_shared_places)) continue;
        if (!(map_.shape[a] <= most_places_of_a_piece * count) || !joined_along(i, a)) continue;
        return joined(a, pieces(a));
      }
    }
    return std::nullopt;
  }

 private:
  /// The slice of x at place j of axis a, without that axis.
  node slice(node_id x, std::size_t a, std::int64_t j) const {
    node v;
    v.kind = node_kind::view;
    v.type = g_[x].type;
    v.origin = map_.origin;
    v.inputs = {x};
    v.shape = map_.shape;
    v.map.strides = dense_strides(map_.shape);
    v.map.offset = j * v.map.strides[a];
    v.shape.erase(v.shape.begin() + static_cast<std::ptrdiff_t>(a));
    v.map.strides.erase(v.map.strides.begin() + static_cast<std::ptrdiff_t>(a));
    return v;
  }

  /// Is each place of x one of the pieces, and some piece computed?
  bool joined_along(node_id x, std::size_t a) {
    bool computed = false;
    for (std::int64_t j = 0; map_.shape[a] > j; ++j) {
      node v = slice(x, a, j);
      if (!slice_of_join(g_, v)) return false;
      const node_id piece = place_(std::move(v));
      computed = computed || g_[piece].kind == node_kind::map;
    }
    return computed;
  }

  std::vector<node_id> pieces(std::size_t a) {
    std::vector<node_id> all;
    for (std::int64_t j = 0; map_.shape[a] > j; ++j) {
      node piece = map_;
      piece.shape.erase(piece.shape.begin() + static_cast<std::ptrdiff_t>(a));
      for (node_id& i : piece.inputs) {
        if (!g_[i].shape.empty()) i = place_(slice(i, a, j));
      }
      all.push_back(place_(std::move(piece)));
    }
    return all;
  }

  node_id joined(std::size_t a, const std::vector<node_id>& pieces) {
    const std::size_t last = pieces.size() - 1;
    node_id all = -1;
    for (std::size_t j = 0; j <= last; ++j) {
      const node_id from = j > 0 ? compared(op::greater_equal, a, j) : -1;
      const node_id to = j < last ? compared(op::less, a, j + 1) : -1;
      const node_id inside = from < 0 ? to : to < 0 ? from : op_of(op::logical_and, {from, to});
      const node_id piece = padded(pieces[j], inside, a);
      all = j == 0 ? piece : op_of(op::where, {from, piece, all});
    }
    return all;
  }

  node_id padded(node_id piece, node_id inside, std::size_t a) {
    node p;
    p.kind = node_kind::pad;
    p.type = map_.type;
    p.shape = map_.shape;
    p.origin = map_.origin;
    p.inputs = {piece, inside};
    p.map.strides = dense_strides(g_[piece].shape);
    p.map.strides.insert(p.map.strides.begin() + static_cast<std::ptrdiff_t>(a), 0);
    return place_(std::move(p));
  }

  /// Compares the place along axis a with j.
  node_id compared(op code, std::size_t a, std::size_t j) {
    node count;
    count.kind = node_kind::iota;
    count.type = dtype::int64;
    count.shape = {map_.shape[a]};
    count.origin = map_.origin;
    const node_id counted = place_(count);
    node here = count, there = count;
    here.kind = there.kind = node_kind::view;
    here.inputs = there.inputs = {counted};
    here.shape = map_.shape;
    here.map.strides.assign(map_.shape.size(), 0);
    here.map.strides[a] = 1;
    there.shape = {};
    there.map.offset = static_cast<std::int64_t>(j);
    return op_of(code, {place_(std::move(here)), place_(std::move(there))});
  }

  node_id op_of(op code, std::vector<node_id> inputs) {
    node n;
    n.kind = node_kind::map;
    n.shape = map_.shape;
    n.origin = map_.origin;
    const dtype in = g_[inputs[code == op::where ? 1 : 0]].type;
    instruction i{code, in, result_type(code, in), {-1, -1, -1}};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      i.args[k] = static_cast<std::int16_t>(k);
      n.program.inputs.push_back(g_[inputs[k]].type);
    }
    n.type = i.result;
    n.program.code = {i};
    n.inputs = std::move(inputs);
    return place_(std::move(n));
  }

  graph& g_;
  const node& map_;
  const place_node& place_;
};

}  // namespace

std::optional<node_id> map_of_join(graph& g, const node& map, const place_node& place) {
  return rejoiner(g, map, place).run();
}

}  // namespace sinter::ir
