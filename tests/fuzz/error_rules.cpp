// The error bound of an op's result, given the bounds of its operands.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/reference.hpp"
#include "tests/fuzz/estimate.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::op;

/// Backends guarantee a few; the fuzzer looks for mistakes, not ulps.
constexpr double function_ulps = 16;

double size(const point& p) { return std::hypot(p.re, p.im); }
bool finite(const point& p) { return std::isfinite(p.re) && std::isfinite(p.im); }

double function_of(op code, double x) {
  double out = 0;
  const void* args[] = {&x};
  ir::strip_of(code, dtype::float64)(&out, args, 1);
  return out;
}

constexpr op monotone[] = {op::exp,  op::exp2,  op::expm1, op::log,   op::log2,    op::log10,
                           op::log1p, op::cbrt, op::tanh,  op::atan,  op::sinh,    op::asinh,
                           op::erf,  op::erfc,  op::sigmoid, op::asin, op::acos, op::sqrt,
                           op::floor, op::ceil, op::trunc, op::round};

/// A monotonic function changes most at the ends of the interval.
double monotone_error(op code, const point& a) {
  const double middle = function_of(code, a.re);
  const double low = function_of(code, a.re - a.error), high = function_of(code, a.re + a.error);
  const double moved = std::max(std::abs(high - middle), std::abs(low - middle));
  if (std::isnan(low) || std::isnan(high) || !std::isfinite(moved)) return anything;
  const bool jumps = ir::info(code).cost == 1;  // rounding functions
  if (!jumps) return moved;
  const bool any_sign = middle == 0 && a.error > 0;
  return moved > 0 ? anything : any_sign ? std::numeric_limits<double>::denorm_min() : 0;
}

/// An approximate op on exact operands.
double function_error(const ir::instruction& i, const point* a, const point& r) {
  const dtype part = real_of(i.type);
  if (is_complex(i.type)) {
    if (!finite(r) || !finite(a[0]) || (ir::arity(i) > 1 && !finite(a[1]))) return anything;
    double ulps = 4 * function_ulps;
    if (i.code == op::pow) ulps *= 1 + size(a[1]) * (1 + std::abs(std::log(size(a[0]))));
    return ulps * spacing(part, size(r));
  }
  if (!std::isfinite(r.re)) return 0;
  double error = function_ulps * spacing(part, r.re);
  if (i.code == op::gamma || i.code == op::pow) error *= 4;
  if (i.code == op::lgamma) error += 4 * function_ulps * spacing(part, std::max(1.0, a[0].re));
  if (i.code == op::logaddexp) {
    error += function_ulps * spacing(part, std::max({1.0, std::abs(a[0].re), std::abs(a[1].re)}));
  }
  return error;
}

/// Ops that round at most once and change no more than their operands.
double arithmetic_error(const ir::instruction& i, const point* a, const point& r) {
  const double x = size(a[0]), ex = a[0].error;
  const double y = size(a[1]), ey = a[1].error;
  const double rounding = spacing(real_of(i.type), size(r));
  switch (i.code) {
    case op::add:
    case op::subtract: return ex + ey + rounding;
    case op::multiply:
      return x * ey + y * ex + ex * ey + 4 * spacing(real_of(i.type), x * y);
    case op::square: return 2 * x * ex + ex * ex + 4 * spacing(real_of(i.type), x * x);
    case op::divide:
      return y > ey ? (ex + size(r) * ey) / (y - ey) + function_ulps * rounding : anything;
    case op::reciprocal:
      return x > ex ? ex * size(r) / (x - ex) + function_ulps * rounding : anything;
    case op::fma: return x * ey + y * ex + ex * ey + a[2].error + rounding;
    case op::negative:
    case op::positive:
    case op::conj:
    case op::real:
    case op::imag: return ex;
    case op::abs: return ex + (is_complex(i.type) ? function_ulps * rounding : 0);
    case op::degrees:
    case op::radians: return ex * std::abs(r.re / a[0].re) + rounding;
    default: return anything;
  }
}

