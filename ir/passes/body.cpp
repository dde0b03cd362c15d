// length: one builder, whose cases share what is written already
#include "ir/passes/body.hpp"

#include <algorithm>
#include <utility>

#include "ir/formula.hpp"
#include "ir/passes/loop_body.hpp"

namespace sinter::ir {

namespace {

/// A value that is written already.
struct known {
  index_expr at;
  std::int32_t guard;
  parts value;
};

/// A loop that is written already.
struct ran {
  index_expr at;
  std::int32_t guard;
  std::vector<parts> outputs;
};

class builder {
 public:
  builder(const graph& g, const fusion& f, std::int32_t id, body_part part)
      : g_(g), f_(f), id_(id), group_(f.groups[static_cast<std::size_t>(id)]), part_(part) {
    if (part == body_part::combine) {
      group_.domain = group_.kept_shape();
      group_.reduced.assign(group_.domain.size(), false);
      group_.domain.push_back(1);  // the splits: their number is the caller's
      group_.reduced.push_back(true);
    }
  }

  body run() {
    std::vector<node_id> roots = group_.roots;
    std::sort(roots.begin(), roots.end());
    if (part_ == body_part::partial) return partials(roots);
    for (node_id r : roots) {
      if (part_ == body_part::combine && inner(r)) continue;
      store(r);
    }
    if (part_ == body_part::whole) flags();
    return std::move(out_);
  }

 private:
  bool inner(node_id n) const {
    const group& whole = f_.groups[static_cast<std::size_t>(id_)];
    return g_[n].kind != node_kind::reduce && whole.domain == g_[n].shape && has_reduced(whole);
  }
  static bool has_reduced(const group& g) {
    return std::find(g.reduced.begin(), g.reduced.end(), true) != g.reduced.end();
  }

  body partials(const std::vector<node_id>& roots) {
    for (node_id r : roots) {
      if (inner(r)) {
        store(r);
      } else {
        visit_reductions(r);
      }
    }
    flags();
    return std::move(out_);
  }

  /// The reductions under an outer root, each stored as a partial result.
  void visit_reductions(node_id n) {
    if (seen_[n]++) return;
    const node& x = g_[n];
    if (x.kind == node_kind::reduce && mine(n)) {
      const parts v = value(x.inputs[0], input_index(n));
      for (int p = 0; p < 2; ++p) {
        const std::int32_t in = p ? v.second : v.first;
        if (in < 0) continue;
        const std::int32_t sum = reduce(x, in);
        push_store(sum,
                   operand_of({operand_role::output, real_of(x.type), n, p, group_.kept_index()}),
                   0, n);
      }
      note_reduction(n);
      return;
    }
    if (!mine(n)) return;
    for (node_id i : x.inputs) visit_reductions(i);
  }

  /// Is n computed in this kernel?
  bool mine(node_id n) const {
    const std::int32_t s = f_.stored[static_cast<std::size_t>(n)];
    return g_[n].kind != node_kind::source && (s == not_stored || s == id_);
  }

  // ---- values
  parts value(node_id n, const index_expr& at) {
    if (g_[n].kind == node_kind::reduce && mine(n) && !at.strides.empty()) return value(n, {});
    if (g_[n].kind == node_kind::scan && mine(n) && !(at == dense(group_.domain))) {
      return value(n, dense(group_.domain));
    }
    const std::int32_t guard = guardable(n) ? guard_ : -1;
    for (const known& k : memo_[n]) {
      if (k.at == at && k.guard == guard) return k.value;
    }
    const std::int32_t outside = std::exchange(guard_, guard);
    const parts v = make(n, at);
    guard_ = outside;
    memo_[n].push_back({at, guard, v});
    return v;
  }

  /// Does the value differ where it must not be read? What a whole row is reduced to does not, and
  /// a scan takes in every element.
  bool guardable(node_id n) const {
    const node_kind k = g_[n].kind;
    if (k == node_kind::scalar) return false;
    return !mine(n) || (k != node_kind::iota && k != node_kind::random &&
                        k != node_kind::reduce && k != node_kind::scan);
  }

