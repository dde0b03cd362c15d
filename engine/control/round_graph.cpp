#include "engine/control/round_graph.hpp"

#include <algorithm>
#include <numeric>

#include "engine/indexing/gather.hpp"

namespace sinter::detail {

namespace {

/// The most nodes of a body before simplification.
constexpr std::size_t most_nodes = 4096;

/// A map whose strides follow the loop's axes, each along axis `by[i]` of the map.
element_map moved(const element_map& m, const round_graph::axes& by) {
  element_map out{m.offset, {}};
  for (const int a : by) out.strides.push_back(a < 0 ? 0 : m.strides[static_cast<std::size_t>(a)]);
  return out;
}

/// The axis of `from` along which each axis of a view moves, or -1; nullopt if the view does more
/// than broadcast, transpose or drop axes.
std::optional<round_graph::axes> axes_of(const element_map& m, shape_view view, shape_view from) {
  if (m.offset != 0 || m.along >= 0) return std::nullopt;
  const auto dense = dense_strides(from);
  round_graph::axes out;
  for (std::size_t d = 0; d < view.size(); ++d) {
    out.push_back(-1);
    if (view[d] == 1 || m.strides[d] == 0) continue;
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (from[a] == view[d] && dense[a] == m.strides[d]) out.back() = static_cast<int>(a);
    }
    if (out.back() < 0) return std::nullopt;
  }
  return out;
}

region whole_region(const traced_loop& t) {
  region r;
  for (const any_array& x : t.carries) r.stand_in(x);
  for (const any_array& x : t.slices) r.stand_in(x);
  if (t.round.valid()) r.stand_in(t.round);
  r.add(t.condition);
  for (const any_array& x : t.next) r.add(x);
  for (const any_array& x : t.emitted) r.add(x);
  return r;
}

}  // namespace

round_graph::round_graph(const traced_loop& t, location where)
    : t_(t), where_(where), region_(whole_region(t)), tables_(t, region_) {
  for (std::size_t k = 0; k < t.slices.size(); ++k) slices_[t.slices[k].get()] = k;
}

std::optional<ir::graph> round_graph::build(std::string& why) {
  try {
    find_shape();
    walk();
  } catch (const refusal& r) {
    why = r.why;
    return std::nullopt;
  }
  return std::move(g_);
}

bool round_graph::fits(const any_array& x) const { return std::ranges::equal(x.extents(), shape_); }

void round_graph::find_shape() {
  if (!tables_.carries().empty()) return;
  const auto see = [&](const any_array& x) {
    if (shape_.empty()) shape_.assign(x.extents().begin(), x.extents().end());
    if (!x.extents().empty() && !fits(x)) throw refusal{"it carries arrays of several shapes"};
  };
  for (const any_array& x : t_.carries) see(x);
  for (const any_array& x : t_.emitted) see(x);
  const bool each = !t_.condition.extents().empty();
  const auto alike = [&](const any_array& x) { return fits(x); };
  if (!std::ranges::all_of(t_.emitted, alike)) throw refusal{"it emits an array of another shape"};
  if (each && (!fits(t_.condition) || !std::ranges::all_of(t_.carries, alike))) {
    throw refusal{"its condition has another shape than what it carries"};
  }
}

void round_graph::walk() {
  if (region_.nodes().size() > most_nodes) {
    throw refusal{"it has " + std::to_string(region_.nodes().size()) + " operations"};
  }
  for (std::size_t k = 0; k < t_.carries.size(); ++k) {
    const any_array& x = t_.carries[k];
    if (tables_.version_of(x)) continue;
    ids_[{x.get(), x.extents().empty() ? axes() : whole()}] = source(x, {leaf::kind::carry, k});
  }
  if (t_.round.valid()) ids_[{t_.round.get(), {}}] = source(t_.round, {leaf::kind::round});
  g_.outputs.push_back(ask(t_.condition, whole()));
  for (const any_array& x : t_.next) {
    g_.outputs.push_back(tables_.version_of(x) ? g_.outputs[0] : ask(x, whole()));
  }
  for (const any_array& x : t_.emitted) g_.outputs.push_back(ask(x, whole()));
  for (const loop_tables::write& w : tables_.writes()) write(w);
  for (leaf& l : leaves_) {
    const bool picked = l.is == leaf::kind::picked || l.is == leaf::kind::read;
    if (picked) l.which += g_.outputs.size();
  }
  for (put& p : puts_) {
    p.index += g_.outputs.size();
    p.value += g_.outputs.size();
  }
  g_.outputs.insert(g_.outputs.end(), indices_.begin(), indices_.end());
}

