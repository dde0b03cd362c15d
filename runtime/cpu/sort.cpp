#include "runtime/cpu/sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/cpu/first.hpp"
#include "runtime/cpu/key_words.hpp"
#include "runtime/cpu/select.hpp"
#include "runtime/cpu/short_rows.hpp"
#include "runtime/cpu/sort_rows.hpp"

namespace sinter::runtime {
namespace {

template <class Work> void with_key(int bytes, Work work) {
  switch (bytes) {
    case 1:
      return work.template operator()<std::uint8_t>();
    case 2:
      return work.template operator()<std::uint16_t>();
    case 4:
      return work.template operator()<std::uint32_t>();
    default:
      return work.template operator()<std::uint64_t>();
  }
}

/// Memory of one row; null for outputs that are not requested.
template <class Key> struct row {
  const Key* keys;
  Key* sorted;
  void* positions;
  int position_bytes;
  std::int64_t length;

  void set_position(std::int64_t at, std::int64_t value) const {
    if (position_bytes == 4)
      static_cast<std::int32_t*>(positions)[at] = std::int32_t(value);
    else
      static_cast<std::int64_t*>(positions)[at] = value;
  }
};

// Bytes are sorted by counting. Chunk c of a row writes its keys of value v after those of earlier
// chunks.
using counts = std::array<std::int64_t, 256>;

constexpr std::int64_t counted_length = 256;

counts count_bytes(const std::uint8_t* keys, std::int64_t first, std::int64_t last) {
  counts found{};
  for (std::int64_t i = first; i < last; ++i) ++found[keys[i]];
  return found;
}

void make_starts(std::vector<counts>& chunks) {
  std::int64_t at = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    for (counts& c : chunks) {
      const std::int64_t n = c[v];
      c[v] = at;
      at += n;
    }
  }
}

/// One chunk runs on the calling thread.
void sort_bytes(thread_pool& threads, const row<std::uint8_t>& r, std::int64_t chunks) {
  std::vector<counts> starts(static_cast<std::size_t>(chunks));
  const std::int64_t width = (r.length + chunks - 1) / chunks;
  const auto each = [&](auto work) {
    if (chunks == 1) return work(std::int64_t{0});
    threads.parallel_for(chunks, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t c = first; c < last; ++c) work(c);
    });
  };
  each([&](std::int64_t c) {
    starts[static_cast<std::size_t>(c)] =
        count_bytes(r.keys, std::min(c * width, r.length), std::min((c + 1) * width, r.length));
  });
  make_starts(starts);
  each([&](std::int64_t c) {
    counts& next = starts[static_cast<std::size_t>(c)];
    for (std::int64_t i = c * width; i < std::min((c + 1) * width, r.length); ++i) {
      const std::int64_t at = next[r.keys[i]]++;
      if (r.sorted) r.sorted[at] = r.keys[i];
      if (r.positions) r.set_position(at, i);
    }
  });
}

// Other keys are sorted as words that contain their places.

template <class Word, class Key>
void pack(const row<Key>& r, Word* words, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) words[i] = packed(r.keys[i], i);
}
template <class Word, class Key>
void unpack(const row<Key>& r, const Word* words, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    if (r.positions) r.set_position(i, place_of(words[i]));
    if (r.sorted) r.sorted[i] = key_of<Key>(words[i]);
  }
}

template <class Key> void copy_keys(const row<Key>& r, std::int64_t first, std::int64_t last) {
  std::memcpy(r.sorted + first, r.keys + first,
              static_cast<std::size_t>(last - first) * sizeof(Key));
}

class cpu_sorter final : public sorter {
 public:
  cpu_sorter(thread_pool& threads, memory_pool& pool) : threads_(threads), pool_(pool) {}

  void sort(const sort_call& c) override {
    if (c.rows == 0 || c.wanted == 0 || (!c.sorted && !c.positions)) return;
    with_key(c.key_bytes, [&]<class Key>() {
      if (sorted_side_by_side<Key>(c)) return;
      c.wanted < c.length ? sort_first<Key>(c) : sort_all<Key>(c);
    });
  }

  void select(const select_call& c) override {
    if (c.rows == 0 || c.wanted == 0) return;
    const bool counts = c.length > counted_row && c.wanted <= counted_places;
    with_key(c.key_bytes, [&]<class Key>() {
      if (picked_side_by_side<Key>(c)) return;
      counts ? find_all<Key>(c) : pick_sorted<Key>(c);
    });
  }

