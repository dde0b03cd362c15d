// Bounds on reductions: any order of combination is allowed.
#include <algorithm>
#include <cmath>

#include "tests/fuzz/estimate.hpp"

namespace sinter::fuzz {
namespace {

/// The largest power of two that divides x.
double unit_of(double x) {
  if (x == 0 || !std::isfinite(x)) return anything;
  int exponent = 0;
  auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
  while (digits % 2 == 0) {
    digits /= 2;
    ++exponent;
  }
  return std::ldexp(1.0, exponent - 53);
}

}  // namespace

void row_bound::add(const point& x) {
  const double size = is_complex(type_) ? std::hypot(x.re, x.im) : std::abs(x.re);
  ++count_;
  error_ += x.error;
  worst_ = std::max(worst_, x.error);
  nan_ |= (std::isnan(x.re) || std::isnan(x.im)) && x.error == 0;
  plus_ |= size == anything && (x.re > 0 || is_complex(type_));
  minus_ |= size == anything && (x.re < 0 || is_complex(type_));
  zero_ |= size == 0;
  if (!std::isfinite(size)) return;
  magnitude_ += size;
  if (size > 0) relative_ += x.error / size;
  (size > 1 ? highs_ : lows_) *= size > 0 ? size : 1;
  unit_ = std::min({unit_, unit_of(x.re), unit_of(x.im)});
}

double row_bound::sum_error(const point& result) const {
  const dtype part = real_of(type_);
  if (is_complex(type_) && (nan_ || plus_)) return anything;
  if (nan_ || (plus_ && minus_)) return 0;
  if (!std::isfinite(error_) || magnitude_ + error_ > 0.9 * largest(part)) return anything;
  if (plus_ || minus_) return error_ == 0 ? 0 : anything;
  const double eps = part == dtype::float32 ? 0x1p-24 : 0x1p-53;
  if (error_ == 0 && magnitude_ * eps <= unit_) return 0;  // every partial sum is exact
  const double rounding = spacing(part, std::hypot(result.re, result.im));
  return error_ + (count_ + 2) * eps * magnitude_ + rounding;
}

double row_bound::product_error(const point& result) const {
  const dtype part = real_of(type_);
  if (nan_) return 0;
  if (!std::isfinite(error_)) return anything;  // an operand may be anything, even NaN
  const double tiny = part == dtype::float32 ? 0x1p-125 : 0x1p-1021;
  if (highs_ > 0.9 * largest(part) || lows_ < tiny) return anything;
  if (zero_ || plus_ || minus_) return error_ == 0 ? 0 : anything;
  if (!(relative_ < 0.1)) return anything;
  const double eps = part == dtype::float32 ? 0x1p-23 : 0x1p-52;
  return std::abs(result.re) * ((count_ + 2) * eps + 2 * relative_) + spacing(part, result.re);
}

double row_bound::extremum_error(const point& result) const {
  if (nan_) return 0;
  // Either 0 or -0 may count as the larger.
  return worst_ == 0 && result.re == 0 ? spacing(type_, 0) : worst_;
}

double row_bound::error(const point& result) const {
  if (!is_inexact(type_)) return worst_ > 0 ? anything : 0;
  if (code_ == ir::op::add) return sum_error(result);
  if (code_ == ir::op::multiply) return product_error(result);
  return extremum_error(result);
}

}  // namespace sinter::fuzz
