#include "runtime/cpu/sort_rows.hpp"

#if SINTER_HAVE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace sinter::runtime {
namespace {

#if SINTER_HAVE_HIGHWAY

// Shorter rows cost std::sort less than vqsort's start.
constexpr std::int64_t shortest = 32;

template <class Word, class T> void sort_with_library(T* data, std::int64_t count) {
  if (count < shortest) return std::sort(data, data + count);
  static_assert(sizeof(Word) == sizeof(T) && alignof(Word) <= alignof(T));
  const hwy::Sorter sorter;
  sorter(reinterpret_cast<Word*>(data), static_cast<std::size_t>(count), hwy::SortAscending());
}
using wide = hwy::uint128_t;
constexpr const char* library = "Highway";

#else

template <class, class T> void sort_with_library(T* data, std::int64_t count) {
  std::sort(data, data + count);
}
using wide = wide_word;
constexpr const char* library = "std::sort";

#endif

}  // namespace

void sort_words(std::uint16_t* data, std::int64_t count) {
  sort_with_library<std::uint16_t>(data, count);
}
void sort_words(std::uint32_t* data, std::int64_t count) {
  sort_with_library<std::uint32_t>(data, count);
}
void sort_words(std::uint64_t* data, std::int64_t count) {
  sort_with_library<std::uint64_t>(data, count);
}
void sort_words(wide_word* data, std::int64_t count) {
  sort_with_library<wide>(data, count);
}

const char* sort_library() {
  return library;
}

}  // namespace sinter::runtime
