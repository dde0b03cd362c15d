#include "ir/passes/slice_of_join.hpp"

#include <algorithm>
#include <array>

#include "ir/index_expr.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

bool is_map_of(const node& n, op code) {
  return n.kind == node_kind::map && n.program.code[0].code == code;
}

/// How deep a condition is followed.
constexpr int deepest = 8;

/// Does a condition depend on coordinates alone? Asked before any number is compared: each
/// comparison becomes a condition of the plan.
bool asks_for_places(const graph& g, node_id id, int depth = 0) {
  const node& n = g[id];
  if (n.kind == node_kind::iota) return true;
  if (depth > deepest || (n.kind != node_kind::map && n.kind != node_kind::view)) return false;
  return std::ranges::all_of(n.inputs,
                             [&](node_id i) { return asks_for_places(g, i, depth + 1); });
}

class follower {
 public:
  follower(const graph& g, const shape_t& domain) : g_(g), domain_(domain) {}

  /// The value of an integer or bool at every place that `at` reaches, if it is one number,
  /// computed from coordinates.
  std::optional<std::int64_t> value(node_id id, const index_expr& at) const {
    const node& n = g_[id];
    if (!at.affine()) return std::nullopt;
    switch (n.kind) {
      case node_kind::iota:
        if (!stands_still(at)) return std::nullopt;
        return std::int64_t{at.offset};
      case node_kind::view: {
        const auto below = compose(at, domain_, g_, n);
        return below ? value(n.inputs[0], *below) : std::nullopt;
      }
      case node_kind::map: return computed(n, at);
      default: return std::nullopt;
    }
  }

 private:
  static bool asks(const instruction& i) {
    switch (i.code) {
      case op::equal:
      case op::not_equal:
      case op::less:
      case op::less_equal:
      case op::greater:
      case op::greater_equal: return i.type == dtype::int64;
      case op::logical_and:
      case op::logical_or:
      case op::logical_not: return is_bool(i.type);
      default: return false;
    }
  }

  bool stands_still(const index_expr& at) const {
    for (std::size_t d = 0; d < domain_.size(); ++d) {
      if (at.stride(d) != 0 && domain_[d] > 1) return false;
    }
    return true;
  }

  std::optional<std::int64_t> computed(const node& n, const index_expr& at) const {
    const instruction& i = n.program.code[0];
    if (!asks(i)) return std::nullopt;
    std::array<scalar_value, 2> args{};
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      const bool one = g_[n.inputs[k]].shape.empty();
      const auto v = value(n.inputs[k], one ? index_expr{} : at);
      if (!v) return std::nullopt;
      args[k].bits[0] = static_cast<std::uint64_t>(*v);
    }
    return static_cast<std::int64_t>(apply(i.code, i.type, args.data()).bits[0]);
  }

  const graph& g_;
  const shape_t& domain_;
};

index_expr index_of(const node& view) {
  index_expr e;
  e.offset = view.map.offset;
  e.strides = view.map.strides;
  return e;
}

/// Makes the view read a zero everywhere.
void read_zero(graph& g, node& view) {
  node zero;
  zero.kind = node_kind::scalar;
  zero.type = view.type;
  zero.baked = true;
  zero.origin = view.origin;
  view.inputs[0] = g.add(std::move(zero));
  view.map.offset = 0;
  view.map.strides.assign(view.shape.size(), 0);
}

/// The condition of a choice or a pad at what a view reads of it, if it is the same everywhere
/// there.
std::optional<bool> chosen_of(const graph& g, const node& base, const node& view) {
  const bool pad = base.kind == node_kind::pad;
  if (!pad && !is_map_of(base, op::where)) return std::nullopt;
  const node_id condition = base.inputs[pad ? 1 : 0];
  if (!asks_for_places(g, condition)) return std::nullopt;
  const auto known = follower(g, view.shape).value(condition, index_of(view));
  return known ? std::optional(*known != 0) : std::nullopt;
}

/// A gather whose range is not checked.
bool plain_gather(const node& n) {
  return n.kind == node_kind::gather && n.inputs.size() == 2;
}

/// The most maps to follow from a slice of them: a recorded chain is 64 long.
constexpr int most_maps = 256;

/// The most slices of one map that become maps of slices. An element picked after stages of sums
/// and differences depends on two of the stage before, on four of the one before that: fourteen
/// stages took 5 s to plan, sixteen 26. Of a state of 14 axes of 2, which such stages transform one
/// by one, 2^14 slices were examined in vain: as many per node are enough.
constexpr int most_slices = 64, most_looks = 256;

}  // namespace

