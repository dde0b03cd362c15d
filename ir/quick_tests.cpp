#include "ir/quick_tests.hpp"

#include "ir/kernel_quick.hpp"

namespace sinter::ir {

namespace {

/// Is the result NaN whenever argument `which` is? For ops that are not listed, nothing relies on
/// it.
bool keeps_nan(op code, int which) {
  switch (code) {
    case op::add:
    case op::subtract:
    case op::multiply:
    case op::divide:
    case op::negative:
    case op::abs:
    case op::sqrt:
    case op::exp:
    case op::exp2:
    case op::expm1:
    case op::log:
    case op::log2:
    case op::log10:
    case op::log1p:
    case op::sin:
    case op::cos:
    case op::tanh:
    case op::erf:
    case op::erfc:
    case op::cast:
    case op::maximum:
    case op::minimum:
      return true;
    case op::larger:
    case op::smaller:
      return which == 0;
    default:
      return false;
  }
}

bool is_never_negative(const inst& i, const std::vector<bool>& before) {
  const auto arg = [&](int k) { return before[static_cast<std::size_t>(i.args[k])]; };
  switch (i.code) {
    case op::abs:
    case op::exp:
    case op::exp2:
      return true;
    case op::sqrt:
    case op::larger:
      return arg(0);
    case op::cast:
      return is_real(i.type) && arg(0);
    case op::maximum:
      return arg(0) || arg(1);
    case op::minimum:
    case op::add:
    case op::divide:
      return arg(0) && arg(1);
    case op::multiply:
      return i.args[0] == i.args[1] || (arg(0) && arg(1));
    default:
      return false;
  }
}

}  // namespace

std::vector<bool> never_negative(const kernel& k) {
  std::vector<bool> of(k.body.size());
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const inst& at = k.body[i];
    const bool real = at.kind == inst_kind::compute && is_real(at.result);
    of[i] = real && is_never_negative(at, of);
  }
  return of;
}

std::vector<quick_test> quick_tests(const kernel& k) {
  const bool walks = k.reduced > 0;
  const std::vector<bool> positive = never_negative(k);
  std::vector<quick_test> tests(k.body.size(), quick_test::size);
  std::vector<bool> asked(k.body.size());  // is a NaN of its value noticed?
  for (std::size_t n = k.body.size(); n-- > 0;) {
    const inst& at = k.body[n];
    if (at.kind != inst_kind::compute || !is_real(at.result) || at.inner != walks) continue;
    if (has_quick_form(at)) {
      const std::size_t sized = at.code == op::sqrt ? n : static_cast<std::size_t>(at.args[0]);
      const bool by_ordinary = dividing_scalar(k, at) < 0;  // its divisor is tested too
      if (asked[n] && positive[sized] && by_ordinary) tests[n] = quick_test::floor;
      asked[n] = true;
    }
    for (int a = 0; a < 3 && at.args[a] >= 0; ++a) {
      if (asked[n] && keeps_nan(at.code, a)) asked[static_cast<std::size_t>(at.args[a])] = true;
    }
  }
  return tests;
}

}  // namespace sinter::ir
