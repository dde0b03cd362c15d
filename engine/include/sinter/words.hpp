#pragma once
// Options that NumPy has as strings: enumerators, or their words. `{.mode = "edge"}` is the same as
// `{.mode = pad_mode::edge}`; a word that is none throws value_error, where it is written.

#include <concepts>
#include <string_view>

#include <sinter/location.hpp>

namespace sinter::detail {

/// The words for the enumerators of E, in their order, with ", " between them, and what errors call
/// them. Specialized behind each enum that has words.
struct enum_words {
  const char* name = "";
  const char* words = "";
};
template <class E> inline constexpr enum_words option_words = {};

/// Which of the words it is. Throws value_error, which lists them, for another one.
int number_of_word(std::string_view word, enum_words, location where);

/// An option by its enumerator or by its word.
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

/// What stands for an option by itself, where NumPy's function has it among its arguments.
template <class W, class E>
concept word_for =
    std::same_as<W, E> || std::same_as<W, worded<E>> || std::convertible_to<W, std::string_view>;

}  // namespace sinter::detail
