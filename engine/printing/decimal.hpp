#pragma once
// Decimal digits of floating-point numbers, for printing.

#include <string>

#include "ir/dtype.hpp"

namespace sinter::detail {

/// d.ddd times 10^exponent: the magnitude of a finite number.
struct decimal {
  std::string digits;  // without trailing zeros, at least one
  int exponent = 0;

  /// Digits after the decimal point in positional notation.
  int fraction_digits() const {
    const int n = static_cast<int>(digits.size()) - 1 - exponent;
    return n > 0 ? n : 0;
  }
  /// "12.5", "0.001", "300.": always with a point.
  std::string positional() const;
};

/// The fewest digits that read back as the same value of the same type, the closest of those.
decimal shortest(double value);
decimal shortest(float value);
decimal shortest(float16 value);
decimal shortest(bfloat16 value);

/// The exact value rounded to so many significant digits, or digits after the point; ties to even.
decimal rounded(double value, int digits);
decimal rounded_behind_point(double value, int digits);

}  // namespace sinter::detail