/// The axes of a value of the loop's shape; an axis of extent 1 maps to none.
round_graph::axes round_graph::whole() const {
  axes by(shape_.size());
  std::iota(by.begin(), by.end(), 0);
  for (std::size_t d = 0; d < by.size(); ++d) {
    if (shape_[d] == 1) by[d] = -1;
  }
  return by;
}

ir::shape_t round_graph::shape_of(const any_array& x) const {
  if (x.extents().empty()) return {};
  return {shape_.begin(), shape_.end()};
}

ir::node_id round_graph::ask(const any_array& x, const axes& by) {
  const seen key{x.get(), x.extents().empty() ? axes() : by};
  if (const auto it = ids_.find(key); it != ids_.end()) return it->second;
  return ids_[key] = made(x, key.by);
}

ir::node_id round_graph::made(const any_array& x, const axes& by) {
  if (const auto it = slices_.find(x.get()); it != slices_.end()) return slice(x, it->second, by);
  if (!region_.depends(x)) return outside(x, by);
  const ir::node_kind kind = x.get()->kind;
  if (kind == ir::node_kind::gather || kind == ir::node_kind::view) {
    const auto& in = region_.inputs(x);
    const auto version = tables_.version_of(in[0]);
    const any_array index = kind == ir::node_kind::gather ? in[1] : any_array();
    if (version) return read(x, *version, index, x.get()->map.offset);
  }
  switch (x.get()->kind) {
    case ir::node_kind::source: throw refusal{"it reads what it carries at other places"};
    case ir::node_kind::map: return map(x, by);
    case ir::node_kind::view: return view(x, by);
    case ir::node_kind::gather: return pick(x, by);
    default: throw refusal{"it has a " + std::string(name(x.get()->kind))};
  }
}

ir::node_id round_graph::source(const any_array& x, leaf l) {
  ir::node s;
  s.type = x.dtype();
  s.shape = shape_of(x);
  leaves_.push_back(std::move(l));
  return g_.add(std::move(s));
}

ir::node_id round_graph::outside(const any_array& x, const axes& by) {
  const node& n = *x.get();
  if (n.kind == ir::node_kind::scalar && n.scalars.size() == 1) return scalar(n.scalars[0], n.type);
  const bool as_is = x.extents().empty() || (fits(x) && by == whole());
  const element_map map = moved({0, dense_strides(x.extents())}, by);
  return source(x, {leaf::kind::outside, 0, as_is ? x : make_view(x, shape_, map, where_)});
}

/// An array sliced by rounds: read in place if it is a view of memory, else stored in the order it
/// is read.
ir::node_id round_graph::slice(const any_array& x, std::size_t k, const axes& by) {
  const any_array& all = t_.sliced[k];
  auto [base, map] = base_of(all);
  const bool stored = base.get()->depth.load(std::memory_order_acquire) == 0 ||
                      base.get()->kind == ir::node_kind::result;
  if (!stored) {
    base = all;
    map = {0, dense_strides(all.extents())};
  }
  const std::int64_t along = map.strides[0];
  map.strides.erase(map.strides.begin());
  element_map where = moved(map, by);
  where.strides.resize(shape_.size(), 0);
  return source(x, {leaf::kind::slice, k, std::move(base), std::move(where), along});
}

ir::node_id round_graph::map(const any_array& x, const axes& by) {
  const node& n = *x.get();
  ir::node m;
  m.kind = ir::node_kind::map;
  m.type = n.type;
  m.shape = shape_of(x);
  for (const any_array& in : region_.inputs(x)) {
    if (!in.extents().empty() && !std::ranges::equal(in.extents(), x.extents())) {
      throw refusal{"a value in it has another shape"};
    }
    m.inputs.push_back(ask(in, by));
  }
  for (std::size_t i = 0; i < n.scalars.size(); ++i) {
    m.inputs.push_back(scalar(n.scalars[i], n.program.inputs[n.inputs.size() + i]));
  }
  m.program.inputs.assign(n.program.inputs.begin(), n.program.inputs.end());
  m.program.code.assign(n.program.code.begin(), n.program.code.end());
  return g_.add(std::move(m));
}

