#pragma once
// Numbers as text: reading and writing single elements.

#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.hpp"

namespace sinter::detail {

/// Puts the number that all of `text` spells at `to`: what C++ and NumPy write, "inf" and "nan" in
/// any case, "True", "1+2j". Rounded once; too large is infinite, but an integer out of range is
/// none. False if it is none.
bool parse_number(std::string_view text, dtype type, void* to);

/// NaN, -1 for integers, false.
void put_missing(dtype type, void* to);

/// The fewest digits that `parse_number` reads as the same element.
void append_number(std::string& text, dtype type, const void* element);

/// A printf format of one number, taken apart; nothing if `text` is none. Conversions: d i u x X o
/// for integers, e E f F g G a A for floats.
struct number_format {
  std::string before;   // up to where the length of the argument belongs
  char conversion = 'e';
  std::string after;
};
std::optional<number_format> parse_format(std::string_view text);

/// REQUIRES: a type that is not complex.
void append_formatted(std::string& text, const number_format&, dtype, const void* element);

}  // namespace sinter::detail
