// The graph of a snapshot.
#include <algorithm>
#include <unordered_map>

#include "engine/evaluation/snapshot.hpp"
#include "engine/evaluation/stored_joins.hpp"
#include "engine/nodes/report.hpp"
#include "ir/graph_builder.hpp"
#include "ir/index_expr.hpp"

namespace sinter::detail {

namespace {

class graph_builder {
 public:
  graph_builder(const snapshot& s, ir::trace& t) : s_(s), trace_(t), joins_(s) {}

  ir::graph run() {
    for (const node* n : s_.pending) ids_[n] = add(*n);
    for (const node* o : s_.outputs) g_.outputs.push_back(ids_.at(o));
    return std::move(g_);
  }

 private:
  std::int32_t origin(const node& n) {
    if (n.where.line() == 0) return -1;
    std::string text = text_of(n.where);
    for (std::size_t i = 0; i < g_.origins.size(); ++i) {
      if (g_.origins[i] == text) return static_cast<std::int32_t>(i);
    }
    g_.origins.push_back(std::move(text));
    return static_cast<std::int32_t>(g_.origins.size()) - 1;
  }

  ir::node_id input(const any_array& x) {
    const node* n = x.get();
    const auto it = ids_.find(n);
    if (it != ids_.end()) return it->second;
    ir::node s;
    s.kind = ir::node_kind::source;
    s.type = n->type;
    s.shape = extents(n->shape);
    return ids_[n] = g_.add(std::move(s));
  }

  ir::node_id add(const node& n) {
    ir::node x;
    x.kind = n.kind;
    x.type = n.type;
    x.shape = extents(n.shape);
    x.origin = origin(n);
    for (const any_array& a : n.inputs) x.inputs.push_back(input(a));
    if (n.kind == ir::node_kind::map) return map(n, std::move(x));
    if (n.kind == ir::node_kind::scalar) return scalar(n.scalars[0], n.type);
    if (n.kind == ir::node_kind::loop) return loop(n, std::move(x));
    if (n.kind == ir::node_kind::join) return join(n, x);
    details(n, x);
    return g_.add(std::move(x));
  }

  /// The attributes of a node beyond its kind, shape and inputs.
  void details(const node& n, ir::node& x) {
    switch (n.kind) {
      case ir::node_kind::random:
        ++ordinal_;
        x.value[0] = n.scalars[0].bits[0];
        break;
      case ir::node_kind::scatter:
        x.reduction.code = n.details->reduction.code;
        x.reduction.summed = n.details->reduction.summed;
        [[fallthrough]];
      case ir::node_kind::gather:
        number_check(n, x);
        [[fallthrough]];
      case ir::node_kind::view:
      case ir::node_kind::pad:
      case ir::node_kind::update:
        x.map = map_of(n.map);
        break;
      case ir::node_kind::reduce:
      case ir::node_kind::scan:
        x.reduction = n.details->reduction;
        break;
      case ir::node_kind::call:
        x.routine = n.details->routine;
        x.attributes = n.details->attributes;
        break;
      case ir::node_kind::result:
        x.value[0] = n.details->output;
        break;
      case ir::node_kind::map:
      case ir::node_kind::scalar:
      case ir::node_kind::loop:
      case ir::node_kind::join:
      case ir::node_kind::source:
      case ir::node_kind::compress:
      case ir::node_kind::iota:
        break;
    }
  }

  /// Gives a gather or scatter whose indices are checked the number of its check.
  void number_check(const node& n, ir::node& x) {
    if (n.inputs.size() <= ir::inputs_before_range(n.kind)) return;
    x.value[0] = static_cast<std::uint64_t>(checks_++);
  }

  ir::extent number(std::int64_t v) {
    const number_place p = place_of(s_, v);
    return p.index < 0 ? ir::extent(v) : trace_.symbol(p.index, v);
  }
  ir::shape_t extents(std::span<const std::int64_t> list) {
    ir::shape_t out;
    for (const std::int64_t v : list) out.push_back(number(v));
    return out;
  }
  ir::index_map map_of(const element_map& m) {
    return {number(m.offset), extents(m.strides), m.along};
  }

  ir::node_id map(const node& n, ir::node x) {
    for (ir::node_id& i : x.inputs) i = spread(i, x);
    const std::size_t arrays = n.inputs.size();
    for (std::size_t i = 0; i < n.scalars.size(); ++i) {
      x.inputs.push_back(scalar(n.scalars[i], n.program.inputs[arrays + i]));
    }
    x.program.inputs.assign(n.program.inputs.begin(), n.program.inputs.end());
    x.program.code.assign(n.program.code.begin(), n.program.code.end());
    const equal_pieces* const pieces = joins_.of(n);
    return pieces ? taken_apart(*pieces, std::move(x)) : g_.add(std::move(x));
  }

