// Lines of NumPy's guides, verbatim except for braces.
#include <cmath>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace numpy_lines_test {

namespace sn = sinter;

TEST_CASE("the array API's constants") {
  const sn::array<float> x{0, 1};
  CHECK((x * sn::pi).to_array().dtype() == sn::dtype::float32);
  CHECK(sn::pi == std::acos(-1.0));
  CHECK(sn::e == std::exp(1.0));
  CHECK(sn::isinf(x + sn::inf).to_host() == std::vector<bool>{true, true});
  CHECK(sn::isnan(x * sn::nan).to_host() == std::vector<bool>{true, true});
  CHECK(sn::euler_gamma == Approx(0.5772156649015329));
}

TEST_CASE("lists of indices and of values stand in braces") {
  auto x = sn::arange(6).reshape({2, 3});
  CHECK(x({1, 0, -1}, {2, 0, 0}).to_array().to_host() == std::vector<int>{5, 0, 3});
  CHECK(x(sn::_, {2, 0}).to_array().to_host() == std::vector<int>{2, 0, 5, 3});
  x({0}, {1, 2}) = 9;
  x({1}) += 10;
  CHECK(x.to_host() == std::vector<int>{0, 9, 9, 13, 14, 15});
  CHECK_THROWS_AS(x({2}).to_array().to_host(), sn::index_error);
  CHECK(sn::asarray({1, 2, 3}).to_host() == std::vector<int>{1, 2, 3});
  CHECK(sn::asarray({{1.0, 2.0}, {3.0, 4.0}}).shape(1) == 2);
  CHECK_THROWS_AS(sn::asarray({{1.0, 2.0}, {3.0}}), sn::shape_error);
}

TEST_CASE("an open mesh, and where alone") {
  const sn::array<int> a{2, 3}, b{8, 5, 4};
  const auto [ax, bx] = sn::ix_(a, b);
  CHECK((ax + bx).to_array().to_host() == std::vector<int>{10, 7, 6, 11, 8, 7});
  CHECK(sn::where(b < 6)[0].to_host() == std::vector<std::int64_t>{1, 2});
  CHECK(std::get<0>(sn::ix_(b < 6, a)).shape(0) == 2);
  CHECK(std::get<2>(sn::ix_(a, b, a)).ndim() == 3);
  CHECK_THROWS_AS(sn::ix_(a, sn::array<float>{1}), sn::dtype_error);
  CHECK_THROWS_AS(sn::ix_(sn::ones<int>({2, 2}), a), sn::shape_error);
}

TEST_CASE("what a tuple joins has the common type") {
  const sn::array<float> a{1, 2};
  const sn::array<std::int64_t> b{3};
  const auto c = sn::concatenate(std::tuple(a + 1, b));
  CHECK(c.dtype() == sn::dtype::float64);
  CHECK(c.to_host() == std::vector<double>{2, 3, 3});
  CHECK(sn::concat(std::tuple(a, a * 2), {.axis = 0}).size() == 4);
  CHECK_THROWS_AS(sn::stack(std::tuple(a, b)), sn::shape_error);
}

TEST_CASE("a scalar that the array's type has not is refused where it was written") {
  const sn::array<std::int8_t> x{100};
  std::string text;
  try {
    const sn::array<std::int8_t> y = x + 200;
  } catch (const sn::value_error& e) {
    text = e.what();
  }
  CHECK(text.find("200 is not a value of int8") != std::string::npos);
  CHECK(text.find("numpy_lines.cpp:") != std::string::npos);
}

TEST_CASE("the value after a half is a half") {
  const auto after = [](auto x, auto y) {
    return sn::astype<double>(sn::nextafter(x, y)).to_array().item();
  };
  const auto h = [](double v) { return sn::astype<sn::float16>(sn::asarray(v)).to_array(); };
  const auto b = [](double v) { return sn::astype<sn::bfloat16>(sn::asarray(v)).to_array(); };
  CHECK(after(h(1), 2) == 1 + 0x1p-10);
  CHECK(after(h(1), h(0)) == 1 - 0x1p-11);
  CHECK(after(h(65504), sn::inf) == sn::inf);
  CHECK(after(h(sn::inf), 0) == 65504);
  CHECK(after(1, h(2)) == 1 + 0x1p-10);
  CHECK(after(h(0.5) + h(0.5), 2) == 1 + 0x1p-10);
  CHECK(after(b(1), 2) == 1 + 0x1p-7);
  CHECK(after(b(1), 0) == 1 - 0x1p-8);
  CHECK(after(b(0), -1) == -0x1p-133);
  CHECK(after(b(0x1.fep127), sn::inf) == sn::inf);
  CHECK(after(b(-sn::inf), 0) == -0x1.fep127);
  CHECK(after(b(0x1p-126), 0) == 0x1p-126 - 0x1p-133);
  CHECK(std::isnan(after(b(1), sn::nan)));
  CHECK(std::signbit(after(b(0), b(-0.0))));
}

