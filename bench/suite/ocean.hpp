#pragma once
// Two steps of an ocean model, after pyhpc-benchmarks.

#include "bench/suite/workload.hpp"

namespace suite {

workload equation_of_state();
workload turbulent_kinetic_energy();
tensors turbulence_by_hand(const dims& d, const tensors& in);

/// Grids of about `2^k` points, eight times as wide as deep.
std::vector<size> ocean_sizes();

inline double points_of(const dims& d) {
  return static_cast<double>(d.x) * static_cast<double>(d.y) * static_cast<double>(d.z);
}

}  // namespace suite
