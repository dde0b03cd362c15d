// The launches of a kernel: their pieces, the values of their slots, and whose memory their outputs
// may take.
#include <algorithm>
#include <set>
#include <utility>

#include "ir/passes/lowering.hpp"

namespace sinter::ir {

namespace {

slot_value constant(extent x) {
  slot_value out;
  out.bits = x;
  return out;
}

}  // namespace

void lowering::emit(const body& b, shaped s, const group& g) {
  name(s.kernel, b);
  keep_notes(s.kernel);
  report(b, g);
  const auto kernel = static_cast<std::int32_t>(out_.kernels.size());
  const donor_list donors = donors_of(b, s);
  if (m_.target == target::gpu && s.kernel.reduced == 0 &&
      size_of(s.extents) >= m_.launch_limit) {
    cut(b, s, kernel, 0, donors);
  } else {
    step(b, s, kernel, donors);
  }
  out_.kernels.push_back(std::move(s.kernel));
}

void lowering::cut(const body& b, const shaped& s, std::int32_t kernel, std::size_t axis,
                   const donor_list& donors) {
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
      cut(b, part, kernel, axis + 1, donors);
      continue;
    }
    part.blocks = blocks_of(part.kernel, part.extents, 1);
    step(b, part, kernel, donors);
  }
}

void lowering::step(const body& b, const shaped& s, std::int32_t kernel,
                    const donor_list& donors) {
  plan_step p;
  p.kernel = kernel;
  p.blocks = s.blocks;
  if (s.kernel.schedule.elastic) p.threads = threads_of(s.kernel, s.extents);
  if (m_.target == target::cpu) p.grain = grain_of(s);
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
  p.donors = donors;
  out_.steps.push_back(std::move(p));
}

slot_value lowering::fill(const slot& v, const body& b, const shaped& s) const {
  const auto axis = static_cast<std::size_t>(v.axis), which = static_cast<std::size_t>(v.which);
  slot_value out;
  switch (v.kind) {
    case slot_kind::extent: return constant(s.extents[axis]);
    case slot_kind::divisor: return constant(divisor_of(s.extents[axis]));
    case slot_kind::splits: return constant(s.splits);
    case slot_kind::chunk: return constant(s.chunk);
    case slot_kind::start: return constant(s.operands[which].offset);
    case slot_kind::stride: return constant(s.operands[which].stride(axis));
    case slot_kind::unravel_extent: return constant(s.operands[which].extents[axis]);
    case slot_kind::unravel_divisor: return constant(divisor_of(s.operands[which].extents[axis]));
    case slot_kind::unravel_stride: return constant(s.operands[which].outer.strides[axis]);
    case slot_kind::scalar: return scalar(b.scalar_nodes[which]);
    case slot_kind::over:
      out = scalar(b.scalar_nodes[which]);
      out.divides = true;
      out.type = s.kernel.scalars[which];
      return out;
    case slot_kind::pointer: return pointer(b.operands[which], s.operands[which]);
    case slot_kind::blocks:
    case slot_kind::origin:
    case slot_kind::corner:
    case slot_kind::across:
    case slot_kind::test:
    case slot_kind::rounds:
    case slot_kind::told: break;  // of launches that consist of steps
  }
  return out;
}

slot_value lowering::pointer(const body_operand& x, const index_expr& at) const {
  const extent first = at.affine() ? at.offset : at.outer.offset;
  slot_value out;
  out.what = slot_value::from::pointer;
  out.index = buffer_of_.at({x.buffer, x.partial});
  out.bits = first * size_of(x.type);
  return out;
}

