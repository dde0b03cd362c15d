// delete_ and insert: sections that are joined, and elements that are picked by a list.
#include <algorithm>
#include <random>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace editing_test {

namespace sn = sinter;
using ints = sn::array<std::int64_t>;
using numbers = std::vector<std::int64_t>;

namespace {

numbers up_to(std::int64_t n) {
  numbers all(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

numbers without(std::int64_t n, const numbers& gone) {
  numbers kept;
  for (const std::int64_t i : up_to(n)) {
    if (std::ranges::find(gone, i) == gone.end()) kept.push_back(i);
  }
  return kept;
}

}  // namespace

TEST_CASE("delete_ removes what its indices name, however many there are") {
  std::mt19937 random(3);
  for (const std::int64_t n : {1, 7, 40, 300}) {
    for (const std::size_t count : {0, 1, 2, 5, 15, 16, 40}) {
      numbers given, gone;
      for (std::size_t k = 0; k < count; ++k) {
        const auto i = static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
        gone.push_back(i);
        given.push_back(k % 3 ? i : i - n);
      }
      const ints x = sn::arange<std::int64_t>(n);
      CHECK(ints(sn::delete_(x, given)).to_host() == without(n, gone));
      const ints table = x(sn::_, sn::newaxis) + sn::array<std::int64_t>{0, 1000};
      const ints rows = sn::delete_(table, given, {.axis = 0});
      CHECK(ints(rows(sn::_, 0)).to_host() == without(n, gone));
      CHECK(sn::array_equal(sn::delete_(table.T(), given, {.axis = 1}), rows.T()));
    }
  }
}

TEST_CASE("delete_ removes a slice of any step") {
  for (const std::int64_t n : {1, 6, 31}) {
    const ints x = sn::arange<std::int64_t>(n);
    for (std::int64_t first = -n - 1; first <= n + 1; ++first) {
      for (const std::int64_t last : {std::int64_t{-1}, std::int64_t{3}, n / 2, n, n + 4}) {
        for (const std::int64_t step : {1, 2, 3, 7, -1, -2, -5}) {
          const sn::slice s(first, last, step);
          CHECK(ints(sn::delete_(x, s)).to_host() == without(n, ints(x(s)).to_host()));
        }
      }
    }
  }
}

TEST_CASE("insert puts each value before its index, however many there are") {
  std::mt19937 random(4);
  for (const std::int64_t n : {1, 7, 40}) {
    for (const std::size_t count : {1, 2, 5, 7, 8, 20}) {
      numbers at, values, want = up_to(n);
      std::vector<std::pair<std::int64_t, std::int64_t>> order;
      for (std::size_t k = 0; k < count; ++k) {
        at.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(n + 1)));
        values.push_back(1000 + static_cast<std::int64_t>(k));
        order.push_back({at.back(), values.back()});
      }
      std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, std::int64_t>::first);
      for (std::size_t k = order.size(); k-- > 0;) {
        want.insert(want.begin() + order[k].first, order[k].second);
      }
      const ints x = sn::arange<std::int64_t>(n), v = sn::asarray(values);
      CHECK(ints(sn::insert(x, at, v)).to_host() == want);
    }
  }
}

}  // namespace editing_test
