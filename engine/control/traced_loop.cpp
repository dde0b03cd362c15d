#include "engine/control/traced_loop.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/control/nested_loops.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

namespace {

/// Instructions a body may have: what a kernel holds, its neighbours left out.
constexpr std::size_t most_instructions = 256;

using id_map = std::unordered_map<const node*, ir::node_id>;

/// Writes the region as a graph of its own, then its nodes as one program.
class loop_recorder {
 public:
  loop_recorder(const traced_loop& t, std::string& why, location where)
      : t_(t), why_(why), where_(where) {
    for (const any_array& x : t.carries) region_.stand_in(x);
    for (const any_array& x : t.slices) region_.stand_in(x);
    if (t.round.valid()) region_.stand_in(t.round);
  }

  std::optional<std::vector<any_array>> run() {
    region_.add(t_.condition);
    for (const any_array& x : t_.next) region_.add(x);
    for (const any_array& x : t_.emitted) region_.add(x);
    if (!one_shape() || !build()) return std::nullopt;
    body_ = the_session().bodies.simplified(std::move(g_));
    if (!check()) return std::nullopt;
    return outputs();
  }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  // ---- shapes

  bool one_shape() {
    const auto see = [&](shape_view s) {
      if (shape_.empty()) shape_.assign(s.begin(), s.end());
      return s.empty() || std::ranges::equal(s, shape_);
    };
    bool same = true;
    for (const any_array& x : t_.carries) same = see(x.shape()) && same;
    for (const any_array& x : t_.slices) same = see(x.shape()) && same;
    for (const any_array& x : t_.emitted) same = see(x.shape()) && same;
    if (!same) return refuse("it carries arrays of several shapes");
    for (const any_array& x : t_.emitted) {
      if (!fits(x)) return refuse("it emits an array of another shape");
    }
    const bool each = !t_.condition.shape().empty();
    for (const any_array& x : t_.carries) {
      if (each && !fits(x)) return refuse("its condition has another shape than what it carries");
    }
    return fits(t_.condition) || t_.condition.shape().empty() ||
           refuse("its condition has another shape than what it carries");
  }
  bool fits(const any_array& x) const { return std::ranges::equal(x.shape(), shape_); }

  // ---- the graph

  bool build() {
    for (const any_array& x : t_.carries) source(x);
    if (t_.round.valid()) source(t_.round);
    for (const any_array& x : t_.slices) source(x);
    for (const any_array& x : region_.nodes()) {
      if (!fits(x) && !x.shape().empty()) return refuse("a value in it has another shape");
      const node& n = *x.get();
      if (n.kind == ir::node_kind::map) {
        map(x, n);
      } else if (n.kind == ir::node_kind::view && region_.inputs(x)[0].shape().empty()) {
        spread(x);
      } else {
        return refuse("it has a " + std::string(name(n.kind)));
      }
    }
    g_.outputs.push_back(id(t_.condition));
    for (const any_array& x : t_.next) g_.outputs.push_back(id(x));
    for (const any_array& x : t_.emitted) g_.outputs.push_back(id(x));
    return true;
  }

  ir::node_id source(const any_array& x) {
    ir::node s;
    s.type = x.dtype();
    s.shape = ir::shape_t(x.shape().begin(), x.shape().end());
    sources_.push_back(x);
    return ids_[x.get()] = g_.add(std::move(s));
  }

  ir::node_id id(const any_array& x) {
    const auto it = ids_.find(x.get());
    return it != ids_.end() ? it->second : source(x);
  }

  ir::node_id scalar(const scalar_word& w, dtype t) {
    ir::node s;
    s.kind = ir::node_kind::scalar;
    s.type = t;
    s.value[0] = w.bits[0];
    s.value[1] = w.bits[1];
    scalars_.push_back(make_scalar(w, t, where_));
    return g_.add(std::move(s));
  }

  /// A scalar that a handle is of, once.
  ir::node_id number(const any_array& x) {
    if (const auto it = ids_.find(x.get()); it != ids_.end()) return it->second;
    return ids_[x.get()] = scalar(x.get()->scalars[0], x.dtype());
  }

