#pragma once
// Tridiagonal systems, one per line along the last axis.

#include "bench/suite/workload.hpp"

namespace suite {

/// The elements below, on and above the diagonal, and the right-hand side.
struct tridiagonal {
  doubles a, b, c, d;
};

/// Solves without pivoting (L. H. Thomas 1949): forwards, then backwards.
doubles solved(const tridiagonal& m);

/// The same for one line by hand; all of n numbers. a[0] is not read.
std::vector<double> solved_by_hand(const std::vector<double>& a, const std::vector<double>& b,
                                   const std::vector<double>& c, const std::vector<double>& d);

}  // namespace suite
