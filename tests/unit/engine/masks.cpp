#include <sinter/sinter.hpp>

#include "engine/nodes/node.hpp"
#include "tests/catch.hpp"

namespace masks_test {

namespace sn = sinter;

namespace {

template <class X> std::string text(const X& x) {
  return sn::to_string(x);
}

}  // namespace

TEST_CASE("A mask chooses elements, in their order") {
  const sn::array<int> x{3, 0, 4, 0, 5};
  CHECK(text(x(x > 0)) == "[3 4 5]");
  CHECK(text(x(x > 9)) == "[]");
  CHECK(text(sn::extract(x > 3, x * 10)) == "[40 50]");
  CHECK(text(sn::nonzero(x)[0]) == "[0 2 4]");
  const sn::array<int> m{{1, 0, 2}, {0, 3, 0}};
  CHECK(text(m(m > 0)) == "[1 2 3]");
  CHECK(text(sn::argwhere(m)) == "[[0 0]\n [0 2]\n [1 1]]");
  CHECK(text(m(sn::array<bool>{false, true})) == "[[0 3 0]]");
  CHECK(text(m(sn::_, sn::array<bool>{true, false, true})) == "[[1 2]\n [0 0]]");
  CHECK(text(sn::compress(sn::array<bool>{false, true}, m, {.axis = 1})) == "[[0]\n [3]]");
  CHECK_THROWS_AS(m(sn::array<bool>{true}), sn::index_error);
}

TEST_CASE("Places of one axis need no arithmetic, of more a division less than axes") {
  const sn::array<int> x{3, 0, 4, 0, 5};
  CHECK(sn::nonzero(x)[0].get()->buffer);
  CHECK(sn::flatnonzero(x).get()->buffer);
  const auto deep = sn::nonzero(sn::arange<int>(60).reshape({3, 4, 5}) % 17 == 3);
  CHECK(text(deep[0]) == "[0 1 1 2]");
  CHECK(text(deep[1]) == "[0 0 3 2]");
  CHECK(text(deep[2]) == "[3 0 2 4]");
  CHECK(sn::nonzero(sn::zeros<int>({0, 3}))[1].size() == 0);
}

TEST_CASE("One value goes where a mask beside other indices holds, and no count is waited for") {
  const sn::array<bool> rows{true, false, true}, columns{false, true};
  const sn::array<int> given{{1, 2}, {3, 4}, {5, 6}};
  auto x = given;
  x(rows, 1) = 9;
  CHECK(!x.get()->buffer);
  CHECK(text(x) == "[[1 9]\n [3 4]\n [5 9]]");
  x = given;
  x(sn::_, columns) += 10;
  CHECK(text(x) == "[[ 1 12]\n [ 3 14]\n [ 5 16]]");
  x = given;
  x(sn::slice(1, 3), columns) *= sn::array<int>{2};
  CHECK(text(x) == "[[ 1  2]\n [ 3  8]\n [ 5 12]]");
  x = given;
  x(sn::ellipsis, sn::newaxis, columns) = 0;
  CHECK(text(x) == "[[1 0]\n [3 0]\n [5 0]]");
  CHECK(text(given.at(rows, 0).add(1)) == "[[2 2]\n [3 4]\n [6 6]]");
  const auto deep = sn::arange<int>(12).reshape({2, 3, 2});
  const auto set = deep.at(1, given > 2).set(-1);
  CHECK(text(set(1)) == "[[ 6  7]\n [-1 -1]\n [-1 -1]]");
  CHECK((text(set(0)) == text(deep(0))));
  x = given;
  const sn::array<bool> some = given(sn::_, 0) > 1;
  x(some, 1) = x(some, 1) * 10 + x(some, 1);
  CHECK(!x.get()->buffer);
  CHECK(text(x) == "[[ 1  2]\n [ 3 44]\n [ 5 66]]");
  CHECK(text(given(some, 1) * 2) == "[ 8 12]");
  x(some, 1) = sn::array<int>{7, 8};
  CHECK(text(x) == "[[1 2]\n [3 7]\n [5 8]]");
  // A slice between the mask and an integer moves the selected axis first, as in NumPy.
  auto cube = sn::arange<int>(8).reshape({2, 2, 2});
  const sn::array<bool> both{true, true};
  sn::array<int> other{{10, 20}, {30, 40}};  // not const: x(_, m) of it is an expression
  cube(1, sn::_, both) = other(sn::_, both);
  CHECK(text(cube(1)) == "[[10 30]\n [20 40]]");
  cube(0, sn::_, both) = 5;
  CHECK(text(cube(0)) == "[[5 5]\n [5 5]]");
  CHECK_THROWS_AS((x(columns, 1) = 0), sn::index_error);
  CHECK_THROWS_AS((x(rows, 2) = 0), sn::index_error);
  CHECK_THROWS_AS((x(rows, columns, 0) = 0), sn::index_error);
}

TEST_CASE("What is accepted of a trial is a selection, be the trial const") {
  sn::array<double> x{1, 2, 3, 4};
  const sn::array<double> trial = x * 10;
  const sn::array<bool> accept = trial > 25;
  x(accept) = trial(accept) + 0.5;
  CHECK(!x.get()->buffer);
  CHECK(!accept.get()->buffer);
  CHECK(text(x) == "[ 1.   2.  30.5 40.5]");
  const auto kept = trial(accept);
  CHECK(text(kept) == "[30. 40.]");
  CHECK(kept.to_array().get() == kept.to_array().get());
  CHECK((kept.size() == 2 && sn::sum(kept).item() == 70 && double(sn::max(kept + kept)) == 80));
}

TEST_CASE("Coordinates are taken apart where the rank is told") {
  const sn::array<int> x{{0, 3, 0}, {5, 0, 0}};
  const auto [row, column] = sn::nonzero<2>(x);
  CHECK((text(row) == "[0 1]" && text(column) == "[1 0]"));
  CHECK(text(sn::where<2>(x > 4)[0]) == "[1]");
  const auto [r, c] = sn::unravel_index<2>(sn::argmax(x), {2, 3});
  CHECK((r.item() == 1 && c.item() == 0));
  const auto [i, j] = sn::indices<2>({2, 2});
  CHECK(text(i * 10 + j) == "[[ 0  1]\n [10 11]]");
  const auto [below, before] = sn::tril_indices(2);
  const auto [above, behind] = sn::triu_indices(2, {.k = 1});
  CHECK((text(below) == "[0 1 1]" && text(before) == "[0 0 1]"));
  CHECK((text(above) == "[0]" && text(behind) == "[1]"));
  CHECK_THROWS_AS(sn::nonzero<1>(x), sn::shape_error);
  CHECK_THROWS_AS(sn::indices<3>({2, 2}), sn::shape_error);
  CHECK_THROWS_AS(sn::unravel_index<1>(i, {2, 3}), sn::shape_error);
}

TEST_CASE("Long arrays are chosen from in one kernel") {
  for (const std::int64_t n : {1000, 100000, 3000001}) {
    const auto x = sn::arange<std::int64_t>(n);
    const auto chosen = x(x % 3 == 1).to_host();
    REQUIRE(static_cast<std::int64_t>(chosen.size()) == (n + 1) / 3);
    bool right = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      right = right && chosen[i] == 3 * static_cast<std::int64_t>(i) + 1;
    }
    CHECK(right);
  }
}

