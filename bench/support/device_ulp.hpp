#pragma once
// Errors of float functions, measured where they run: one sinter expression makes the arguments,
// computes the function on floats and on doubles, and reduces the difference. So every float there
// is takes a GPU a fraction of a second. The doubles are right to some 2^-28 of a float's unit.

#include <cstdint>
#include <vector>

#include <sinter/array.hpp>

#include "bench/support/cuda_bounds.hpp"

namespace bench {

template <class T>
using function_of = sinter::array<T> (*)(const sinter::array<T>&, const sinter::array<T>&);

struct device_worst {
  double ulps = 0;
  float a = 0, b = 0, got = 0;
  std::int64_t wrong = 0;  // NaN where the double has none, or the other way; the sign of zero
};

/// Over every finite float, or every Nth, but those in the hole.
device_worst worst_of_every(function_of<float> f, function_of<double> exact, std::int64_t nth,
                            const hole& left_out);

/// Over pairs.
device_worst worst_of_pairs(function_of<float> f, function_of<double> exact,
                            const std::vector<float>& a, const std::vector<float>& b);

}  // namespace bench
