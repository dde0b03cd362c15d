#include "ir/passes/lower.hpp"

#include <algorithm>

#include "ir/passes/hold_places.hpp"
#include "ir/passes/lowering.hpp"
#include "ir/passes/plan_memory.hpp"
#include "ir/passes/share_launches.hpp"
#include "ir/passes/split_axes.hpp"
#include "ir/passes/stack_sweeps.hpp"
#include "ir/passes/unroll_axes.hpp"

namespace sinter::ir {

namespace {

/// A GPU's threads must not load or store elements of their rows one by one: staging is better.
bool reads_rows(const kernel& k, const machine& m) {
  return m.target == target::cpu || std::ranges::none_of(k.operands, [](const operand& o) {
           return o.apart == 0 && o.access.steps.back() == step::any;
         });
}

}  // namespace

lowering::lowering(const graph& g, const fusion& f, const machine& m) : g_(g), f_(f), m_(m) {
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
    const bool bound = (k == node_kind::scalar && !g_[id].baked) || k == node_kind::random;
    if (bound) scalar_of_[id] = scalar++;
  }
}

std::optional<plan> lowering::run() {
  for (std::size_t i = 0; i < f_.groups.size(); ++i) {
    const group& g = f_.groups[i];
    if (!g.roots.empty() && is_barrier(g_[g.roots[0]])) {
      const node_id r = g.roots[0];
      buffer_of_[{r, -1}] = buffer_of_.at({held_by(g_, r), -1});
      continue;
    }
    for (node_id r : g.roots) root_buffer(r);  // none if only an index is checked
    if (!g.roots.empty() && g_[g.roots[0]].kind == node_kind::call) {
      call(g);
      continue;
    }
    copies(g);
    for (node_id n : g.flags) status(n);
    if (size_of(g.kept_shape()) > 0) kernels(static_cast<std::int32_t>(i));
    if (unsplittable_) return std::nullopt;
  }
  for (const auto& [n, m] : f_.flagged) {
    const auto check = [&](node_id x) { return static_cast<std::int32_t>(g_[x].value[0]); };
    if (check(n) != check(m)) out_.same_checks.push_back({check(n), check(m)});
  }
  outputs();
  stack_sweeps(out_, m_);
  share_launches(out_, m_);
  plan_memory(out_);
  return std::move(out_);
}

std::int32_t lowering::buffer(plan_buffer::role what, dtype type, extent count) {
  plan_buffer b;
  b.what = what;
  b.type = type;
  b.count = count;
  out_.buffers.push_back(b);
  return static_cast<std::int32_t>(out_.buffers.size()) - 1;
}

void lowering::root_buffer(node_id r) {
  buffer_of_[{r, -1}] = buffer(plan_buffer::role::temporary, g_[r].type, size_of(g_[r].shape));
}

void lowering::status(node_id n) {
  const std::int32_t b = buffer(plan_buffer::role::status, dtype::uint64, 1);
  out_.buffers[static_cast<std::size_t>(b)].index = static_cast<std::int32_t>(g_[n].value[0]);
  buffer_of_[{n, status_of}] = b;
}

void lowering::outputs() {
  for (node_id o : g_.outputs) {
    const auto other = f_.reshaped.find(o);
    const node_id stored = other == f_.reshaped.end() ? o : other->second;
    const std::int32_t b = buffer_of_.at({stored, -1});
    out_.outputs.push_back(b);
    plan_buffer& p = out_.buffers[static_cast<std::size_t>(b)];
    if (p.what == plan_buffer::role::temporary) p.what = plan_buffer::role::output;
  }
}

void lowering::call(const group& g) {
  const node& x = g_[g.roots[0]];
  plan_step s;
  s.what = plan_step::kind::call;
  s.routine = x.routine;
  s.attributes = x.attributes;
  s.origin = x.origin;
  call_inputs(x, s);
  if (call_outputs(g, s)) out_.steps.push_back(std::move(s));
}

void lowering::call_inputs(const node& x, plan_step& s) const {
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
}

bool lowering::call_outputs(const group& g, plan_step& s) const {
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
  return any;
}

