#pragma once
// Errors of float functions, measured on the device: one sinter expression generates the arguments,
// evaluates the function in float and in double, and reduces the difference. So a GPU tests every
// float in a fraction of a second. The doubles are accurate to some 2^-28 of a float's unit.

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
  std::int64_t wrong = 0;  // one is NaN and the other is not, or the sign of zero differs
};

/// Over every finite float, or every Nth, except those in the hole.
device_worst worst_of_every(function_of<float> f, function_of<double> exact, std::int64_t nth,
                            const hole& left_out);

/// Over pairs of arguments.
device_worst worst_of_pairs(function_of<float> f, function_of<double> exact,
                            const std::vector<float>& a, const std::vector<float>& b);

}  // namespace bench