  void map(const any_array& x, const node& n) {
    ir::node m;
    m.kind = ir::node_kind::map;
    m.type = n.type;
    m.shape = ir::shape_t(n.shape.begin(), n.shape.end());
    for (const any_array& in : region_.inputs(x)) {
      const bool known = in.get()->kind == ir::node_kind::scalar && !region_.depends(in) &&
                         in.get()->scalars.size() == 1;
      m.inputs.push_back(known ? number(in) : id(in));
    }
    for (std::size_t i = 0; i < n.scalars.size(); ++i) {
      m.inputs.push_back(scalar(n.scalars[i], n.program.inputs[n.inputs.size() + i]));
    }
    m.program.inputs.assign(n.program.inputs.begin(), n.program.inputs.end());
    m.program.code.assign(n.program.code.begin(), n.program.code.end());
    ids_[x.get()] = g_.add(std::move(m));
  }

  void spread(const any_array& x) {
    ir::node v;
    v.kind = ir::node_kind::view;
    v.type = x.dtype();
    v.shape = ir::shape_t(x.shape().begin(), x.shape().end());
    v.inputs = {id(region_.inputs(x)[0])};
    v.map.strides.assign(v.shape.size(), 0);
    ids_[x.get()] = g_.add(std::move(v));
  }

  bool check() {
    std::size_t maps = 0;
    for (const ir::node& n : body_->nodes) maps += n.kind == ir::node_kind::map;
    return maps <= most_instructions || refuse("it has " + std::to_string(maps) + " operations");
  }

  // ---- the program

  ir::node_id next_of(std::size_t carry) const { return body_->outputs[1 + carry]; }
  ir::node_id emitted_of(std::size_t k) const { return body_->outputs[1 + t_.next.size() + k]; }
  /// Where the stand-in of a carry, of the round or of a slice is among the sources.
  std::size_t round_source() const { return t_.carries.size(); }
  std::size_t slice_source(std::size_t k) const {
    return t_.carries.size() + (t_.round.valid() ? 1 : 0) + k;
  }

  /// What the outputs asked for need: nodes, and the carries among them.
  void need(std::vector<ir::node_id> todo) {
    needed_.assign(body_->nodes.size(), 0);
    number_sources();
    while (!todo.empty()) {
      const ir::node_id n = todo.back();
      todo.pop_back();
      if (std::exchange(needed_[static_cast<std::size_t>(n)], 1)) continue;
      for (ir::node_id in : (*body_)[n].inputs) todo.push_back(in);
      const auto it = std::ranges::find(source_ids_, n);
      const auto k = static_cast<std::size_t>(it - source_ids_.begin());
      if (it != source_ids_.end() && k < t_.carries.size()) todo.push_back(next_of(k));
    }
  }

  void number_sources() {
    source_ids_.clear();
    scalar_ids_.clear();
    for (std::size_t i = 0; i < body_->nodes.size(); ++i) {
      const auto n = static_cast<ir::node_id>(i);
      if ((*body_)[n].kind == ir::node_kind::source) source_ids_.push_back(n);
      if ((*body_)[n].kind == ir::node_kind::scalar) scalar_ids_.push_back(n);
    }
  }
  bool needed(ir::node_id n) const { return needed_[static_cast<std::size_t>(n)] != 0; }

