#include "ir/passes/joins_of_updates.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"
#include "ir/passes/short_sums.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {
namespace {

/// Places [first, end) along one axis, and all of the other axes.
struct slab {
  std::size_t axis = 0;
  std::int64_t first = 0, end = 0;
  bool unit = false;  // the value lacks the axis
};

/// The most maps to follow from an array to the reductions of what they compute.
constexpr int most_followed = 16;

/// The part that an update replaces: one slab, or the intersection of two.
struct part {
  shape_t frame;  // the shape; an axis of which every k-th place is replaced is split into two
  std::vector<slab> slabs;
  bool is_split = false;
};

/// Does the value of an update have the frame's axes, except the slabs' unit axes, and the same
/// strides along them?
bool crosses(const node& n, const shape_t& value, const part& p) {
  const std::vector<extent> apart = dense_strides(p.frame);
  std::size_t v = 0;
  for (std::size_t d = 0; d < p.frame.size(); ++d) {
    const auto here = std::ranges::find(p.slabs, d, &slab::axis);
    const bool is_slab = here != p.slabs.end();
    if (is_slab && here->unit) continue;
    if (v == value.size() || (!is_slab && value[v] != p.frame[d])) return false;
    if (value[v] != 1 && n.map.strides[v] != apart[d]) return false;
    ++v;
  }
  return v == value.size();
}

bool is_short(const extent& places) { return places >= 2 && places <= most_shared_places; }

/// `summed`: the axis that all readers of the array reduce, or -1.
std::optional<part> slab_along(const node& n, const shape_t& value, std::size_t axis, int summed) {
  const extent& places = n.shape[axis];
  const bool joins = summed == static_cast<int>(axis) ? places >= 2 && places <= most_joined_places
                                                      : is_short(places);
  if (!joins) return std::nullopt;
  part p{n.shape, {{axis, 0, 0, value.size() < n.shape.size()}}};
  if (!crosses(n, value, p)) return std::nullopt;
  const extent apart = dense_strides(n.shape)[axis];
  if (n.map.offset % apart != 0) return std::nullopt;
  slab& s = p.slabs[0];
  s.first = n.map.offset / apart;
  s.end = s.first + (s.unit ? std::int64_t{1} : std::int64_t{value[axis]});
  return p;
}

/// One place of two short axes.
std::optional<part> cell_of(const node& n, const shape_t& value, std::size_t a, std::size_t b) {
  if (!is_short(n.shape[a]) || !is_short(n.shape[b])) return std::nullopt;
  if (n.shape[a] * n.shape[b] > most_shared_places) return std::nullopt;
  const part p{n.shape, {{a, 0, 1, true}, {b, 0, 1, true}}};
  if (!crosses(n, value, p)) return std::nullopt;
  const std::vector<extent> apart = dense_strides(n.shape);
  for (std::int64_t i = 0; n.shape[a] > i; ++i) {
    for (std::int64_t j = 0; n.shape[b] > j; ++j) {
      if (i * apart[a] + j * apart[b] != n.map.offset) continue;
      return part{n.shape, {{a, i, i + 1, true}, {b, j, j + 1, true}}};
    }
  }
  return std::nullopt;
}

/// Every k-th place of an axis.
std::optional<part> stripes_along(const node& n, const shape_t& value, std::size_t axis) {
  const extent apart = dense_strides(n.shape)[axis];
  if (value[axis] < 2 || n.map.strides[axis] % apart != 0) return std::nullopt;
  const extent step = n.map.strides[axis] / apart;
  if (!is_short(step)) return std::nullopt;
  const std::int64_t k = step;  // k is fixed, the number of places is not
  if (value[axis] * k != n.shape[axis]) return std::nullopt;
  if (n.map.offset % apart != 0 || n.map.offset >= k * apart) return std::nullopt;
  const std::int64_t first = n.map.offset / apart;
  part p{n.shape, {{axis + 1, first, first + 1, true}}, true};
  p.frame[axis] = value[axis];
  p.frame.insert(p.frame.begin() + static_cast<std::ptrdiff_t>(axis) + 1, k);
  return crosses(n, value, p) ? std::optional(p) : std::nullopt;
}

/// The part that an update replaces, if others may complete it.
std::optional<part> part_of(const graph& g, const node& n, int summed) {
  if (n.kind != node_kind::update || is_half(n.type) || size_of(n.shape) == 0) return std::nullopt;
  const shape_t& value = g[n.inputs[1]].shape;
  const std::size_t rank = n.shape.size();
  if (value.size() == rank || value.size() + 1 == rank) {
    for (std::size_t a = 0; a < rank; ++a) {
      if (auto p = slab_along(n, value, a, summed)) return p;
    }
  }
  for (std::size_t a = 0; value.size() == rank && a < rank; ++a) {
    if (auto p = stripes_along(n, value, a)) return p;
  }
  for (std::size_t b = 1; value.size() + 2 == rank && b < rank; ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (auto p = cell_of(n, value, a, b)) return p;
    }
  }
  return std::nullopt;
}

