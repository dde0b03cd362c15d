#include "ir/meaning.hpp"

#include <array>
#include <mutex>
#include <vector>

#include "ir/formula.hpp"
#include "ir/reference.hpp"

namespace sinter::ir::ref {
namespace {

struct code_list {
  std::vector<inst> body;  // begins with the operands
  std::int32_t result = 0;
};

/// The formula of an op with at most two operands, written out.
code_list written_out(op code, dtype type) {
  code_list all;
  for (int k = 0; k < info(code).arity; ++k) {
    all.body.push_back({.kind = inst_kind::load, .type = type, .result = type, .which = k});
  }
  const std::int32_t operands[] = {0, 1};
  all.result = emit(all.body, code, type, operands);
  return all;
}

/// Written out once, by the first caller.
const code_list& code_of(op code, dtype type) {
  static std::array<std::array<code_list, 2>, op_count> all;
  static std::array<std::array<std::once_flag, 2>, op_count> done;
  const std::size_t row = static_cast<std::size_t>(code), wide = type == dtype::float64;
  std::call_once(done[row][wide], [&] { all[row][wide] = written_out(code, type); });
  return all[row][wide];
}

scalar_value run(const code_list& code, const std::array<scalar_value, 2>& operands) {
  std::vector<scalar_value> values(code.body.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const inst& i = code.body[k];
    scalar_value args[3];
    for (int j = 0; j < 3; ++j) {
      if (i.args[j] >= 0) args[j] = values[static_cast<std::size_t>(i.args[j])];
    }
    if (i.kind == inst_kind::load) values[k] = operands[static_cast<std::size_t>(i.which)];
    else if (i.kind == inst_kind::constant) values[k].bits[0] = i.bits;
    else if (i.code == op::cast) values[k] = convert(args[0], i.type, i.result);
    else values[k] = i.code == op::bitcast ? args[0] : apply(i.code, i.type, args);
  }
  return values[static_cast<std::size_t>(code.result)];
}

template <real T>
T call(op code, T a, T b) {
  return value_of<T>(run(code_of(code, dtype_of<T>), {scalar_of(a), scalar_of(b)}));
}

}  // namespace

float by_formula(op code, float a, float b) { return call(code, a, b); }
double by_formula(op code, double a, double b) { return call(code, a, b); }

}  // namespace sinter::ir::ref
