#include "runtime/cpu/sort_rows.hpp"

#if SINTER_HAVE_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#endif

namespace sinter::runtime {
namespace {

#if SINTER_HAVE_HIGHWAY

// std::sort on shorter rows costs less than vqsort's start-up.
constexpr std::int64_t shortest = 32;

/// With AVX-512 Highway partitions by compress-stores, which are microcoded on AMD processors,
/// unless it has code for them (HWY_AVX3_ZEN4). A Zen 4 sorts 4M random keys of 4 bytes in 180 ms
/// that way, in 41 with AVX2. The choice applies to the whole process, and targets that others have
/// ruled out stay so.
void rule_out_microcode() {
#if defined(__x86_64__) && !defined(HWY_AVX3_ZEN4)
  static const bool once = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_is("amd")) return false;
    constexpr std::int64_t slow = HWY_AVX3 | HWY_AVX3_DL;
    hwy::DisableTargets(~static_cast<std::int64_t>(hwy::SupportedTargets()) | slow);
    return true;
  }();
  static_cast<void>(once);
#endif
}

template <class Word, class T> void sort_with_library(T* data, std::int64_t count) {
  if (count < shortest) return std::sort(data, data + count);
  rule_out_microcode();
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
