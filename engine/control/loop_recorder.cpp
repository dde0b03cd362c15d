#include "engine/control/loop_recorder.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/control/round_graph.hpp"
#include "engine/evaluation/session.hpp"
#include "ir/loop_tables.hpp"

namespace sinter::detail {

namespace {

/// The most instructions of a body. Above a kernel's own limit (op_limit) the loop becomes a kernel
/// of its own.
constexpr std::size_t most_instructions = 512;

/// Records a round as a graph, then the graph's nodes as one program.
class loop_recorder {
 public:
  loop_recorder(const traced_loop& t, std::string& why, location where)
      : t_(t), why_(why), where_(where), round_(t, where) {}

  std::optional<std::vector<any_array>> run() {
    auto g = round_.build(why_);
    if (!g) return std::nullopt;
    body_ = the_session().bodies.simplified(std::move(*g));
    number_sources();
    if (!check()) return std::nullopt;
    try {
      return outputs();
    } catch (const overtaken&) {
      why_ = "it reads what it has written over";
      return std::nullopt;
    }
  }

 private:
  using leaf = round_graph::leaf;
  /// Thrown when a round needs a version of a table that has already been overwritten.
  struct overtaken {};

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool fits(const any_array& x) const { return std::ranges::equal(x.extents(), round_.shape()); }

  bool check() {
    std::size_t maps = 0;
    for (const ir::node& n : body_->nodes) maps += n.kind == ir::node_kind::map;
    if (maps > most_instructions) return refuse("it has " + std::to_string(maps) + " operations");
    if (condition_picks()) return refuse("its condition picks elements");
    return true;
  }

  // ---- the program

  const leaf& leaf_of(std::size_t source) const { return round_.leaves()[source]; }
  ir::node_id next_of(std::size_t carry) const { return body_->outputs[1 + carry]; }
  ir::node_id emitted_of(std::size_t k) const { return body_->outputs[1 + t_.next.size() + k]; }

  /// The source that a node of the body stands for, or nullopt.
  std::optional<std::size_t> source_of(ir::node_id n) const {
    const auto it = std::ranges::find(source_ids_, n);
    if (it == source_ids_.end()) return std::nullopt;
    return static_cast<std::size_t>(it - source_ids_.begin());
  }

  /// Marks the nodes that the requested outputs need, and the carries and indices among them.
  void need(std::vector<ir::node_id> todo) {
    needed_.assign(body_->nodes.size(), 0);
    while (!todo.empty()) {
      const ir::node_id n = todo.back();
      todo.pop_back();
      if (std::exchange(needed_[static_cast<std::size_t>(n)], 1)) continue;
      for (ir::node_id in : (*body_)[n].inputs) todo.push_back(in);
      const auto k = source_of(n);
      if (!k) continue;
      if (leaf_of(*k).is == leaf::kind::carry) todo.push_back(next_of(leaf_of(*k).which));
      const bool picked =
          leaf_of(*k).is == leaf::kind::picked || leaf_of(*k).is == leaf::kind::read;
      if (picked) todo.push_back(body_->outputs[leaf_of(*k).which]);
    }
  }
  bool needed(ir::node_id n) const { return needed_[static_cast<std::size_t>(n)] != 0; }

  /// Does the condition depend on gathered elements?
  bool condition_picks() const {
    std::vector<char> reads(body_->nodes.size());
    reads[static_cast<std::size_t>(body_->outputs[0])] = 1;
    for (std::size_t n = reads.size(); n-- > 0;) {
      if (!reads[n]) continue;
      for (ir::node_id in : body_->nodes[n].inputs) reads[static_cast<std::size_t>(in)] = 1;
    }
    for (std::size_t k = 0; k < source_ids_.size(); ++k) {
      const leaf::kind is = leaf_of(k).is;
      const bool memory =
          is == leaf::kind::picked || is == leaf::kind::slice || is == leaf::kind::read;
      if (memory && reads[static_cast<std::size_t>(source_ids_[k])]) return true;
    }
    return false;
  }

  ir::node_id source_of_carry(std::size_t k) const {
    std::size_t s = 0;
    while (leaf_of(s).is != leaf::kind::carry || leaf_of(s).which != k) ++s;
    return source_ids_[s];
  }

  void number_sources() {
    for (std::size_t i = 0; i < body_->nodes.size(); ++i) {
      const auto n = static_cast<ir::node_id>(i);
      if ((*body_)[n].kind == ir::node_kind::source) source_ids_.push_back(n);
      if ((*body_)[n].kind == ir::node_kind::scalar) scalar_ids_.push_back(n);
    }
  }

