#include "ir/passes/joins_of_updates.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {
namespace {

/// Places [first, end) along an axis, and all of the other axes.
struct slab {
  std::size_t axis = 0;
  std::int64_t first = 0, end = 0;
  bool unit = false;  // the value lacks the axis
};

/// Does the value of an update have the base's other axes, and lie along them as they do?
bool crosses(const node& n, const shape_t& value, std::size_t axis, bool unit) {
  const std::vector<extent> apart = dense_strides(n.shape);
  for (std::size_t d = 0, v = 0; d < n.shape.size(); ++d) {
    if (unit && d == axis) continue;
    if (d != axis && value[v] != n.shape[d]) return false;
    if (value[v] != 1 && n.map.strides[v] != apart[d]) return false;
    ++v;
  }
  return true;
}

std::optional<slab> slab_along(const node& n, const shape_t& value, std::size_t axis) {
  if (!(n.shape[axis] >= 2 && n.shape[axis] <= most_shared_places)) return std::nullopt;
  const bool unit = value.size() < n.shape.size();
  if (!crosses(n, value, axis, unit)) return std::nullopt;
  const extent apart = dense_strides(n.shape)[axis];
  if (n.map.offset % apart != 0) return std::nullopt;
  const std::int64_t first = n.map.offset / apart;
  const std::int64_t count = unit ? std::int64_t{1} : std::int64_t{value[axis]};
  return slab{axis, first, first + count, unit};
}

/// What an update replaces, if it is a slab of a short axis.
std::optional<slab> slab_of(const graph& g, const node& n) {
  if (n.kind != node_kind::update || is_half(n.type) || size_of(n.shape) == 0) return std::nullopt;
  const shape_t& value = g[n.inputs[1]].shape;
  if (value.size() > n.shape.size() || value.size() + 1 < n.shape.size()) return std::nullopt;
  for (std::size_t a = 0; a < n.shape.size(); ++a) {
    if (auto s = slab_along(n, value, a)) return s;
  }
  return std::nullopt;
}

/// The updates that are parts of a chain nothing shows through.
class chain_finder {
 public:
  explicit chain_finder(const graph& g) : g_(g) {
    for (const node& n : g.nodes) {
      if (n.kind == node_kind::update) bases_.insert(n.inputs[0]);
    }
  }

  std::map<node_id, slab> run() {
    for (node_id id = 0; id < std::ssize(g_.nodes); ++id) {
      const node& n = g_[id];
      if (n.kind != node_kind::update || !in_a_chain(id)) continue;
      if (const auto s = slab_of(g_, n)) follow(id, *s);
    }
    return std::move(whole_);
  }

 private:
  struct link {
    slab part;
    unsigned covered = 0;  // places along the axis
  };

  /// One update alone replaces a part; that is what updates are for.
  bool in_a_chain(node_id id) const {
    return g_[g_[id].inputs[0]].kind == node_kind::update || bases_.contains(id);
  }

  void follow(node_id id, const slab& s) {
    const unsigned here = (1u << s.end) - (1u << s.first);
    const auto before = links_.find(g_[id].inputs[0]);
    const bool goes_on = before != links_.end() && before->second.part.axis == s.axis;
    const unsigned covered = here | (goes_on ? before->second.covered : 0u);
    links_[id] = {s, covered};
    const unsigned all = (1u << std::int64_t{g_[id].shape[s.axis]}) - 1;
    if (covered == all) keep(id);
  }

  void keep(node_id id) {
    for (auto it = links_.find(id); it != links_.end(); it = links_.find(g_[it->first].inputs[0])) {
      if (!whole_.emplace(it->first, it->second.part).second) return;
    }
  }

  const graph& g_;
  std::set<node_id> bases_;  // of updates
  std::map<node_id, link> links_;
  std::map<node_id, slab> whole_;
};

/// The coordinate along an axis of the shape, and a number as a place: what plans may look at.
node_id coordinate(graph_builder& b, const shape_t& shape, std::size_t axis) {
  extent_list strides(shape.size(), 0);
  strides[axis] = 1;
  return b.view(b.count(shape[axis]), shape, strides);
}
node_id place(graph_builder& b, std::int64_t n) {
  return b.view(b.count(n + 1), {}, {}, n);
}

node_id joined(graph_builder& b, const node& n, const slab& s, node_id base, node_id value) {
  const node_id at = coordinate(b, n.shape, s.axis);
  const bool first = s.first == 0, last = n.shape[s.axis] == s.end;
  node_id inside = -1;
  if (!first || last) inside = b.apply(op::greater_equal, {at, place(b, s.first)});
  if (!last) {
    const node_id before = b.apply(op::less, {at, place(b, s.end)});
    inside = inside < 0 ? before : b.apply(op::logical_and, {inside, before});
  }
  node pad;
  pad.kind = node_kind::pad;
  pad.type = n.type;
  pad.origin = n.origin;
  pad.shape = n.shape;
  pad.inputs = {value, inside};
  std::vector<extent> strides = dense_strides(b.out[value].shape);
  if (s.unit) strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(s.axis), 0);
  if (s.end - s.first == 1) strides[s.axis] = 0;  // as in engine/shape/join.cpp
  pad.map.offset = -s.first * strides[s.axis];
  pad.map.strides = strides;
  return b.apply(op::where, {inside, b.out.add(std::move(pad)), base});
}

}  // namespace

graph joins_of_updates(const graph& g) {
  const std::map<node_id, slab> parts = chain_finder(g).run();
  const auto number = [&](const node& n) { return static_cast<node_id>(&n - g.nodes.data()); };
  const auto asks = [&](const node& n) { return parts.contains(number(n)); };
  return replaced(g, asks, [&](graph_builder& b, const node& n, const node& copy) {
    return joined(b, n, parts.at(number(n)), copy.inputs[0], copy.inputs[1]);
  });
}

}  // namespace sinter::ir
