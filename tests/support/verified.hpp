#pragma once
// Plans whose kernels are verified (ir/kernel_verify). A build with assertions verifies every plan;
// tests that plan do so in any build.

#include <utility>

#include "ir/extent.hpp"
#include "ir/kernel.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

inline plan verified(plan p) {
  const trace::pause unseen;
  for (const kernel& k : p.kernels) verify(k);
  return p;
}

}  // namespace sinter::ir