  parts make(node_id n, const index_expr& at) {
    const node& x = g_[n];
    if (x.kind == node_kind::scalar) return scalar(n);
    if (!mine(n)) return load(n, at);
    switch (x.kind) {
      case node_kind::iota:
        return {index(at), -1};
      case node_kind::random:
        return {random(n, at), -1};
      case node_kind::view: {
        return value(x.inputs[0], through(n, at));
      }
      case node_kind::reduce:
        return reduction(n);
      case node_kind::scan:
        return scan(n, at);
      case node_kind::gather:
        return gather(n, at);
      case node_kind::pad:
        return pad(n, at);
      case node_kind::result:
        return came_to(n, at);
      default:
        return map(n, at);
    }
  }

  index_expr through(node_id n, const index_expr& at) const {
    return *compose(at, group_.domain, g_[n].shape, g_[n].map);
  }

  /// An input that is computed where its reader is.
  std::int32_t alongside(node_id n, std::size_t k, const index_expr& at) {
    const node_id i = g_[n].inputs[k];
    return value(i, g_[i].shape.empty() ? index_expr{} : at).first;
  }

  parts gather(node_id n, const index_expr& at) {
    out_.ops.push_back("gather");
    const std::int32_t index = alongside(n, 1, at);
    return load(g_[n].inputs[0], through(n, at), index);
  }

  /// Zeros around an array: what is inside is computed under a guard.
  parts pad(node_id n, const index_expr& at) {
    out_.ops.push_back("pad");
    std::int32_t inside = alongside(n, 1, at);
    if (guard_ >= 0) {
      const std::int32_t both[] = {guard_, inside};
      inside = emit(out_.code, op::logical_and, dtype::bool_, both);
    }
    const std::int32_t outside = std::exchange(guard_, inside);
    const parts v = value(g_[n].inputs[0], through(n, at));
    guard_ = outside;
    return {or_zero(inside, v.first), or_zero(inside, v.second)};
  }

  std::int32_t or_zero(std::int32_t condition, std::int32_t v) {
    if (v < 0) return v;
    const inst i = out_.code[static_cast<std::size_t>(v)];
    if (i.kind == inst_kind::gather && i.args[1] == condition) return v;
    const dtype chosen = is_half(i.result) ? dtype::uint16 : i.result;  // no op computes in halves
    inst zero;
    zero.kind = inst_kind::constant;
    zero.type = zero.result = chosen;
    const std::int32_t args[] = {condition, bitcast(v, chosen), push(zero)};
    return bitcast(emit(out_.code, op::where, chosen, args), i.result);
  }

  std::int32_t bitcast(std::int32_t v, dtype to) {
    inst i;
    i.kind = inst_kind::compute;
    i.code = op::bitcast;
    i.type = out_.code[static_cast<std::size_t>(v)].result;
    i.result = to;
    i.args[0] = v;
    return i.type == to ? v : push(i);
  }

  /// `index`: added to where the operand stands; -1: nothing is.
  parts load(node_id n, const index_expr& at, std::int32_t index = -1) {
    const dtype t = g_[n].type;
    inst i;
    const bool gathers = index >= 0 || guard_ >= 0;
    i.kind = gathers ? inst_kind::gather : inst_kind::load;
    i.which = operand_of({operand_role::input, t, n, -1, at, gathers});
    i.type = i.result = real_of(t);
    if (gathers) {
      i.args[0] = index;
      i.args[1] = guard_;
    }
    i.note = g_[n].origin;
    const std::int32_t re = push(i);
    if (!is_complex(t)) return {re, -1};
    i.part = 1;
    return {re, push(i)};
  }

  std::int32_t index(const index_expr& at) {
    if (!at.affine() && at.outer.offset != 0) {
      // What is unravelled has a start before that and none after it: another index carries it.
      index_expr unravelled = at, start;
      unravelled.outer.offset = 0;
      start.offset = at.outer.offset;
      const std::int32_t both[] = {index(unravelled), index(start)};
      return emit(out_.code, op::add, dtype::int64, both);
    }
    inst i;
    i.kind = inst_kind::index;
    i.type = i.result = dtype::int64;
    i.which = operand_of({operand_role::index, dtype::int64, -1, -1, at});
    return push(i);
  }

