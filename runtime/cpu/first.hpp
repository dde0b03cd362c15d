#pragma once
// The first keys of sorted rows and their positions, without sorting the rows: a row is read once,
// and words that may be among the first are kept. 64 rows of 10,000 random floats, one thread: the
// first 10 of each 0.6 ms with their keys, a sort of all 6.4.

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/cpu/key_words.hpp"
#include "runtime/cpu/workspace.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Is one of the keys below the limit?
bool any_below(const std::uint8_t* keys, std::int64_t n, std::uint8_t limit);
bool any_below(const std::uint16_t* keys, std::int64_t n, std::uint16_t limit);
bool any_below(const std::uint32_t* keys, std::int64_t n, std::uint32_t limit);
bool any_below(const std::uint64_t* keys, std::int64_t n, std::uint64_t limit);

/// Keeps the smallest of the words it is given. Positions arrive in ascending order, so a key equal
/// to the last one kept comes too late.
template <class Key> class first_words {
 public:
  using word = word_for<Key>;

  first_words(memory_pool& pool, std::int64_t wanted)
      : wanted_(wanted), room_(2 * wanted + spare), words_(pool, room_ + stretch) {}

  void clear() { kept_ = 0, limited_ = false; }

  void add(const Key* keys, std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; at += stretch) {
      const std::int64_t n = std::min(stretch, last - at);
      if (!limited_)
        keep_all(keys, at, n);
      else if (any_below(keys + at, n, limit_))
        keep_below(keys, at, n);
      if (kept_ > room_) shrink();
    }
  }

  /// In order, at most the wanted number.
  word* sorted() {
    if (kept_ > wanted_) shrink();
    sort_words(words_.data(), kept_);
    return words_.data();
  }
  std::int64_t count() const { return kept_; }

 private:
  // Enough that a row's first words set a limit that few others pass.
  static constexpr std::int64_t stretch = 64, spare = 64;

  void keep_all(const Key* keys, std::int64_t at, std::int64_t n) {
    word* to = words_.data() + kept_;
    for (std::int64_t i = 0; i < n; ++i) to[i] = packed(keys[at + i], at + i);
    kept_ += n;
  }
  void keep_below(const Key* keys, std::int64_t at, std::int64_t n) {
    for (std::int64_t i = at; i < at + n; ++i) {
      words_.data()[kept_] = packed(keys[i], i);
      kept_ += keys[i] < limit_;
    }
  }
  void shrink() {
    word* words = words_.data();
    std::nth_element(words, words + wanted_ - 1, words + kept_);
    kept_ = wanted_;
    limit_ = key_of<Key>(words[wanted_ - 1]);
    limited_ = true;
  }

  std::int64_t wanted_, room_, kept_ = 0;
  Key limit_ = 0;
  bool limited_ = false;
  workspace<word> words_;
};

template <class Key> class first_sorter {
 public:
  /// REQUIRES: rows are longer than `wanted`.
  first_sorter(thread_pool& threads, memory_pool& pool, std::int64_t wanted)
      : threads_(threads), pool_(pool), wanted_(wanted) {}

  /// Calls use(i, words) for rows [first, last), on the calling thread.
  template <class Use>
  void of_rows(const Key* keys, std::int64_t length, std::int64_t first, std::int64_t last,
               Use use) {
    first_words<Key> kept(pool_, wanted_);
    for (std::int64_t i = first; i < last; ++i) {
      kept.clear();
      kept.add(keys + i * length, 0, length);
      use(i, kept.sorted());
    }
  }

  /// One row, one piece per thread.
  template <class Use> void of_all_threads(const Key* keys, std::int64_t length, Use use) {
    constexpr std::int64_t worth_a_thread = 1 << 15;
    const std::int64_t most = length / std::max(worth_a_thread, 8 * wanted_);
    const std::int64_t pieces = std::clamp<std::int64_t>(most, 1, threads_.size());
    if (pieces == 1) {
      return of_rows(keys, length, 0, 1, [&](std::int64_t, auto* words) { use(words); });
    }
    const workspace<word_for<Key>> all(pool_, pieces * wanted_);
    const std::int64_t width = (length + pieces - 1) / pieces;
    threads_.parallel_for(pieces, [&](std::int64_t first, std::int64_t last) {
      first_words<Key> kept(pool_, wanted_);
      for (std::int64_t p = first; p < last; ++p) {
        kept.clear();
        kept.add(keys, p * width, std::min((p + 1) * width, length));
        std::copy_n(kept.sorted(), wanted_, all.data() + p * wanted_);
      }
    });
    sort_words(all.data(), pieces * wanted_);
    use(all.data());
  }

 private:
  thread_pool& threads_;
  memory_pool& pool_;
  std::int64_t wanted_;
};

}  // namespace sinter::runtime
