#pragma once
// Sorts one array of words in place, by one thread or by all. Equal words are indistinguishable, so
// the result does not depend on how the work is split.

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <utility>

#include "runtime/cpu/merge_words.hpp"
#include "runtime/cpu/workspace.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// A key and its original position as one number.
struct alignas(16) wide_word {
  std::uint64_t low, high;
  friend bool operator==(const wide_word&, const wide_word&) = default;
  friend auto operator<=>(const wide_word& a, const wide_word& b) {
    return a.high != b.high ? a.high <=> b.high : a.low <=> b.low;
  }
  // Branch-free: half of the branches of a merge would be mispredicted.
  friend bool operator<(const wide_word& a, const wide_word& b) {
    return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));
  }
};

/// Sorts on the calling thread.
void sort_words(std::uint16_t* data, std::int64_t count);
void sort_words(std::uint32_t* data, std::int64_t count);
void sort_words(std::uint64_t* data, std::int64_t count);
void sort_words(wide_word* data, std::int64_t count);

/// The name of the sorting library, for reports.
const char* sort_library();

namespace detail {

/// Merges adjacent sorted pieces of `width` words: each thread writes a stretch of `to`.
template <class T>
void merge_pairs(thread_pool& threads, const T* from, T* to, std::int64_t count,
                 std::int64_t width) {
  constexpr std::int64_t stretch = 1 << 15;
  const std::int64_t pairs = (count + 2 * width - 1) / (2 * width);
  const std::int64_t stretches = (2 * width + stretch - 1) / stretch;
  threads.parallel_for(pairs * stretches, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t start = i / stretches * 2 * width;
      const T* a = from + start;
      const std::int64_t a_count = std::min(width, count - start);
      const T* b = a + a_count;
      const std::int64_t b_count = std::min(width, count - start - a_count);
      const std::int64_t begin = std::min(i % stretches * stretch, a_count + b_count);
      const std::int64_t end = std::min(begin + stretch, a_count + b_count);
      const std::int64_t a_begin = share_of_first(a, a_count, b, b_count, begin);
      const std::int64_t a_end = share_of_first(a, a_count, b, b_count, end);
      merge_words(a + a_begin, a_end - a_begin, b + (begin - a_begin),
                  (end - a_end) - (begin - a_begin), to + start + begin);
    }
  });
}

}  // namespace detail

/// Sorts with all threads what `fill(to, first, last)` writes: words `first` to `last`, from
/// `to[first]` on, from any thread.
template <class T, class Fill>
void sort_words(thread_pool& threads, memory_pool& pool, T* data, std::int64_t count, Fill fill) {
  constexpr std::int64_t worth_a_thread = 1 << 14;
  const std::int64_t pieces =
      std::max<std::int64_t>(1, std::min<std::int64_t>(threads.size(), count / worth_a_thread));
  const std::int64_t width = (count + pieces - 1) / pieces;
  const bool turns = std::bit_width(std::uint64_t(pieces - 1)) % 2 != 0;
  const workspace<T> spare(pool, pieces > 1 ? count : 0);
  // The last merge writes to `data`.
  T *from = turns ? spare.data() : data, *to = turns ? data : spare.data();
  threads.parallel_for(pieces, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t start = std::min(i * width, count), end = std::min(start + width, count);
      fill(from, start, end);
      sort_words(from + start, end - start);
    }
  });
  for (std::int64_t w = width; w < count; w *= 2) {
    detail::merge_pairs(threads, from, to, count, w);
    std::swap(from, to);
  }
}

}  // namespace sinter::runtime
