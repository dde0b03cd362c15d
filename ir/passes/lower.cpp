// length: the kinds of steps and the values of their slots, over one plan
#include "ir/passes/lower.hpp"

#include <algorithm>
#include <map>

#include "ir/passes/plan_memory.hpp"
#include "ir/passes/shape.hpp"
#include "ir/passes/share_launches.hpp"

namespace sinter::ir {

namespace {

/// Which part of a chained scan the words are that its blocks meet in: none of its results.
constexpr std::int32_t chain_state = -2;

/// So few places that threads which combine values there meet often.
constexpr extent crowded = 65536;

class lowering {
 public:
  lowering(const graph& g, const fusion& f, const machine& m) : g_(g), f_(f), m_(m) {
    out_.origins = g.origins;
    std::int32_t source = 0, scalar = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const auto id = static_cast<node_id>(i);
      const node_kind k = g.nodes[i].kind;
      if (k == node_kind::source) {
        const std::int32_t b =
            buffer(plan_buffer::role::source, g.nodes[i].type, size_of(g.nodes[i].shape));
        out_.buffers[static_cast<std::size_t>(b)].index = source++;
        buffer_of_[{id, -1}] = b;
      }
      if (k == node_kind::scalar || k == node_kind::random) scalar_of_[id] = scalar++;
    }
  }

  std::optional<plan> run() {
    for (std::size_t i = 0; i < f_.groups.size(); ++i) {
      const group& g = f_.groups[i];
      for (node_id r : g.roots) root_buffer(r);
      if (!g.roots.empty() && g_[g.roots[0]].kind == node_kind::call) {
        call(g);
        continue;
      }
      copies(g);
      for (node_id n : g.flags) status(n);
      if (size_of(g.kept_shape()) > 0) kernels(static_cast<std::int32_t>(i));
      if (lone_) return std::nullopt;
    }
    outputs();
    share_launches(out_, m_);
    plan_memory(out_);
    return std::move(out_);
  }

 private:
  std::int32_t buffer(plan_buffer::role what, dtype type, extent count) {
    plan_buffer b;
    b.what = what;
    b.type = type;
    b.count = count;
    out_.buffers.push_back(b);
    return static_cast<std::int32_t>(out_.buffers.size()) - 1;
  }

  void root_buffer(node_id r) {
    buffer_of_[{r, -1}] = buffer(plan_buffer::role::temporary, g_[r].type, size_of(g_[r].shape));
  }

  void status(node_id n) {
    const std::int32_t b = buffer(plan_buffer::role::status, dtype::int32, 1);
    out_.buffers[static_cast<std::size_t>(b)].index = static_cast<std::int32_t>(g_[n].value[0]);
    buffer_of_[{n, status_of}] = b;
  }

  void outputs() {
    for (node_id o : g_.outputs) {
      const std::int32_t b = buffer_of_.at({o, -1});
      out_.outputs.push_back(b);
      plan_buffer& p = out_.buffers[static_cast<std::size_t>(b)];
      if (p.what == plan_buffer::role::temporary) p.what = plan_buffer::role::output;
    }
  }

  void call(const group& g) {
    const node& x = g_[g.roots[0]];
    plan_step s;
    s.what = plan_step::kind::call;
    s.routine = x.routine;
    s.attributes = x.attributes;
    s.origin = x.origin;
    for (node_id i : x.inputs) {
      if (g_[i].kind == node_kind::scalar) {
        for (const int word : {0, 1}) {
          slot_value v;
          v.what = slot_value::from::scalar;
          v.index = scalar_of_.at(i);
          v.word = static_cast<std::uint8_t>(word);
          s.slots.push_back(v);
        }
        continue;
      }
      s.inputs.push_back(buffer_of_.at({i, -1}));
      s.shapes.push_back(g_[i].shape);
      s.types.push_back(g_[i].type);
    }
    bool any = false;
    const std::size_t inputs = s.inputs.size();
    for (node_id r : g.roots) {
      const auto k = g_[r].kind == node_kind::call ? 0 : static_cast<std::size_t>(g_[r].value[0]);
      if (k >= s.outputs.size()) {
        s.outputs.resize(k + 1, -1);
        s.shapes.resize(inputs + k + 1);
        s.types.resize(inputs + k + 1);
      }
      s.outputs[k] = buffer_of_.at({r, -1});
      s.shapes[inputs + k] = g_[r].shape;
      s.types[inputs + k] = g_[r].type;
      any |= size_of(g_[r].shape) > 0;
    }
    for (std::size_t k = 0; k < s.outputs.size(); ++k) {
      const int from = overwritten_input(s.routine, static_cast<int>(k));
      if (s.outputs[k] < 0 || from < 0) continue;
      const std::int32_t b = s.inputs[static_cast<std::size_t>(from)];
      if (std::ranges::count(s.inputs, b) == 1) s.donors.push_back({s.outputs[k], b});
    }
    if (any) out_.steps.push_back(std::move(s));
  }

