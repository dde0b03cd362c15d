#pragma once
// Keys at given ranks of a row, without sorting it (radix select): keys are counted by their
// leading bits, those in the bins that hold the ranks are kept, and counted by the next bits. The
// result depends on the keys alone. A sort with vqsort takes 2.6 ns for a key of 4 bytes and 4.6
// for one of 8, std::nth_element 6.4 and 5.7, this 0.8 for a median (one thread, 4M random keys).

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "runtime/cpu/sort_rows.hpp"
#include "runtime/cpu/workspace.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Shorter rows are cheaper to sort, and so are rows of which more ranks are wanted.
inline constexpr std::int64_t counted_row = 4096, counted_places = 256;

template <class Key> class key_finder {
 public:
  /// `pieces`: how many parts of a row are read at once; with one, on the calling thread alone.
  key_finder(thread_pool& threads, memory_pool& pool, std::int64_t pieces)
      : threads_(threads), pool_(pool), counts_(static_cast<std::size_t>(pieces)) {}

  /// found[i]: the key at rank places[i]. REQUIRES: the ranks are in [0, n).
  void find(const Key* keys, std::int64_t n, std::span<const std::int64_t> places, Key* found) {
    std::vector<want> wants;
    for (const std::int64_t place : places) wants.push_back({place, found++});
    std::ranges::sort(wants, {}, &want::place);
    find_among(keys, n, 8 * sizeof(Key), wants);
  }

 private:
  static constexpr int most_bits = 11;
  static constexpr std::size_t bins = std::size_t{1} << most_bits;
  using counts = std::array<std::int64_t, bins>;

  struct want {
    std::int64_t place;
    Key* to;
  };
  /// Keys with the same bits, and the requests for some of them.
  struct group {
    std::size_t bin;
    std::int64_t before, size;
    std::span<want> wants;
  };

  /// `wants` are in order. All keys agree in the bits from `shift` on.
  void find_among(const Key* keys, std::int64_t n, int shift, std::span<want> wants) {
    while (n > counted_row && shift > 0) {
      const int bits = std::min(most_bits, shift);
      shift -= bits;
      count(keys, n, shift, bits);
      const std::vector<group> groups = make_groups(wants);
      if (groups.size() == 1 && groups[0].size == n) continue;
      const workspace<Key> kept(pool_, make_starts(groups));
      keep(keys, n, shift, bits, kept.data());
      const Key* from = kept.data();
      for (const group& g : groups) {
        for (want& w : g.wants) w.place -= g.before;
        find_among(from, g.size, shift, g.wants);
        from += g.size;
      }
      return;
    }
    if (shift == 0) {  // all remaining keys are equal
      for (const want& w : wants) *w.to = keys[0];
      return;
    }
    std::vector<Key> rest(keys, keys + n);
    auto from = rest.begin();
    for (const want& w : wants) {
      const auto at = rest.begin() + w.place;
      if (at >= from) std::nth_element(from, at, rest.end());
      from = std::max(from, at);
      *w.to = *at;
    }
  }

  /// Calls work(piece, first, last) for the parts of [0, n).
  template <class Work> void each(std::int64_t n, Work work) {
    const auto pieces = static_cast<std::int64_t>(counts_.size());
    const std::int64_t width = (n + pieces - 1) / pieces;
    const auto one = [&](std::int64_t p) {
      work(static_cast<std::size_t>(p), std::min(p * width, n), std::min((p + 1) * width, n));
    };
    if (pieces == 1) return one(0);
    threads_.parallel_for(pieces, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t p = first; p < last; ++p) one(p);
    });
  }

  static std::size_t part(Key k, int shift, int bits) {
    return static_cast<std::size_t>(k >> shift) & ((std::size_t{1} << bits) - 1);
  }

  void count(const Key* keys, std::int64_t n, int shift, int bits) {
    each(n, [&](std::size_t piece, std::int64_t first, std::int64_t last) {
      counts& c = counts_[piece];
      c.fill(0);
      for (std::int64_t i = first; i < last; ++i) ++c[part(keys[i], shift, bits)];
    });
  }

  std::vector<group> make_groups(std::span<want> wants) const {
    std::vector<group> groups;
    std::int64_t before = 0;
    for (std::size_t bin = 0; bin < bins && !wants.empty(); ++bin) {
      std::int64_t here = 0;
      for (const counts& c : counts_) here += c[bin];
      const auto last = std::ranges::find_if(
          wants, [&](const want& w) { return w.place >= before + here; });
      const auto mine = static_cast<std::size_t>(last - wants.begin());
      if (mine > 0) groups.push_back({bin, before, here, wants.first(mine)});
      wants = wants.subspan(mine);
      before += here;
    }
    return groups;
  }

  /// Where each piece's keys of each group are written, -1 for the others; returns how many are
  /// kept in all.
  std::int64_t make_starts(std::span<const group> groups) {
    std::vector<counts> starts(counts_.size());
    for (counts& s : starts) s.fill(-1);
    std::int64_t next = 0;
    for (const group& g : groups) {
      for (std::size_t p = 0; p < counts_.size(); ++p) {
        starts[p][g.bin] = next;
        next += counts_[p][g.bin];
      }
    }
    counts_ = std::move(starts);
    return next;
  }

  void keep(const Key* keys, std::int64_t n, int shift, int bits, Key* to) {
    each(n, [&](std::size_t piece, std::int64_t first, std::int64_t last) {
      counts& next = counts_[piece];
      for (std::int64_t i = first; i < last; ++i) {
        std::int64_t& at = next[part(keys[i], shift, bits)];
        if (at >= 0) to[at++] = keys[i];
      }
    });
  }

  thread_pool& threads_;
  memory_pool& pool_;
  std::vector<counts> counts_;
};

}  // namespace sinter::runtime
