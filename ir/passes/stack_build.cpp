#include "ir/passes/stack_build.hpp"

#include <algorithm>
#include <tuple>

#include "ir/kernel_stack.hpp"
#include "ir/text.hpp"

namespace sinter::ir {
namespace {

/// 4 KB of arguments, and instructions that NVRTC compiles in the time of a few small kernels.
constexpr std::size_t most_stack_words = 256, most_stack_code = 320;

/// The rows of a thread: a point's neighbours in its column are read once for all of these.
constexpr int rows_of_a_thread = 4;

/// A CPU runs a part over all of a box at once: how the part is split does not matter.
constexpr std::int64_t run_on_cpu = 4096;

using slot_key = std::tuple<slot_kind, int, int>;

slot_value number(extent n) {
  slot_value v;
  v.bits = n;
  return v;
}

slot_value whole_buffer(std::int32_t buffer) {
  slot_value v;
  v.what = slot_value::from::pointer;
  v.index = buffer;
  return v;
}

class stack_builder {
 public:
  stack_builder(const plan& p, std::span<const sweep> sweeps, const stack_layout& l,
                const std::set<std::int32_t>& kept, const machine& m)
      : p_(p), sweeps_(sweeps), l_(l), kept_(kept), m_(m) {
    for (const swept_read& r : l.reads) tile_of(r.array);
    if (!gpu()) return;
    int points = 1;
    for (int side : l.box) points *= side;
    threads_ = std::clamp(points / rows_of_a_thread, 128, 256);
  }

  std::optional<built_stack> run() {
    kernel& k = out_.kernel;
    k.box = l_.box;
    k.schedule.target = m_.target;
    k.schedule.threads = threads_;
    std::size_t code = 0;
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      for (const auto& [buffer, a] : l_.arrays) {
        if (a.sweep == s && a.staged) stage(buffer, a);
      }
      part(s);
      code += k.parts.back().body.size();
      for (const auto& [buffer, a] : l_.arrays) {
        if (a.sweep == s && a.base >= 0) around(buffer, a);
      }
    }
    k.name = detail::cat(sweeps_.back().code->name, "_stack_", sweeps_.size());
    boxes();
    out_.step.origin = p_.steps[sweeps_.back().step].origin;
    const bool fits = room_of(k).bytes <= most_room(m_.target) &&
                      out_.step.slots.size() <= most_stack_words && code <= most_stack_code;
    return fits ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// The tile of an array, created if there is none yet.
  int tile_of(std::int32_t buffer) {
    const auto known = tiles_.find(buffer);
    if (known != tiles_.end()) return known->second;
    const swept_array& a = l_.arrays.at(buffer);
    if (a.over >= 0) return tiles_[buffer] = tile_of(a.over);
    const int number = static_cast<int>(out_.kernel.tiles.size());
    out_.kernel.tiles.push_back({sweeps_[a.sweep].code->operands[a.operand].type,
                                 a.staged ? l_.staged.at(buffer) : l_.beyond[a.sweep]});
    return tiles_[buffer] = number;
  }

  operand in_tile_of(std::int32_t buffer, std::vector<int> shift) {
    operand o;
    o.role = operand_role::tile;
    o.tile = tile_of(buffer);
    o.type = out_.kernel.tiles[static_cast<std::size_t>(o.tile)].type;
    o.access.steps.assign(l_.box.size(), step::zero);
    o.shift = std::move(shift);
    return o;
  }

  const swept_read* read_of(std::size_t s, std::int32_t operand, std::int32_t of) const {
    const auto found = std::ranges::find_if(l_.reads, [&](const swept_read& r) {
      return r.sweep == s && r.operand == operand && r.of == of;
    });
    return found == l_.reads.end() ? nullptr : &*found;
  }

  bool gpu() const { return m_.target == target::gpu; }

  kernel plain_part(std::size_t s) const {
    kernel k;
    k.kept = static_cast<int>(l_.box.size());
    if (gpu()) {
      k.schedule.target = target::gpu;
      k.schedule.threads = threads_;
      k.schedule.unroll = rows_of_a_thread;
      k.schedule.tile = std::int64_t{threads_} * rows_of_a_thread;
    } else {
      k.schedule.vector = sweeps_[s].code->schedule.vector;
      k.schedule.unroll = sweeps_[s].code->schedule.unroll;
      k.schedule.tile = run_on_cpu;
    }
    k.beyond = l_.beyond[s];
    return k;
  }

