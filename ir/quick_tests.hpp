#pragma once
// What is asked of quick quotients and roots, once they are computed.
//
// Why: an instruction that asks whether a value is of ordinary size and a number (min.NaN) is what
// they cost most by. What is no number need not be asked for where it reaches a value that is; and
// of what is never negative only the least is asked for, as an integer, two values an instruction.
// 50 operations, ten of them quick, of 1e8 floats: 505 us, 465 so (H100).

#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

enum class quick_test : std::uint8_t {
  size,   // of a quotient or a root: of ordinary size, and a number
  floor,  // of a quotient's dividend, of a root itself, never negative: no less than ordinary. If
          // the quotient or root is no number, a value whose `size` is asked for is none either
};

/// By instruction; of one without a quick form it says nothing.
/// REQUIRES: can_be_quick.
std::vector<quick_test> quick_tests(const kernel&);

/// By instruction: is it never negative, nor -0? What is no number is neither.
std::vector<bool> never_negative(const kernel&);

}  // namespace sinter::ir
