#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace joining_test {

namespace sn = sinter;

namespace {

template <class X> std::string text(const X& x) {
  return sn::to_string(x);
}

/// Element (i, j) of a host array's rows, with wrap-around.
double round_of(const std::vector<double>& all, std::int64_t width, std::int64_t i,
                std::int64_t j) {
  const std::int64_t rows = static_cast<std::int64_t>(all.size()) / width;
  const std::int64_t row = (i % rows + rows) % rows, column = (j % width + width) % width;
  return all[static_cast<std::size_t>(row * width + column)];
}

/// Reflected index, the last element once.
std::int64_t mirrored(std::int64_t j, std::int64_t n) {
  if (j < 0) return -j;
  return j < n ? j : 2 * (n - 1) - j;
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
                    "[take] index 3 is out of range for axis 0 of extent 3 (joining.cpp:41)");
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
  CHECK(text(sn::pad(a, 1, {.constant_values = 7})) == "[7. 1. 2. 7.]");
  CHECK(text(sn::pad(b, {{5, 4}}, {.mode = sn::pad_mode::reflect})) ==
        "[4. 3. 4. 5. 4. 3. 4. 5. 4. 3. 4. 5.]");
  CHECK(text(sn::pad(b, {{4, 4}}, {.mode = sn::pad_mode::symmetric})) ==
        "[5. 5. 4. 3. 3. 4. 5. 5. 4. 3. 3.]");
}