  parts scalar(node_id n) {
    const dtype t = real_of(g_[n].type);
    const std::int32_t re = parameter(n, 0, t);
    return {re, is_complex(g_[n].type) ? parameter(n, 1, t) : -1};
  }

  std::int32_t parameter(node_id n, int word, dtype t) {
    inst i;
    i.kind = inst_kind::scalar;
    i.which = static_cast<std::int32_t>(out_.scalars.size());
    i.type = i.result = t;
    out_.scalars.push_back(t);
    out_.scalar_nodes.push_back({n, word});
    return push(i);
  }

  std::int32_t random(node_id n, const index_expr& at) {
    inst i;
    i.kind = inst_kind::random;
    i.args[0] = index(at);
    i.args[1] = parameter(n, 0, dtype::uint64);
    i.type = i.result = g_[n].type;
    i.note = g_[n].origin;
    out_.ops.push_back("random");
    return push(i);
  }

  parts map(node_id n, const index_expr& at) {
    const node& x = g_[n];
    const instruction& op = x.program.code[0];
    std::int32_t args[6] = {-1, -1, -1, -1, -1, -1};
    for (std::size_t k = 0; k < x.inputs.size(); ++k) {
      const node_id in = x.inputs[k];
      const parts v = value(in, g_[in].shape.empty() ? index_expr{} : at);
      args[2 * k] = v.first;
      args[2 * k + 1] = v.second;
    }
    out_.ops.push_back(std::string(name(op.code)));
    const std::size_t first = out_.code.size();
    const parts v = emit_op(out_.code, op, args);
    for (std::size_t i = first; i < out_.code.size(); ++i) out_.code[i].note = x.origin;
    return v;
  }

  // ---- loops
  /// What carry or output `n` of a loop comes to.
  parts came_to(node_id n, const index_expr& at) {
    const node_id loop = g_[n].inputs[0];
    return run(loop, home_of(loop) ? group_place(loop) : at)[g_[n].value[0]];
  }

  /// Does this kernel store an output of the loop? Then it runs at the places of these.
  bool home_of(node_id loop) const {
    return std::any_of(group_.roots.begin(), group_.roots.end(), [&](node_id r) {
      return g_[r].kind == node_kind::result && g_[r].inputs[0] == loop;
    });
  }
  index_expr group_place(node_id n) const {
    return group_.domain == g_[n].shape ? dense(group_.domain) : group_.kept_index();
  }

  /// Writes a loop, once for each place and guard; what its carries come to.
  const std::vector<parts>& run(node_id n, const index_expr& at) {
    for (const ran& r : loops_[n]) {
      if (r.at == at && r.guard == guard_) return r.outputs;
    }
    const node& x = g_[n];
    const std::size_t slices = x.loop.maps.size(), whole = x.inputs.size() - slices;
    loop_body l(x);
    for (std::size_t k = 0; k < whole; ++k) {
      l.input(out_.code, value(x.inputs[k], g_[x.inputs[k]].shape.empty() ? index_expr{} : at));
    }
    for (std::size_t k = 0; k < slices; ++k) {
      const node_id in = x.inputs[whole + k];
      const index_expr where = *compose(at, group_.domain, x.shape, x.loop.maps[k]);
      l.slice(out_.code, operand_of({operand_role::input, g_[in].type, in, -1, where, true}),
              distance(x.loop.along[k]));
    }
    for (node_id r : group_.roots) {
      if (!is_emitted(g_, r) || g_[r].inputs[0] != n) continue;
      l.emit(out_.code, static_cast<std::size_t>(g_[r].value[0]),
             operand_of({operand_role::output, g_[r].type, r, -1, at, true}),
             distance(size_of(x.shape)));
    }
    const std::vector<std::string> ops = l.ops();
    out_.ops.push_back("loop");
    out_.ops.insert(out_.ops.end(), ops.begin(), ops.end());
    auto outputs = l.write(out_.code, guard_, static_cast<std::int32_t>(out_.loops.size()));
    out_.loops.push_back(l.take());
    loops_[n].push_back({at, guard_, std::move(outputs)});
    return loops_[n].back().outputs;
  }

