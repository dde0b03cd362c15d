#include "engine/control/nested_loops.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/control/control_host.hpp"
#include "engine/control/inner_round.hpp"
#include "engine/control/loop_tables.hpp"
#include "engine/nodes/recording.hpp"
#include "engine/nodes/term.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {
namespace {

using ir::op;

/// An inner loop, as part of one round of the flat loop.
struct inner_loop {
  any_array goes;               // does the inner loop run another round?
  std::vector<any_array> next;  // the new value of each carry
};

class flattener {
 public:
  flattener(const traced_loop& t, std::string& why, location where)
      : t_(t), why_(why), where_(where) {
    for (const any_array& x : t.carries) region_.stand_in(x);
    if (t.round.valid()) region_.stand_in(t.round);
    region_.add(t.condition);
    for (const any_array& x : region_.nodes()) in_condition_ |= is_loop(x);
    for (const any_array& x : t.next) region_.add(x);
    for (const any_array& x : region_.nodes()) {
      if (is_loop(x)) loops_.push_back(x);
    }
  }

  std::optional<traced_loop> run() {
    if (loops_.empty()) return std::nullopt;
    if (!fits()) return std::nullopt;
    begin();
    for (const any_array& x : region_.nodes()) {
      if (!again(x)) return std::nullopt;
    }
    end();
    return std::move(flat_);
  }

 private:
  static bool is_loop(const any_array& x) { return x.get()->kind == ir::node_kind::loop; }

  /// Has x the shape that every value of the flat loop has, or rank 0, which becomes it?
  bool is_value(const any_array& x) const {
    return x.extents().empty() || std::ranges::equal(x.extents(), shape_);
  }

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool fits() {
    if (in_condition_) return refuse("there is a loop in its condition");
    if (!t_.sliced.empty() || !t_.emitted.empty()) return refuse("it is a scan with a loop in it");
    for (const any_array& x : t_.carries) {
      if (!x.extents().empty()) shape_.assign(x.extents().begin(), x.extents().end());
    }
    if (loops_.size() == 1 && loops_[0].get()->details->loop.tables > 0) return fits_tables();
    writes_tables();
    for (const any_array& x : t_.carries) {
      if (!tables_.contains(x.get()) && !is_value(x)) return refuse("it carries several shapes");
    }
    for (const any_array& x : loops_) {
      const bool same = x.extents().empty() || std::ranges::equal(x.extents(), shape_);
      if (!same) return refuse("a loop in it has another shape");
      const ir::loop& l = x.get()->details->loop;
      if (l.tables > 0) return refuse("one of several loops in it writes to a table");
      const bool emits = l.results.size() > static_cast<std::size_t>(l.carries);
      if (emits || (!l.maps.empty() && !shape_.empty())) return refuse("there is a scan in it");
    }
    return true;
  }

  /// Collects the outer loop's own tables. They are written after the inner loops have ended, so
  /// that what these read does not change.
  void writes_tables() {
    const loop_tables own(t_, region_);
    for (std::size_t k : own.carries()) {
      tables_.insert(t_.carries[k].get());
      tables_.insert(t_.next[k].get());
    }
    if (!own.carries().empty()) shape_.clear();
  }

  /// Accepts one inner loop whose tables are carried on unchanged: nothing else reads or writes
  /// them.
  bool fits_tables() {
    shape_.clear();
    const any_array& x = loops_[0];
    const ir::loop& l = x.get()->details->loop;
    const auto& in = region_.inputs(x);
    const bool scans = l.results.size() > static_cast<std::size_t>(l.carries);
    if (scans) return refuse("there is a scan in it");
    if (stands_alone(*x.get(), in)) return refuse("the loop in it is a kernel by itself");
    const std::size_t first = in.size() - static_cast<std::size_t>(l.tables);
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      if (t_.carries[k].extents().empty()) continue;
      const node* const next = t_.next[k].get();
      const bool result = next->kind == ir::node_kind::result && next->inputs[0].get() == x.get();
      const std::uint64_t output = result ? next->details->output : 0;
      const bool table = result && output >= l.results.size() &&
                         in[first + (output - l.results.size())].get() == t_.carries[k].get();
      if (!table) return refuse("it writes to what a loop in it writes to");
      tables_.insert(t_.carries[k].get());
      tables_.insert(next);
    }
    if (tables_.size() != 2 * static_cast<std::size_t>(l.tables)) {
      return refuse("a loop in it writes to what begins anew");
    }
    for (const any_array& n : region_.nodes()) {
      if (tables_.contains(n.get()) || n.get() == x.get()) continue;
      if (!n.extents().empty()) return refuse("a value in it has another shape");
      for (const any_array& i : region_.inputs(n)) {
        if (tables_.contains(i.get())) return refuse("it reads what a loop in it writes to");
      }
    }
    return true;
  }