  void kernels(std::int32_t id) {
    const group& g = f_.groups[static_cast<std::size_t>(id)];
    const body whole = build_body(g_, f_, id, body_part::whole);
    shaped s = shape_kernel(whole, g.domain, g.reduced, m_, false);
    if (s.kernel.reduced == 0 && walks_alone(g)) {
      s.kernel.schedule.tile = whole_domain;
      s.blocks = 1;
    }
    if (g.chained) return chain(whole, g);
    if (g.scan_bytes > 0 || !worth_splitting(g, s)) return emit(whole, std::move(s), g);
    if (lone_) return;
    const body part = build_body(g_, f_, id, body_part::partial);
    shaped cut = shape_kernel(part, g.domain, g.reduced, m_, true);
    for (const body_operand& o : part.operands) {
      if (o.partial >= 0 && o.role == operand_role::output) {
        buffer_of_[{o.buffer, o.partial}] =
            buffer(plan_buffer::role::temporary, o.type, size_of(g.kept_shape()) * cut.splits);
      }
    }
    const extent splits = cut.splits;
    emit(part, std::move(cut), g);
    combine(id, splits);
  }

  /// On a CPU many values for few places come one after the other: threads would wait for each
  /// other at every one.
  bool walks_alone(const group& g) const {
    if (m_.target != target::cpu) return false;
    return std::any_of(g.roots.begin(), g.roots.end(), [&](node_id r) {
      return g_[r].kind == node_kind::scatter && g_[r].reduction.code != op::cast &&
             size_of(g_[r].shape) < crowded;
    });
  }

  /// A scan of long rows: one kernel that passes on what its chunks come to, through words that
  /// another one clears.
  void chain(body b, const group& g) {
    const body_operand state{operand_role::state, dtype::uint64, g.roots[0], chain_state, {}};
    b.operands.push_back(state);
    shaped s = shape_kernel(b, g.domain, g.reduced, m_, true);
    const auto scans = std::count_if(b.code.begin(), b.code.end(),
                                     [](const inst& i) { return i.kind == inst_kind::scan; });
    const extent words = state_words(scans, size_of(g.kept_shape()) * s.splits);
    buffer_of_[{state.buffer, chain_state}] =
        buffer(plan_buffer::role::temporary, dtype::uint64, words);
    clear(state, words);
    emit(b, std::move(s), g);
  }

  void clear(body_operand words, extent count) {
    group g;
    g.domain = {count};
    g.reduced = {false};
    words.role = operand_role::output;
    words.at = dense(g.domain);
    body b;
    b.operands = {words};
    b.ops = {"clear"};
    inst zero, store;
    zero.kind = inst_kind::constant;
    zero.type = zero.result = dtype::uint64;
    store.kind = inst_kind::store;
    store.type = store.result = dtype::uint64;
    store.args[0] = store.which = 0;
    b.code = {zero, store};
    emit(b, shape_kernel(b, g.domain, g.reduced, m_, false), g);
  }