TEST_CASE("Elements of every size are chosen") {
  const auto i = sn::arange<int>(5000);
  const sn::array<bool> odd = i % 2 == 1;
  const sn::array<sn::float16> half = sn::astype<sn::float16>(i % 10);
  CHECK(sn::sum(sn::astype<int>(half(odd))).item() == 12500);
  const auto z = sn::astype<std::complex<double>>(i)(odd);
  CHECK(z(2499).item() == std::complex<double>(4999));
  CHECK(sn::all(odd(odd)).item());
}

TEST_CASE("What a kernel sums to one element has its place, not that of a summand") {
  const sn::array<double> x = sn::reshape(sn::arange<double>(39), {13, 1, 3});
  sn::eval(x);
  const auto one = sn::sum(sn::sum(x, 0).T(), 0);
  CHECK(sn::nonzero(one)[0].to_host() == std::vector<std::int64_t>{0});
  CHECK(one(one > 0).to_host() == std::vector<double>{741});
  CHECK(one(one < 0).size() == 0);
}

TEST_CASE("a mask of rank 0 chooses all elements or none") {
  const sn::array<int> x = {1, 2, 3, 4};
  for (const bool all : {true, false}) {
    const sn::array<bool> mask = sn::sum(x) > (all ? 3 : 300);
    sn::array<int> y = x;
    y(mask) += 3;
    CHECK(sn::array_equal(y, sn::array<int>(x + (all ? 3 : 0))));
    y(mask) = 7;
    CHECK(sn::array_equal(y, all ? sn::array<int>{7, 7, 7, 7} : x));
    CHECK(sn::array<int>(x(mask)).size() == (all ? 4 : 0));
  }
  const auto rounds =
      sn::fori_loop(0, 4, [](auto i, auto y) { y(i > 1) += 3; return y; }, x);
  CHECK(sn::array_equal(rounds, sn::array<int>(x + 6)));
}

TEST_CASE("A number is chosen, or is not, by a truth") {
  const sn::array<int> five = sn::asarray(5);
  const sn::array<bool> yes = five == 5;
  CHECK(five(yes).to_host() == std::vector<int>{5});
  CHECK(five(!yes).size() == 0);
  sn::array<int> number = five + 0;
  number(!yes) = 3;
  CHECK(number.item() == 5);
  number(yes) = 3;
  CHECK(number.item() == 3);
}

}  // namespace masks_test
