#include "codegen/cuda_text/prelude.hpp"

#include <vector>

#include "codegen/cuda_text/prelude_text.hpp"

namespace sinter::codegen::cuda_text {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool mentions(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool starts = at == 0 || !is_word(text[at - 1]);
    if (starts && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::span<const prelude_piece> prelude_pieces() {
  return prelude_text;
}

std::string prelude_for(std::string_view body) {
  // a piece uses earlier ones only, so one pass from the last to the first finds them all
  const auto count = std::size(prelude_text);
  std::vector<bool> used(count);
  for (auto i = count; i-- > 0;) {
    used[i] = mentions(body, prelude_text[i].name);
    for (auto later = i + 1; later < count && !used[i]; ++later) {
      used[i] = used[later] && mentions(prelude_text[later].text, prelude_text[i].name);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (used[i]) (text += prelude_text[i].text.substr(text.empty() ? 1 : 0));
  }
  return text;
}

}  // namespace sinter::codegen::cuda_text