TEST_CASE("names of the array API's extension are in its namespace") {
  const auto x = sn::arange<double>(8).reshape({2, 2, 2});
  CHECK(sn::linalg::diagonal(x).to_host() == std::vector<double>{0, 3, 4, 7});
  CHECK(sn::linalg::matmul(x, x).shape(0) == 2);
  CHECK(sn::linalg::outer(sn::arange(2), sn::arange(3)).size() == 6);
  CHECK(sn::linalg::tensordot(x, x, 1).ndim() == 4);
  CHECK(sn::linalg::vecdot(x, x).size() == 4);
  CHECK(sn::linalg::matrix_transpose(x).size() == 8);
  auto rng = sn::random::default_rng(1);
  CHECK(sn::array_equal(rng.uniform({3}), sn::random::generator(1).uniform({3})).item());
}

TEST_CASE("the most negative integer has a magnitude, and small integers have wide sines") {
  using small = sn::array<std::int8_t>;
  CHECK(sn::gcd(small{1, -128, -128}, small{-128, -128, 96}).to_host() ==
        std::vector<std::int8_t>{1, -128, 32});
  const sn::array<std::uint8_t> other{200};
  CHECK(sn::gcd(small{-12}, other).to_host() == std::vector<std::int16_t>{4});
  CHECK(sn::lcm(small{-4}, small{6}).to_host() == std::vector<std::int8_t>{12});
  CHECK(std::abs(sn::sinc(small{1}).to_host()[0]) < 1e-16);
}

TEST_CASE("what the tools refuse") {
  const sn::array<double> x{1, 2, 3};
  CHECK_THROWS_AS(sn::delete_(x, {3}), sn::index_error);
  CHECK_THROWS_AS(sn::insert(x, 4, 0), sn::index_error);
  CHECK_THROWS_AS(sn::insert(x, 0, sn::ones({2, 2})), sn::shape_error);
  CHECK_THROWS_AS(sn::delete_(x, {0}, {.axis = 1}), sn::axis_error);
  CHECK_THROWS_AS(sn::resize(x, {-1}), sn::shape_error);
  CHECK_THROWS_AS(sn::interp(x, x, sn::ones({2})), sn::shape_error);
  CHECK_THROWS_AS(sn::interp(x, sn::ones({0}), sn::ones({0})), sn::value_error);
  CHECK_THROWS_AS(sn::interp(x, sn::ones({2, 2}), sn::ones({2, 2})), sn::shape_error);
  CHECK_THROWS_AS(sn::polyfit(x, x, -1), sn::value_error);
  CHECK_THROWS_AS(sn::polyfit(x, sn::ones({2}), 1), sn::shape_error);
  CHECK_THROWS_AS(sn::roots(sn::ones({2, 2})), sn::shape_error);
  CHECK_THROWS_AS(sn::unwrap(x, {.axis = 1}), sn::axis_error);
  CHECK_THROWS_AS(sn::kaiser(-1, 2), sn::value_error);
  CHECK_THROWS_AS(sn::gcd(sn::array<int>{1, 2}, sn::array<int>{1, 2, 3}), sn::shape_error);
  CHECK_THROWS_AS(sn::linalg::tensorsolve(sn::ones({2, 3}), x), sn::shape_error);
  CHECK_THROWS_AS(sn::linalg::tensorinv(x, 0), sn::value_error);
  CHECK_THROWS_AS(sn::linalg::tensorinv(sn::ones({2, 3}), 1), sn::shape_error);
  CHECK_THROWS_AS(sn::linalg::diagonal(x), sn::shape_error);
}

TEST_CASE("a number beside halves is a half, as in NumPy") {
  const sn::array<sn::float16> x{sn::float16(0.1f), sn::float16(3.0f)};
  CHECK((x == 0.1).to_host() == std::vector<bool>{true, false});
  const sn::array<sn::float16> product = x * 0.1;
  const float tenth = static_cast<float>(sn::float16(0.1));
  CHECK(static_cast<float>(product.to_host()[1]) == static_cast<float>(sn::float16(3.0f * tenth)));
  const sn::array<sn::bfloat16> y{sn::bfloat16(3.0f)};
  const float wide = 3.0f + static_cast<float>(sn::bfloat16(0.3));
  CHECK(static_cast<float>((y + 0.3).to_host()[0]) == static_cast<float>(sn::bfloat16(wide)));
}

}  // namespace numpy_lines_test
