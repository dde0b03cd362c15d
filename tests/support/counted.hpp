#pragma once
// Counts plans, kernels and copies.

#include <sinter/session.hpp>

namespace tests {

/// The increase of the session's counters caused by `work`.
template <class F> sinter::statistics counted(F work) {
  const auto before = sinter::session_statistics();
  work();
  auto s = sinter::session_statistics();
  s.plans -= before.plans;
  s.plan_sizes -= before.plan_sizes;
  s.compiles -= before.compiles;
  s.disk_hits -= before.disk_hits;
  s.launches -= before.launches;
  s.copies -= before.copies;
  return s;
}

}  // namespace tests
