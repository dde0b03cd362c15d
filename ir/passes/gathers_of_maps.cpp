#include "ir/passes/gathers_of_maps.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

/// The most nodes between a gather and its leaves, and the most over all gathers from one array:
/// each of these gets a copy.
constexpr int most_nodes = 48, most_copies = 96;

/// The gathers from an array, and how many elements they pick.
struct picked_from {
  extent elements = 0;
  int gathers = 0;
};

/// Axes of an array that a map walks as one, with the stride of the last.
struct axis_group {
  extent extents, stride;
};

/// The groups of axes by which a map walks the row-major index of `shape`.
std::vector<axis_group> groups_of(const shape_t& shape, const index_map& map) {
  std::vector<axis_group> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!out.empty() && out.back().stride == map.strides[d] * shape[d]) {
      out.back() = {out.back().extents * shape[d], map.strides[d]};
    } else {
      out.push_back({shape[d], map.strides[d]});
    }
  }
  return out;
}

/// Elements of an array of `shape`: row-major, at an affine map of the gather's coordinates plus an
/// index, if any.
struct place {
  shape_t shape;
  index_expr at;
  node_id index = -1;
  int along = -1;  // the axis along which the index alone moves, and it along no other
};

class picked_elements {
 public:
  /// `all`: the gathers from the same array.
  picked_elements(graph_builder& b, const node& gather, const picked_from& all)
      : b_(b), n_(gather), all_(all) {
    b_.origin = gather.origin;
  }

  /// The picked elements; nothing if the gather is better off with its array in memory.
  std::optional<node_id> run() {
    const node& base = b_.out[n_.inputs[0]];
    whole_ = size_of(base.shape);
    index_expr at;
    at.offset = n_.map.offset;
    at.strides = n_.map.strides;
    places_.push_back({base.shape, std::move(at), n_.inputs[1], n_.map.along});
    const auto picked = element(n_.inputs[0], 0);
    if (!picked || arrays_ == 0 || (reports() && !reported_)) return std::nullopt;
    // A 64-bit division takes a GPU as long as storing an element and loading it.
    if (computed_ > 1 || nodes_ * all_.gathers > most_copies) return std::nullopt;
    if (!(all_.elements * (arrays_ + divisions_) <= whole_)) return std::nullopt;
    return picked;
  }

 private:
  using found = std::optional<node_id>;

  bool reports() const { return n_.inputs.size() > inputs_before_range(n_.kind); }

  /// An element of `id`, an array of the place's shape or a number.
  found element(node_id id, std::size_t where) {
    if (b_.out[id].shape.empty()) return id;
    const auto known = made_.find({id, where});
    if (known != made_.end()) return known->second;
    if (++nodes_ > most_nodes) return std::nullopt;
    const found made = element_of(id, where);
    if (made) made_.emplace(std::pair(id, where), *made);
    return made;
  }

  found element_of(node_id id, std::size_t where) {
    const place p = places_[where];
    if (p.index < 0) return shown(id, p);
    switch (b_.out[id].kind) {
      case node_kind::map:
        return map(id, where);
      case node_kind::iota:
        return position(p);
      case node_kind::view: {
        const found below = through(id, where);
        return below ? element(b_.out[id].inputs[0], static_cast<std::size_t>(*below)) : below;
      }
      case node_kind::pad:
        return pad(id, where);
      default:
        return leaf(id, p);
    }
  }

  node_id shown(node_id id, const place& p) {
    ++arrays_;
    return b_.view(id, n_.shape, extent_list(p.at.strides), p.at.offset);
  }

  found map(node_id id, std::size_t where) {
    node copy = b_.out[id];
    for (node_id& i : copy.inputs) {
      const found x = element(i, where);
      if (!x) return x;
      i = *x;
    }
    copy.shape = n_.shape;
    return b_.out.add(std::move(copy));
  }

