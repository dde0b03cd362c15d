// any and all stop early on a CPU: the position of the deciding element must not matter.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace early_answers_test {

namespace sn = sinter;

namespace {

using reduced = sn::array<bool>;

/// Checks the answer with one odd element at `at` of n.
void check_single(std::int64_t n, std::int64_t at) {
  INFO("element " << at << " of " << n);
  auto x = sn::zeros<float>({n});
  x(at) = 1;
  sn::eval(x);
  CHECK(sn::any(x > 0).item());
  CHECK(!sn::all(x == 0).item());
  CHECK(!sn::any(x > 1).item());
  CHECK(sn::all(x >= 0).item());
  const reduced some = sn::any(x > 0), none = sn::any(x > 1), every = sn::all(x < 2);
  sn::eval(some, none, every);  // siblings: one walk computes all three
  CHECK(some.item());
  CHECK(!none.item());
  CHECK(every.item());
}

}  // namespace

TEST_CASE("any and all find one element wherever it stands") {
  for (const std::int64_t n : {1, 5, 64, 4096, 4097, 70'000, 200'003}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) check_single(n, at);
  }
}

TEST_CASE("any and all of rows and columns have an answer each") {
  for (const std::int64_t rows : {3, 40, 700}) {
    for (const std::int64_t columns : {5, 900, 9000}) {
      const auto i = sn::arange<std::int64_t>(rows)(sn::_, sn::newaxis).to_array();
      const auto j = sn::arange<std::int64_t>(columns).to_array();
      const sn::array<bool> x = (i * 7 + j) % columns == 3 && i % 2 == 0;
      sn::eval(x);
      INFO(rows << " x " << columns);
      for (const std::int64_t axis : {0, 1}) {
        const sn::array<std::int64_t> count = sn::count_nonzero(x, {.axis = axis});
        CHECK(sn::array_equal(sn::any(x, {.axis = axis}), count > 0).item());
        CHECK(sn::array_equal(sn::all(!x, {.axis = axis}), count == 0).item());
      }
    }
  }
}

TEST_CASE("what any and all need not look at is checked all the same") {
  const auto x = sn::ones<float>({10});
  auto i = sn::zeros<std::int64_t>({100'000});
  i(-1) = 10;
  sn::eval(x, i);
  CHECK_THROWS_AS(sn::any(x(i) > 0).item(), sn::index_error);
  CHECK_THROWS_AS(sn::any(sn::take(x, i) > 0).item(), sn::index_error);
}

}  // namespace early_answers_test
