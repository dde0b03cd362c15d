// Sorting on the host.
#include "runtime/cpu/cpu_device.hpp"
#include "runtime/cpu/short_rows.hpp"
#include "runtime/cpu/sort_rows.hpp"
#include "sort_cases.hpp"

namespace sort_test {

using namespace sinter::runtime;

namespace {

/// Results are compared with a stable sort, so they must not depend on threads.
template <class Key, class Place = std::int32_t> void check_host() {
  for (const int threads : {1, 3}) {
    cpu_device host({.threads = threads});
    check_sorting<Key, Place>(host);
    CHECK(host.memory().used_bytes == 0);
  }
}

/// More rows than lanes, and a remainder.
template <class Word> void check_side_by_side(std::int64_t length, std::uint64_t most) {
  constexpr std::int64_t rows = rows_side_by_side<Word>::lanes * 3 / 2;
  std::mt19937_64 draw(static_cast<std::uint64_t>(length));
  std::vector<Word> words(static_cast<std::size_t>(rows * length)), got(words.size());
  for (Word& w : words) w = static_cast<Word>(draw() % most);
  const comparisons all = comparisons_for(length);
  rows_side_by_side<Word>(length, all)
      .sort(
          0, rows,
          [&](std::int64_t row, std::int64_t i) {
            return words[static_cast<std::size_t>(row * length + i)];
          },
          [&](std::int64_t row, auto sorted) {
            for (std::int64_t i = 0; i < length; ++i) {
              got[static_cast<std::size_t>(row * length + i)] = sorted(i);
            }
          });
  for (std::int64_t row = 0; row < rows; ++row) {
    std::sort(words.begin() + row * length, words.begin() + (row + 1) * length);
  }
  INFO(length << " words of " << sizeof(Word) << " below " << most);
  CHECK((got == words));
}

}  // namespace

TEST_CASE("rows are sorted side by side, of every length") {
  for (std::int64_t length = 1; length <= 256; ++length) {
    for (const std::uint64_t most : {std::uint64_t{2}, std::uint64_t{50}, ~std::uint64_t{0}}) {
      check_side_by_side<std::uint8_t>(length, most);
      check_side_by_side<std::uint16_t>(length, most);
      check_side_by_side<std::uint32_t>(length, most);
      check_side_by_side<std::uint64_t>(length, most);
    }
  }
  CHECK(rows_side_by_side<std::uint32_t>::suits(1000, 9));
  CHECK_FALSE(rows_side_by_side<std::uint32_t>::suits(1, 9));
}

TEST_CASE("keys are sorted on the host, 1 byte") {
  check_host<std::uint8_t>();
}
TEST_CASE("keys are sorted on the host, 2 bytes") {
  check_host<std::uint16_t>();
}
TEST_CASE("keys are sorted on the host, 4 bytes") {
  check_host<std::uint32_t>();
}
TEST_CASE("keys are sorted on the host, 8 bytes") {
  check_host<std::uint64_t>();
}
TEST_CASE("keys are sorted on the host, with wide places") {
  check_host<std::uint64_t, std::int64_t>();
}

TEST_CASE("pieces sorted by threads are merged, of any length") {
  thread_pool threads(3, false);
  cpu_device host({.threads = 1});
  std::mt19937_64 draw(7);
  for (const std::size_t n : {40000u, 65536u, 99999u, 200001u}) {
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{10}, ~std::uint64_t{0}}) {
      const auto words = host.allocate(n * 4);
      auto* data = static_cast<std::uint32_t*>(words->data());
      std::generate(data, data + n, [&] { return static_cast<std::uint32_t>(draw() % most); });
      std::vector<std::uint32_t> expected(data, data + n), spare(n), merged(data, data + n);
      std::ranges::sort(expected);
      const auto width = static_cast<std::int64_t>((n + 2) / 3);
      for (std::size_t i = 0; i < n; i += static_cast<std::size_t>(width)) {
        const auto last = std::min(n, i + static_cast<std::size_t>(width));
        std::sort(merged.data() + i, merged.data() + last);
      }
      const auto count = static_cast<std::int64_t>(n);
      detail::merge_pairs(threads, merged.data(), spare.data(), count, width);
      detail::merge_pairs(threads, spare.data(), merged.data(), count, 2 * width);
      CHECK((merged == expected));
    }
  }
}

TEST_CASE("the sorting library is known") {
  CHECK_FALSE(std::string(sort_library()).empty());
}

}  // namespace sort_test