  /// An array in memory, or one that has to be stored.
  node_id leaf(node_id id, const place& p) {
    ++arrays_;
    const node& x = b_.out[id];
    if (x.kind != node_kind::source && !(size_of(x.shape) * 4 <= whole_)) {
      const bool wider = size_of(x.type) > size_of(n_.type);
      computed_ += wider ? 2 : 1;
    }
    node pick = n_;
    pick.type = x.type;
    pick.inputs = {id, p.index};
    pick.map = {p.at.offset, extent_list(p.at.strides), p.along};
    if (!reported_) pick.inputs.insert(pick.inputs.end(), n_.inputs.begin() + 2, n_.inputs.end());
    reported_ = true;
    return b_.out.add(std::move(pick));
  }

  // ---- indices of elements

  /// The last offset of the map; nothing if it goes backwards.
  std::optional<extent> last_of(const place& p) const {
    extent last = 0;
    for (std::size_t d = 0; d < n_.shape.size(); ++d) {
      if (p.at.stride(d) < 0) return std::nullopt;
      last += p.at.stride(d) * (n_.shape[d] - 1);
    }
    return last;
  }

  /// The row-major index itself.
  found position(const place& p) {
    const auto last = last_of(p);
    if (!last) return std::nullopt;
    node_id at = p.index;
    if (*last > 0) {
      const extent_list strides(p.at.strides);
      at = b_.apply(op::add, {b_.view(b_.count(*last + 1), n_.shape, strides), at});
    }
    return shifted(at, p.at.offset);
  }

  node_id shifted(node_id x, extent by) {
    if (by == 0) return x;
    return by < 0 ? b_.apply(op::subtract, {x, b_.size(-by)}) : b_.apply(op::add, {x, b_.size(by)});
  }
  node_id times(node_id x, extent n) {
    return n == 1 ? x : b_.apply(op::multiply, {x, b_.size(n)});
  }
  node_id over(node_id x, extent n) {
    ++divisions_;
    return b_.apply(op::floor_divide, {x, b_.size(n)});
  }

  /// The place in the operand of a view or a pad, given the place in the node.
  found through(node_id id, std::size_t where) {
    const auto known = through_.find({id, where});
    if (known != through_.end()) return known->second;
    const place& p = places_[where];
    const node x = b_.out[id];
    auto below = p.along >= 0 ? along_one(p, x) : std::nullopt;
    if (!below) below = along_any(p, x);
    if (!below) return std::nullopt;
    below->shape = b_.out[x.inputs[0]].shape;
    places_.push_back(std::move(*below));
    const auto at = static_cast<node_id>(places_.size() - 1);
    through_.emplace(std::pair(id, where), at);
    return at;
  }

  /// If the index moves along one axis, the map alone covers the others.
  std::optional<place> along_one(const place& p, const node& x) {
    const auto axis = static_cast<std::size_t>(p.along);
    const extent from = dense_strides(p.shape)[axis], to = x.map.strides[axis];
    if (to < 0) return std::nullopt;
    auto at = compose(p.at, n_.shape, p.shape, x.map);
    if (!at || !at->affine() || !at->start.empty()) return std::nullopt;
    at->strides.resize(n_.shape.size(), 0);
    place below{{}, std::move(*at), -1, -1};
    if (to == 0) return below;
    below.index = to == from       ? p.index
                  : to % from == 0 ? times(p.index, to / from)
                                   : times(over(p.index, from), to);
    const shape_t& inner = b_.out[x.inputs[0]].shape;
    const std::vector<extent> dense = dense_strides(inner);
    for (std::size_t d = 0; d < inner.size() && below.along < 0; ++d) {
      if (inner[d] == p.shape[axis] && dense[d] == to) below.along = static_cast<int>(d);
    }
    return below;
  }

  /// If it moves along several, the element's own index is unravelled.
  std::optional<place> along_any(const place& p, const node& x) {
    const std::vector<axis_group> groups = groups_of(p.shape, x.map);
    place below{{}, {}, -1, -1};
    below.at.strides.assign(n_.shape.size(), 0);
    below.at.offset = x.map.offset;
    const found whole = position(p);
    if (!whole) return std::nullopt;
    node_id rest = *whole;
    for (std::size_t g = groups.size(); g-- > 0;) {
      const auto& [extents, stride] = groups[g];
      if (stride < 0) return std::nullopt;
      const node_id above = g > 0 ? over(rest, extents) : -1;
      if (stride > 0) {
        const node_id coordinate =
            g > 0 ? b_.apply(op::subtract, {rest, times(above, extents)}) : rest;
        const node_id step = times(coordinate, stride);
        below.index = below.index < 0 ? step : b_.apply(op::add, {below.index, step});
      }
      rest = above;
    }
    return below;
  }

