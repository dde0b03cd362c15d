#pragma once
// Parsing and formatting of single elements.

#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.hpp"

namespace sinter::detail {

/// Parses all of `text` as a number and stores it at `to`: the syntax of C++ and NumPy, "inf" and
/// "nan" in any case, "True", "1+2j". Rounded once; overflow gives infinity, but an integer out of
/// range is an error. False if it is no number.
bool parse_number(std::string_view text, dtype type, void* to);

/// NaN, -1 for integers, false.
void put_missing(dtype type, void* to);

/// The fewest digits that `parse_number` reads as the same element.
void append_number(std::string& text, dtype type, const void* element);

/// A printf format of one number, parsed; nothing if `text` is none. Conversions: d i u x X o for
/// integers, e E f F g G a A for floats.
struct number_format {
  std::string before;   // up to where the argument's length modifier belongs
  char conversion = 'e';
  std::string after;
};
std::optional<number_format> parse_format(std::string_view text);

/// REQUIRES: a type that is not complex.
void append_formatted(std::string& text, const number_format&, dtype, const void* element);

}  // namespace sinter::detail