  /// Few rows, or few columns, would leave most of the machine idle.
  bool worth_splitting(const group& g, const shaped& s) {
    if (s.kernel.reduced == 0) return false;
    const extent rows = size_of(g.kept_shape()), length = size_of(g.reduced_shape());
    if (needs_split(m_, rows, length)) {
      if (s.kernel.schedule.cluster > 1 || s.kernel.schedule.resident) return false;
      lone_ |= m_.cluster > 1 && !splittable(s.kernel);
      return true;
    }
    const bool columns = s.kernel.schedule.lanes == lane_axis::kept;
    return m_.target == target::gpu && columns && length >= 512 && s.blocks <= 3 * m_.units &&
           splittable(s.kernel);
  }

  /// Are a chunk's results all it takes to go on? Not for positions, nor where a row is walked
  /// again.
  static bool splittable(const kernel& k) {
    const auto phases = phases_of(k);
    for (std::size_t i = 0; i < k.body.size(); ++i) {
      const inst& x = k.body[i];
      if (x.arg || (phases[i] > 0 && (x.inner || x.kind == inst_kind::reduce))) return false;
    }
    return true;
  }

  /// The second kernel of a split reduction: rows of `splits` partial results.
  void combine(std::int32_t id, extent splits) {
    const group& g = f_.groups[static_cast<std::size_t>(id)];
    body b = build_body(g_, f_, id, body_part::combine);
    shape_t domain = g.kept_shape();
    std::vector<bool> reduced(domain.size(), false);
    domain.push_back(splits);
    reduced.push_back(true);
    for (body_operand& o : b.operands) {
      if (o.partial >= 0) o.at = dense(domain);
    }
    emit(b, shape_kernel(b, domain, reduced, m_, false), g);
  }

  /// An update starts from its base: in place if that dies here, else from a copy.
  void copies(const group& g) {
    for (node_id r : g.roots) {
      if (g_[r].kind != node_kind::update && g_[r].kind != node_kind::scatter) continue;
      plan_step s;
      s.what = plan_step::kind::copy;
      s.inputs = {buffer_of_.at({g_[r].inputs[0], -1})};
      s.outputs = {buffer_of_.at({r, -1})};
      s.origin = g_[r].origin;
      out_.steps.push_back(std::move(s));
    }
  }

  // ---- one kernel, perhaps in several launches
  void emit(const body& b, shaped s, const group& g) {
    name(s.kernel, b);
    keep_notes(s.kernel);
    report(b, g);
    const auto kernel = static_cast<std::int32_t>(out_.kernels.size());
    if (m_.target == target::gpu && s.kernel.reduced == 0 &&
        size_of(s.extents) >= m_.launch_limit) {
      cut(b, s, kernel, 0);
    } else {
      step(b, s, kernel);
    }
    out_.kernels.push_back(std::move(s.kernel));
  }

  /// Launches of fewer elements than the limit: pieces of the first axis whose steps are small
  /// enough, for each step of the axes before it. Pieces hold whole tiles, so that vectors stay
  /// aligned.
  void cut(const body& b, const shaped& s, std::int32_t kernel, std::size_t axis) {
    const schedule& how = s.kernel.schedule;
    const auto at_axis = s.extents.begin() + static_cast<std::ptrdiff_t>(axis);
    const extent inner = size_of({at_axis + 1, s.extents.end()});
    const extent step_size = inner * size_of({s.extents.begin(), at_axis});
    const bool innermost = axis + 1 == s.extents.size();
    const bool turned = axis + 2 == s.extents.size() && turns(s.kernel);
    const extent grain = innermost ? how.tile : turned ? how.tile_rows : 1, whole = s.extents[axis];
    const bool last = innermost || step_size * grain < m_.launch_limit;
    const extent fitting = (m_.launch_limit - 1) / step_size / grain * grain;
    const extent piece = last ? std::max(grain, fitting) : grain;
    for (extent at = 0; at < whole; at += piece) {
      shaped part = s;
      part.extents[axis] = std::min(piece, whole - at);
      for (index_expr& e : part.operands) e.offset += at * e.stride(axis);
      if (!last) {
        cut(b, part, kernel, axis + 1);
        continue;
      }
      part.blocks = blocks_of(part.kernel, part.extents, 1);
      step(b, part, kernel);
    }
  }