namespace {

/// Where partial results are stored: row by row, in the order in which their kernel, that of g,
/// walks the rows; as a map from the kept axes, however they were split, and the splits.
index_map partials(const group& g, extent splits, const std::vector<std::size_t>& order) {
  index_map at;
  at.strides.assign(g.kept_shape().size() + 1, 0);
  at.strides.back() = 1;
  extent row = splits;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto here = g.reduced.begin() + static_cast<std::ptrdiff_t>(order[i]);
    at.strides[static_cast<std::size_t>(std::count(g.reduced.begin(), here, false))] = row;
    row *= g.domain[order[i]];
  }
  return at;
}

}  // namespace

void lowering::kernels(std::int32_t id) {
  group g = f_.groups[static_cast<std::size_t>(id)];
  body whole = build_body(g_, f_, id, body_part::whole);
  if (g.scan_bytes == 0 && whole.loops.empty()) take_axes_apart(whole, g);
  const bool shared = share_first(whole, g);
  shaped s = shape_kernel(whole, g.domain, g.reduced, m_, false);
  if (!s.short_axes.empty()) {
    if (const auto u = unroll_axes(whole, g.domain, g.reduced, s.short_axes)) {
      shaped flat = shape_kernel(u->whole, u->domain, u->reduced, m_, false);
      if (reads_rows(flat.kernel, m_)) return emit(u->whole, std::move(flat), g);
    } else if (reads_under_conditions(whole)) {  // lanes across rows would gather
      s = shape_kernel(whole, g.domain, g.reduced, m_, false, row_lanes::along);
    }
  }
  if (s.kernel.reduced == 0 && walks_alone(g)) {
    s.kernel.schedule.tile = whole_domain;
    s.blocks = 1;
  }
  if (const auto places = places_of(whole, s)) hold_places(s, *places, m_);
  if (g.chained) return chain(whole, g);
  if (g.scan_bytes > 0 || !worth_splitting(g, s)) return whole_rows(whole, std::move(s), g, shared);
  if (unsplittable_) return;
  g = f_.groups[static_cast<std::size_t>(id)];
  body part = build_body(g_, f_, id, body_part::partial);
  take_axes_apart(part, g);
  shaped cut = shape_kernel(part, g.domain, g.reduced, m_, true);
  for (const body_operand& o : part.operands) {
    if (o.partial >= 0 && o.role == operand_role::output) {
      buffer_of_[{o.buffer, o.partial}] =
          buffer(plan_buffer::role::temporary, o.type, size_of(g.kept_shape()) * cut.splits);
    }
  }
  const extent splits = cut.splits;
  const std::vector<std::size_t> order = cut.order;
  emit(part, std::move(cut), g);
  shape_t parts = g.kept_shape();
  parts.push_back(splits);
  combine(id, parts, partials(g, splits, order));
}

void lowering::take_axes_apart(body& b, group& g) const {
  split_axes(b, g.domain, g.reduced);
  auto u = part_sum(b, g.domain, g.reduced);
  if (!u) return;
  b = std::move(u->whole);
  g.domain = std::move(u->domain);
  g.reduced = std::move(u->reduced);
}

/// A join along a short axis of a CPU's map is shared before lanes are chosen: two columns joined
/// to pairs in rows of 64 had lanes across the rows, 64 elements of each unrolled (64 x 512 floats,
/// two cores of an EPYC: 39 us and 420 ms of compilation, 8 and 13 so).
bool lowering::share_first(body& b, group& g) const {
  const bool map = std::ranges::find(g.reduced, true) == g.reduced.end();
  if (m_.target != target::cpu || !map || g.scan_bytes > 0 || !b.loops.empty()) return false;
  auto u = part_axis(b, g.domain, g.reduced);
  if (!u) u = share_axis(b, g.domain, g.reduced, m_.target);
  if (!u) return true;
  b = std::move(u->whole);
  g.domain = std::move(u->domain);
  g.reduced = std::move(u->reduced);
  return false;
}

void lowering::whole_rows(const body& b, shaped s, const group& g, bool shared) {
  std::optional<unrolled> u;
  if (!shared) u = share_axis(b, g.domain, g.reduced, m_.target);
  if (!u) u = deal_axis(b, g.domain, g.reduced, m_.target);
  if (u) {
    group left = g;
    left.domain = u->domain;
    left.reduced = u->reduced;
    return emit(u->whole, shape_kernel(u->whole, u->domain, u->reduced, m_, false), left);
  }
  emit(b, std::move(s), g);
}

