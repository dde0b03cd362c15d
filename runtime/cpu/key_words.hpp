#pragma once
// A key and its position in its row as one word. All words of a row differ, so any sort of them is
// a stable sort of the keys.

#include <type_traits>

#include "runtime/cpu/sort_rows.hpp"

namespace sinter::runtime {

template <class Key>
using word_for = std::conditional_t<sizeof(Key) == 8, wide_word, std::uint64_t>;

template <class Key> word_for<Key> packed(Key key, std::int64_t place) {
  if constexpr (sizeof(Key) == 8)
    return {static_cast<std::uint64_t>(place), key};
  else
    return std::uint64_t{key} << 32 | static_cast<std::uint64_t>(place);
}
template <class Key, class Word> Key key_of(const Word& w) {
  if constexpr (sizeof(Word) == 16)
    return w.high;
  else
    return static_cast<Key>(w >> 32);
}
template <class Word> std::int64_t place_of(const Word& w) {
  if constexpr (sizeof(Word) == 16)
    return static_cast<std::int64_t>(w.low);
  else
    return static_cast<std::int64_t>(w & 0xffffffffu);
}

}  // namespace sinter::runtime
