#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace joining_test {

namespace sn = sinter;

namespace {

template <class X> std::string text(const X& x) {
  return sn::to_string(x);
}

}  // namespace

TEST_CASE("take picks along an axis, from the front and from the back") {
  const sn::array<int> x{{0, 1, 2}, {10, 11, 12}};
  CHECK(text(sn::take(x, {2, 0, -1}, {.axis = 1})) == "[[ 2  0  2]\n [12 10 12]]");
  CHECK(text(sn::take(x, {1, 1})) == "[1 1]");
  CHECK(text(sn::take(x.T(), {1}, {.axis = 0})) == "[[ 1 11]]");
  CHECK(text(sn::take(x + 1, {7, -9}, {.mode = sn::index_mode::wrap})) == "[ 2 11]");
}

TEST_CASE("An index out of range is an error, at every read, and of what depends on it") {
  const sn::array<float> x{1, 2, 3};
  const auto y = sn::take(x, {0, 3});
  const sn::array<float> z = y * 2;
  CHECK_THROWS_WITH(z.to_host(),
                    "[take] index 3 is out of range for axis 0 of extent 3 (joining.cpp:27)");
  CHECK_THROWS_AS(y.to_host(), sn::index_error);
  CHECK_THROWS_AS(y.to_host(), sn::index_error);
  CHECK(text(x) == "[1. 2. 3.]");
}

TEST_CASE("Pieces are joined where they are read") {
  const sn::array<float> a{1, 2}, b{3, 4, 5};
  CHECK(text(sn::concatenate({a, b})) == "[1. 2. 3. 4. 5.]");
  const auto y = sn::sum(sn::concatenate({sn::array<float>(a * 2), b}) + 1);
  CHECK(y.item() == 23);
  CHECK(text(sn::stack({a, a}, 1)) == "[[1. 1.]\n [2. 2.]]");
  CHECK(text(sn::roll(b, 1)) == "[5. 3. 4.]");
  CHECK(text(sn::pad(a, {{2, 1}})) == "[0. 0. 1. 2. 0.]");
  CHECK(text(sn::pad(a, 1, {.constant = 7})) == "[7. 1. 2. 7.]");
  CHECK(text(sn::pad(b, {{5, 4}}, {.mode = sn::pad_mode::reflect})) ==
        "[4. 3. 4. 5. 4. 3. 4. 5. 4. 3. 4. 5.]");
  CHECK(text(sn::pad(b, {{4, 4}}, {.mode = sn::pad_mode::symmetric})) ==
        "[5. 5. 4. 3. 3. 4. 5. 5. 4. 3. 3.]");
}

TEST_CASE("Arrays of indices pick elements as NumPy does") {
  const sn::array<int> x = sn::arange<int>(24).reshape({2, 3, 4});
  const sn::array<int> rows{1, 0}, columns{3, -1};
  CHECK(text(x(rows, 0, columns)) == "[15  3]");
  CHECK(text(x(sn::_, rows, columns)) == "[[ 7  3]\n [19 15]]");
  CHECK(text(x(rows, sn::_, columns)) == "[[15 19 23]\n [ 3  7 11]]");
  CHECK(x(0, sn::_, columns).shape(0) == 2);
  CHECK(text(x.T()(columns, 0, 0)) == "[3 3]");
  CHECK(text(x(1, sn::slice(0, 2), columns + 0)) == "[[15 19]\n [15 19]]");
  CHECK_THROWS_WITH(x(rows, rows, rows * 5).to_host(),
                    says("[index] index 5 is out of range for axis 2 of extent 4"));
  CHECK_THROWS_AS(x(sn::array<float>{1}), sn::dtype_error);
}

}  // namespace joining_test
