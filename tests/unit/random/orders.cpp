// Permutations, and choices without replacement.

#include "samples.hpp"

namespace orders_test {

using namespace random_tests;
namespace rnd = sinter::random;

namespace {

std::vector<double> sorted(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v;
}

}  // namespace

TEST_CASE("a permutation has everything once") {
  const auto x = values(rnd::permutation(1000, {.seed = 1}));
  CHECK(x != sorted(x));
  CHECK(sorted(x) == values(sn::arange(1000)));
  CHECK(rnd::permutation(0).size() == 0);
  CHECK(values(rnd::permutation(1)) == std::vector<double>{0});
}

TEST_CASE("all permutations are alike") {
  // Each row of three is permuted independently: six orders.
  const auto rows = sn::broadcast_to(sn::arange(3), {many, 3});
  const auto x = rnd::permuted(rows, {.seed = 2, .axis = 1});
  const auto number = x(sn::_, 0) * 2 + sn::astype<std::int64_t>(x(sn::_, 1) > x(sn::_, 2));
  check_counts(number, [](std::int64_t k) { return k < 6 ? 1 / 6.0 : 0; });
  // The position of one of many, and of its neighbour.
  const auto columns =
      rnd::permuted(sn::broadcast_to(sn::arange(16), {20'000, 16}), {.seed = 3, .axis = -1});
  check_counts(sn::argmin(columns, {.axis = 1}),
               [](std::int64_t k) { return k < 16 ? 1 / 16. : 0; });
  CHECK(std::abs(correlation(values(columns(sn::_, 0)), values(columns(sn::_, 1))) +
                 std::sqrt(20'000.0) / 15) < 4.5);
}

TEST_CASE("entries keep together, elements need not") {
  const auto x = sn::arange(60).reshape({5, 4, 3});
  const auto y = rnd::permutation(x, {.seed = 4, .axis = 1});
  CHECK(sn::all(y(sn::_, sn::_, 1) - y(sn::_, sn::_, 0) == 1).item());
  CHECK(sn::all(y(1) - y(0) == 12).item());
  CHECK(values(sn::sort(y, {.axis = 1})) == values(x));
  auto z = x;
  const auto copy = z;
  rnd::shuffle(z, {.seed = 4, .axis = 1});
  CHECK(values(z) == values(y));
  CHECK(values(copy) == values(x));
  const auto all = rnd::permuted(x, {.seed = 5});
  CHECK(all.ndim() == 3);
  CHECK(values(all) != values(x));
  CHECK(sorted(values(all)) == values(x));
}

TEST_CASE("choices without replacement differ") {
  const auto x = values(rnd::choice(1000, {10, 20}, {.seed = 6, .replace = false}));
  CHECK(std::set<double>(x.begin(), x.end()).size() == 200);
  const std::vector<double> p = {0.5, 0.0, 0.3, 0.2};
  const auto y = values(rnd::choice(4, {3}, {.seed = 7, .p = p, .replace = false}));
  CHECK(sorted(y) == std::vector<double>{0, 2, 3});
  // The first is chosen by its probability, the second by the remaining ones.
  std::vector<double> first, pairs;
  rnd::generator rng(8);
  for (int i = 0; i < 4000; ++i) {
    const auto two = values(rng.choice(4, {2}, {.p = p, .replace = false}));
    first.push_back(two[0]);
    pairs.push_back(4 * two[0] + two[1]);
  }
  check_counts(sn::asarray(first), [&](std::int64_t k) { return p[static_cast<std::size_t>(k)]; });
  CHECK(chi_square(pairs, [&](std::int64_t k) {
          const double a = p[static_cast<std::size_t>(k / 4)],
                       b = p[static_cast<std::size_t>(k % 4)];
          return k / 4 == k % 4 ? 0 : a * b / (1 - a);
        }) < 4.5);
  const sn::array<double> weights = {5.0, 0.0, 3.0, 2.0};
  CHECK(values(rnd::choice(4, {3}, {.seed = 7, .p = weights, .replace = false})) == y);
}

}  // namespace orders_test
