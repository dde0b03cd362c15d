#pragma once
// The time, for what evaluation says it took.

#include <chrono>

namespace sinter::detail {

/// Seconds of a clock that only goes forward.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sinter::detail
