#include "engine/nodes/any_number.hpp"

#include <algorithm>

#include "engine/nodes/numbers.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

/// An integer as 64 bits, and whether it is negative.
std::pair<std::uint64_t, bool> wide(const ir::scalar_value& v, dtype type) {
  const std::uint64_t bits = ir::convert(v, type, dtype::int64).bits[0];
  return {bits, is_signed(type) && static_cast<std::int64_t>(bits) < 0};
}

}  // namespace

ir::scalar_value converted(const any_number& n, dtype to, std::string_view op, location where) {
  const dtype from = n.type();
  if (is_complex(from) && !is_complex(to)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      "a complex number among " + std::string(name(to)) +
                          ": give its real part, or make the array complex",
                      where);
  }
  ir::scalar_value given;
  std::ranges::copy(n.value().bits, given.bits);
  const ir::scalar_value value = ir::convert(given, from, to);
  if (is_integer(from) && is_integer(to) && wide(given, from) != wide(value, to)) {
    std::string text;
    append_number(text, from, given.bits);
    fail<value_error>(error_code::bad_argument, op,
                      text + " is not a value of " + std::string(name(to)), where);
  }
  return value;
}

}  // namespace sinter::detail