  void step(const body& b, const shaped& s, std::int32_t kernel) {
    plan_step p;
    p.kernel = kernel;
    p.blocks = s.blocks;
    for (const inst& i : b.code) {
      if (i.note >= 0) p.origin = i.note;
    }
    for (std::size_t o = 0; o < b.operands.size(); ++o) {
      const body_operand& x = b.operands[o];
      if (x.role == operand_role::index) continue;
      const std::int32_t buf = buffer_of_.at({x.buffer, x.partial});
      (x.role == operand_role::input ? p.inputs : p.outputs).push_back(buf);
    }
    for (const slot& v : slots_of(s.kernel)) p.slots.push_back(fill(v, b, s));
    donate(b, s, p);
    out_.steps.push_back(std::move(p));
  }

  slot_value fill(const slot& v, const body& b, const shaped& s) const {
    const auto axis = static_cast<std::size_t>(v.axis), which = static_cast<std::size_t>(v.which);
    slot_value out;
    const auto constant = [&](extent x) { out.bits = x; };
    switch (v.kind) {
      case slot_kind::extent:
        constant(s.extents[axis]);
        break;
      case slot_kind::divisor:
        out.bits = divisor_of(s.extents[axis]);
        break;
      case slot_kind::splits:
        constant(s.splits);
        break;
      case slot_kind::chunk:
        constant(s.chunk);
        break;
      case slot_kind::start:
        constant(s.operands[which].offset);
        break;
      case slot_kind::stride:
        constant(s.operands[which].stride(axis));
        break;
      case slot_kind::unravel_extent:
        constant(s.operands[which].extents[axis]);
        break;
      case slot_kind::unravel_stride:
        constant(s.operands[which].outer.strides[axis]);
        break;
      case slot_kind::scalar:
        return scalar(b.scalar_nodes[which]);
      case slot_kind::over:
        out = scalar(b.scalar_nodes[which]);
        out.divides = true;
        out.type = s.kernel.scalars[which];
        break;
      case slot_kind::pointer: {
        const index_expr& e = s.operands[which];
        const extent first = e.affine() ? e.offset : e.outer.offset;
        const body_operand& x = b.operands[which];
        out.what = slot_value::from::pointer;
        out.index = buffer_of_.at({x.buffer, x.partial});
        out.bits = first * size_of(x.type);
        break;
      }
      case slot_kind::blocks:  // of shared launches, which are made of steps
        break;
    }
    return out;
  }

  slot_value scalar(const std::pair<node_id, int>& part) const {
    slot_value out;
    out.what = slot_value::from::scalar;
    out.index = scalar_of_.at(part.first);
    const dtype t = g_[part.first].type;
    if (t == dtype::complex64) {
      out.narrow = true;
      out.shift = part.second ? 32 : 0;
    } else {
      out.word = static_cast<std::uint8_t>(part.second);
    }
    return out;
  }

  /// Which operands an output of a map may take the memory of: those read only where it is written.
  void donate(const body& b, const shaped& s, plan_step& p) {
    for (std::size_t o = 0; o < b.operands.size(); ++o) {
      const body_operand& out = b.operands[o];
      if (out.role != operand_role::output || out.partial == status_of) continue;
      if (g_[out.buffer].kind == node_kind::scatter) {
        donate_base(b, out.buffer, p);
        continue;
      }
      if (s.kernel.reduced > 0 || out.gathered) continue;
      const bool update = g_[out.buffer].kind == node_kind::update;
      for (std::size_t i = 0; i < b.operands.size(); ++i) {
        const body_operand& in = b.operands[i];
        if (in.role != operand_role::input || !only_there(b, s, in.buffer, o)) continue;
        if (update && in.buffer != g_[out.buffer].inputs[0]) continue;
        p.donors.push_back(
            {buffer_of_.at({out.buffer, out.partial}), buffer_of_.at({in.buffer, in.partial})});
      }
      if (update && only_there(b, s, g_[out.buffer].inputs[0], o)) {
        p.donors.push_back(
            {buffer_of_.at({out.buffer, -1}), buffer_of_.at({g_[out.buffer].inputs[0], -1})});
      }
    }
  }

