#pragma once
// Arrays as text, the way NumPy prints them. Printing evaluates; of a long array only the edges
// that are shown are fetched.

#include <iosfwd>
#include <string>

#include <sinter/arguments.hpp>

namespace sinter {

struct print_options {
  int precision = 8;              // digits behind the point
  std::int64_t threshold = 1000;  // longer arrays are summarised
  int edgeitems = 3;              // what a summary shows of each end of an axis
  int linewidth = 75;
  bool suppress = false;          // small numbers never switch to exponents
};

/// x as NumPy writes it: "[[1. 2.]\n [3. 4.]]". Evaluates. Throws memory_error, device_error.
/// `to_string(x, {.precision = 3})`
std::string to_string(const any_array& x, const print_options& options = {},
                      location where = location::current());

template <detail::expression X>
std::string to_string(const X& x, const print_options& options = {},
                      location where = location::current()) {
  return to_string(static_cast<const any_array&>(x.to_array(where)), options, where);
}

/// While it lives, `<<` of the calling thread prints with these options.
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
/// What `<<` prints with.
const print_options& get_print_options();

/// `std::cout << x`: to_string with the options in force.
std::ostream& operator<<(std::ostream& out, const any_array& x);

template <detail::expression X>
std::ostream& operator<<(std::ostream& out, const X& x) {
  return out << static_cast<const any_array&>(x.to_array());
}

}  // namespace sinter
