#pragma once
// Options that are strings in NumPy: enumerators, or their words. `{.mode = "edge"}` equals
// `{.mode = pad_mode::edge}`; an unknown word throws value_error, which names its source location.

#include <concepts>
#include <string_view>

#include <sinter/location.hpp>

namespace sinter::detail {

/// The words of the enumerators of E, in their order, separated by ", ", and the name used in
/// errors. Specialized after each enum that has words.
struct enum_words {
  const char* name = "";
  const char* words = "";
};
template <class E> inline constexpr enum_words option_words = {};

/// The position of a word in the list. Throws value_error, which lists the words, for an unknown
/// one.
int number_of_word(std::string_view word, enum_words, location where);

/// An option given by its enumerator or by its word.
template <class E> class worded {
 public:
  constexpr worded(E value, location = {}) : value_(value) {}
  template <std::convertible_to<std::string_view> S>
  worded(const S& word, location where = location::current())
      : value_(static_cast<E>(number_of_word(word, option_words<E>, where))) {}
  constexpr operator E() const { return value_; }

 private:
  E value_;
};

/// A plain argument for an option, where NumPy's function has a positional one.
template <class W, class E>
concept word_for =
    std::same_as<W, E> || std::same_as<W, worded<E>> || std::convertible_to<W, std::string_view>;

}  // namespace sinter::detail
