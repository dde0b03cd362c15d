#pragma once
// The errors that CUDA documents for the mathematical functions: CUDA C++ Programming Guide 13.0,
// section 17.1 "Standard Functions", tables 17 and 18 ("maximum ulp error", full range). They are
// relative to the correctly rounded result, so relative to the exact one they are half a unit
// larger.

#include <limits>

#include "ir/ops.hpp"

namespace bench {

/// Arguments without a documented bound: `from` to `to`.
struct hole {
  double from = std::numeric_limits<double>::infinity();
  double to = -std::numeric_limits<double>::infinity();
  bool holds(double x) const { return from <= x && x <= to; }
};

struct cuda_bound {
  sinter::ir::op code;
  double of_float, of_double;  // units in the last place
  hole hole_of_float = {}, hole_of_double = {};
};

inline constexpr cuda_bound cuda_bounds[] = {
    {sinter::ir::op::cbrt, 1, 1},
    {sinter::ir::op::exp, 2, 1},
    {sinter::ir::op::exp2, 2, 1},
    {sinter::ir::op::expm1, 1, 1},
    {sinter::ir::op::log, 1, 1},
    {sinter::ir::op::log2, 1, 1},
    {sinter::ir::op::log10, 2, 1},
    {sinter::ir::op::log1p, 1, 1},
    {sinter::ir::op::sin, 2, 2},
    {sinter::ir::op::cos, 2, 2},
    {sinter::ir::op::tan, 4, 2},
    {sinter::ir::op::asin, 2, 2},
    {sinter::ir::op::acos, 2, 2},
    {sinter::ir::op::atan, 2, 2},
    {sinter::ir::op::sinh, 3, 2},
    {sinter::ir::op::cosh, 2, 1},
    {sinter::ir::op::tanh, 2, 1},
    {sinter::ir::op::asinh, 3, 3},
    {sinter::ir::op::acosh, 4, 3},
    {sinter::ir::op::atanh, 3, 2},
    {sinter::ir::op::erf, 2, 2},
    {sinter::ir::op::erfc, 4, 5},
    {sinter::ir::op::gamma, 5, 10},
    {sinter::ir::op::lgamma, 6, 4, {-10.001, -2.264}, {-23.0001, -2.2637}},
    {sinter::ir::op::sqrt, 0, 0},
    {sinter::ir::op::pow, 4, 2},
    {sinter::ir::op::atan2, 3, 2},
    {sinter::ir::op::hypot, 3, 2},
    {sinter::ir::op::fmod, 0, 0},
};

}  // namespace bench
