#pragma once
// The rule that a kernel breaks.

#include <string>

#include "ir/error.hpp"
#include "ir/kernel.hpp"

namespace sinter::tests {

/// "[stack-room]", for example; empty if it verifies.
inline std::string rule_of(const ir::kernel& k) {
  try {
    ir::verify(k);
  } catch (const ir::verify_error& e) {
    const std::string message = e.what();
    return message.substr(0, message.find(']') + 1);
  }
  return "";
}

}  // namespace sinter::tests