ir::node_id round_graph::view(const any_array& x, const axes& by) {
  const any_array& from = region_.inputs(x)[0];
  if (!from.extents().empty()) {
    const auto through = axes_of(x.get()->map, x.extents(), from.extents());
    if (!through || x.extents().empty()) throw refusal{"it has a view"};
    axes below;
    for (const int a : by) below.push_back(a < 0 ? -1 : (*through)[static_cast<std::size_t>(a)]);
    return ask(from, below);
  }
  const ir::node_id value = ask(from, {});
  if (x.extents().empty()) return value;
  ir::node v;
  v.kind = ir::node_kind::view;
  v.type = x.dtype();
  v.shape = shape_of(x);
  v.inputs = {value};
  v.map.strides.assign(v.shape.size(), 0);
  return g_.add(std::move(v));
}

/// An element of a loop-invariant array; a carry records whether the index is out of range
/// (loop_checks).
ir::node_id round_graph::pick(const any_array& x, const axes& by) {
  const auto& in = region_.inputs(x);
  if (region_.depends(in[0])) throw refusal{"it picks from what it carries"};
  const element_map& m = x.get()->map;
  indices_.push_back(ask(in[1], by));
  element_map where = moved(m, by);
  where.strides.resize(shape_.size(), 0);
  return source(x, {leaf::kind::picked, indices_.size() - 1, in[0], std::move(where)});
}

/// An element of a table, in the version after that many writes.
ir::node_id round_graph::read(const any_array& x, const loop_tables::version& v,
                              const any_array& index, std::int64_t offset) {
  if (!x.extents().empty()) throw refusal{"it reads several elements of what it writes to"};
  indices_.push_back(index.valid() ? ask(index, {}) : scalar({}, dtype::int64));
  leaf l{leaf::kind::read, indices_.size() - 1, {}, {offset, {}}};
  l.of = v;
  return source(x, std::move(l));
}

ir::node_id round_graph::computed(ir::op code, dtype type, std::vector<ir::node_id> inputs) {
  ir::node m;
  m.kind = ir::node_kind::map;
  m.type = ir::result_type(code, type);
  m.program.inputs.assign(inputs.size(), type);
  if (code == ir::op::where) m.program.inputs[0] = dtype::bool_;
  const auto third = static_cast<std::int16_t>(inputs.size() > 2 ? 2 : -1);
  m.program.code = {{code, type, m.type, {0, 1, third}}};
  m.inputs = std::move(inputs);
  return g_.add(std::move(m));
}

ir::node_id round_graph::converted(ir::node_id x, dtype from, dtype to) {
  ir::node m;
  m.kind = ir::node_kind::map;
  m.type = to;
  m.program.inputs = {from};
  m.program.code = {{ir::op::cast, from, to, {0, -1, -1}}};
  m.inputs = {x};
  return g_.add(std::move(m));
}

void round_graph::write(const loop_tables::write& w) {
  const ir::node_id index = w.index.valid() ? ask(w.index, {}) : scalar({}, dtype::int64);
  const dtype type = t_.carries[tables_.carries()[w.table]].dtype();
  ir::node_id value = ask(w.value, {});
  const bool looks = w.code != ir::op::cast || w.where.valid();
  ir::node_id old = -1;
  if (looks) {
    indices_.push_back(index);
    leaf l{leaf::kind::read, indices_.size() - 1, {}, {w.offset, {}}};
    l.of = *tables_.version_of(w.before);
    ir::node s;
    s.type = type;
    leaves_.push_back(std::move(l));
    old = g_.add(std::move(s));
  }
  const bool half = is_half(type) && looks;
  const dtype inside = half ? dtype::float32 : type;
  if (half) {
    value = converted(value, type, inside);
    old = converted(old, type, inside);
  }
  if (w.code != ir::op::cast) value = computed(w.code, inside, {old, value});
  if (w.where.valid()) value = computed(ir::op::where, inside, {ask(w.where, {}), value, old});
  if (half) value = converted(value, inside, type);
  puts_.push_back({w.table, w.offset, indices_.size(), indices_.size() + 1});
  indices_.push_back(index);
  indices_.push_back(value);
}

ir::node_id round_graph::scalar(const scalar_word& w, dtype t) {
  ir::node s;
  s.kind = ir::node_kind::scalar;
  s.type = t;
  s.value[0] = w.bits[0];
  s.value[1] = w.bits[1];
  scalars_.push_back(make_scalar(w, t, where_));
  return g_.add(std::move(s));
}

}  // namespace sinter::detail