  /// Whoever else read the base of a scatter in its kernel might find it written already.
  void donate_base(const body& b, node_id scatter, plan_step& p) const {
    const node_id base = g_[scatter].inputs[0];
    const bool read = std::any_of(b.operands.begin(), b.operands.end(), [&](auto& o) {
      return o.role == operand_role::input && o.buffer == base;
    });
    if (!read) p.donors.push_back({buffer_of_.at({scatter, -1}), buffer_of_.at({base, -1})});
  }

  bool only_there(const body& b, const shaped& s, node_id buffer, std::size_t out) const {
    if (read_later(b, buffer, out)) return false;
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      if (b.operands[i].role != operand_role::input || b.operands[i].buffer != buffer) continue;
      if (b.operands[i].gathered) return false;
      if (!(s.operands[i] == s.operands[out])) return false;
      if (size_of(b.operands[i].type) != size_of(b.operands[out].type)) return false;
    }
    return true;
  }

  /// Is the buffer read when the output has been written already? Another output's operands, and
  /// the mask of a check, may be loaded behind the first store.
  static bool read_later(const body& b, node_id buffer, std::size_t out) {
    bool written = false;
    for (const inst& i : b.code) {
      const bool reads = i.kind == inst_kind::load || i.kind == inst_kind::gather;
      if (!reads && i.kind != inst_kind::store) continue;
      const auto which = static_cast<std::size_t>(i.which);
      if (!reads) written = written || which == out;
      else if (written && b.operands[which].buffer == buffer) return true;
    }
    return false;
  }

  // ---- what people read
  void name(kernel& k, const body& b) const {
    const bool scans = std::any_of(k.body.begin(), k.body.end(),
                                   [](const inst& i) { return i.kind == inst_kind::scan; });
    k.name = scans ? "scan" : k.reduced > 0 ? "reduce" : "map";
    std::string last;
    int listed = 0;
    for (const std::string& op : b.ops) {
      if (op == last || op == "cast") continue;
      if (++listed > 4) break;
      k.name += "_" + op;
      last = op;
    }
    if (k.schedule.split && !scans) k.name += "_part";
    k.name += "_" + std::to_string(out_.kernels.size());
  }

  /// The kernel's own list of the statements it comes from.
  void keep_notes(kernel& k) const {
    std::map<std::int32_t, std::int32_t> place;
    for (inst& i : k.body) {
      if (i.note < 0) continue;
      const auto [it, fresh] = place.emplace(i.note, static_cast<std::int32_t>(place.size()));
      if (fresh) k.notes.push_back(out_.origins[static_cast<std::size_t>(i.note)]);
      i.note = it->second;
    }
  }

  void report(const body& b, const group& g) {
    kernel_report r;
    r.ops = b.ops;
    r.refusals = g.refusals;
    std::map<std::pair<node_id, int>, bool> seen;
    for (const body_operand& o : b.operands) {
      if (o.role == operand_role::index || seen[{o.buffer, o.partial}]) continue;
      seen[{o.buffer, o.partial}] = true;
      const auto& p = out_.buffers[static_cast<std::size_t>(buffer_of_.at({o.buffer, o.partial}))];
      const extent whole = p.count;
      extent reach = 1;
      for (std::size_t d = 0; d < g.domain.size(); ++d) {
        if (o.partial < 0 && (o.gathered || o.at.stride(d) != 0)) reach *= g.domain[d];
      }
      const extent touched = o.partial >= 0 ? whole : std::min(whole, reach);
      const extent bytes = touched * size_of(o.type);
      (o.role == operand_role::input ? r.bytes_read : r.bytes_written) += bytes;
    }
    out_.reports.push_back(std::move(r));
  }

  const graph& g_;
  const fusion& f_;
  const machine& m_;
  plan out_;
  bool lone_ = false;  // a block would walk a long row again and again, alone
  std::map<std::pair<node_id, std::int32_t>, std::int32_t> buffer_of_;
  std::map<node_id, std::int32_t> scalar_of_;
};

}  // namespace

std::optional<plan> lower(const graph& g, const fusion& f, const machine& m) {
  return lowering(g, f, m).run();
}

}  // namespace sinter::ir
