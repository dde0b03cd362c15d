#pragma once
// The memory bandwidth of a device, as reached by code that only moves data.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

/// Hand-written kernels that move the same bytes; the fastest counts.
struct ceiling {
  double bytes = 0;
  std::vector<std::function<void()>> ways;
};

/// "copy" (y = x), "triad" (z = x + a * y) and "sum" over `n` floats on the current device.
std::map<std::string, ceiling> make_ceilings(std::int64_t n);

}  // namespace bench