  /// A loop over `shape` with the outputs asked for: of carries, and of all that is emitted.
  std::vector<any_array> record(shape_view shape, const std::vector<std::size_t>& carries,
                                bool emits) {
    std::vector<ir::node_id> roots{body_->outputs[0]};
    for (std::size_t k : carries) roots.push_back(next_of(k));
    for (std::size_t k = 0; emits && k < t_.emitted.size(); ++k) roots.push_back(emitted_of(k));
    for (std::size_t k : carries) roots.push_back(source_ids(k));
    need(std::move(roots));
    draft d;
    d.place.assign(t_.carries.size(), -1);
    take_inputs(d, shape);
    code(d.program, d.value);
    d.loop.condition = d.value.at(body_->outputs[0]);
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      if (d.place[k] >= 0) d.loop.results.push_back(d.value.at(next_of(k)));
    }
    std::vector<loop_output> wanted;
    for (std::size_t k : carries) {
      wanted.push_back({d.place[k], {t_.carries[k].dtype(), {shape.begin(), shape.end()}}});
    }
    for (std::size_t k = 0; emits && k < t_.emitted.size(); ++k) {
      std::vector<std::int64_t> all{t_.rounds};
      all.insert(all.end(), shape.begin(), shape.end());
      wanted.push_back({static_cast<int>(d.loop.results.size()), {t_.emitted[k].dtype(), all}});
      d.loop.results.push_back(d.value.at(emitted_of(k)));
    }
    return make_loop(std::move(d.program), std::move(d.loop), std::move(d.inputs), shape, wanted,
                     where_);
  }

  /// The node of a loop while it is put together.
  struct draft {
    ir::program program;
    ir::loop loop;
    std::vector<any_array> inputs;
    std::unordered_map<ir::node_id, int> value;  // of the program, by node of the body
    std::vector<int> place;                      // of each carry among those that are needed, or -1

    void input(ir::node_id n, dtype t) {
      if (n >= 0) value[n] = static_cast<int>(program.inputs.size());
      program.inputs.push_back(t);
    }
  };

  /// What is needed of carries, the round, other arrays, scalars and slices: in the order that
  /// ir::loop has them in.
  void take_inputs(draft& d, shape_view shape) {
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      if (!needed(source_ids_[k])) continue;
      d.place[k] = d.loop.carries++;
      d.input(source_ids_[k], t_.carries[k].dtype());
      d.inputs.push_back(t_.first[k]);
    }
    d.input(t_.round.valid() ? source_ids_[round_source()] : -1, dtype::int64);
    for (std::size_t k = slice_source(t_.slices.size()); k < sources_.size(); ++k) {
      if (!needed(source_ids_[k])) continue;
      d.input(source_ids_[k], sources_[k].dtype());
      d.inputs.push_back(sources_[k]);
    }
    for (std::size_t k = 0; k < scalar_ids_.size(); ++k) {
      if (!needed(scalar_ids_[k])) continue;
      d.input(scalar_ids_[k], scalars_[k].dtype());
      d.inputs.push_back(scalars_[k]);
    }
    for (std::size_t k = 0; k < t_.slices.size(); ++k) {
      if (!needed(source_ids_[slice_source(k)])) continue;
      d.input(source_ids_[slice_source(k)], t_.slices[k].dtype());
      slice(t_.sliced[k], shape, d.inputs, d.loop);
    }
  }
  ir::node_id source_ids(std::size_t k) {
    number_sources();
    return source_ids_[k];
  }

  /// An array that is read a slice a round: in place where it is a view of what is in memory; what
  /// is not is stored the way it is read.
  void slice(const any_array& x, shape_view shape, std::vector<any_array>& inputs, ir::loop& l) {
    auto [base, map] = base_of(x);
    const bool stored = base.get()->depth.load(std::memory_order_acquire) == 0 ||
                        base.get()->kind == ir::node_kind::result;
    if (!stored) {
      base = x;
      map = {0, dense_strides(x.shape())};
    }
    l.along.push_back(map.strides[0]);
    l.by.push_back(l.carries);
    map.strides.erase(map.strides.begin());
    if (map.strides.empty()) map.strides.assign(shape.size(), 0);
    l.maps.push_back(index_map_of(map));
    inputs.push_back(std::move(base));
  }

  void code(ir::program& p, std::unordered_map<ir::node_id, int>& value) {
    for (std::size_t i = 0; i < body_->nodes.size(); ++i) {
      const auto id = static_cast<ir::node_id>(i);
      const ir::node& n = (*body_)[id];
      if (!needed(id) || value.count(id)) continue;
      if (n.kind == ir::node_kind::view) {
        value[id] = value.at(n.inputs[0]);
        continue;
      }
      ir::instruction x = n.program.code[0];
      for (std::size_t k = 0; k < n.inputs.size(); ++k) {
        x.args[k] = static_cast<std::int16_t>(value.at(n.inputs[k]));
      }
      value[id] = static_cast<int>(p.inputs.size() + p.code.size());
      p.code.push_back(x);
    }
  }

  /// Carries of rank 0 beside arrays follow from such alone: they have a loop of their own.
  std::vector<any_array> outputs() {
    std::vector<std::size_t> whole, single;
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      (fits(t_.carries[k]) ? whole : single).push_back(k);
    }
    std::vector<any_array> all(t_.carries.size()), made;
    if (!whole.empty() || !t_.emitted.empty()) made = record(shape_, whole, true);
    for (std::size_t i = 0; i < whole.size(); ++i) all[whole[i]] = made[i];
    if (!single.empty()) {
      const std::vector<any_array> alone = record({}, single, false);
      for (std::size_t i = 0; i < single.size(); ++i) all[single[i]] = alone[i];
    }
    for (std::size_t k = whole.size(); k < made.size(); ++k) all.push_back(made[k]);
    return all;
  }

  const traced_loop& t_;
  std::string& why_;
  const location where_;
  region region_;
  std::vector<std::int64_t> shape_;
  ir::graph g_;                            // as it is written
  std::shared_ptr<const ir::graph> body_;  // and simplified
  id_map ids_;
  std::vector<any_array> sources_, scalars_;  // in the order of the graph's nodes
  std::vector<ir::node_id> source_ids_, scalar_ids_;
  std::vector<char> needed_;
};

}  // namespace

