#include "codegen/cuda_text/prelude.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/cuda_text/prelude_arithmetic.hpp"
#include "codegen/cuda_text/prelude_atomics.hpp"
#include "codegen/cuda_text/prelude_conversions.hpp"
#include "codegen/cuda_text/prelude_quick.hpp"
#include "codegen/cuda_text/prelude_random.hpp"
#include "codegen/cuda_text/prelude_reductions.hpp"
#include "codegen/cuda_text/prelude_rows.hpp"
#include "codegen/cuda_text/prelude_scans.hpp"
#include "codegen/cuda_text/prelude_vectors.hpp"

namespace sinter::codegen::cuda_text {
namespace {

template <std::size_t... counts>
constexpr auto joined(const prelude_piece (&... lists)[counts]) {
  std::array<prelude_piece, (counts + ...)> all{};
  auto end = all.begin();
  ((end = std::copy_n(lists, counts, end)), ...);
  return all;
}

/// In order of dependence: a piece comes before its users.
constexpr auto pieces =
    joined(vector_pieces, row_pieces, reduction_pieces, conversion_pieces, arithmetic_pieces,
           random_pieces, atomic_pieces, scan_pieces, quick_pieces);

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
  return pieces;
}

std::string prelude_for(std::string_view body) {
  // a piece uses earlier ones only, so one pass from the last to the first finds all
  const auto count = pieces.size();
  std::vector<bool> used(count);
  for (auto i = count; i-- > 0;) {
    used[i] = mentions(body, pieces[i].name);
    for (auto later = i + 1; later < count && !used[i]; ++later) {
      used[i] = used[later] && mentions(pieces[later].text, pieces[i].name);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (used[i]) (text += pieces[i].text.substr(text.empty() ? 1 : 0));
  }
  return text;
}

}  // namespace sinter::codegen::cuda_text
