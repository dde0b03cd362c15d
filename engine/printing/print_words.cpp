// Numbers as words of one width, by NumPy's rules (numpy/core/arrayprint.py).

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/printing/decimal.hpp"
#include "engine/printing/print.hpp"

namespace sinter::detail {
namespace {

template <class T>
double widened(T x) {
  if constexpr (std::is_same_v<T, double>) return x;
  else return static_cast<double>(static_cast<float>(x));
}

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string sign_of(double x, bool plus) { return std::signbit(x) ? "-" : plus ? "+" : ""; }

std::string exponent_text(int exponent, std::size_t digits) {
  std::string text = std::to_string(std::abs(exponent));
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return (exponent < 0 ? "e-" : "e+") + text;
}

/// The digits of a number, limited after the point.
template <class T>
decimal cut_positional(T x, int precision) {
  decimal d = shortest(x);
  return d.fraction_digits() <= precision ? d : rounded_behind_point(widened(x), precision);
}

/// The digits of a number, limited to a number of significant ones.
template <class T>
decimal cut_significant(T x, int digits) {
  decimal d = shortest(x);
  return static_cast<int>(d.digits.size()) <= digits ? d : rounded(widened(x), digits);
}

/// The common format of an array's numbers of type T.
template <class T>
class float_format {
 public:
  float_format(const std::vector<T>& data, const print_options& options, char sign)
      : precision_(options.floatmode == float_mode::unique ? unbounded
                                                           : std::max(options.precision, 0)),
        mode_(options.floatmode),
        plus_(sign == '+'),
        nan_(options.nanstr),
        inf_(options.infstr) {
    std::vector<T> finite;
    bool signed_infinity = sign != '-', negative = false;
    for (T x : data) {
      if (std::isfinite(widened(x))) finite.push_back(x);
      signed_infinity |= std::isinf(widened(x)) && widened(x) < 0;
      negative |= std::isfinite(widened(x)) && std::signbit(widened(x));
    }
    exponents_ = needs_exponents(finite, options.suppress);
    exponents_ ? measure_scientific(finite) : measure_positional(finite);
    if (sign == ' ' && !negative) ++left_;
    if (finite.size() == data.size()) return;
    const std::size_t behind = right_ + 1, nan = nan_.size(), inf = inf_.size() + signed_infinity;
    left_ = std::max({left_, nan > behind ? nan - behind : 0, inf > behind ? inf - behind : 0});
  }

  std::string operator()(T x) const {
    const double v = widened(x);
    if (std::isnan(v)) return padded((plus_ ? "+" : "") + nan_, left_ + right_ + 1);
    if (std::isinf(v)) return padded(sign_of(v, plus_) + inf_, left_ + right_ + 1);
    return exponents_ ? scientific(x) : positional(x);
  }

 private:
  static bool needs_exponents(const std::vector<T>& finite, bool suppress) {
    double low = 0, high = 0;
    for (T x : finite) {
      const double v = std::fabs(widened(x));
      if (v == 0) continue;
      low = low == 0 ? v : std::min(low, v);
      high = std::max(high, v);
    }
    if (high == 0) return false;
    return high >= 1e8 || (!suppress && (low < 0.0001 || widened(T(high / low)) > 1000));
  }

  /// The digits after the point of a single number.
  decimal cut(T x) const {
    return mode_ == float_mode::fixed ? rounded_behind_point(widened(x), precision_)
                                      : cut_positional(x, precision_);
  }

  void measure_positional(const std::vector<T>& finite) {
    for (T x : finite) {
      const std::string text = cut(x).positional();
      const std::size_t point = text.find('.');
      left_ = std::max(left_, point + sign_of(widened(x), plus_).size());
      right_ = std::max(right_, text.size() - point - 1);
    }
    if (mode_ == float_mode::fixed && !finite.empty()) {
      right_ = static_cast<std::size_t>(precision_);
    }
  }

  void measure_scientific(const std::vector<T>& finite) {
    std::size_t digits = 1;
    for (T x : finite) {
      const decimal d = cut_significant(x, precision_ + 1);
      digits = std::max(digits, mode_ == float_mode::fixed
                                    ? static_cast<std::size_t>(precision_) + 1
                                    : d.digits.size());
      left_ = std::max(left_, 1 + sign_of(widened(x), plus_).size());
      exponent_digits_ = std::max(exponent_digits_, exponent_text(d.exponent, 2).size() - 2);
    }
    precision_ = static_cast<int>(digits) - 1;
    right_ = exponent_digits_ + 2 + digits - 1;
  }

  /// As in NumPy, all digits before the point are those of the exact value.
  std::string positional(T x) const {
    decimal d = cut(x);
    if (static_cast<int>(d.digits.size()) <= d.exponent) d = rounded_behind_point(widened(x), 0);
    const bool zeros = mode_ == float_mode::fixed || mode_ == float_mode::maxprec_equal;
    // As with exponents, padding digits are those of the exact value.
    if (zeros && static_cast<std::size_t>(d.fraction_digits()) < right_) {
      d = rounded_behind_point(widened(x), static_cast<int>(right_));
    }
    std::string text = d.positional();
    const std::size_t behind = text.size() - text.find('.') - 1;
    text.append(right_ - behind, zeros ? '0' : ' ');
    return padded(sign_of(widened(x), plus_) + text, left_ + 1 + right_);
  }

