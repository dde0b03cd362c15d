#pragma once
// Sizes and addresses at multiples.

#include <cstddef>

namespace sinter::runtime {

/// The least multiple of `step` that is not less than n. REQUIRES: step > 0.
constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

}  // namespace sinter::runtime