/// Finds the updates that are parts of a chain which together replaces the whole array.
class chain_finder {
 public:
  explicit chain_finder(const graph& g) : g_(g), readers_(g.nodes.size()) {
    for (node_id id = 0; id < std::ssize(g.nodes); ++id) {
      const node& n = g[id];
      if (n.kind == node_kind::update) bases_.insert(n.inputs[0]);
      for (const node_id i : n.inputs) readers_[at(i)].push_back(id);
    }
    for (const node_id o : g.outputs) readers_[at(o)].push_back(-1);
    for (node_id id = 0; id < std::ssize(g.nodes); ++id) find_summed(id);
  }

  std::map<node_id, part> run() {
    for (node_id id = 0; id < std::ssize(g_.nodes); ++id) {
      const node& n = g_[id];
      if (n.kind != node_kind::update || !in_a_chain(id)) continue;
      const auto summed = summed_.find(id);
      const auto p = part_of(g_, n, summed == summed_.end() ? -1 : summed->second);
      if (p) follow(id, *p);
    }
    return std::move(whole_);
  }

 private:
  struct link {
    part replaced;
    std::uint64_t covered = 0;  // places along the slabs' axes
  };

  static std::size_t at(node_id i) { return static_cast<std::size_t>(i); }

  /// For a whole array: finds the only axis along which it, or what maps make of it, is reduced.
  void find_summed(node_id id) {
    if (g_[id].kind != node_kind::update || bases_.contains(id)) return;
    int axis = -1;
    std::set<node_id> seen;
    if (!is_summed(id, axis, seen) || axis < 0) return;
    for (node_id n = id; g_[n].kind == node_kind::update; n = g_[n].inputs[0]) {
      if (n != id && readers_[at(n)].size() > 1) return;
      summed_.emplace(n, axis);
    }
  }

  /// Does n select some of the places along axes of such a shape?
  static bool is_section(const node& n, const shape_t& shape) {
    return n.kind == node_kind::view && n.shape.size() == shape.size() &&
           std::ranges::equal(n.map.strides, dense_strides(shape));
  }

  bool is_summed(node_id id, int& axis, std::set<node_id>& seen) const {
    if (!seen.insert(id).second) return true;
    if (std::ssize(seen) > most_followed) return false;
    return std::ranges::all_of(readers_[at(id)], [&](node_id r) {
      if (r < 0) return false;
      const node& n = g_[r];
      const bool same = n.kind == node_kind::map && n.shape == g_[id].shape;
      if (same || is_section(n, g_[id].shape)) return is_summed(r, axis, seen);
      if (!is_plain_sum(g_, n)) return false;
      if (axis < 0) axis = n.reduction.axes[0];
      return axis == n.reduction.axes[0];
    });
  }

  /// An update that replaces one part alone stays: that is what updates are for.
  bool in_a_chain(node_id id) const {
    return g_[g_[id].inputs[0]].kind == node_kind::update || bases_.contains(id);
  }

