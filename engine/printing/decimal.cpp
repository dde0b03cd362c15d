#include "engine/printing/decimal.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace sinter::detail {
namespace {

void strip_zeros(std::string& digits) {
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.empty()) digits = "0";
}

/// Reads "d.ddde-07".
decimal parse_scientific(std::string_view text) {
  decimal d;
  const auto e = text.find('e');
  for (char c : text.substr(0, e)) {
    if (c != '.') d.digits += c;
  }
  d.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  strip_zeros(d.digits);
  return d;
}

template <class Float>
decimal shortest_of(Float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, std::fabs(value),
                                 std::chars_format::scientific).ptr;
  return parse_scientific({text, static_cast<std::size_t>(end - text)});
}

/// to_chars does not support the type: tries roundings of increasing length until one reads back.
template <class Half>
decimal shortest_of_half(Half value) {
  const double exact = std::fabs(static_cast<double>(static_cast<float>(value)));
  for (int digits = 1;; ++digits) {
    decimal d = rounded(exact, digits);
    std::string text =
        d.digits.substr(0, 1) + '.' + d.digits.substr(1) + 'e' + std::to_string(d.exponent);
    if (static_cast<double>(static_cast<float>(Half(std::strtod(text.c_str(), nullptr)))) == exact)
      return d;
  }
}

}  // namespace

std::string decimal::positional() const {
  const int count = static_cast<int>(digits.size());
  if (exponent < 0)
    return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) {
    return digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0') + '.';
  }
  return digits.substr(0, static_cast<std::size_t>(exponent) + 1) + '.' +
         digits.substr(static_cast<std::size_t>(exponent) + 1);
}

decimal shortest(double value) { return shortest_of(value); }
decimal shortest(float value) { return shortest_of(value); }
decimal shortest(float16 value) { return shortest_of_half(value); }
decimal shortest(bfloat16 value) { return shortest_of_half(value); }

decimal rounded(double value, int digits) {
  std::string text(static_cast<std::size_t>(digits) + 16, ' ');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                 std::chars_format::scientific, digits - 1).ptr;
  return parse_scientific({text.data(), static_cast<std::size_t>(end - text.data())});
}

decimal rounded_behind_point(double value, int digits) {
  std::string text(static_cast<std::size_t>(digits) + 320, ' ');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                 std::chars_format::fixed, digits).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  const auto point = text.find('.');
  decimal d;
  d.exponent = static_cast<int>(point == text.npos ? text.size() : point) - 1;
  if (point != text.npos) text.erase(point, 1);
  const auto first = text.find_first_not_of('0');
  if (first == text.npos) return {"0", 0};
  d.exponent -= static_cast<int>(first);
  d.digits = text.substr(first);
  strip_zeros(d.digits);
  return d;
}

}  // namespace sinter::detail