  any_array integer(std::int64_t v, dtype t) {
    any_array& x = integers_[{v, t}];
    if (!x.valid()) x = make_scalar({{static_cast<std::uint64_t>(v), 0}}, t, where_);
    return x;
  }
  any_array apply(op code, const any_array& a, const any_array& b) const {
    return make_op(code, {a, b}, where_);
  }
  any_array either(const any_array& pred, const any_array& yes, const any_array& no) const {
    return yes.get() == no.get() ? yes : chosen(pred, yes, no, where_);
  }

  /// Adds a carry; its next value is set in end().
  any_array carry(dtype type, any_array first) { return carry(type, shape_, std::move(first)); }
  any_array carry(dtype type, const extents& shape, any_array first) {
    flat_.carries.push_back(make_placeholder(type, shape, where_));
    flat_.first.push_back(std::move(first));
    return flat_.carries.back();
  }

  void begin() {
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      const any_array& x = t_.carries[k];
      const extents shape = tables_.contains(x.get()) ? extents_of(x) : shape_;
      now_[x.get()] = carry(x.dtype(), shape, t_.first[k]);
    }
    if (t_.round.valid()) {
      round_ = now_[t_.round.get()] = carry(dtype::int64, integer(0, dtype::int64));
    }
    inner_round_ = carry(dtype::int64, integer(0, dtype::int64));
    if (loops_.size() > 1) stage_ = carry(dtype::int32, integer(0, dtype::int32));
    first_ = apply(op::equal, inner_round_, integer(0, dtype::int64));
  }

  any_array now(const any_array& x) const {
    const auto it = now_.find(x.get());
    return it == now_.end() ? x : it->second;
  }

  /// Records the node again, over its inputs' values in the flat loop.
  bool again(const any_array& x) {
    const node& n = *x.get();
    const auto& in = region_.inputs(x);
    const bool computed = n.kind == ir::node_kind::map || n.kind == ir::node_kind::view ||
                          n.kind == ir::node_kind::gather;
    if (computed && !is_value(x)) return refuse("a value in it has another shape");
    switch (n.kind) {
      case ir::node_kind::map: {
        std::vector<any_array> inputs;
        for (const any_array& i : in) inputs.push_back(now(i));
        now_[&n] = make_map_like(n, inputs, where_);
        return true;
      }
      case ir::node_kind::view:
        if (n.shape.empty() && is_table(in[0])) {
          now_[&n] = make_view(now(in[0]), n.shape, n.map, where_);
          return true;
        }
        if (!in[0].extents().empty()) return refuse("it has a view");
        now_[&n] = make_broadcast(now(in[0]), n.shape, "loop", where_);
        return true;
      case ir::node_kind::gather: return pick(n, in);
      case ir::node_kind::update:
      case ir::node_kind::scatter: return write(x);
      case ir::node_kind::loop: return enter(x);
      case ir::node_kind::result:
        if (!is_loop(in[0])) return refuse("it has a result");
        now_[&n] = outputs_.at(in[0].get())[n.details->output];
        return true;
      default: return refuse("it has a " + std::string(name(n.kind)));
    }
  }

  /// An element at an index. The range check is made by loop_checks, which carries the faults.
  bool pick(const node& n, const std::vector<any_array>& in) {
    if (region_.depends(in[0]) && !is_table(in[0])) {
      return refuse("it picks from what it carries");
    }
    const any_array index = now(in[1]);
    if (!index.extents().empty() && !std::ranges::equal(index.extents(), shape_)) {
      return refuse("it picks elements of another shape");
    }
    element_map map = n.map;
    map.strides.resize(index.extents().size(), 0);
    now_[&n] = make_gather(now(in[0]), index, {}, std::move(map), where_);
    return true;
  }

  /// Is x a table of the outer loop, or a version of one after writes?
  bool is_table(const any_array& x) const {
    const node* n = x.get();
    while (n->kind == ir::node_kind::update || n->kind == ir::node_kind::scatter) {
      n = n->inputs[0].get();
    }
    return tables_.contains(n);
  }

  /// Writes only in the rounds in which the last inner loop ends.
  bool write(const any_array& x) {
    const auto w = loop_tables::write_of(x, region_, 0);
    if (!is_table(x) || !w) return refuse("it writes to parts of what it carries");
    if (inner_.size() < loops_.size()) return refuse("it writes before a loop in it");
    if (!leaves_.valid()) decide();
    const any_array at = w->index.valid() ? now(w->index) : integer(0, dtype::int64);
    const any_array where =
        w->where.valid() ? apply(op::logical_and, leaves_, now(w->where)) : leaves_;
    now_[x.get()] = make_scatter(now(region_.inputs(x)[0]), {at, now(w->value), where, {}},
                                 {w->offset, {}}, w->code, where_);
    return true;
  }

  /// Value `v` of a loop's program.
  any_array value_of(const node& n, int v, const std::vector<any_array>& inputs) const {
    const std::size_t given = n.program.inputs.size();
    if (static_cast<std::size_t>(v) < given) return inputs[static_cast<std::size_t>(v)];
    ir::program p = n.details->program;
    p.code.resize(static_cast<std::size_t>(v) - given + 1);
    return make_program(std::move(p), inputs, where_);
  }

  bool enter(const any_array& x) {
    const node& n = *x.get();
    const ir::loop& l = n.details->loop;
    const auto& in = region_.inputs(x);
    const auto carries = static_cast<std::size_t>(l.carries);
    const std::size_t whole = in.size() - ir::sliced_inputs(l) - static_cast<std::size_t>(l.tables);
    std::vector<any_array> kept, inputs;
    for (std::size_t k = 0; k < whole; ++k) {
      if (k == carries) inputs.push_back(inner_round_);
      if (k >= carries) {
        inputs.push_back(now(in[k]));
        continue;
      }
      kept.push_back(carry(in[k].dtype(), make_scalar({}, in[k].dtype(), where_)));
      inputs.push_back(either(first_, now(in[k]), kept.back()));
    }
    if (whole == carries) inputs.push_back(inner_round_);
    if (l.tables > 0 || !l.maps.empty()) {
      return enter_tables(x, std::move(inputs), std::move(kept));
    }
    inner_loop i{value_of(n, l.condition, inputs), {}};
    for (std::size_t k = 0; k < carries; ++k) {
      const any_array step = value_of(n, l.results[k], inputs);
      i.next.push_back(either(i.goes, step, inputs[k]));
    }
    // A loop that has ended keeps its results in its carries; the outer body follows the last one
    // in the same round.
    const bool last = inner_.size() + 1 == loops_.size();
    inputs.resize(carries);
    outputs_[&n] = last ? inputs : kept;
    kept_.push_back(std::move(kept));
    inner_.push_back(std::move(i));
    return true;
  }

  bool enter_tables(const any_array& x, std::vector<any_array> inputs,
                    std::vector<any_array> kept) {
    const node& n = *x.get();
    const ir::loop& l = n.details->loop;
    const auto& in = region_.inputs(x);
    const auto tables = in.end() - l.tables;
    std::vector<any_array> before, sliced;
    for (auto s = tables - static_cast<std::ptrdiff_t>(ir::sliced_inputs(l)); s != tables; ++s) {
      if (region_.depends(*s) && !tables_.contains(s->get())) {
        return refuse("a loop in it picks from what is computed");
      }
      sliced.push_back(now(*s));
    }
    for (auto t = tables; t != in.end(); ++t) before.push_back(now(*t));
    inner_round round(n, inputs, sliced, before, where_);
    const std::vector<any_array> after = round.write();
    inner_loop i{round.goes(), {}};
    for (std::size_t k = 0; k < kept.size(); ++k) {
      i.next.push_back(either(i.goes, round.value(l.results[k]), inputs[k]));
    }
    inputs.resize(kept.size());
    const bool last = inner_.size() + 1 == loops_.size();
    auto& outputs = outputs_[&n] = last ? std::move(inputs) : kept;
    outputs.insert(outputs.end(), after.begin(), after.end());
    kept_.push_back(std::move(kept));
    inner_.push_back(std::move(i));
    return true;
  }

  any_array at_stage(std::size_t j) {
    return apply(op::equal, stage_, integer(static_cast<std::int64_t>(j), dtype::int32));
  }

  /// Sets whether an inner loop continues and whether the outer body completes in this round.
  void decide() {
    any_array& goes = goes_ = inner_[0].goes;
    if (stage_.valid()) {
      goes = apply(op::logical_and, at_stage(0), goes);
      for (std::size_t j = 1; j < inner_.size(); ++j) {
        goes = apply(op::logical_or, goes, apply(op::logical_and, at_stage(j), inner_[j].goes));
      }
    }
    any_array& leaves = leaves_ = make_op(op::logical_not, {goes}, where_);
    if (stage_.valid()) leaves = apply(op::logical_and, leaves, at_stage(inner_.size() - 1));
  }

  void end() {
    if (!leaves_.valid()) decide();
    const any_array &goes = goes_, &leaves = leaves_;
    for (std::size_t k = 0; k < t_.carries.size(); ++k) {
      const bool table = tables_.contains(t_.next[k].get());
      const any_array next = now(t_.next[k]);
      flat_.next.push_back(table ? next : either(leaves, next, flat_.carries[k]));
    }
    const any_array one = integer(1, dtype::int64), zero = integer(0, dtype::int64);
    if (round_.valid()) {
      flat_.next.push_back(either(leaves, apply(op::add, round_, one), round_));
    }
    flat_.next.push_back(either(goes, apply(op::add, inner_round_, one), zero));
    if (stage_.valid()) {
      const any_array next = apply(op::add, stage_, integer(1, dtype::int32));
      flat_.next.push_back(
          either(goes, stage_, either(leaves, integer(0, dtype::int32), next)));
    }
    for (std::size_t j = 0; j < inner_.size(); ++j) {
      for (std::size_t k = 0; k < kept_[j].size(); ++k) {
        const any_array& next = inner_[j].next[k];
        flat_.next.push_back(stage_.valid() ? either(at_stage(j), next, kept_[j][k]) : next);
      }
    }
    // Between two rounds of the outer loop its own condition decides.
    any_array within = make_op(op::logical_not, {first_}, where_);
    if (stage_.valid()) {
      within = apply(op::logical_or, within, apply(op::greater, stage_, integer(0, dtype::int32)));
    }
    flat_.condition = apply(op::logical_or, within, now(t_.condition));
  }

  const traced_loop& t_;
  std::string& why_;
  const location where_;
  region region_;
  bool in_condition_ = false;
  std::vector<any_array> loops_;
  std::unordered_set<const node*> tables_;  // carries and results that are tables
  std::vector<std::int64_t> shape_;
  traced_loop flat_;
  any_array round_, inner_round_, stage_, first_, goes_, leaves_;
  std::unordered_map<const node*, any_array> now_;
  std::map<std::pair<std::int64_t, dtype>, any_array> integers_;
  std::unordered_map<const node*, std::vector<any_array>> outputs_;  // by inner loop
  std::vector<inner_loop> inner_;
  std::vector<std::vector<any_array>> kept_;  // the inner loops' carries
};

}  // namespace

std::optional<traced_loop> flattened(const traced_loop& loop, std::string& why, location where) {
  const tracing_scope on(tracing_on());
  return flattener(loop, why, where).run();
}

}  // namespace sinter::detail
