#include "engine/nodes/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>

#include "engine/printing/decimal.hpp"

namespace sinter::detail {
namespace {

template <class T> inline constexpr bool is_half_type = std::is_same_v<T, float16> ||
                                                        std::is_same_v<T, bfloat16>;

/// The type an element of T is parsed as: halves as doubles, so that they are rounded once.
template <class T> using parsed_as = std::conditional_t<is_half_type<T>, double, T>;

/// Calls f with a value of the type, used only for its type.
template <class F> auto with_type(dtype t, F&& f) {
  switch (t) {
    case dtype::bool_: return f(bool());
    case dtype::int8: return f(std::int8_t());
    case dtype::int16: return f(std::int16_t());
    case dtype::int32: return f(std::int32_t());
    case dtype::int64: return f(std::int64_t());
    case dtype::uint8: return f(std::uint8_t());
    case dtype::uint16: return f(std::uint16_t());
    case dtype::uint32: return f(std::uint32_t());
    case dtype::uint64: return f(std::uint64_t());
    case dtype::float16: return f(float16());
    case dtype::bfloat16: return f(bfloat16());
    case dtype::float32: return f(float());
    case dtype::float64: return f(double());
    case dtype::complex64: return f(std::complex<float>());
    case dtype::complex128: break;
  }
  return f(std::complex<double>());
}

/// An out-of-range number: infinity or zero, depending on `text`.
template <class T> T beyond(std::string_view text) {
  long double wide = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), wide);
  T value = static_cast<T>(wide);
  if (r.ec != std::errc()) {
    const bool small = text.find("e-") != text.npos || text.find("E-") != text.npos;
    value = small ? T(0) : std::numeric_limits<T>::infinity();
    if (text.starts_with('-')) value = -value;
  }
  return value;
}

/// Parses a prefix of the text; returns its length, 0 for none.
template <class T> std::size_t read_front(std::string_view text, T& value) {
  const std::size_t plus = text.starts_with('+') && !text.starts_with("+-");
  const char* begin = text.data() + plus;
  const auto r = std::from_chars(begin, text.data() + text.size(), value);
  if (r.ec == std::errc::invalid_argument) return 0;
  if (r.ec == std::errc::result_out_of_range) {
    if constexpr (std::is_integral_v<T>) return 0;
    else value = beyond<T>({begin, static_cast<std::size_t>(r.ptr - begin)});
  }
  return static_cast<std::size_t>(r.ptr - text.data());
}

template <class T> bool read_all(std::string_view text, T& value) {
  return !text.empty() && read_front(text, value) == text.size();
}

bool read_all(std::string_view text, bool& value) {
  if (text == "1" || text == "True" || text == "true") return value = true, true;
  if (text == "0" || text == "False" || text == "false") return value = false, true;
  return false;
}

/// "1", "2j", "1+2j", "(1+2j)".
template <class R> bool read_all(std::string_view text, std::complex<R>& value) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
  }
  R first = 0, second = 0;
  const std::size_t used = read_front(text, first);
  if (used == 0) return false;
  value = first;
  text.remove_prefix(used);
  if (text.empty()) return true;
  if (text == "j") return value = {0, first}, true;
  if ((text[0] != '+' && text[0] != '-') || text.back() != 'j') return false;
  text.remove_suffix(1);
  if (!read_all(text, second)) return false;
  value = {first, second};
  return true;
}

template <class T> T element_at(const void* p) {
  T value;
  std::memcpy(static_cast<void*>(&value), p, sizeof value);
  return value;
}

template <class T> void append_chars(std::string& text, T value) {
  char room[64];
  text.append(room, std::to_chars(room, room + sizeof room, value).ptr);
}

/// A half needs fewer digits than the float it converts to.
template <class T> void append_half(std::string& text, T value) {
  const auto wide = static_cast<float>(value);
  if (!std::isfinite(wide)) return append_chars(text, wide);
  if (std::signbit(wide)) text += '-';
  const decimal d = shortest(value);
  text += d.digits.substr(0, 1);
  if (d.digits.size() > 1) text += '.' + d.digits.substr(1);
  if (d.exponent != 0) text += 'e' + std::to_string(d.exponent);
}