  /// A number of elements, passed.
  std::int32_t distance(extent elements) {
    index_expr still;
    still.offset = elements;
    return index(still);
  }

  // ---- reductions
  parts reduction(node_id n) {
    const node& x = g_[n];
    note_reduction(n);
    if (part_ == body_part::combine) {
      const std::int32_t re = combined(x, n, 0);
      return {re, is_complex(x.type) ? combined(x, n, 1) : -1};
    }
    const parts v = value(x.inputs[0], input_index(n));
    const std::int32_t re = reduce(x, v.first);
    return {re, is_complex(x.type) ? reduce(x, v.second) : -1};
  }

  parts scan(node_id n, const index_expr& at) {
    const node& x = g_[n];
    const parts v = value(x.inputs[0], at);
    out_.ops.push_back("scan_" + std::string(name(x.reduction.code)));
    const std::int32_t re = walk(inst_kind::scan, x, v.first);
    return {re, is_complex(x.type) ? walk(inst_kind::scan, x, v.second) : -1};
  }

  /// The reduction of a partial result over the splits; the caller fills in the strides.
  std::int32_t combined(const node& x, node_id n, std::int32_t word) {
    const index_expr at;
    inst i;
    i.kind = inst_kind::load;
    i.which = operand_of({operand_role::input, real_of(x.type), n, word, at});
    i.type = i.result = real_of(x.type);
    return reduce(x, push(i));
  }

  std::int32_t reduce(const node& x, std::int32_t in) { return walk(inst_kind::reduce, x, in); }

  std::int32_t walk(inst_kind kind, const node& x, std::int32_t in) {
    inst i;
    i.kind = kind;
    i.code = x.reduction.code;
    i.arg = x.reduction.arg;
    i.type = out_.code[static_cast<std::size_t>(in)].result;
    i.result = i.arg ? dtype::int64 : i.type;
    i.args[0] = in;
    i.inner = false;
    i.note = x.origin;
    return push(i);
  }

  void note_reduction(node_id n) {
    const ir::reduction& r = g_[n].reduction;
    out_.ops.push_back((r.arg ? "arg" : "reduce_") + std::string(name(r.code)));
  }

  index_expr input_index(node_id n) const {
    return reduction_index(g_[g_[n].inputs[0]].shape, g_[n].reduction, group_.reduced);
  }

  // ---- stores
  void store(node_id n) {
    const node& x = g_[n];
    index_expr at = group_.kept_index();
    parts v;
    if (is_emitted(g_, n)) {
      run(x.inputs[0], group_place(x.inputs[0]));  // its rounds store it
      return;
    }
    const bool loop = is_loop_result(g_, n);
    if (x.kind == node_kind::compress || (x.kind == node_kind::result && !loop)) return chosen(n);
    if (x.kind == node_kind::scatter) return scatter(n);
    if (x.kind == node_kind::update) {
      v = value(x.inputs[1], dense(group_.domain));
      at.offset = x.map.offset;
      at.strides = x.map.strides;
    } else {
      if (inner(n)) at = dense(group_.domain);
      v = value(n, at);
    }
    const std::int32_t which = operand_of({operand_role::output, x.type, n, -1, at});
    push_store(v.first, which, 0, n);
    if (v.second >= 0 && is_complex(x.type)) push_store(v.second, which, 1, n);
  }