  /// Surroundings are mostly columns of one or two elements.
  kernel copying_part(std::size_t s) const {
    kernel k = plain_part(s);
    if (!gpu()) k.schedule.vector = k.schedule.unroll = 1;
    return k;
  }

  operand in_memory(const swept_array& a) const {
    operand o;
    o.type = sweeps_[a.sweep].code->operands[a.operand].type;
    o.access.steps.assign(a.strides.size(), step::any);
    if (!gpu() && a.strides.back() == 1) o.access.steps.back() = step::one;
    return o;
  }

  /// Makes the stores to a buffer go to its tile, to memory, or to both.
  void store_to(kernel& k, std::size_t output, std::int32_t buffer) {
    if (!tiles_.contains(buffer)) return;
    const operand tile = in_tile_of(buffer, std::vector<int>(l_.box.size(), 0));
    if (!kept_.contains(buffer)) {
      k.operands[output] = tile;
      return;
    }
    k.operands.push_back(tile);
    const std::vector<inst> body = k.body;
    for (inst i : body) {
      if (i.kind != inst_kind::store || static_cast<std::size_t>(i.which) != output) continue;
      i.which = static_cast<std::int32_t>(k.operands.size()) - 1;
      k.body.push_back(i);
    }
  }

  // ---- what no sweep computes: arrays from memory, and the surroundings of an update
  void stage(std::int32_t buffer, const swept_array& a) {
    const operand from = in_memory(a);
    kernel k = plain_part(a.sweep);
    k.name = detail::cat(sweeps_[a.sweep].code->name, "_stage");
    k.beyond = l_.staged.at(buffer);
    k.operands = {from, in_tile_of(buffer, std::vector<int>(l_.box.size(), 0))};
    copy_body(k);
    add(std::move(k), copy_words(a, buffer, buffer), a.origin);
  }

  void around(std::int32_t buffer, const swept_array& a) {
    const bool keeps = kept_.contains(buffer);
    if (a.over >= 0 && !keeps) return;  // it is in the tile already
    operand from = in_memory(a);
    kernel k = copying_part(a.sweep);
    k.name = detail::cat(sweeps_[a.sweep].code->name, "_around");
    k.around = true;
    operand to = from;
    to.role = operand_role::output;
    const swept_read* const read = read_of(a.sweep, -1, buffer);
    if (read) from = in_tile_of(read->array, read->shift);
    k.operands = {from, to};
    copy_body(k);
    if (a.over < 0) store_to(k, 1, buffer);
    add(std::move(k), copy_words(a, a.base, buffer), a.origin);
  }

  /// Copies the first operand to the second.
  static void copy_body(kernel& k) {
    const dtype type = k.operands[1].type;
    for (int part = 0; part < (is_complex(type) ? 2 : 1); ++part) {
      inst load, store;
      load.kind = inst_kind::load;
      load.type = load.result = real_of(type);
      load.which = 0;
      load.part = static_cast<std::uint8_t>(part);
      store = load;
      store.kind = inst_kind::store;
      store.which = 1;
      store.args[0] = static_cast<std::int32_t>(k.body.size());
      k.body.push_back(load);
      k.body.push_back(store);
    }
  }

  static std::map<slot_key, slot_value> copy_words(const swept_array& a, std::int32_t from,
                                                   std::int32_t to) {
    std::map<slot_key, slot_value> words;
    for (int d = 0; d < static_cast<int>(a.shape.size()); ++d) {
      const auto axis = static_cast<std::size_t>(d);
      words[{slot_kind::extent, -1, d}] = number(a.shape[axis]);
      for (int o = 0; o < 2; ++o) words[{slot_kind::stride, o, d}] = number(a.strides[axis]);
    }
    words[{slot_kind::pointer, 0, -1}] = whole_buffer(from);
    words[{slot_kind::pointer, 1, -1}] = whole_buffer(to);
    return words;
  }

