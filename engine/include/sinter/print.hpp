#pragma once
// Arrays as text, in NumPy's format. Printing evaluates; for a long array only the edges that are
// shown are fetched.

#include <iosfwd>
#include <string>

#include <sinter/arguments.hpp>

namespace sinter {

/// The number of digits of floats after the decimal point: `precision` (fixed); as many as
/// distinguish neighbouring numbers (unique); those, but at most `precision` (maxprec); the same,
/// padded with zeros to the longest (maxprec_equal).
enum class float_mode { fixed, unique, maxprec, maxprec_equal };
namespace detail {
template <>
inline constexpr enum_words option_words<float_mode> = {"float_mode",
                                                        "fixed, unique, maxprec, maxprec_equal"};
}

struct print_options {
  int precision = 8;              // digits after the decimal point
  std::int64_t threshold = 1000;  // longer arrays are summarised
  int edgeitems = 3;              // elements shown at each end of an axis
  int linewidth = 75;
  bool suppress = false;          // never switches to exponents for small numbers
  std::string nanstr = "nan";
  std::string infstr = "inf";
  char sign = '-';  // '+': always shows a sign; ' ': a space replaces plus
  detail::worded<float_mode> floatmode = float_mode::maxprec;
};

/// x in NumPy's format: "[[1. 2.]\n [3. 4.]]". Evaluates. Throws memory_error, device_error.
/// `to_string(x, {.precision = 3})`
std::string to_string(const any_array& x, const print_options& options = {},
                      location where = location::current());

template <detail::expression X>
std::string to_string(const X& x, const print_options& options = {},
                      location where = location::current()) {
  return to_string(static_cast<const any_array&>(x.to_array(where)), options, where);
}

/// x in the format of NumPy's repr(): "array([1., 2.], dtype=float32)". Evaluates. Throws
/// memory_error, device_error. `array_repr(x)`
std::string array_repr(const any_array& x, const print_options& options = {},
                       location where = location::current());
template <detail::expression X>
std::string array_repr(const X& x, const print_options& options = {},
                       location where = location::current()) {
  return array_repr(static_cast<const any_array&>(x.to_array(where)), options, where);
}
/// NumPy's name of to_string.
template <detail::expression X>
std::string array_str(const X& x, const print_options& options = {},
                      location where = location::current()) {
  return to_string(x, options, where);
}

/// Sets the options that `<<` uses on the calling thread from now on. Throws nothing.
/// `set_printoptions({.precision = 3})`
void set_printoptions(const print_options& options);

/// While it lives, `<<` uses these options on the calling thread.
/// `print_scope scope({.precision = 3});`
class [[nodiscard]] print_scope {
 public:
  explicit print_scope(const print_options& options);
  ~print_scope();
  print_scope(const print_scope&) = delete;
  print_scope& operator=(const print_scope&) = delete;

 private:
  print_options previous_;
};
/// NumPy's name of print_scope. `printoptions scope({.precision = 3});`
using printoptions = print_scope;
/// The options that `<<` uses on the calling thread. Throws nothing.
/// `get_print_options().precision`
const print_options& get_print_options();
inline const print_options& get_printoptions() { return get_print_options(); }

/// `std::cout << x`: to_string with the current options.
std::ostream& operator<<(std::ostream& out, const any_array& x);
/// A dtype by NumPy's name, "float32", and a shape as a tuple, "(2, 3)". `std::cout << x.shape()`
std::ostream& operator<<(std::ostream& out, dtype type);
std::ostream& operator<<(std::ostream& out, const array_shape& shape);
/// The shape as the same text. Throws nothing. `to_string(x.shape())`
std::string to_string(const array_shape& shape);

template <detail::expression X>
std::ostream& operator<<(std::ostream& out, const X& x) {
  return out << static_cast<const any_array&>(x.to_array());
}

}  // namespace sinter