  /// The store of a compress, or of its result: how many elements it has.
  void chosen(node_id n) {
    const bool count = g_[n].kind == node_kind::result;
    const node_id of = count ? g_[n].inputs[0] : n;
    const index_expr at = dense(group_.domain), still;
    const std::int32_t place = emit_cast(out_.code, alongside(of, 2, at), dtype::int64);
    const std::int32_t which = operand_of({operand_role::output, g_[n].type, n, -1, still});
    if (count) {
      const std::int32_t last = alongside(of, 3, at);
      push_store(place, which, 0, n);
      out_.code.back().args[1] = last;
      return;
    }
    inst one;
    one.kind = inst_kind::constant;
    one.type = one.result = dtype::int64;
    one.bits = 1;
    const std::int32_t both[] = {place, push(one)};
    const std::int32_t index = emit(out_.code, op::subtract, dtype::int64, both);
    const std::int32_t mask = alongside(of, 1, at);
    const parts v = value(g_[of].inputs[0], at);
    for (int p = 0; p < (v.second >= 0 ? 2 : 1); ++p) {
      push_store(p ? v.second : v.first, which, static_cast<std::uint8_t>(p), n);
      out_.code.back().args[1] = mask;
      out_.code.back().args[2] = index;
    }
  }

  /// Every value to the place that its index gives.
  void scatter(node_id n) {
    const node& x = g_[n];
    const index_expr at = dense(group_.domain);
    out_.ops.push_back("scatter");
    const std::int32_t index = alongside(n, 1, at);
    const std::int32_t where = x.inputs.size() > 3 ? alongside(n, 3, at) : -1;
    const node_id from = x.inputs[2];
    const parts v = value(from, g_[from].shape.empty() ? index_expr{} : at);
    index_expr to;
    to.offset = x.map.offset;
    to.strides = x.map.strides;
    const std::int32_t which = operand_of({operand_role::output, x.type, n, -1, to, true});
    for (int p = 0; p < (v.second >= 0 ? 2 : 1); ++p) {
      push_store(p ? v.second : v.first, which, static_cast<std::uint8_t>(p), n);
      out_.code.back().code = x.reduction.code;
      out_.code.back().args[1] = where;
      out_.code.back().args[2] = index;
    }
  }

  /// Each flag, raised where an index is out of range.
  void flags() {
    for (node_id n : group_.flags) {
      const std::int32_t bad =
          alongside(n, inputs_before_range(g_[n].kind), dense(group_.domain));
      const index_expr still;
      const std::int32_t which =
          operand_of({operand_role::output, dtype::int32, n, status_of, still});
      inst one;
      one.kind = inst_kind::constant;
      one.type = one.result = dtype::int32;
      one.bits = 1;
      push_store(push(one), which, 0, n);
      out_.code.back().args[1] = bad;
    }
  }

  void push_store(std::int32_t v, std::int32_t which, std::uint8_t part, node_id n) {
    inst i;
    i.kind = inst_kind::store;
    i.args[0] = v;
    i.which = which;
    i.part = part;
    i.type = i.result = out_.code[static_cast<std::size_t>(v)].result;
    i.note = g_[n].origin;
    out_.code.push_back(i);
  }

  std::int32_t operand_of(const body_operand& o) {
    for (std::size_t i = 0; i < out_.operands.size(); ++i) {
      const body_operand& x = out_.operands[i];
      if (x.role == o.role && x.buffer == o.buffer && x.partial == o.partial && x.at == o.at &&
          x.gathered == o.gathered) {
        return static_cast<std::int32_t>(i);
      }
    }
    out_.operands.push_back(o);
    return static_cast<std::int32_t>(out_.operands.size()) - 1;
  }

  std::int32_t push(const inst& i) {
    out_.code.push_back(i);
    return static_cast<std::int32_t>(out_.code.size()) - 1;
  }

  const graph& g_;
  const fusion& f_;
  const std::int32_t id_;
  group group_;
  const body_part part_;
  body out_;
  std::map<node_id, std::vector<known>> memo_;
  std::map<node_id, std::vector<ran>> loops_;
  std::int32_t guard_ = -1;  // the condition under which what is being written is read
  std::map<node_id, int> seen_;
};

}  // namespace

body build_body(const graph& g, const fusion& f, std::int32_t id, body_part part) {
  return builder(g, f, id, part).run();
}

}  // namespace sinter::ir