  /// A bit mask of the places of a part, and of all places.
  static std::uint64_t places(const part& p) {
    std::uint64_t here = 1;  // over the axes so far
    for (const slab& s : p.slabs) {
      const std::int64_t count = p.frame[s.axis];
      std::uint64_t next = 0;
      for (std::int64_t i = 0; i < most_shared_places; ++i) {
        if (!(here >> i & 1)) continue;
        next |= (first_bits(s.end) & ~first_bits(s.first)) << (i * count);
      }
      here = next;
    }
    return here;
  }
  static std::uint64_t all_places(const part& p) {
    std::int64_t count = 1;
    for (const slab& s : p.slabs) count *= p.frame[s.axis];
    return first_bits(count);
  }
  static std::uint64_t first_bits(std::int64_t n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  }
  static bool alike(const part& a, const part& b) {
    const auto same = [](const slab& s, const slab& t) { return s.axis == t.axis; };
    return a.is_split == b.is_split && std::ranges::equal(a.slabs, b.slabs, same) &&
           std::ranges::equal(a.frame, b.frame);
  }

  void follow(node_id id, const part& p) {
    const auto before = links_.find(g_[id].inputs[0]);
    const bool goes_on = before != links_.end() && alike(before->second.replaced, p);
    const std::uint64_t covered = places(p) | (goes_on ? before->second.covered : 0);
    links_[id] = {p, covered};
    if (covered == all_places(p)) keep(id);
  }

  void keep(node_id id) {
    for (auto it = links_.find(id); it != links_.end(); it = links_.find(g_[it->first].inputs[0])) {
      if (!whole_.emplace(it->first, it->second.replaced).second) return;
    }
  }

  const graph& g_;
  std::vector<std::vector<node_id>> readers_;  // -1: it is an output
  std::set<node_id> bases_;                    // arrays that updates replace parts of
  std::map<node_id, int> summed_;              // updates of an array that is reduced along an axis
  std::map<node_id, link> links_;
  std::map<node_id, part> whole_;
};

/// The coordinate along an axis of the shape, and a number as an iota's element: plans may depend
/// on both.
node_id coordinate(graph_builder& b, const shape_t& shape, std::size_t axis) {
  extent_list strides(shape.size(), 0);
  strides[axis] = 1;
  return b.view(b.count(shape[axis]), shape, strides);
}
node_id place(graph_builder& b, std::int64_t n) {
  return b.view(b.count(n + 1), {}, {}, n);
}

/// Is an element within the slab?
node_id inside_of(graph_builder& b, const shape_t& frame, const slab& s) {
  const node_id at = coordinate(b, frame, s.axis);
  const bool last = frame[s.axis] == s.end;
  node_id inside = -1;
  if (s.first > 0 || last) inside = b.apply(op::greater_equal, {at, place(b, s.first)});
  if (last) return inside;
  const node_id before = b.apply(op::less, {at, place(b, s.end)});
  return inside < 0 ? before : b.apply(op::logical_and, {inside, before});
}

node_id joined(graph_builder& b, const node& n, const part& p, node_id base, node_id value) {
  if (p.is_split) base = b.view(base, p.frame, dense_strides(p.frame));
  node_id inside = -1;
  node pad;
  pad.kind = node_kind::pad;
  pad.type = n.type;
  pad.origin = n.origin;
  pad.shape = p.frame;
  pad.map.strides = dense_strides(b.out[value].shape);
  for (const slab& s : p.slabs) {
    const node_id here = inside_of(b, p.frame, s);
    inside = inside < 0 ? here : b.apply(op::logical_and, {inside, here});
    std::vector<extent>& strides = pad.map.strides;
    if (s.unit) strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(s.axis), 0);
    if (s.end - s.first == 1) strides[s.axis] = 0;  // as in engine/shape/join.cpp
    pad.map.offset = pad.map.offset - s.first * strides[s.axis];
  }
  pad.inputs = {value, inside};
  const node_id all = b.apply(op::where, {inside, b.out.add(std::move(pad)), base});
  return p.is_split ? b.view(all, n.shape, dense_strides(n.shape)) : all;
}

}  // namespace

graph joins_of_updates(const graph& g) {
  const auto updates = [](const node& n) { return n.kind == node_kind::update; };
  if (std::ranges::none_of(g.nodes, updates)) return g;
  const std::map<node_id, part> parts = chain_finder(g).run();
  const auto number = [&](const node& n) { return static_cast<node_id>(&n - g.nodes.data()); };
  const auto asks = [&](const node& n) { return parts.contains(number(n)); };
  return replaced(g, asks, [&](graph_builder& b, const node& n, const node& copy) {
    return joined(b, n, parts.at(number(n)), copy.inputs[0], copy.inputs[1]);
  });
}

}  // namespace sinter::ir