TEST_CASE("an end of a slice that is left out is not 0") {
  const sn::array<int> x = sn::arange<int>(5);
  CHECK(text(x(sn::slice(2, {}))) == "[2 3 4]");
  CHECK(text(x(sn::slice({}, 2))) == "[0 1]");
  CHECK(text(x(sn::slice({}, std::nullopt, -1))) == text(x(sn::slice(sn::_, sn::_, -1))));
  CHECK(text(x(sn::slice(1U, 3))) == "[1 2]");
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

TEMPLATE_TEST_CASE("Rolls, borders and joins of long rows", "", std::int8_t, std::uint16_t,
                   sn::float16, float, double) {
  using array = sn::array<TestType>;
  for (const std::int64_t width : {12'800, 13'001}) {
    const sn::array<std::int64_t> count = sn::arange<std::int64_t>(3 * width) * 7 % 19;
    const array x = sn::astype<TestType>(count).reshape({3, width});
    const array left = sn::roll(x, 1, 1), right = sn::roll(x, -3, 1), down = sn::roll(x, 1, 0);
    const array rolls = left + right * 2 + down;
    const array border = sn::pad(x, 2, {.mode = sn::pad_mode::reflect});
    const array joined = sn::concatenate({x, rolls, x}, {.axis = 1});
    const auto host = [](const array& a) { return sn::astype<double>(a).to_host(); };
    const std::vector<double> all = host(x), sums = host(rolls), mirror = host(border),
                              row = host(joined);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        const double sum = round_of(all, width, i, j - 1) + 2 * round_of(all, width, i, j + 3) +
                           round_of(all, width, i - 1, j);
        wrong += round_of(sums, width, i, j) != sum;
        wrong += round_of(row, 3 * width, i, width + j) != sum;
        wrong += round_of(row, 3 * width, i, 2 * width + j) != round_of(all, width, i, j);
      }
    }
    for (std::int64_t i = 0; i < 7; ++i) {
      for (std::int64_t j = 0; j < width + 4; ++j) {
        const double from = round_of(all, width, mirrored(i - 2, 3), mirrored(j - 2, width));
        wrong += round_of(mirror, width + 4, i, j) != from;
      }
    }
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("Every k-th column, and columns backwards, beside each other and padded", "",
                   std::int8_t, std::uint16_t, float, double, std::complex<float>) {
  using array = sn::array<TestType>;
  using sn::_;
  for (const std::int64_t width : {1, 7, 64, 129}) {
    for (const std::int64_t k : {2, 3, 5}) {
      INFO(width << " columns of " << k);
      const array x = sn::astype<TestType>(sn::arange<std::int64_t>(3 * k * width) % 23 + 1)
                          .reshape({3, k * width});
      const std::vector<TestType> all = x.to_host();
      const auto at = [&](std::int64_t i, std::int64_t j) {
        const bool inside = j >= 0 && j < k * width;
        return inside ? all[static_cast<std::size_t>(i * k * width + j)] : TestType(0);
      };
      const array first = x(_, sn::slice(0, _, k)), last = x(_, sn::slice(k - 1, _, k));
      const array sides = sn::concatenate({first + last, first, sn::flip(last, 1) + last}, 1);
      const array quarters = sn::concatenate({sides, sn::concatenate({last, first, first}, 1)}, 0);
      const array padded = sn::pad(sn::flip(x, 1), {{0, 0}, {3, 5}});
      const array taps = padded(_, sn::slice(0, -3)) + padded(_, sn::slice(2, -1)) +
                         padded(_, sn::slice(3, _));
      const array some = padded(_, sn::slice(0, -3, 2)) + padded(_, sn::slice(3, _, 2));
      std::int64_t wrong = 0;
      using values = std::vector<TestType>;
      const auto expect = [&](const values& got, std::int64_t columns, std::int64_t i,
                              std::int64_t j, TestType value) {
        wrong += got[static_cast<std::size_t>(i * columns + j)] != value;
      };
      const values beside = sides.to_host(), four = quarters.to_host(), sums = taps.to_host(),
                   fewer = some.to_host();
      const std::int64_t three = 3 * width, more = k * width + 5, half = (more + 1) / 2;
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          const TestType a = at(i, k * j), b = at(i, k * j + k - 1);
          const TestType c = at(i, k * (width - 1 - j) + k - 1);
          expect(beside, three, i, j, TestType(a + b));
          expect(beside, three, i, width + j, a);
          expect(beside, three, i, 2 * width + j, TestType(b + c));
          expect(four, three, i, 2 * width + j, TestType(b + c));
          expect(four, three, i + 3, j, b);
          expect(four, three, i + 3, 2 * width + j, a);
        }
        const auto back = [&](std::int64_t j) { return at(i, k * width - 1 - (j - 3)); };
        for (std::int64_t j = 0; j < more; ++j) {
          expect(sums, more, i, j, TestType(TestType(back(j) + back(j + 2)) + back(j + 3)));
          if (j % 2 == 0) expect(fewer, half, i, j / 2, TestType(back(j) + back(j + 3)));
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("many arrays are joined by a few kernels of one kind") {
  for (const std::int64_t count : {5, 12, 13, 48, 49, 61, 150}) {
    std::vector<sn::array<int>> parts;
    std::vector<int> expected;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto n = i % 4;
      parts.push_back(sn::astype<int>(sn::arange<int>(n)) + static_cast<int>(10 * i));
      for (int k = 0; k < n; ++k) expected.push_back(static_cast<int>(10 * i) + k);
    }
    INFO(count);
    CHECK(sn::concatenate(parts).to_host() == expected);
    std::vector<sn::array<int>> rows;
    for (std::int64_t i = 0; i < count; ++i) {
      rows.push_back(sn::arange<int>(3) * static_cast<int>(i + 1));
    }
    const sn::array<int> down = sn::stack(rows), across = sn::stack(rows, 1);
    CHECK(sn::array_equal(down, across.T()).item());
    CHECK(sn::sum(down, {0, 1}).item() == 3 * count * (count + 1) / 2);
    CHECK(down(count - 1, 2).item() == 2 * count);
  }
}

TEST_CASE("views of an empty array that is in memory are joined and padded") {
  const sn::array<double> none = sn::asarray(std::vector<double>{}, {3, 0, 3});
  sn::eval(none);
  const sn::array<double> flat = sn::reshape(none, {0, 3});
  CHECK(sn::concatenate({flat, flat}, 1).shape(1) == 6);
  CHECK(sn::hstack({none(0), none(1)}).shape(1) == 6);
  CHECK(sn::pad(sn::reshape(none, {-1}), 1).to_host() == std::vector<double>{0, 0});
  CHECK(sn::pad(none(none > 0), {{1, 0}}).to_host() == std::vector<double>{0});
}

TEST_CASE("columns that are put together are searched a column at a time") {
  const sn::array<double> x = sn::arange<double>(100), edges = sn::linspace(0, 100, 1000);
  sn::eval(x, edges);
  const sn::array<double> p = sn::concatenate<double>({x + 1, x * 2});
  const sn::array<double> columns = sn::stack<double>({p, -p}, 1);
  const sn::array<std::int64_t> found = sn::searchsorted(edges, columns);
  sn::eval(p);
  CHECK(sn::array_equal(found(sn::_, 0), sn::searchsorted(edges, p)).item());
  CHECK(sn::array_equal(found(sn::_, 1), sn::searchsorted(edges, -p)).item());
}

namespace {

/// Pieces of many lengths, joined by the library and one by one.
template <class T> void compare_joined() {
  for (const int count : {2, 3, 17, 40}) {
    std::vector<sn::array<T>> pieces;
    std::vector<double> want;
    for (int k = 0; k < count; ++k) {
      const std::int64_t n = k % 5 == 0 ? 1 : k % 5 == 1 ? 33 : k % 5 == 2 ? 0 : 100 + k;
      const auto x = sn::random::integers<int>({n}, {.seed = std::uint64_t(k), .high = 99});
      pieces.push_back(sn::astype<T>(x));
      sn::eval(pieces.back());
      const std::vector<int> numbers = x.to_host();
      want.insert(want.end(), numbers.begin(), numbers.end());
    }
    const sn::array<T> all = sn::concatenate(pieces);
    sn::array<double> got;
    if constexpr (is_complex(sn::dtype_of<T>)) {
      got = sn::astype<double>(sn::real(all));
      CHECK(sn::all(sn::imag(all) == 0).item());
      const T turn{0, 1};
      const sn::array<T> turned = sn::concatenate(pieces) * turn;
      CHECK(sn::array_equal(sn::imag(turned), sn::real(all)));
    } else {
      got = sn::astype<double>(all);
    }
    CHECK(sn::array_equal(got, sn::array<double>(want)));
  }
}

}  // namespace

TEST_CASE("pieces of any type, many and few, lie behind each other") {
  compare_joined<double>();
  compare_joined<std::int16_t>();
  compare_joined<sn::float16>();
  compare_joined<sn::bfloat16>();
  compare_joined<std::complex<float>>();
  compare_joined<std::complex<double>>();
}

TEST_CASE("small matrices are turned round after round") {
  using floats = sn::array<float>;
  const floats start = sn::random::uniform<float>({1000, 3, 3}, {.seed = 5});
  floats x = start;
  for (int round = 0; round < 200; ++round) {
    const auto at = [&](int i, int j) -> floats { return -x(sn::_, i, j); };
    x = sn::reshape(sn::stack<float>({at(0, 2), at(1, 2), at(2, 2), at(0, 1), at(1, 1), at(2, 1),
                                      at(0, 0), at(1, 0), at(2, 0)},
                                     1),
                    {1000, 3, 3});
  }
  CHECK(sn::array_equal(x, start));
}

}  // namespace joining_test