  /// Records a loop over `shape` with the requested outputs: those of the carries, of all emitted
  /// values, then of all tables.
  std::vector<any_array> record(shape_view shape, const std::vector<std::size_t>& carries,
                                bool emits) {
    std::vector<ir::node_id> roots{body_->outputs[0]};
    for (std::size_t k : carries) roots.push_back(next_of(k));
    for (std::size_t k = 0; emits && k < t_.emitted.size(); ++k) roots.push_back(emitted_of(k));
    for (std::size_t k : carries) roots.push_back(source_of_carry(k));
    for (const round_graph::put& p : round_.puts()) {
      roots.push_back(body_->outputs[p.index]);
      roots.push_back(body_->outputs[p.value]);
    }
    need(std::move(roots));
    draft d;
    d.place.assign(t_.carries.size(), -1);
    take_inputs(d, shape);
    code(d);
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
    take_tables(d, wanted);
    return make_loop(std::move(d.program), std::move(d.loop), std::move(d.inputs), shape, wanted,
                     where_);
  }

  /// The node of a loop under construction.
  struct draft {
    ir::program program;
    ir::loop loop;
    std::vector<any_array> inputs;
    std::unordered_map<ir::node_id, int> value;  // index in the program, by node of the body
    std::vector<int> place;                      // index of each carry among the needed ones, or -1
    std::vector<char> written;                   // by node of the body

    void input(ir::node_id n, dtype t) {
      if (n >= 0) value[n] = static_cast<int>(program.inputs.size());
      program.inputs.push_back(t);
    }
  };

  /// Calls f with each needed source of the given kinds.
  template <class F> void each(std::initializer_list<leaf::kind> kinds, F f) const {
    for (std::size_t k = 0; k < source_ids_.size(); ++k) {
      const bool wanted = std::ranges::count(kinds, leaf_of(k).is) > 0;
      if (wanted && needed(source_ids_[k])) f(source_ids_[k], leaf_of(k));
    }
  }

  /// The needed carries, the round, other arrays, scalars, slices and gathered elements, in the
  /// order that ir::loop defines.
  void take_inputs(draft& d, shape_view shape) {
    each({leaf::kind::carry}, [&](ir::node_id n, const leaf& l) {
      d.place[l.which] = d.loop.carries++;
      d.input(n, (*body_)[n].type);
      d.inputs.push_back(t_.first[l.which]);
    });
    const auto round = source_of_round();
    d.input(round ? source_ids_[*round] : -1, dtype::int64);
    each({leaf::kind::outside}, [&](ir::node_id n, const leaf& l) {
      d.input(n, (*body_)[n].type);
      d.inputs.push_back(l.array);
    });
    for (std::size_t k = 0; k < scalar_ids_.size(); ++k) {
      if (!needed(scalar_ids_[k])) continue;
      d.input(scalar_ids_[k], round_.scalars()[k].dtype());
      d.inputs.push_back(round_.scalars()[k]);
    }
    const auto place = [&](ir::node_id n, const leaf& l) {
      element_map map = l.map;
      map.strides.resize(shape.size(), 0);
      d.loop.maps.push_back(index_map_of(map));
      d.loop.along.push_back(l.is == leaf::kind::slice ? l.along : 1);
      d.input(n, (*body_)[n].type);
    };
    each({leaf::kind::slice, leaf::kind::picked}, [&](ir::node_id n, const leaf& l) {
      place(n, l);
      d.inputs.push_back(l.array);
    });
    each({leaf::kind::read}, [&](ir::node_id n, const leaf& l) {
      place(n, l);
      d.loop.reads.push_back({static_cast<int>(l.of.table), 0});
    });
  }