template <class R> void append_complex(std::string& text, std::complex<R> z) {
  append_chars(text, z.real());
  if (!std::signbit(z.imag())) text += '+';
  append_chars(text, z.imag());
  text += 'j';
}

}  // namespace

bool parse_number(std::string_view text, dtype type, void* to) {
  return with_type(type, [&](auto tag) {
    using T = decltype(tag);
    parsed_as<T> value{};
    if (!read_all(text, value)) return false;
    const T element = static_cast<T>(value);
    std::memcpy(to, static_cast<const void*>(&element), sizeof element);
    return true;
  });
}

void put_missing(dtype type, void* to) {
  with_type(type, [&](auto tag) {
    using T = decltype(tag);
    T value{};
    if constexpr (std::is_same_v<T, bool>) value = false;
    else if constexpr (std::is_integral_v<T>) value = static_cast<T>(-1);
    else value = static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    std::memcpy(to, static_cast<const void*>(&value), sizeof value);
  });
}

void append_number(std::string& text, dtype type, const void* element) {
  with_type(type, [&](auto tag) {
    using T = decltype(tag);
    const T value = element_at<T>(element);
    if constexpr (std::is_same_v<T, bool>) text += value ? "True" : "False";
    else if constexpr (is_half_type<T>) append_half(text, value);
    else if constexpr (std::is_arithmetic_v<T>) append_chars(text, value);
    else append_complex(text, value);
  });
}

std::optional<number_format> parse_format(std::string_view text) {
  const auto percent = text.find('%');
  if (percent == text.npos) return std::nullopt;
  auto end = text.find_first_not_of("-+ #0", percent + 1);
  std::size_t digits = 0;
  for (; end < text.size() && (text[end] == '.' || (text[end] >= '0' && text[end] <= '9')); ++end) {
    digits = text[end] == '.' ? 0 : digits + 1;
    if (digits > 3) return std::nullopt;  // a field of 10,000 characters is an error
  }
  constexpr std::string_view conversions = "diuxXoeEfFgGaA";
  if (end >= text.size() || conversions.find(text[end]) == conversions.npos) return std::nullopt;
  if (std::ranges::count(text.substr(percent, end - percent), '.') > 1) return std::nullopt;
  if (text.find('%', end) != text.npos) return std::nullopt;
  return number_format{std::string(text.substr(0, end)), text[end],
                       std::string(text.substr(end + 1))};
}

namespace {

template <class V> void print_to(std::string& text, const std::string& format, V value) {
  const int count = std::snprintf(nullptr, 0, format.c_str(), value);
  const std::size_t at = text.size();
  text.resize(at + static_cast<std::size_t>(count) + 1);
  std::snprintf(text.data() + at, static_cast<std::size_t>(count) + 1, format.c_str(), value);
  text.pop_back();
}

/// Converts to an integer, truncating like Python's int.
template <class T> std::int64_t whole(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
  else return static_cast<std::int64_t>(static_cast<double>(value));
}

}  // namespace

void append_formatted(std::string& text, const number_format& f, dtype type, const void* element) {
  const bool integer = std::string_view("diuxXo").find(f.conversion) != std::string_view::npos;
  with_type(type, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_arithmetic_v<T> || is_half_type<T>) {
      const T value = element_at<T>(element);
      if (!integer) {
        double wide;
        if constexpr (is_half_type<T>) wide = static_cast<float>(value);
        else wide = static_cast<double>(value);
        if (std::isnan(wide)) wide = std::abs(wide);  // C would print its sign
        print_to(text, f.before + f.conversion + f.after, wide);
      } else {
        // Python's d, i and u are the same. C's u prints no plus sign, so it is used only where
        // necessary.
        const bool decimal = std::string_view("diu").find(f.conversion) != std::string_view::npos;
        bool large = false;
        if constexpr (std::is_same_v<T, std::uint64_t>) large = value > INT64_MAX;
        const char c = !decimal ? f.conversion : large ? 'u' : 'd';
        if constexpr (is_half_type<T>) {
          print_to(text, f.before + "ll" + c + f.after,
                   static_cast<long long>(whole(static_cast<float>(value))));
        } else {
          print_to(text, f.before + "ll" + c + f.after, static_cast<long long>(whole(value)));
        }
      }
    }
  });
}

}  // namespace sinter::detail
