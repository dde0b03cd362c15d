#pragma once
// Requirements for every device's sorter.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/sorter.hpp"
#include "tests/catch.hpp"

namespace sinter::runtime {

template <class Key, class Place> class sort_contract {
 public:
  explicit sort_contract(device& on) : on_(on) {}

  /// Keys below `most` (0: all), so that many are equal; requests the first `wanted` of each row.
  void check(std::int64_t rows, std::int64_t length, std::uint64_t most, std::int64_t wanted) {
    std::vector<Key> keys(static_cast<std::size_t>(rows * length));
    for (Key& k : keys) k = static_cast<Key>(most ? draw_() % most : draw_());
    std::vector<Key> sorted(keys.size());
    std::vector<Place> places(keys.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto start = row * length;
      const auto begin = places.begin() + start;
      std::iota(begin, begin + length, Place{0});
      std::stable_sort(begin, begin + length, [&](Place a, Place b) {
        return keys[static_cast<std::size_t>(start + a)] <
               keys[static_cast<std::size_t>(start + b)];
      });
      for (std::int64_t i = start; i < start + length; ++i) {
        sorted[static_cast<std::size_t>(i)] =
            keys[static_cast<std::size_t>(start + places[static_cast<std::size_t>(i)])];
      }
    }
    INFO(wanted << " of " << rows << " rows of " << length << " keys of " << sizeof(Key)
                << " below " << most);
    sorted = first_of_rows(sorted, length, wanted);
    places = first_of_rows(places, length, wanted);
    for (const bool with_keys : {true, false}) {
      for (const bool with_places : {true, false})
        run(keys, sorted, places, rows, with_keys, with_places);
    }
  }
  void check(std::int64_t rows, std::int64_t length, std::uint64_t most) {
    check(rows, length, most, length);
  }

  /// Some keys of sorted rows: the first, the last, middle ones, others, some twice. `few_bits`:
  /// keys differ only in their first and last bits, so that some passes on the bits between exclude
  /// nothing.
  void check_selection(std::int64_t rows, std::int64_t length, std::int64_t wanted,
                       std::uint64_t most, bool few_bits = false) {
    std::vector<Key> keys(static_cast<std::size_t>(rows * length));
    for (Key& k : keys) k = static_cast<Key>(most ? draw_() % most : draw_());
    constexpr Key first = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
    for (Key& k : keys) k = few_bits ? static_cast<Key>(k & (first | Key{63})) : k;
    std::vector<std::int64_t> places(static_cast<std::size_t>(rows * wanted));
    const std::int64_t known[] = {(length - 1) / 2, length - 1, length / 2, 0, length / 2};
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t at = i % static_cast<std::size_t>(wanted);
      const bool any = at >= std::size(known);
      places[i] = any ? static_cast<std::int64_t>(draw_() % static_cast<std::uint64_t>(length))
                      : known[at];
    }
    const std::size_t bytes = keys.size() * sizeof(Key);
    const auto from = on_.allocate(bytes), to = on_.allocate(places.size() * sizeof(Key)),
               at = on_.allocate(places.size() * sizeof places[0]);
    on_.copy_from_host(*from, 0, keys.data(), bytes);
    on_.copy_from_host(*at, 0, places.data(), places.size() * sizeof places[0]);
    on_.sorting().select({.key_bytes = sizeof(Key),
                          .rows = rows,
                          .length = length,
                          .wanted = wanted,
                          .keys = from->data(),
                          .places = at->data(),
                          .found = to->data()});
    const std::vector<Key> got = read<Key>(*to, places.size());
    CHECK((read<Key>(*from, keys.size()) == keys));
    INFO(wanted << " of " << rows << " rows of " << length << " keys of " << sizeof(Key)
                << " below " << most);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::sort(keys.begin() + row * length, keys.begin() + (row + 1) * length);
    }
    std::vector<Key> expected;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i) / wanted;
      expected.push_back(keys[static_cast<std::size_t>(row * length + places[i])]);
    }
    CHECK((got == expected));
  }

 private:
  template <class T>
  static std::vector<T> first_of_rows(const std::vector<T>& all, std::int64_t length,
                                      std::int64_t wanted) {
    std::vector<T> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<std::int64_t>(i) % length < wanted) out.push_back(all[i]);
    }
    return out;
  }

  template <class T> std::vector<T> read(const buffer& from, std::size_t count) {
    std::vector<T> out(count);
    on_.copy_to_host(out.data(), from, 0, count * sizeof(T));
    return out;
  }

  void run(const std::vector<Key>& keys, const std::vector<Key>& sorted,
           const std::vector<Place>& places, std::int64_t rows, bool with_keys, bool with_places) {
    const std::size_t n = sorted.size();
    const auto from = on_.allocate(keys.size() * sizeof(Key)), to = on_.allocate(n * sizeof(Key));
    const auto at = on_.allocate(n * sizeof(Place));
    on_.copy_from_host(*from, 0, keys.data(), keys.size() * sizeof(Key));
    const std::int64_t each = std::max<std::int64_t>(rows, 1);
    sort_call c{.key_bytes = sizeof(Key),
                .rows = rows,
                .length = static_cast<std::int64_t>(keys.size()) / each,
                .wanted = static_cast<std::int64_t>(n) / each,
                .keys = from->data(),
                .sorted = with_keys ? to->data() : nullptr,
                .positions = with_places ? at->data() : nullptr,
                .position_bytes = sizeof(Place)};
    on_.sorting().sort(c);
    if (with_keys) CHECK((read<Key>(*to, n) == sorted));
    if (with_places) CHECK((read<Place>(*at, n) == places));
    CHECK((read<Key>(*from, keys.size()) == keys));
  }

  device& on_;
  std::mt19937_64 draw_{5};
};

/// Every sorting path: no rows, tiny ones, rows of a block, many in memory, few long ones.
template <class Key, class Place = std::int32_t> void check_sorting(device& on) {
  sort_contract<Key, Place> contract(on);
  for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{200}}) {
    for (const std::int64_t length : {1, 2, 3, 31, 32, 33, 100, 129, 600, 1500, 4096}) {
      contract.check(1, length, most);
      contract.check(37, length, most);
    }
    contract.check(0, 5, most);
    contract.check(5, 0, most);
    contract.check(2000, 7, most);
    contract.check(40, 4097, most);
    for (const std::int64_t length : {8192, 8193, 16384}) contract.check(3, length, most);
    contract.check(20, 16385, most);
    contract.check(3, 20000, most);
    contract.check(1, 300000, most);
    contract.check(2, 70001, most);
    for (const std::int64_t wanted : {0, 1, 7, 40, 999}) {
      contract.check(1, 1000, most, wanted);
      contract.check(37, 1000, most, wanted);
      contract.check(1, 150001, most, wanted);
    }
    contract.check(300, 9, most, 2);
    contract.check(300, 256, most);
    contract.check(3, 25, most);
  }
  for (const std::uint64_t most : {0, 1, 2, 5000}) {
    for (const std::int64_t length : {1, 2, 3, 4096, 4097, 10000}) {
      contract.check_selection(1, length, 3, most);
      contract.check_selection(37, length, 8, most);
    }
    contract.check_selection(1, 300000, 1, most);
    contract.check_selection(2, 200001, 3, most);
    contract.check_selection(1, 70000, 300, most);
    contract.check_selection(40, 5000, 9, most);
    contract.check_selection(2, 40000, 5, most, true);
    contract.check_selection(1, 300000, 12, most, true);
  }
  contract.check_selection(1500, 4500, 8, 0);
  contract.check_selection(0, 10, 3, 0);
}

}  // namespace sinter::runtime