slot_value lowering::scalar(const std::pair<node_id, int>& part) const {
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

lowering::donor_list lowering::donors_of(const body& b, const shaped& s) const {
  donor_list donors;
  // Each place of an unrolled row is an operand: what holds for one holds for all in its buffer,
  // and is checked once (64 places of 64, each checked against each, took 740 ms).
  std::set<std::int32_t> asked;
  for (std::size_t o = 0; o < b.operands.size(); ++o) {
    const body_operand& out = b.operands[o];
    if (out.role != operand_role::output || out.partial == status_of) continue;
    if (g_[out.buffer].kind == node_kind::scatter || table_of(g_, out.buffer) >= 0) {
      donate_base(b, out.buffer, donors);
      continue;
    }
    if (s.kernel.reduced > 0) {
      if (g_[out.buffer].kind == node_kind::update && out.partial < 0) {
        donate_base(b, out.buffer, donors);
      }
      continue;
    }
    if (out.gathered) continue;
    const std::int32_t to = buffer_of_.at({out.buffer, out.partial});
    if (!asked.insert(to).second) continue;
    if (g_[out.buffer].kind == node_kind::update) {
      const node_id base = held_by(g_, g_[out.buffer].inputs[0]);
      if (only_there(b, s, base, o)) donors.push_back({to, buffer_of_.at({base, -1})});
      continue;
    }
    std::set<std::pair<node_id, std::int32_t>> read;
    for (const body_operand& in : b.operands) {
      const bool first =
          in.role == operand_role::input && read.insert({in.buffer, in.partial}).second;
      if (!first || !only_there(b, s, in.buffer, o)) continue;
      donors.push_back({to, buffer_of_.at({in.buffer, in.partial})});
    }
  }
  return donors;
}

void lowering::donate_base(const body& b, node_id written, donor_list& to) const {
  const node_id base = held_by(g_, written_base(g_, written));
  const bool read = std::any_of(b.operands.begin(), b.operands.end(), [&](auto& o) {
    return o.role == operand_role::input && o.buffer == base;
  });
  const std::pair both(buffer_of_.at({written, -1}), buffer_of_.at({base, -1}));
  if (!read && std::ranges::count(to, both) == 0) to.push_back(both);
}

bool lowering::writes_with(const body& b, std::size_t o, std::size_t out) {
  const body_operand &x = b.operands[o], &y = b.operands[out];
  return x.role == operand_role::output && x.buffer == y.buffer && x.partial == y.partial;
}

/// For all outputs in one buffer: what an unrolled row stores next may be what this output reads.
bool lowering::meets_none(const body& b, const shaped& s, std::size_t in, std::size_t out) {
  for (std::size_t o = 0; o < b.operands.size(); ++o) {
    const bool together = o == out || writes_with(b, o, out);
    if (together && !never_meet(s.operands[in], s.operands[o], s.extents)) return false;
  }
  return true;
}

bool lowering::only_there(const body& b, const shaped& s, node_id buffer, std::size_t out) const {
  const bool update = g_[b.operands[out].buffer].kind == node_kind::update;
  bool there = false;
  for (std::size_t i = 0; i < b.operands.size(); ++i) {
    if (b.operands[i].role != operand_role::input || b.operands[i].buffer != buffer) continue;
    if (b.operands[i].gathered) return false;
    if (size_of(b.operands[i].type) != size_of(b.operands[out].type)) return false;
    if (update && meets_none(b, s, i, out)) continue;
    bool here = s.operands[i] == s.operands[out];
    // Places of an unrolled row are outputs of their own, in one buffer.
    for (std::size_t o = 0; o < b.operands.size() && !here; ++o) {
      here = o != out && writes_with(b, o, out) && s.operands[i] == s.operands[o];
    }
    if (!here) return false;
    there = true;
  }
  return !there || !read_later(b, buffer, out);
}

bool lowering::read_later(const body& b, node_id buffer, std::size_t out) {
  bool written = false;
  for (const inst& i : b.code) {
    const bool reads = i.kind == inst_kind::load || i.kind == inst_kind::gather;
    if (!reads && i.kind != inst_kind::store) continue;
    const auto which = static_cast<std::size_t>(i.which);
    if (!reads) written = written || writes_with(b, which, out);
    else if (written && b.operands[which].buffer == buffer) return true;
  }
  return false;
}

}  // namespace sinter::ir