bool lowering::walks_alone(const group& g) const {
  return std::any_of(g.roots.begin(), g.roots.end(),
                     [&](node_id r) { return combines_alone(m_, g_[r]); });
}

std::optional<extent> lowering::places_of(const body& b, const shaped& s) const {
  extent most = 0;
  for (const inst& i : b.code) {
    if (!combines(i)) continue;
    const auto o = static_cast<std::size_t>(i.which);
    if (!s.operands[o].affine() || s.operands[o].offset != 0) return std::nullopt;
    const extent n = size_of(g_[b.operands[o].buffer].shape);
    if (n > most) most = n;
  }
  return most == 0 ? std::nullopt : std::optional(most);
}

void lowering::chain(body b, const group& g) {
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

void lowering::clear(body_operand words, extent count) {
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

bool lowering::worth_splitting(const group& g, const shaped& s) {
  if (std::ranges::find(g.reduced, true) == g.reduced.end()) return false;
  const extent rows = size_of(g.kept_shape()), length = size_of(g.reduced_shape());
  if (needs_split(m_, rows, length)) {
    if (s.kernel.schedule.cluster > 1 || s.kernel.schedule.resident) return false;
    unsplittable_ |= m_.cluster > 1 && !splittable(s.kernel);
    return true;
  }
  const bool columns = s.kernel.schedule.lanes == lane_axis::kept;
  if (!columns) return computes_long(s, length) && splittable(s.kernel);
  return m_.target == target::gpu && length >= 512 && s.blocks <= 3 * m_.units &&
         splittable(s.kernel);
}

/// Does a second kernel take less time than other units could save meanwhile?
bool lowering::computes_long(const shaped& s, extent length) const {
  const bool gpu = m_.target == target::gpu;
  if (s.kernel.schedule.cluster > 1 || s.kernel.schedule.resident) return false;
  // One row is split whatever the number of CPU threads, or its sum would depend on it.
  if (gpu ? 4 * s.blocks > extent(m_.units) : s.blocks >= extent(2 * m_.units)) return false;
  // A number of elements, so that plans of other lengths know which side of it they are on: a sum
  // must not depend on the lengths that came before.
  const double second = gpu ? 2 * m_.launch : 2 * worth_a_thread;
  const double each = row_seconds(s.kernel, m_, 1);
  if (each <= 0) return false;
  // A row of one element is not split: each chunk would store what the row passes on.
  return length > extent(std::max(static_cast<std::int64_t>(second / each), std::int64_t{1}));
}

bool lowering::splittable(const kernel& k) {
  const auto phases = phases_of(k);
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const inst& x = k.body[i];
    if (x.arg || (phases[i] > 0 && (x.inner || x.kind == inst_kind::reduce))) return false;
  }
  return true;
}

void lowering::combine(std::int32_t id, const shape_t& parts, const index_map& at) {
  group g = f_.groups[static_cast<std::size_t>(id)];
  body b = build_body(g_, f_, id, body_part::combine);
  g.domain = g.kept_shape();
  g.domain.push_back(parts.back());
  g.reduced.assign(g.domain.size(), false);
  g.reduced.back() = true;
  const auto partials = compose(dense(g.domain), g.domain, parts, at);
  for (body_operand& o : b.operands) {
    if (o.partial >= 0) o.at = *partials;
  }
  split_axes(b, g.domain, g.reduced);
  emit(b, shape_kernel(b, g.domain, g.reduced, m_, false), g);
}

void lowering::copies(const group& g) {
  for (node_id r : g.roots) {
    const node_id base = written_base(g_, r);
    if (base < 0) continue;
    plan_step s;
    s.what = plan_step::kind::copy;
    s.inputs = {buffer_of_.at({base, -1})};
    s.outputs = {buffer_of_.at({r, -1})};
    s.origin = g_[r].origin;
    out_.steps.push_back(std::move(s));
  }
}

std::optional<plan> lower(const graph& g, const fusion& f, const machine& m) {
  return lowering(g, f, m).run();
}

}  // namespace sinter::ir
