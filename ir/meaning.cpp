#include "ir/meaning.hpp"

#include <vector>

#include "ir/formula.hpp"
#include "ir/reference.hpp"

namespace sinter::ir::ref {
namespace {

/// An op of one operand written out by its formula; the operand is instruction 0.
std::vector<inst> written_out(op code, dtype type) {
  std::vector<inst> body = {{.kind = inst_kind::load, .type = type, .result = type, .which = 0}};
  const std::int32_t operand[] = {0};
  emit(body, code, type, operand);
  return body;
}

scalar_value run(const std::vector<inst>& body, scalar_value operand) {
  std::vector<scalar_value> values(body.size());
  values[0] = operand;
  for (std::size_t k = 1; k < body.size(); ++k) {
    const inst& i = body[k];
    scalar_value args[3];
    for (int j = 0; j < 3; ++j) {
      if (i.args[j] >= 0) args[j] = values[static_cast<std::size_t>(i.args[j])];
    }
    if (i.kind == inst_kind::constant) values[k].bits[0] = i.bits;
    else if (i.code == op::cast) values[k] = convert(args[0], i.type, i.result);
    else values[k] = i.code == op::bitcast ? args[0] : apply(i.code, i.type, args);
  }
  return values.back();
}

/// Where the formula is the definition: nothing else gives the same bits.
template <op code, real T>
T by_formula(T a) {
  static const std::vector<inst> body = written_out(code, dtype_of<T>);
  return value_of<T>(run(body, scalar_of(a)));
}

}  // namespace

template <real T>
T portable_log(T a) {
  return by_formula<op::portable_log>(a);
}
template <real T>
T portable_exp(T a) {
  return by_formula<op::portable_exp>(a);
}
template <real T>
T ndtr(T a) {
  return by_formula<op::ndtr>(a);
}
template <real T>
T ndtri(T a) {
  return by_formula<op::ndtri>(a);
}

template float portable_log(float);
template double portable_log(double);
template float portable_exp(float);
template double portable_exp(double);
template float ndtr(float);
template double ndtr(double);
template float ndtri(float);
template double ndtri(double);

}  // namespace sinter::ir::ref