/// Ops on real numbers that select or compare.
double choice_error(const ir::instruction& i, const point* a) {
  const double ex = a[0].error, ey = a[1].error;
  switch (i.code) {
    case op::maximum:
    case op::minimum:
    case op::fmax:
    case op::fmin: return std::max(ex, ey);
    case op::clip: return std::max({ex, ey, a[2].error});
    case op::sin:
    case op::cos: return ex;
    case op::copysign: return std::abs(a[1].re) > ey ? ex : anything;
    case op::sign:
    case op::signbit: return std::abs(a[0].re) > ex ? 0 : anything;
    case op::less:
    case op::less_equal:
    case op::greater:
    case op::greater_equal:
    case op::equal:
    case op::not_equal: return std::abs(a[0].re - a[1].re) > ex + ey ? 0 : anything;
    case op::isnan:
    case op::isinf:
    case op::isfinite: return 0;
    default: return anything;
  }
}

double moved_error(const ir::instruction& i, const point* a, const point& r) {
  if (!finite(r)) return anything;
  for (int k = 0; k < ir::arity(i); ++k) {
    if (!finite(a[k]) || !std::isfinite(a[k].error)) return anything;
  }
  double error = arithmetic_error(i, a, r);
  if (is_complex(i.type)) return error;
  if (std::ranges::find(monotone, i.code) != std::end(monotone)) {
    error = monotone_error(i.code, a[0]);
  } else if (error == anything) {
    error = choice_error(i, a);
  }
  if (!exact_op(i.code, i.type)) error += function_error(i, a, r);
  return error;
}

double cast_error(const ir::instruction& i, const point& a, const point& r) {
  if (a.error == 0) return 0;
  if (!finite(a) || !std::isfinite(a.error) || !is_inexact(i.type)) return anything;
  if (is_bool(i.result)) return size(a) > a.error ? 0 : anything;
  if (is_integer(i.result)) {
    return std::trunc(a.re - a.error) == std::trunc(a.re + a.error) ? 0 : anything;
  }
  return a.error + spacing(real_of(i.result), size(r));
}

/// The sign of a NaN is unspecified.
bool shows_nan(const ir::instruction& i, const point* a) {
  if (i.code == op::signbit || i.code == op::bitcast) return std::isnan(a[0].re);
  return i.code == op::copysign && std::isnan(a[1].re);
}

}  // namespace

double spacing(dtype t, double x) {
  struct format {
    double relative, least;
  };
  const auto [relative, least] = t == dtype::float64    ? format{0x1p-52, 0x1p-1074}
                                 : t == dtype::float32  ? format{0x1p-23, 0x1p-149}
                                 : t == dtype::bfloat16 ? format{0x1p-7, 0x1p-133}
                                 : t == dtype::float16  ? format{0x1p-10, 0x1p-24}
                                                        : format{0, 0};
  return std::max(std::abs(x) * relative, least);
}

double largest(dtype t) {
  switch (t) {
    case dtype::float16: return 65504;
    case dtype::bfloat16: return 0x1.fep127;
    case dtype::float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

double error_of(const ir::instruction& i, const point* a, const point& r) {
  if (shows_nan(i, a)) return anything;
  if (i.code == op::where) {
    return a[0].error > 0 ? anything : a[0].re != 0 ? a[1].error : a[2].error;
  }
  bool moved = false;
  for (int k = 0; k < ir::arity(i); ++k) moved |= a[k].error > 0;
  double error = 0;
  if (i.code == op::cast) error = cast_error(i, a[0], r);
  else if (i.code == op::bitcast) error = moved ? anything : 0;
  else if (moved) error = moved_error(i, a, r);
  else if (!exact_op(i.code, i.type)) error = function_error(i, a, r);
  if (!(error >= 0)) return anything;
  // Near the end of the range one of the two may overflow.
  const bool edge = is_inexact(i.result) && finite(r) &&
                    size(r) + error > 0.99 * largest(real_of(i.result));
  return error > 0 && edge ? anything : error;
}

}  // namespace sinter::fuzz
