#include "ir/passes/simplify.hpp"

#include <optional>
#include <unordered_map>

#include "ir/index_expr.hpp"
#include "ir/passes/maps_of_joins.hpp"
#include "ir/passes/slice_of_join.hpp"

namespace sinter::ir {

namespace {

op code_of(const node& n) {
  return n.program.code[0].code;
}
bool is_op(const graph& g, node_id i, op code) {
  return g[i].kind == node_kind::map && code_of(g[i]) == code;
}

/// Is every value of `from` a value of `to`?
bool exact(dtype from, dtype to) {
  if (from == to || is_bool(from)) return true;
  if (is_integer(from) && is_integer(to)) {
    const bool wider = size_of(to) > size_of(from);
    return is_signed(from) == is_signed(to) ? wider : wider && is_signed(to);
  }
  if (is_integer(from) && is_real(to)) {
    const std::size_t whole_bytes = to == dtype::float64 ? 6 : to == dtype::float32 ? 3 : 1;
    return size_of(from) <= whole_bytes;
  }
  if (is_real(from) && is_real(to)) return !is_half(to) && size_of(to) >= size_of(from);
  return false;
}

/// May the operands be exchanged?
bool symmetric(const node& n) { return info(code_of(n)).traits & commutative; }

using rule = std::optional<node_id> (*)(graph&, const node&);

// Each rule takes a node (not yet added) and returns the node that it equals.

// op(op(x)) -> x                                                   negative, logical_not, conj
std::optional<node_id> involution(graph& g, const node& n) {
  const op c = code_of(n);
  if (c != op::negative && c != op::logical_not && c != op::conj && c != op::bitwise_invert) {
    return {};
  }
  if (!is_op(g, n.inputs[0], c)) return {};
  return g[n.inputs[0]].inputs[0];
}

// op(x, x) -> x                                                    idempotent ops
std::optional<node_id> idempotence(graph&, const node& n) {
  if (!(info(code_of(n)).traits & idempotent) || n.inputs[0] != n.inputs[1]) return {};
  return n.inputs[0];
}

// abs(abs(x)) -> abs(x), and the same for floor, ceil, trunc, round
std::optional<node_id> projection(graph& g, const node& n) {
  const op c = code_of(n);
  const bool projects =
      c == op::abs || c == op::floor || c == op::ceil || c == op::trunc || c == op::round;
  if (!projects || is_complex(n.program.inputs[0]) || !is_op(g, n.inputs[0], c)) return {};
  return n.inputs[0];
}

// where(c, x, x) -> x
std::optional<node_id> same_branches(graph& g, const node& n) {
  if (code_of(n) != op::where || n.inputs[1] != n.inputs[2]) return {};
  return g[n.inputs[1]].shape == n.shape ? std::optional(n.inputs[1]) : std::nullopt;
}

// positive(x) -> x
std::optional<node_id> positive(graph&, const node& n) {
  return code_of(n) == op::positive ? std::optional(n.inputs[0]) : std::nullopt;
}

// T(x) -> x for x of type T;  T(U(x)) -> x for x of type T where every T is a U
std::optional<node_id> casts(graph& g, const node& n) {
  if (code_of(n) != op::cast) return {};
  const node_id x = n.inputs[0];
  if (g[x].type == n.type) return x;
  if (!is_op(g, x, op::cast)) return {};
  const node_id y = g[x].inputs[0];
  if (g[y].type == n.type && exact(n.type, g[x].type)) return y;
  return {};
}

constexpr rule rules[] = {involution, idempotence, projection, same_branches, positive, casts};

// view(view(x)) -> view(x) where the maps compose; a view that changes nothing -> x
std::optional<node_id> views(graph& g, node& n) {
  for (;;) {
    const node& base = g[n.inputs[0]];
    if (base.shape == n.shape && n.map.offset == 0 && n.map.strides == dense_strides(n.shape)) {
      return n.inputs[0];
    }
    if (base.kind != node_kind::view) return {};
    index_expr e;
    e.offset = n.map.offset;
    e.strides = n.map.strides;
    const auto c = compose(e, n.shape, base.shape, base.map);
    if (!c || !c->affine()) return {};
    n.map.offset = c->offset;
    n.map.strides = c->strides;
    n.map.strides.resize(n.shape.size());
    n.inputs[0] = base.inputs[0];
  }
}

/// An axis of extent e that steps by `stride` through a row-major index over `shape`, split into
/// axes none of which crosses one of these; outermost first. Empty: there are none such.
std::vector<std::pair<extent, extent>> parts_of(extent e, extent stride, const shape_t& shape) {
  const std::vector<extent> dense = dense_strides(shape);
  std::vector<std::pair<extent, extent>> parts;
  for (std::size_t j = shape.size(); j-- > 0 && e > 1;) {
    if (shape[j] == 1 || dense[j] != stride) continue;
    const extent here = e <= shape[j] ? e : shape[j];
    if (e % here != 0) return {};
    parts.insert(parts.begin(), {here, stride});
    e /= here;
    stride *= here;
  }
  return e > 1 ? decltype(parts)() : parts;
}

/// The same view with axes split so that it composes with the one below it; n becomes its reshape.
/// What is broadcast along one axis and then along another is then one broadcast.
std::optional<node> split_view(const graph& g, node& n) {
  const node& base = g[n.inputs[0]];
  if (base.kind != node_kind::view || n.map.offset != 0) return {};
  const std::vector<extent> in_order = dense_strides(n.shape);
  if (n.map.strides == extent_list(in_order)) return {};  // a reshape already
  node split = n;
  split.shape.clear();
  split.map.strides.clear();
  for (std::size_t d = 0; d < n.shape.size(); ++d) {
    std::vector<std::pair<extent, extent>> parts{{n.shape[d], n.map.strides[d]}};
    if (n.shape[d] > 1 && n.map.strides[d] != 0) {
      parts = parts_of(n.shape[d], n.map.strides[d], base.shape);
      if (parts.empty()) return {};
    }
    for (const auto& [e, stride] : parts) {
      split.shape.push_back(e);
      split.map.strides.push_back(stride);
    }
  }
  if (split.shape.size() == n.shape.size()) return {};
  index_expr e;
  e.strides = split.map.strides;
  const auto c = compose(e, split.shape, base.shape, base.map);
  if (!c || !c->affine()) return {};
  n.map.strides = in_order;
  return split;
}

std::uint64_t hash_of(const node& n) {
  std::uint64_t h = hash_step(
      hash_seed, static_cast<std::uint64_t>(n.kind) << 8 | static_cast<std::uint64_t>(n.type));
  for (extent e : n.shape) h = hash_step(h, static_cast<std::uint64_t>(e.peek()));
  for (node_id i : n.inputs) h = hash_step(h, static_cast<std::uint64_t>(i));
  for (const instruction& i : n.program.code) h = hash_step(h, static_cast<std::uint64_t>(i.code));
  h = hash_step(h, static_cast<std::uint64_t>(n.map.offset.peek()));
  for (extent s : n.map.strides) h = hash_step(h, static_cast<std::uint64_t>(s.peek()));
  h = hash_step(h, static_cast<std::uint64_t>(n.map.along));
  h = hash_step(h, static_cast<std::uint64_t>(n.reduction.code));
  for (int r : n.loop.results) h = hash_step(h, static_cast<std::uint64_t>(r));
  for (extent a : n.attributes) h = hash_step(h, static_cast<std::uint64_t>(a.peek()));
  return hash_step(h, n.value[0]);
}

bool equal(const node& a, const node& b) {
  return a.kind == b.kind && a.type == b.type && a.shape == b.shape && a.inputs == b.inputs &&
         a.program == b.program && a.map == b.map && a.reduction == b.reduction &&
         a.baked == b.baked && a.value[0] == b.value[0] && a.value[1] == b.value[1] &&
         a.routine == b.routine && a.attributes == b.attributes && a.loop == b.loop;
}

/// Values of these are bound from outside, by their order: they are neither merged nor removed.
bool bound(const node& n) {
  return n.kind == node_kind::source || (n.kind == node_kind::scalar && !n.baked) ||
         n.kind == node_kind::random;
}

class simplifier {
 public:
  explicit simplifier(const graph& g) : in_(g) { out_.origins = g.origins; }