  ir::node_id loop(const node& n, ir::node x) {
    const ir::loop& l = n.details->loop;
    x.loop = l;
    for (std::size_t k = 0; k < ir::whole_inputs(x); ++k) x.inputs[k] = spread(x.inputs[k], x);
    x.program = n.details->program;
    x.loop.maps.clear();
    x.loop.along.clear();
    for (ir::table_write& w : x.loop.writes) w.offset = number(w.offset.peek());
    for (std::size_t k = 0; k < l.maps.size(); ++k) {
      x.loop.maps.push_back(map_of(plain(l.maps[k])));
      x.loop.along.push_back(number(l.along[k].peek()));
    }
    return g_.add(std::move(x));
  }

  /// Halves in memory are selected by their bits: a select of numbers would be one of floats.
  ir::node_id join(const node& n, ir::node x) {
    const auto memory = [&](ir::node_id i) {
      const ir::node& in = g_[i];
      const ir::node_kind k =
          in.kind == ir::node_kind::view ? g_[in.inputs[0]].kind : in.kind;
      return k == ir::node_kind::source;
    };
    if (!is_half(n.type) || !std::ranges::all_of(x.inputs, memory)) return joined(n, x);
    ir::graph_builder b{std::move(g_), x.origin};
    for (ir::node_id& i : x.inputs) i = b.bitcast(i, dtype::int16);
    g_ = std::move(b.out);
    const ir::node_id bits = joined(n, x);
    b.out = std::move(g_);
    const ir::node_id result = b.bitcast(bits, n.type);
    g_ = std::move(b.out);
    return result;
  }

  /// One pad per piece, and selects between them.
  ir::node_id joined(const node& n, const ir::node& x) {
    const node_details& d = *n.details;
    std::vector<ir::node_id> ends;
    for (const joined_piece& p : std::span(d.pieces).first(d.pieces.size() - 1)) {
      const scalar_word end{{static_cast<std::uint64_t>(p.end), 0}};
      ends.push_back(borders_are_places(n) ? -1 : scalar(end, dtype::int64));
    }
    if (const equal_pieces* const pieces = joins_.of(n)) return side_by_side(n, x, *pieces);
    ir::graph_builder b{std::move(g_), x.origin};
    const ir::node_id line = b.count(x.shape[d.axis]);
    std::vector<ir::index_map> maps;
    for (std::size_t k = 0; k < d.pieces.size(); ++k) {
      maps.push_back(map_of(d.pieces[k].map));
      if (k == ends.size() || ends[k] >= 0) continue;
      ends[k] = b.view(line, {}, {}, number(d.pieces[k].end));
    }
    const ir::node_id at = coordinate(b, line, x.shape, d.axis);
    const ir::node_id result = chosen(b, x.inputs, maps, at, ends);
    g_ = std::move(b.out);
    return result;
  }

  static ir::node_id coordinate(ir::graph_builder& b, ir::node_id line, const ir::shape_t& shape,
                                std::size_t axis) {
    ir::extent_list along(shape.size(), 0);
    along[axis] = 1;
    return b.view(line, shape, std::move(along));
  }

  /// Selects the last piece that begins at or before an element.
  static ir::node_id chosen(ir::graph_builder& b, std::span<const ir::node_id> pieces,
                            std::span<const ir::index_map> maps, ir::node_id at,
                            std::span<const ir::node_id> ends) {
    ir::node_id result = -1, after = -1;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      ir::node_id inside = after, next = -1;
      if (k < ends.size()) {
        const ir::node_id before = b.apply(ir::op::less, {at, ends[k]});
        next = b.apply(ir::op::greater_equal, {at, ends[k]});
        inside = after < 0 ? before : b.apply(ir::op::logical_and, {after, before});
      }
      const ir::node_id piece = b.pad(pieces[k], inside, maps[k]);
      result = result < 0 ? piece : b.choose(after, piece, result);
      after = next;
    }
    return result;
  }

  // ---- joins with an axis of pieces

  /// The shape with the joined axis split into (pieces, elements per piece).
  ir::shape_t apart(ir::shape_t shape, const equal_pieces& p) {
    shape[p.axis] = number(p.length);
    const auto count = static_cast<std::int64_t>(p.count);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(p.axis), ir::extent(count));
    return shape;
  }

  /// The result in the shape that its readers expect.
  ir::node_id together(ir::graph_builder& b, ir::node_id whole, const ir::shape_t& shape) {
    const ir::node_id seen = b.view(whole, shape, ir::dense_strides(shape));
    apart_[seen] = whole;
    return seen;
  }

