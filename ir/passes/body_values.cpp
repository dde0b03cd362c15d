// Values of elements: loaded, computed, or indices.
#include <string>
#include <utility>

#include "ir/formula.hpp"
#include "ir/passes/body_builder.hpp"

namespace sinter::ir {

parts body_builder::gather(node_id n, const index_expr& at) {
  out_.ops.push_back("gather");
  const std::int32_t index = alongside(n, 1, at);
  return load(g_[n].inputs[0], through(n, at), index);
}

parts body_builder::pad(node_id n, const index_expr& at) {
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

std::int32_t body_builder::or_zero(std::int32_t condition, std::int32_t v) {
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

std::int32_t body_builder::bitcast(std::int32_t v, dtype to) {
  inst i;
  i.kind = inst_kind::compute;
  i.code = op::bitcast;
  i.type = out_.code[static_cast<std::size_t>(v)].result;
  i.result = to;
  i.args[0] = v;
  return i.type == to ? v : push(i);
}

parts body_builder::load(node_id n, const index_expr& at, std::int32_t index) {
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

std::int32_t body_builder::index(const index_expr& at) {
  if (!at.affine() && at.outer.offset != 0) {
    // The operand of an unravelled index has an offset before unravelling and none after it: a
    // second index carries that.
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

parts body_builder::scalar(node_id n) {
  const dtype t = real_of(g_[n].type);
  if (g_[n].baked) {
    inst fixed;
    fixed.kind = inst_kind::constant;
    fixed.type = fixed.result = t;
    fixed.bits = g_[n].value[0];
    return {push(fixed), -1};
  }
  const std::int32_t re = parameter(n, 0, t);
  return {re, is_complex(g_[n].type) ? parameter(n, 1, t) : -1};
}

std::int32_t body_builder::parameter(node_id n, int word, dtype t) {
  inst i;
  i.kind = inst_kind::scalar;
  i.which = static_cast<std::int32_t>(out_.scalars.size());
  i.type = i.result = t;
  out_.scalars.push_back(t);
  out_.scalar_nodes.push_back({n, word});
  return push(i);
}

std::int32_t body_builder::random(node_id n, const index_expr& at) {
  inst i;
  i.kind = inst_kind::random;
  i.args[0] = index(at);
  i.args[1] = parameter(n, 0, dtype::uint64);
  i.type = i.result = g_[n].type;
  i.note = g_[n].origin;
  out_.ops.push_back("random");
  return push(i);
}

parts body_builder::map(node_id n, const index_expr& at) {
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

}  // namespace sinter::ir