  graph run() {
    std::vector<node_id> id;
    for (const node& n : in_.nodes) {
      node copy = n;
      for (node_id& i : copy.inputs) i = id[static_cast<std::size_t>(i)];
      id.push_back(place(std::move(copy)));
    }
    for (node_id o : in_.outputs) out_.outputs.push_back(id[static_cast<std::size_t>(o)]);
    return without_dead(std::move(out_));
  }

 private:
  node_id place(node n) {
    if (n.kind == node_kind::map) {
      if (symmetric(n) && n.inputs[0] > n.inputs[1]) {
        std::swap(n.inputs[0], n.inputs[1]);
      }
      for (rule r : rules) {
        if (const auto same = r(out_, n); same && out_[*same].shape == n.shape) return *same;
      }
      const auto add = [this](node x) { return place(std::move(x)); };
      if (const auto joined = map_of_join(out_, n, add)) return *joined;
    }
    if (n.kind == node_kind::scan &&
        n.shape[static_cast<std::size_t>(n.reduction.axes[0])] < 2) {
      return n.inputs[0];
    }
    if (n.kind == node_kind::view) {
      if (const auto same = views(out_, n)) return *same;
      if (slice_of_join(out_, n)) return place(std::move(n));
      if (slices_.reach_a_piece(out_, n)) {
        if (const auto made = of_slices(n)) return *made;
      }
      if (auto split = split_view(out_, n)) n.inputs[0] = place(std::move(*split));
    }
    if (bound(n)) return out_.add(std::move(n));
    auto& bucket = seen_[hash_of(n)];
    for (node_id i : bucket) {
      if (equal(out_[i], n)) return i;
    }
    bucket.push_back(out_.add(std::move(n)));
    return bucket.back();
  }

