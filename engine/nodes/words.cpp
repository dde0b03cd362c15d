#include <string>

#include <sinter/words.hpp>

#include "engine/nodes/report.hpp"

namespace sinter::detail {

int number_of_word(std::string_view word, enum_words known, location where) {
  constexpr std::string_view between = ", ";
  std::string_view rest = known.words;
  for (int number = 0;; ++number) {
    const std::size_t end = rest.find(between);
    if (rest.substr(0, end) == word) return number;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + between.size());
  }
  fail<value_error>(error_code::bad_argument, known.name,
                    "'" + std::string(word) + "' is none of its words: " + known.words, where);
}

}  // namespace sinter::detail
