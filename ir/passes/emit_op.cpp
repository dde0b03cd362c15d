#include "ir/passes/emit_op.hpp"

#include "ir/formula.hpp"

namespace sinter::ir {

namespace {

std::int32_t push(std::vector<inst>& code, const inst& i) {
  code.push_back(i);
  return static_cast<std::int32_t>(code.size()) - 1;
}

std::int32_t convert(std::vector<inst>& code, std::int32_t v, dtype from, dtype to) {
  if (from == to) return v;
  inst i{.code = op::cast, .type = from, .result = to};
  i.args[0] = v;
  return push(code, i);
}

parts cast(std::vector<inst>& code, const instruction& op, const std::int32_t* args) {
  const dtype from = real_of(op.type), to = real_of(op.result);
  if (is_complex(op.type) && is_bool(op.result)) {
    const std::int32_t both[2] = {convert(code, args[0], from, to),
                                  convert(code, args[1], from, to)};
    return {emit(code, op::logical_or, dtype::bool_, both), -1};
  }
  const std::int32_t re = convert(code, args[0], from, to);
  if (!is_complex(op.result)) return {re, -1};
  if (is_complex(op.type)) return {re, convert(code, args[1], from, to)};
  return {re, push(code, {.kind = inst_kind::constant, .type = to, .result = to})};
}

}  // namespace

parts emit_op(std::vector<inst>& code, const instruction& op, const std::int32_t* args) {
  if (op.code == op::cast) return cast(code, op, args);
  if (op.code == op::bitcast) {
    inst i{.code = op::bitcast, .type = op.type, .result = op.result};
    i.args[0] = args[0];
    return {push(code, i), -1};
  }
  if (is_complex(op.type) || is_complex(op.result)) {
    return emit_complex(code, op.code, op.type, args);
  }
  const std::int32_t plain[3] = {args[0], args[2], args[4]};
  return {emit(code, op.code, op.type, plain), -1};
}

}  // namespace sinter::ir