  // view(f(x, y)) -> f(view(x), view(y)); view(x[i]) -> x[view(i)]
  std::optional<node_id> of_slices(const node& view) {
    if (const auto made = slices_.made(view)) return made;
    node map = out_[view.inputs[0]];
    const bool gathers = map.kind == node_kind::gather;
    if (gathers && !slice_gather(out_, view, map)) return std::nullopt;
    for (std::size_t k = gathers ? 1 : 0; k < map.inputs.size(); ++k) {
      node_id& i = map.inputs[k];
      if (out_[i].shape.empty()) continue;
      node slice = view;
      slice.type = out_[i].type;
      slice.inputs[0] = i;
      i = place(std::move(slice));
    }
    map.shape = view.shape;
    const node_id made = place(std::move(map));
    slices_.keep(view, made);
    return made;
  }

  const graph& in_;
  graph out_;
  slices_of_maps slices_;
  std::unordered_map<std::uint64_t, std::vector<node_id>> seen_;
};

}  // namespace

graph without_dead(graph from) {
  std::vector<bool> keep(from.nodes.size());
  for (node_id o : from.outputs) keep[static_cast<std::size_t>(o)] = true;
  for (std::size_t i = from.nodes.size(); i-- > 0;) {
    const node& n = from.nodes[i];
    if (bound(n)) keep[i] = true;
    if (!keep[i]) continue;
    for (node_id k : n.inputs) keep[static_cast<std::size_t>(k)] = true;
  }
  graph g;
  g.origins = std::move(from.origins);
  std::vector<node_id> id(from.nodes.size(), -1);
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    if (!keep[i]) continue;
    for (node_id& k : from.nodes[i].inputs) k = id[static_cast<std::size_t>(k)];
    id[i] = g.add(std::move(from.nodes[i]));
  }
  for (node_id o : from.outputs) g.outputs.push_back(id[static_cast<std::size_t>(o)]);
  return g;
}

graph simplify(const graph& g) {
  return simplifier(g).run();
}

}  // namespace sinter::ir
