#pragma once
// The checks made on quick quotients and roots after they are computed.
//
// Why: testing that a value is a number of ordinary size (min.NaN) is their largest cost. A NaN
// need not be tested where it propagates to a value that is tested; and of values that are never
// negative only the minimum is tested, as an integer, two values per instruction. 50 operations,
// ten of them quick, of 1e8 floats: 505 us, 465 so (H100).

#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

enum class quick_test : std::uint8_t {
  size,   // of a quotient or a root: ordinary size, and not NaN
  floor,  // of a quotient's dividend, or of a root, never negative: not below ordinary size. A NaN
          // reaches a value with `size`
};

/// Per instruction; meaningless for one without a quick form.
/// REQUIRES: can_be_quick.
std::vector<quick_test> quick_tests(const kernel&);

/// Per instruction: is it never negative, nor -0? NaN is neither.
std::vector<bool> never_negative(const kernel&);

}  // namespace sinter::ir