 private:
  template <class Key> static row<Key> row_of(const sort_call& c, std::int64_t i) {
    const std::int64_t at = i * c.length;
    Key* sorted = c.sorted ? static_cast<Key*>(c.sorted) + at : nullptr;
    void* places = c.positions ? static_cast<char*>(c.positions) + at * c.position_bytes : nullptr;
    return {static_cast<const Key*>(c.keys) + at, sorted, places, c.position_bytes, c.length};
  }

  template <class Key> struct wanted_keys {
    const Key* keys;
    std::span<const std::int64_t> places;
    Key* found;
  };
  template <class Key> static wanted_keys<Key> wanted_of(const select_call& c, std::int64_t i) {
    return {static_cast<const Key*>(c.keys) + i * c.length,
            {static_cast<const std::int64_t*>(c.places) + i * c.wanted,
             static_cast<std::size_t>(c.wanted)},
            static_cast<Key*>(c.found) + i * c.wanted};
  }

  /// Sorts batches of rows in vector lanes, some per thread, and passes them to `use`; false if the
  /// rows do not suit.
  template <class Word, class Make, class Use>
  bool side_by_side(std::int64_t rows, std::int64_t length, Make make, Use use) {
    if (!rows_side_by_side<Word>::suits(rows, length)) return false;
    const comparisons all = comparisons_for(length);
    threads_.parallel_for(
        rows,
        [&](std::int64_t first, std::int64_t last) {
          rows_side_by_side<Word>(length, all).sort(first, last, make, use);
        },
        std::max(rows_side_by_side<Word>::lanes, 4096 / length));
    return true;
  }

  template <class Key> bool sorted_side_by_side(const sort_call& c) {
    const Key* keys = static_cast<const Key*>(c.keys);
    Key* sorted = static_cast<Key*>(c.sorted);
    const auto key = [=](std::int64_t row, std::int64_t i) { return keys[row * c.length + i]; };
    if (!c.positions) {
      return side_by_side<Key>(c.rows, c.length, key, [&](std::int64_t row, auto words) {
        for (std::int64_t i = 0; i < c.wanted; ++i) sorted[row * c.wanted + i] = words(i);
      });
    }
    if constexpr (sizeof(Key) == 8) {
      return false;
    } else {
      using word = std::conditional_t<sizeof(Key) == 4, std::uint64_t, std::uint32_t>;
      constexpr int shift = 4 * sizeof(word);
      const row<Key> all{keys, sorted, c.positions, c.position_bytes, c.length};
      const auto make = [=](std::int64_t row, std::int64_t i) {
        return word{key(row, i)} << shift | static_cast<word>(i);
      };
      return side_by_side<word>(c.rows, c.length, make, [&](std::int64_t row, auto words) {
        for (std::int64_t i = 0; i < c.wanted; ++i) {
          const word w = words(i);
          all.set_position(row * c.wanted + i, w & ((word{1} << shift) - 1));
          if (sorted) sorted[row * c.wanted + i] = static_cast<Key>(w >> shift);
        }
      });
    }
  }

  template <class Key> bool picked_side_by_side(const select_call& c) {
    const Key* keys = static_cast<const Key*>(c.keys);
    const auto key = [=](std::int64_t row, std::int64_t i) { return keys[row * c.length + i]; };
    return side_by_side<Key>(c.rows, c.length, key, [&](std::int64_t row, auto words) {
      const wanted_keys<Key> w = wanted_of<Key>(c, row);
      for (std::size_t k = 0; k < w.places.size(); ++k) w.found[k] = words(w.places[k]);
    });
  }