  /// Orders the accesses to all tables: writes in the order of recording, each read after the write
  /// that produced the version it sees and before the next write.
  void take_tables(draft& d, std::vector<loop_output>& wanted) {
    std::vector<std::vector<int>> at(round_.tables().carries().size());  // per table
    for (const round_graph::put& p : round_.puts()) {
      at[p.table].push_back(static_cast<int>(d.loop.writes.size()));
      d.loop.writes.push_back({static_cast<int>(p.table), p.offset,
                               d.value.at(body_->outputs[p.index]),
                               d.value.at(body_->outputs[p.value])});
    }
    std::vector<int> last;  // the write that each read must precede
    each({leaf::kind::read}, [&](ir::node_id, const leaf& l) {
      const std::vector<int>& of = at[l.of.table];
      const std::size_t k = last.size(), before = l.of.writes;
      d.loop.reads[k].after = before == 0 ? 0 : of[before - 1] + 1;
      last.push_back(before < of.size() ? of[before] : static_cast<int>(d.loop.writes.size()));
    });
    ir::node n;
    n.program = d.program;
    n.loop = d.loop;
    const std::vector<int> before = ir::writes_before(n);
    const std::size_t reads = d.program.inputs.size() - d.loop.reads.size();
    for (std::size_t k = 0; k < last.size(); ++k) {
      d.loop.reads[k].after = before[reads + k];
      if (before[reads + k] > last[k]) throw overtaken();
    }
    for (std::size_t k = 0; k < d.loop.writes.size(); ++k) {
      const ir::table_write& w = d.loop.writes[k];
      const int known = std::max(before[static_cast<std::size_t>(w.by)],
                                 before[static_cast<std::size_t>(w.value)]);
      if (known > static_cast<int>(k)) throw overtaken();
    }
    for (std::size_t k : round_.tables().carries()) {
      const any_array& x = t_.carries[k];
      wanted.push_back({static_cast<int>(d.loop.results.size()) + d.loop.tables++,
                        {x.dtype(), {x.extents().begin(), x.extents().end()}}});
      d.inputs.push_back(t_.first[k]);
    }
  }
  std::optional<std::size_t> source_of_round() const {
    for (std::size_t k = 0; k < source_ids_.size(); ++k) {
      if (leaf_of(k).is == leaf::kind::round) return k;
    }
    return std::nullopt;
  }

  void code(draft& d) {
    d.written.assign(body_->nodes.size(), 0);
    for (std::size_t i = 0; i < body_->nodes.size(); ++i) {
      if (needed(static_cast<ir::node_id>(i))) write(d, static_cast<ir::node_id>(i));
    }
    each({leaf::kind::slice, leaf::kind::picked}, [&](ir::node_id, const leaf& l) {
      const bool slice = l.is == leaf::kind::slice;
      d.loop.by.push_back(slice ? d.loop.carries : d.value.at(body_->outputs[l.which]));
    });
    each({leaf::kind::read}, [&](ir::node_id, const leaf& l) {
      d.loop.by.push_back(d.value.at(body_->outputs[l.which]));
    });
  }

  /// Emits a node after its inputs; a gathered element needs its index.
  void write(draft& d, ir::node_id id) {
    if (std::exchange(d.written[static_cast<std::size_t>(id)], 1)) return;
    const ir::node& n = (*body_)[id];
    for (ir::node_id in : n.inputs) write(d, in);
    if (n.kind == ir::node_kind::source) {
      const leaf& l = leaf_of(*source_of(id));
      const bool picked = l.is == leaf::kind::picked || l.is == leaf::kind::read;
      if (picked) write(d, body_->outputs[l.which]);
    }
    if (d.value.count(id)) return;
    if (n.kind == ir::node_kind::view) {
      d.value[id] = d.value.at(n.inputs[0]);
      return;
    }
    ir::instruction x = n.program.code[0];
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      x.args[k] = static_cast<std::int16_t>(d.value.at(n.inputs[k]));
    }
    d.value[id] = static_cast<int>(d.program.inputs.size() + d.program.code.size());
    d.program.code.push_back(x);
  }

  /// Carries of rank 0 next to arrays depend only on each other: they get a loop of their own.
  std::vector<any_array> outputs() {
    std::vector<std::size_t> whole, single;
    const std::vector<std::size_t>& tables = round_.tables().carries();
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      if (std::ranges::count(tables, k) > 0) continue;
      (fits(t_.carries[k]) ? whole : single).push_back(k);
    }
    std::vector<any_array> all(t_.carries.size()), made;
    const bool any = !whole.empty() || !t_.emitted.empty() || !tables.empty();
    if (any) made = record(round_.shape(), whole, true);
    for (std::size_t i = 0; i < whole.size(); ++i) all[whole[i]] = made[i];
    for (std::size_t i = 0; i < tables.size(); ++i) {
      all[tables[i]] = made[made.size() - tables.size() + i];
    }
    made.resize(made.size() - tables.size());
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
  round_graph round_;
  std::shared_ptr<const ir::graph> body_;  // simplified
  std::vector<ir::node_id> source_ids_, scalar_ids_;
  std::vector<char> needed_;
};

}  // namespace

std::optional<std::vector<any_array>> recorded_loop(const traced_loop& t, std::string& why,
                                                    location where) {
  return loop_recorder(t, why, where).run();
}

}  // namespace sinter::detail