namespace {

/// The carries of rank 0 beside arrays, alone: they follow from such.
traced_loop without_arrays(const traced_loop& t) {
  traced_loop alone;
  alone.round = t.round;
  alone.condition = t.condition;
  for (std::size_t k = 0; k < t.carries.size(); ++k) {
    if (!t.carries[k].shape().empty()) continue;
    alone.carries.push_back(t.carries[k]);
    alone.first.push_back(t.first[k]);
    alone.next.push_back(t.next[k]);
  }
  return alone;
}

}  // namespace

bool is_of_sweeps(const traced_loop& t, std::int64_t points) {
  constexpr std::size_t most_nodes = 100;
  const bool planes = std::ranges::any_of(t.carries, [&](const any_array& x) {
    return x.size() >= points && x.ndim() <= 2;
  });
  if (!planes) return false;
  region r;
  for (const any_array& x : t.carries) r.stand_in(x);
  for (const any_array& x : t.next) r.add(x);
  bool updates = false;
  for (const any_array& x : r.nodes()) {
    const ir::node_kind k = x.get()->kind;
    updates = updates || k == ir::node_kind::update;
    if (k != ir::node_kind::map && k != ir::node_kind::view && k != ir::node_kind::update) {
      return false;
    }
  }
  return updates && r.nodes().size() <= most_nodes;
}

std::optional<std::vector<any_array>> in_one_kernel(const traced_loop& t, std::string& why,
                                                    location where) {
  why.clear();
  const auto flat = flattened(t, why, where);
  if (!flat && !why.empty()) return std::nullopt;
  if (!flat) return loop_recorder(t, why, where).run();
  auto all = loop_recorder(*flat, why, where).run();
  if (!all) return std::nullopt;
  all->resize(t.carries.size());
  const traced_loop alone = without_arrays(t);
  if (alone.carries.empty() || alone.carries.size() == t.carries.size()) return all;
  if (!t.condition.shape().empty()) {
    why = "its condition has another shape than what it carries";
    return std::nullopt;
  }
  const auto single = in_one_kernel(alone, why, where);
  if (!single) return std::nullopt;
  for (std::size_t k = 0, next = 0; k < all->size(); ++k) {
    if (t.carries[k].shape().empty()) (*all)[k] = (*single)[next++];
  }
  return all;
}

}  // namespace sinter::detail