  /// For rows too short for counting, or of which many keys are requested.
  template <class Key> void pick_sorted(const select_call& c) {
    const auto pick = [&](std::int64_t first, std::int64_t last, auto sort) {
      const workspace<Key> room(pool_, c.length);
      for (std::int64_t i = first; i < last; ++i) {
        const wanted_keys<Key> w = wanted_of<Key>(c, i);
        sort(row<Key>{w.keys, room.data(), nullptr, 4, c.length});
        for (std::size_t k = 0; k < w.places.size(); ++k) w.found[k] = room.data()[w.places[k]];
      }
    };
    if (c.rows < threads_.size()) {
      return pick(0, c.rows, [&](const row<Key>& r) { sort_long(r); });
    }
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / c.length);
    threads_.parallel_for(
        c.rows,
        [&](std::int64_t first, std::int64_t last) {
          pick(first, last, [&](const row<Key>& r) { sort_here(r); });
        },
        grain);
  }

  /// Sorts one row on the calling thread.
  template <class Key> void sort_here(const row<Key>& r) {
    if constexpr (sizeof(Key) == 1) {
      if (r.length >= counted_length) return sort_bytes(threads_, r, 1);
    }
    sort_alone(r);
  }

  template <class Key> void find_all(const select_call& c) {
    const auto find = [&](std::int64_t pieces, std::int64_t first, std::int64_t last) {
      key_finder<Key> finder(threads_, pool_, pieces);
      for (std::int64_t i = first; i < last; ++i) {
        const wanted_keys<Key> w = wanted_of<Key>(c, i);
        finder.find(w.keys, c.length, w.places, w.found);
      }
    };
    if (c.rows < threads_.size()) {
      return find(std::clamp<std::int64_t>(c.length >> 16, 1, threads_.size()), 0, c.rows);
    }
    threads_.parallel_for(c.rows,
                          [&](std::int64_t first, std::int64_t last) { find(1, first, last); });
  }

  template <class Key> void sort_all(const sort_call& c) {
    // Threads share one row only if there are too few rows to keep them busy.
    if (c.rows < threads_.size()) {
      for (std::int64_t i = 0; i < c.rows; ++i) sort_long(row_of<Key>(c, i));
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / c.length);
    threads_.parallel_for(
        c.rows, [&](std::int64_t first, std::int64_t last) { sort_short<Key>(c, first, last); },
        grain);
  }

  /// Sorts rows of which only the first elements are requested.
  template <class Key> void sort_first(const sort_call& c) {
    first_sorter<Key> sorter(threads_, pool_, c.wanted);
    const auto one = [&](std::int64_t i, const word_for<Key>* words) {
      const std::int64_t at = i * c.wanted;
      Key* sorted = c.sorted ? static_cast<Key*>(c.sorted) + at : nullptr;
      void* places =
          c.positions ? static_cast<char*>(c.positions) + at * c.position_bytes : nullptr;
      unpack(row<Key>{nullptr, sorted, places, c.position_bytes, c.wanted}, words, 0, c.wanted);
    };
    const Key* keys = static_cast<const Key*>(c.keys);
    if (c.rows < threads_.size()) {
      for (std::int64_t i = 0; i < c.rows; ++i) {
        sorter.of_all_threads(keys + i * c.length, c.length, [&](auto* words) { one(i, words); });
      }
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / c.length);
    threads_.parallel_for(
        c.rows,
        [&](std::int64_t first, std::int64_t last) {
          sorter.of_rows(keys, c.length, first, last, one);
        },
        grain);
  }

  template <class Key> void sort_short(const sort_call& c, std::int64_t first, std::int64_t last) {
    const bool counted = sizeof(Key) == 1 && c.length >= counted_length;
    const workspace<word_for<Key>> words(pool_, counted || !c.positions ? 0 : c.length);
    for (std::int64_t i = first; i < last; ++i) {
      const row<Key> r = row_of<Key>(c, i);
      if constexpr (sizeof(Key) == 1) {
        if (counted) {
          sort_bytes(threads_, r, 1);
          continue;
        }
      }
      if (!r.positions) {
        sort_alone(r);
        continue;
      }
      pack(r, words.data(), 0, r.length);
      sort_words(words.data(), r.length);
      unpack(r, words.data(), 0, r.length);
    }
  }

  template <class Key> static void sort_alone(const row<Key>& r) {
    copy_keys(r, 0, r.length);
    if constexpr (sizeof(Key) == 1)
      std::sort(r.sorted, r.sorted + r.length);
    else
      sort_words(r.sorted, r.length);
  }

  template <class Key> void sort_long(const row<Key>& r) {
    constexpr std::int64_t grain = 1 << 14;
    if constexpr (sizeof(Key) == 1) {
      const std::int64_t chunks =
          std::clamp<std::int64_t>(r.length / (16 * grain), 1, threads_.size());
      return sort_bytes(threads_, r, chunks);
    } else {
      if (!r.positions) {
        return sort_words(threads_, pool_, r.sorted, r.length,
                          [&](Key* to, auto first, auto last) {
                            std::copy(r.keys + first, r.keys + last, to + first);
                          });
      }
      const workspace<word_for<Key>> words(pool_, r.length);
      sort_words(threads_, pool_, words.data(), r.length,
                 [&](auto* to, auto first, auto last) { pack(r, to, first, last); });
      shared(r.length, grain, [&](auto first, auto last) { unpack(r, words.data(), first, last); });
    }
  }

  template <class Body> void shared(std::int64_t count, std::int64_t grain, Body body) {
    threads_.parallel_for(
        count, [&](std::int64_t first, std::int64_t last) { body(first, last); }, grain);
  }

  thread_pool& threads_;
  memory_pool& pool_;
};

}  // namespace

std::unique_ptr<sorter> make_cpu_sorter(thread_pool& threads, memory_pool& pool) {
  return std::make_unique<cpu_sorter>(threads, pool);
}

}  // namespace sinter::runtime
