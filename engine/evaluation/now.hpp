#pragma once
// The clock for times that evaluation reports.

#include <chrono>

namespace sinter::detail {

/// Seconds of a monotonic clock.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sinter::detail