  /// The index where `inside` holds; elsewhere, where any will do, one that exists.
  bool keep_inside(place& p, node_id inside, extent size) {
    const auto last = last_of(p);
    if (!last) return false;
    found there = shifted(p.index, p.at.offset);
    if (!(*last < size)) {
      there = position(p);
      p.at.strides.assign(n_.shape.size(), 0);
      p.along = -1;
    }
    p.at.offset = 0;
    p.index = b_.choose(inside, *there, b_.constant(dtype::int64, 0));
    return true;
  }

  found pad(node_id id, std::size_t where) {
    const node x = b_.out[id];
    if (size_of(b_.out[x.inputs[0]].shape) == 0 || b_.out[x.inputs[1]].shape.empty()) return {};
    const found inside = element(x.inputs[1], where), below = through(id, where);
    if (!inside || !below) return std::nullopt;
    const auto at = static_cast<std::size_t>(*below);
    if (places_[at].index < 0) {
      ++arrays_;
      const index_expr& e = places_[at].at;
      return b_.pad(x.inputs[0], *inside, {e.offset, extent_list(e.strides)});
    }
    const extent size = size_of(b_.out[x.inputs[0]].shape);
    if (!keep_inside(places_[at], *inside, size)) return std::nullopt;
    const found read = element(x.inputs[0], at);
    if (!read || is_complex(x.type)) return read ? found(b_.only(*read, *inside)) : read;
    return b_.choose(*inside, *read, b_.constant(x.type, 0));
  }

  graph_builder& b_;
  const node& n_;
  const picked_from& all_;
  extent whole_;
  std::vector<place> places_;
  std::map<std::pair<node_id, std::size_t>, node_id> made_, through_;
  int nodes_ = 0;
  int arrays_ = 0;    // that are read
  int computed_ = 0;  // those as large as the base, stored for the gather
  int divisions_ = 0;
  bool reported_ = false;
};

/// Does this reader need the array in memory anyway?
bool wants_memory(const node& user, std::size_t input) {
  switch (user.kind) {
    case node_kind::call:
      return true;
    case node_kind::update:
    case node_kind::scatter:
    case node_kind::compress:
      return input == 0;
    default:
      return false;
  }
}

/// Per node; no gathers where the pass need not look.
std::vector<picked_from> picks_of(const graph& g) {
  std::vector<picked_from> picks(g.nodes.size());
  std::vector<bool> stored(g.nodes.size());
  for (const node_id o : g.outputs) stored[static_cast<std::size_t>(o)] = true;
  for (const node& n : g.nodes) {
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      const auto i = static_cast<std::size_t>(n.inputs[k]);
      if (n.kind == node_kind::gather && k == 0) {
        picks[i].elements += size_of(n.shape);
        ++picks[i].gathers;
      }
      if (wants_memory(n, k)) stored[i] = true;
    }
  }
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const node_kind kind = g.nodes[i].kind;
    const bool computed = kind == node_kind::map || kind == node_kind::pad;
    if (stored[i] || !computed) picks[i] = {};
  }
  return picks;
}

}  // namespace

graph gathers_of_maps(const graph& g, const machine& m) {
  if (!m.fuse) return g;
  const std::vector<picked_from> picks = picks_of(g);
  const auto from = [&](const node& n) -> const picked_from& {
    return picks[static_cast<std::size_t>(n.inputs[0])];
  };
  const auto asks = [&](const node& n) {
    return n.kind == node_kind::gather && from(n).gathers > 0 && from(n).elements > 0;
  };
  return replaced(
      g, asks,
      [&](graph_builder& b, const node& n, node copy) {
        const auto picked = picked_elements(b, copy, from(n)).run();
        return picked ? *picked : b.out.add(std::move(copy));
      });
}

}  // namespace sinter::ir
