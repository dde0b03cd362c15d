#include "bench/suite/ocean.hpp"

#include <cmath>

namespace suite {

std::vector<size> ocean_sizes() {
  const auto grid = [](int power) {
    const double c = std::cbrt(std::exp2(power));
    const auto wide = static_cast<index>(std::ceil(2 * c));
    return dims{.x = wide, .y = wide, .z = static_cast<index>(std::ceil(0.25 * c))};
  };
  return {{"2^14", grid(14), checked | timed},
          {"2^18", grid(18), timed},
          {"2^22", grid(22), timed | large}};
}

std::vector<workload> ocean() {
  return {equation_of_state(), turbulent_kinetic_energy()};
}

}  // namespace suite