  /// All numbers get as many digits as the longest. As in NumPy these are digits of the exact
  /// value, even if fewer would identify the number.
  std::string scientific(T x) const {
    const auto count = static_cast<std::size_t>(precision_) + 1;
    decimal d = shortest(x);
    if (d.digits.size() != count) d = rounded(widened(x), static_cast<int>(count));
    d.digits.resize(count, '0');
    return padded(sign_of(widened(x), plus_) + d.digits.substr(0, 1), left_) + '.' +
           d.digits.substr(1) + exponent_text(d.exponent, exponent_digits_);
  }

  static constexpr int unbounded = 1 << 20;

  int precision_;
  float_mode mode_;
  bool plus_, exponents_ = false;
  std::string nan_, inf_;
  std::size_t left_ = 0, right_ = 0, exponent_digits_ = 2;
};

template <class T>
std::vector<T> elements(const shown_elements& x) {
  std::vector<T> values(x.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), x.data.data(), x.data.size());
  return values;
}

template <class T>
std::vector<std::string> float_words(const std::vector<T>& values, const print_options& options,
                                     char sign) {
  const float_format<T> format(values, options, sign);
  std::vector<std::string> words;
  for (T v : values) words.push_back(format(v));
  return words;
}

template <class T>
std::vector<std::string> complex_words(const shown_elements& x, const print_options& options) {
  std::vector<T> re, im;
  const auto parts = elements<T>(x);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    re.push_back(parts[i]);
    im.push_back(parts[i + 1]);
  }
  auto words = float_words(re, options, options.sign);
  const auto imaginary = float_words(im, options, '+');
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = imaginary[i];
    word.insert(word.find_last_not_of(' ') + 1, "j");
    words[i] += word;
  }
  return words;
}

template <class T>
std::vector<std::string> integer_words(const shown_elements& x) {
  std::vector<std::string> words;
  std::size_t width = 0;
  for (T v : elements<T>(x)) {
    words.push_back(std::to_string(v));
    width = std::max(width, words.back().size());
  }
  for (auto& w : words) w = padded(std::move(w), width);
  return words;
}

/// A single number: Python's str().
template <class T>
std::string lone(T x, bool whole_has_zero, bool plus) {
  const double v = widened(x), magnitude = std::fabs(v);
  if (std::isnan(v)) return plus ? "+nan" : "nan";
  if (std::isinf(v)) return sign_of(v, plus) + "inf";
  const decimal d = shortest(x);
  if (v == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    std::string text = d.positional();
    if (text.back() == '.') whole_has_zero ? text.push_back('0') : text.pop_back();
    return sign_of(v, plus) + text;
  }
  const std::string fraction = d.digits.size() > 1 ? "." + d.digits.substr(1) : "";
  return sign_of(v, plus) + d.digits.substr(0, 1) + fraction + exponent_text(d.exponent, 2);
}

template <class T>
std::string lone_complex(const shown_elements& x) {
  const auto parts = elements<T>(x);
  if (parts[0] == 0 && !std::signbit(parts[0])) return lone(parts[1], false, false) + 'j';
  return '(' + lone(parts[0], false, false) + lone(parts[1], false, true) + "j)";
}

template <class T>
std::vector<std::string> words_of(const shown_elements& x, const print_options& options) {
  const auto values = elements<T>(x);
  if (x.alone) return {lone(values[0], true, false)};
  return float_words(values, options, options.sign);
}

std::vector<std::string> bool_words(const shown_elements& x) {
  std::vector<std::string> words;
  for (auto v : elements<std::uint8_t>(x)) {
    words.push_back(v ? (x.shape.empty() ? "True" : " True") : "False");
  }
  return words;
}

template <class T>
std::vector<std::string> complex_words_of(const shown_elements& x, const print_options& options) {
  if (x.alone) return {lone_complex<T>(x)};
  return complex_words<T>(x, options);
}

}  // namespace

std::vector<std::string> write_words(const shown_elements& x, const print_options& options) {
  switch (x.type) {
    case dtype::bool_: return bool_words(x);
    case dtype::int8: return integer_words<std::int8_t>(x);
    case dtype::int16: return integer_words<std::int16_t>(x);
    case dtype::int32: return integer_words<std::int32_t>(x);
    case dtype::int64: return integer_words<std::int64_t>(x);
    case dtype::uint8: return integer_words<std::uint8_t>(x);
    case dtype::uint16: return integer_words<std::uint16_t>(x);
    case dtype::uint32: return integer_words<std::uint32_t>(x);
    case dtype::uint64: return integer_words<std::uint64_t>(x);
    case dtype::float16: return words_of<float16>(x, options);
    case dtype::bfloat16: return words_of<bfloat16>(x, options);
    case dtype::float32: return words_of<float>(x, options);
    case dtype::float64: return words_of<double>(x, options);
    case dtype::complex64: return complex_words_of<float>(x, options);
    case dtype::complex128: return complex_words_of<double>(x, options);
  }
  return {};
}

}  // namespace sinter::detail