  ir::node_id side_by_side(const node& n, const ir::node& x, const equal_pieces& p) {
    const ir::shape_t shape = apart(x.shape, p);
    ir::graph_builder b{std::move(g_), x.origin};
    const ir::node_id line = b.count(shape[p.axis]);
    std::vector<ir::index_map> maps;
    std::vector<ir::node_id> ends;
    for (std::size_t k = 0; k < p.count; ++k) {
      ir::index_map m = map_of(n.details->pieces[k].map);
      const auto before = static_cast<std::int64_t>(k);
      m.offset = m.offset + before * shape[p.axis + 1] * m.strides[p.axis];
      m.strides.insert(m.strides.begin() + static_cast<std::ptrdiff_t>(p.axis), 0);
      m.along = -1;
      maps.push_back(std::move(m));
      if (k > 0) ends.push_back(b.view(line, {}, {}, before));
    }
    const ir::node_id at = coordinate(b, line, shape, p.axis);
    const ir::node_id seen = together(b, chosen(b, x.inputs, maps, at, ends), x.shape);
    g_ = std::move(b.out);
    return seen;
  }

  /// A map over such a join: the axis of the other inputs is split as well.
  ir::node_id taken_apart(const equal_pieces& p, ir::node x) {
    const ir::shape_t seen = std::exchange(x.shape, apart(x.shape, p));
    ir::graph_builder b{std::move(g_), x.origin};
    for (ir::node_id& i : x.inputs) {
      const auto whole = apart_.find(i);
      if (whole != apart_.end()) i = whole->second;
      else if (b.out[i].shape == seen) i = taken_apart(b, i, p, x.shape);
    }
    const ir::node_id whole = b.out.add(std::move(x));
    const ir::node_id result = together(b, whole, seen);
    g_ = std::move(b.out);
    return result;
  }

  /// Splits a view's base map, so that there are no views of views.
  static ir::node_id taken_apart(ir::graph_builder& b, ir::node_id i, const equal_pieces& p,
                                 const ir::shape_t& shape) {
    const ir::node& in = b.out[i];
    const bool views = in.kind == ir::node_kind::view;
    ir::extent_list strides(ir::dense_strides(in.shape));
    if (views) strides = in.map.strides;
    const ir::node_id of = views ? in.inputs[0] : i;
    const ir::extent offset = views ? in.map.offset : ir::extent(0);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(p.axis),
                   strides[p.axis] * shape[p.axis + 1]);
    return b.view(of, shape, std::move(strides), offset);
  }

  /// One node per scalar; equal scalars share their users.
  ir::node_id scalar(const scalar_word& w, dtype t) {
    ir::node s;
    s.kind = ir::node_kind::scalar;
    s.type = t;
    s.value[0] = w.bits[0];
    s.value[1] = w.bits[1];
    const ir::node_id id = g_.add(std::move(s));
    for (ir::node_id k : scalars_) {
      if (g_[k].type == t && g_[k].value[0] == w.bits[0] && g_[k].value[1] == w.bits[1]) {
        ++ordinal_;
        return k;
      }
    }
    if (ordinal_++ < compared_scalars) scalars_.push_back(id);
    return id;
  }

  /// Broadcasts an input to the shape of its reader.
  ir::node_id spread(ir::node_id i, const ir::node& reader) {
    const ir::shape_t& from = g_[i].shape;
    if (from == reader.shape || from.empty()) return i;
    ir::node v;
    v.kind = ir::node_kind::view;
    v.type = g_[i].type;
    v.shape = reader.shape;
    v.origin = reader.origin;
    v.inputs = {i};
    const auto strides = ir::dense_strides(from);
    const std::size_t extra = reader.shape.size() - from.size();
    for (std::size_t d = 0; d < reader.shape.size(); ++d) {
      v.map.strides.push_back(d < extra || from[d - extra] == 1 ? ir::extent(0)
                                                                : strides[d - extra]);
    }
    return g_.add(std::move(v));
  }

  const snapshot& s_;
  ir::trace& trace_;
  ir::graph g_;
  std::unordered_map<const node*, ir::node_id> ids_;
  stored_joins joins_;
  std::unordered_map<ir::node_id, ir::node_id> apart_;  // the split node, by its view
  std::vector<ir::node_id> scalars_;  // the first node of each value
  int ordinal_ = 0, checks_ = 0;
};

}  // namespace

ir::graph graph_of(const snapshot& s, ir::trace& t) {
  return graph_builder(s, t).run();
}

}  // namespace sinter::detail