  // ---- the sweep itself
  void part(std::size_t s) {
    const sweep& w = sweeps_[s];
    kernel k = plain_part(s);
    k.name = w.code->name;
    k.operands = w.code->operands;
    k.scalars = w.code->scalars;
    k.body = w.code->body;
    k.notes = w.code->notes;
    for (operand& o : k.operands) spread(w, o);
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      const swept_read* const read = read_of(s, static_cast<std::int32_t>(o), -1);
      if (read) k.operands[o] = in_tile_of(read->array, read->shift);
    }
    for (std::size_t o = 0; o < w.places.size(); ++o) {
      if (w.code->operands[o].role == operand_role::output) store_to(k, o, w.places[o].buffer);
    }
    for (operand& o : k.operands) {
      if (o.like >= 0 && in_tile(k, o.like)) o.like = -1;
    }
    add(std::move(k), words_of(w), l_.origins[s]);
    const kernel_report& r = p_.reports[static_cast<std::size_t>(p_.steps[w.step].kernel)];
    out_.report.ops.insert(out_.report.ops.end(), r.ops.begin(), r.ops.end());
    out_.report.refusals.insert(out_.report.refusals.end(), r.refusals.begin(), r.refusals.end());
  }

  /// The access over all axes, without the ways in which the sweep alone reaches its elements.
  void spread(const sweep& w, operand& o) const {
    std::vector<step> steps(l_.box.size(), step::zero);
    for (std::size_t a = 0; a < w.axes.size(); ++a) {
      steps[static_cast<std::size_t>(w.axes[a])] = o.access.steps[a];
    }
    operand plain;
    plain.role = o.role;
    plain.type = o.type;
    plain.access.steps = std::move(steps);
    plain.access.unravel = o.access.unravel;
    plain.like = o.like;
    o = std::move(plain);
  }

  std::map<slot_key, slot_value> words_of(const sweep& w) const {
    std::map<slot_key, slot_value> words;
    const plan_step& s = p_.steps[w.step];
    const std::vector<slot> slots = slots_of(*w.code);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slot x = slots[i];
      const bool of_axis = x.kind == slot_kind::stride;
      if (of_axis) x.axis = w.axes[static_cast<std::size_t>(x.axis)];
      if (x.kind != slot_kind::extent) words[{x.kind, x.which, x.axis}] = s.slots[i];
    }
    for (int d = 0; d < w.rank(); ++d) {
      words[{slot_kind::extent, -1, d}] = number(w.extents[static_cast<std::size_t>(d)]);
    }
    return words;
  }

  // ---- the whole
  void add(kernel k, const std::map<slot_key, slot_value>& words, const axis_places& origin) {
    plan_step& step = out_.step;
    for (const slot& s : slots_of(k)) {
      if (s.kind == slot_kind::divisor) continue;
      const slot_value& v = words.at({s.kind, s.which, s.axis});
      step.slots.push_back(v);
      if (s.kind != slot_kind::pointer) continue;
      const operand_role role = k.operands[static_cast<std::size_t>(s.which)].role;
      auto& list = role == operand_role::input ? step.inputs : step.outputs;
      if (std::ranges::count(list, v.index) > 0) continue;
      list.push_back(v.index);
      const plan_buffer& b = p_.buffers[static_cast<std::size_t>(v.index)];
      auto& bytes = role == operand_role::input ? out_.report.bytes_read
                                                : out_.report.bytes_written;
      bytes = bytes + b.count * size_of(b.type);
    }
    for (std::int64_t o : origin) step.slots.push_back(number(o));
    out_.kernel.parts.push_back(std::move(k));
  }

  void boxes() {
    const stack_bounds bounds = bounds_of(sweeps_, l_);
    plan_step& step = out_.step;
    for (std::int64_t c : bounds.corner) step.slots.push_back(number(c));
    step.blocks = 1;
    for (std::size_t d = 0; d < l_.box.size(); ++d) {
      const extent across = (bounds.sides[d] + l_.box[d] - 1) / l_.box[d];
      step.slots.push_back(number(across));
      step.blocks *= across;
    }
  }

  const plan& p_;
  std::span<const sweep> sweeps_;
  const stack_layout& l_;
  const std::set<std::int32_t>& kept_;
  const machine& m_;
  int threads_ = 0;  // of a GPU's block
  std::map<std::int32_t, int> tiles_;  // per buffer
  built_stack out_;
};

}  // namespace

std::optional<built_stack> build_stack(const plan& p, std::span<const sweep> sweeps,
                                       const stack_layout& l, const std::set<std::int32_t>& kept,
                                       const machine& m) {
  return stack_builder(p, sweeps, l, kept, m).run();
}

}  // namespace sinter::ir