bool slices_of_maps::reach_a_piece(const graph& g, const node& view) {
  const node& base = g[view.inputs[0]];
  const bool computed = base.kind == node_kind::map || plain_gather(base);
  if (!computed || size_of(view.shape) == 0) return false;
  if (made(view)) return true;
  int& count = asked_[view.inputs[0]];
  const bool half = count < most_slices && 2 * size_of(view.shape) <= size_of(base.shape);
  if (!half || !below(g, view, 0)) return false;
  ++count;
  return true;
}

slices_of_maps::place slices_of_maps::place_of(const node& view) {
  place at{view.inputs[0], view.map.offset.peek(), {}, {}};
  for (const extent& s : view.map.strides) std::get<2>(at).push_back(s.peek());
  for (const extent& e : view.shape) std::get<3>(at).push_back(e.peek());
  return at;
}

std::optional<node_id> slices_of_maps::made(const node& view) const {
  const auto it = made_.find(place_of(view));
  return it == made_.end() ? std::nullopt : std::optional(it->second);
}

bool slices_of_maps::below(const graph& g, const node& view, int depth) {
  const node& base = g[view.inputs[0]];
  const bool computed = base.kind == node_kind::map || base.kind == node_kind::view ||
                        base.kind == node_kind::pad || plain_gather(base);
  if (!computed || base.shape.empty() || depth > most_maps) return false;
  place at = place_of(view);
  if (const auto it = known_.find(at); it != known_.end()) return it->second;
  if (++looks_[view.inputs[0]] > most_looks) return false;
  const bool found = chosen_of(g, base, view).has_value() || any_input(g, view, base, depth);
  known_.emplace(std::move(at), found);
  return found;
}

bool slices_of_maps::any_input(const graph& g, const node& view, const node& base, int depth) {
  node next = view;
  if (base.kind == node_kind::view) {
    const auto below_it = compose(index_of(view), view.shape, g, base);
    if (!below_it || !below_it->affine()) return false;
    next.map.offset = below_it->offset;
    next.map.strides = below_it->strides;
    next.map.strides.resize(view.shape.size(), 0);
  } else if (base.kind == node_kind::pad) {
    return false;
  } else if (base.kind == node_kind::gather) {
    next.inputs[0] = base.inputs[1];
    return below(g, next, depth + 1);
  }
  return std::ranges::any_of(base.inputs, [&](node_id i) {
    next.inputs[0] = i;
    return below(g, next, depth + 1);
  });
}

bool slice_gather(const graph& g, const node& view, node& gather) {
  const auto at = compose(index_of(view), view.shape, g, gather);
  if (!at || !at->affine()) return false;
  gather.map.offset = at->offset;
  gather.map.strides = at->strides;
  gather.map.strides.resize(view.shape.size(), 0);
  gather.shape = view.shape;
  return g[gather.inputs[1]].shape.size() > 0;
}

bool shows_a_piece(const graph& g, const node& view) {
  return size_of(view.shape) != 0 && chosen_of(g, g[view.inputs[0]], view).has_value();
}

bool is_choice_by_place(const graph& g, const node& n) {
  return is_map_of(n, op::where) && asks_for_places(g, n.inputs[0]);
}

std::int64_t joined_pieces(const graph& g, node_id x) {
  std::int64_t count = 1;
  for (; is_choice_by_place(g, g[x]); x = g[x].inputs[2]) ++count;
  return count;
}

bool slice_of_join(graph& g, node& view) {
  if (size_of(view.shape) == 0) return false;
  bool any = false;
  for (;;) {
    const node base = g[view.inputs[0]];
    const bool choice = is_map_of(base, op::where), pad = base.kind == node_kind::pad;
    const auto known = chosen_of(g, base, view);
    if (!known) return any;
    const index_expr at = index_of(view);
    if (pad && !*known) {
      if (is_complex(view.type)) return any;  // what a kernel holds is real
      read_zero(g, view);
      return true;
    }
    if (choice) {
      any = true;
      view.inputs[0] = base.inputs[*known ? 1 : 2];
      if (g[view.inputs[0]].shape.empty()) {
        view.map.offset = 0;
        view.map.strides.assign(view.shape.size(), 0);
      }
      continue;
    }
    const auto inside = compose(at, view.shape, g, base);
    if (!inside || !inside->affine()) return any;
    any = true;
    view.map.offset = inside->offset;
    view.map.strides = inside->strides;
    view.map.strides.resize(view.shape.size(), 0);
    view.inputs[0] = base.inputs[0];
  }
}

}  // namespace sinter::ir
