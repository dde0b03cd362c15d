#pragma once
// The array API's constants as C++ scalars, which take the float type of their operands.
// `sn::newaxis` is in <sinter/index.hpp>.

#include <limits>
#include <numbers>

namespace sinter {

inline constexpr double e = std::numbers::e;
inline constexpr double euler_gamma = std::numbers::egamma;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double pi = std::numbers::pi;

}  // namespace sinter
