// NumPy's ways to write arguments: bare numbers of several types, several numbers as a shape.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace numpy_arguments_test {

namespace sn = sinter;
using namespace sinter::test;

TEST_CASE("arange counts in the common type of its arguments") {
  const std::int64_t n = 4;
  const sn::array<std::int64_t> a = sn::arange(1, n + 1);
  CHECK(a.to_host() == std::vector<std::int64_t>{1, 2, 3, 4});
  const sn::array<std::int64_t> b = sn::arange(0, n, 2);
  CHECK(b.to_host() == std::vector<std::int64_t>{0, 2});
  const sn::array<float> c = sn::arange(0, 1, 0.25f);
  CHECK(c.to_host() == std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  const sn::array<double> d = sn::arange(0, 1, 0.5);
  CHECK(d.to_host() == std::vector<double>{0, 0.5});
  const sn::array<double> e = sn::arange(0, 1.5);
  CHECK(e.to_host() == std::vector<double>{0, 1});
  // An explicit type is the result's type.
  const sn::array<std::int8_t> f = sn::arange<std::int8_t>(2, n);
  CHECK(f.size() == 2);
  const sn::array<float> g = sn::arange<float>(0, n, 0.5);
  CHECK(g.size() == 8);
  const std::vector<int> none;
  CHECK(sn::arange(0, none.size()).size() == 0);
  CHECK(value_refusal([&] { sn::arange(-1, none.size()); }).find("-1") != std::string::npos);
  CHECK(value_refusal([&] { sn::arange(0, n, 0); }) == "[arange] the step is 0");
}

TEST_CASE("scalars alone are of their C++ type, beside arrays they are weak") {
  const sn::array<float> x{-1, 0, 2};
  const sn::array<float> a = sn::where(x > 0, 1.0f, -1e9f);
  CHECK(a.to_host() == std::vector<float>{-1e9f, -1e9f, 1});
  const sn::array<int> b = sn::where(x > 0, 1, -1);
  CHECK(b.to_host() == std::vector<int>{-1, -1, 1});
  const sn::array<double> c = sn::where(x > 0, 0.1, 0.2);
  CHECK(c.to_host() == std::vector<double>{0.2, 0.2, 0.1});
  const sn::array<float> d = sn::where(x > 0, 1, 0.1f);
  CHECK(d.to_host() == std::vector<float>{0.1f, 0.1f, 1});
  const sn::array<bool> e = sn::where(x > 0, false, true);
  CHECK(e.to_host() == std::vector<bool>{true, true, false});
  const sn::array<std::int64_t> f = sn::where(x > 0, 1, std::int64_t{1} << 40);
  CHECK(f.to_host()[0] == std::int64_t{1} << 40);
  const sn::array<sn::float16> g = sn::where(x > 0, sn::float16(1.0f), sn::float16(0.1f));
  CHECK(float(g.to_host()[0]) == float(sn::float16(0.1f)));
  const sn::array<float> h = sn::where(x > 0, x, 0.1);
  CHECK(h.to_host() == std::vector<float>{0.1f, 0.1f, 2});
  const sn::array<float> i = sn::ldexp(1.5f, sn::array<int>{0, 1});
  CHECK(i.to_host() == std::vector<float>{1.5f, 3});
  // Never silently a different number.
  CHECK_THROWS_AS(sn::where(x > 0, -1, 2u).to_array(), sn::value_error);
  // Fused or not, also within a larger statement.
  const sn::array<float> j = x + sn::where(x > 0, 1.0f, 2.0f) * 0.5;
  CHECK(j.to_host() == std::vector<float>{0, 1, 2.5f});
}

TEST_CASE("select of numbers, with an array as default, of both") {
  const sn::array<float> x{-2, 0, 3}, y{7, 8, 9};
  const auto low = x < 0;
  const auto high = x > 1;
  const sn::array<int> a = sn::select({low, high}, {1, 4}, 0);
  CHECK(a.to_host() == std::vector<int>{1, 0, 4});
  const sn::array<double> b = sn::select({low, high}, {1, 4}, 0.5);
  CHECK(b.to_host() == std::vector<double>{1, 0.5, 4});
  const sn::array<float> c = sn::select({low, high}, {x, y}, y * 2);
  CHECK(c.to_host() == std::vector<float>{-2, 16, 9});
  const sn::array<double> d = sn::select({low, high}, {x, y}, sn::array<double>{0.1});
  CHECK(d.to_host() == std::vector<double>{-2, 0.1, 9});
  const sn::array<float> e = sn::select({low, high}, std::tuple(x * 2, 1), 5);
  CHECK(e.to_host() == std::vector<float>{-4, 5, 1});
  const sn::array<float> f = sn::select({low, high}, std::tuple(x, y));
  CHECK(f.to_host() == std::vector<float>{-2, 0, 9});
  // Arrays mixed with expressions.
  const sn::array<float> mixed = sn::select({low, high}, {x, y * 2}, 0);
  CHECK(mixed.to_host() == std::vector<float>{-2, 0, 18});
  const sn::array<float> beside = x + sn::select({low, high}, {-x, y}, y - 1);
  CHECK(beside.to_host() == std::vector<float>{0, 7, 12});
  const sn::array<double> wide = sn::select({low, high}, {x, sn::astype<double>(y)}, 0.1);
  CHECK(wide.to_host() == std::vector<double>{-2, 0.1, 9});
  const sn::array<int> whole{1, 2, 3};
  const sn::array<double> half = sn::select({low, high}, {whole, whole + 1}, 0.5);
  CHECK(half.to_host() == std::vector<double>{1, 0.5, 4});
  CHECK_THROWS_AS(sn::array<int>(sn::select({low, high}, {x, y * 2}, 0)), sn::dtype_error);
  // A fraction is never lost.
  const sn::array<int> i{1, 2, 3};
  const sn::array<double> g = sn::select({low}, {i}, 0.5);
  CHECK(g.to_host() == std::vector<double>{1, 0.5, 0.5});
  const sn::array<bool> bs = x < 9;
  const sn::array<bool> h = sn::select({low, high}, {bs, bs});
  CHECK(h.to_host() == std::vector<bool>{true, false, true});
  CHECK_THROWS_AS(sn::select({low}, {1, 4}, 0), sn::value_error);
  CHECK_THROWS_AS(sn::select({low}, {i}, sn::array<int>{1, 2}), sn::shape_error);
}

TEST_CASE("append takes expressions, which promote") {
  const sn::array<float> x{1, 2};
  const sn::array<double> y{3};
  const sn::array<float> a = sn::append(x, x + 1);
  CHECK(a.to_host() == std::vector<float>{1, 2, 2, 3});
  const sn::array<double> b = sn::append(x * 2, y);
  CHECK(b.to_host() == std::vector<double>{2, 4, 3});
  CHECK(sn::append(x, 3).to_host() == std::vector<float>{1, 2, 3});
  CHECK(sn::append(x, {5, 6}).to_host() == std::vector<float>{1, 2, 5, 6});
  CHECK(sn::append(x(sn::newaxis), (x + 1)(sn::newaxis), {.axis = 0}).shape(0) == 2);
}

TEST_CASE("braces of expressions say their type") {
  const sn::array<float> x{1, 2};
  CHECK(sn::concatenate<float>({x, x * 2}, 0).to_host() == std::vector<float>{1, 2, 2, 4});
  CHECK(sn::stack<float>({x * 2, x + 1}, 1).to_host() == std::vector<float>{2, 2, 4, 3});
  CHECK(sn::vstack<float>({x, x + 1}).to_host() == std::vector<float>{1, 2, 2, 3});
  CHECK(sn::hstack<float>({x, x + 1}).to_host() == std::vector<float>{1, 2, 2, 3});
}

TEST_CASE("numbers in NumPy's second and third places") {
  const auto x = sn::arange<double>(12).reshape({4, 3}) * sn::arange<double>(3);
  const auto same = [](const auto& a, const auto& b) {
    CHECK(a.to_array().to_host() == b.to_array().to_host());
  };
  same(sn::diff(x, 2), sn::diff(x, {.n = 2}));
  same(sn::diff(x, 2, 0), sn::diff(x, {.n = 2, .axis = 0}));
  same(sn::fft::fft(x, 8), sn::fft::fft(x, {.n = 8}));
  same(sn::fft::ifft(x, 3, 0), sn::fft::ifft(x, {.n = 3, .axis = 0}));
  same(sn::fft::rfft(x, 16), sn::fft::rfft(x, {.n = 16}));
  same(sn::fft::irfft(x, 5), sn::fft::irfft(x, {.n = 5}));
  same(sn::fft::hfft(x, 4, 0), sn::fft::hfft(x, {.n = 4, .axis = 0}));
  same(sn::fft::ihfft(x, 2), sn::fft::ihfft(x, {.n = 2}));
  const sn::any_array u = x.to_array();
  CHECK(sn::array<double>(sn::diff(u, 1, 0)).shape(0) == 3);
  CHECK(sn::fft::rfft(u, 16).shape(1) == 9);
  CHECK(value_refusal([&] { sn::diff(x, -1); }) == value_refusal([&] { sn::diff(x, {.n = -1}); }));
  same(sn::linalg::norm(x, 1), sn::linalg::norm(x, {.ord = 1}));
  same(sn::linalg::norm(x, "fro"), sn::linalg::norm(x, {.ord = "fro"}));
  same(sn::linalg::norm(x, sn::inf, 0), sn::linalg::norm(x, {.ord = sn::inf, .axis = 0}));
}

TEST_CASE("cross takes NumPy's axes one by one") {
  const auto x = sn::arange<double>(12).reshape({4, 3}) * sn::arange<double>(3);
  const auto expected = sn::cross(x, x + 1).to_host();
  CHECK(sn::cross(x, x + 1, -1).to_host() == expected);
  CHECK(sn::cross(sn::transpose(x), x + 1, 0).to_host() == expected);
  const auto c = sn::cross(sn::transpose(x), sn::transpose(x + 1), 0, 0, 0);
  CHECK(c.shape(0) == 3);
  CHECK(sn::transpose(c).to_host() == expected);
  CHECK_THROWS_AS(sn::cross(x, x, 2), sn::axis_error);
}

TEST_CASE("shapes of a known rank can be taken apart") {
  const sn::array<float> x{{1, 2, 3}, {4, 5, 6}};
  const auto [rows, columns] = x.shape<2>();
  CHECK(rows == 2);
  CHECK(columns == 3);
  const auto [n] = (x(0) + 1).shape<1>();
  CHECK(n == 3);
  CHECK(sn::sum(x).shape<0>().empty());
  const sn::any_array u = x;
  CHECK(u.shape<2>() == std::array<std::int64_t, 2>{2, 3});
  CHECK(shape_refusal([&] { x.shape<3>(); }) ==
        "[shape] shape (2, 3) has another rank than 3");
  CHECK(shape_refusal([&] { (x + 1).shape<1>(); }) ==
        "[shape] shape (2, 3) has another rank than 1");
}

TEST_CASE("extents without braces") {
  const auto x = sn::arange<float>(12);
  const std::size_t rows = 3;
  CHECK(x.reshape(-1, 4).shape<2>() == std::array<std::int64_t, 2>{3, 4});
  CHECK((x + 1).reshape(rows, 2, 2).shape<3>() == std::array<std::int64_t, 3>{3, 2, 2});
  CHECK(sn::reshape(x * 2, 4, rows).shape<2>() == std::array<std::int64_t, 2>{4, 3});
  CHECK(sn::reshape(sn::any_array(x), 1, 2, -1).shape<3>() == std::array<std::int64_t, 3>{1, 2, 6});
  const sn::array<float> a = sn::zeros<float>(3, 4);
  CHECK(a.shape<2>() == std::array<std::int64_t, 2>{3, 4});
  const sn::array<double> b = sn::ones(rows, 4, 2);
  CHECK(b.shape<3>() == std::array<std::int64_t, 3>{3, 4, 2});
  CHECK(sn::empty<int>(1, 2, 3, 4).ndim() == 4);
  // A single number and braces keep their meaning.
  CHECK(sn::ones<int>(5).ndim() == 1);
  CHECK(sn::zeros<float>({2, 3}).ndim() == 2);
  CHECK(x.reshape({4, 3}).ndim() == 2);
  CHECK(x.reshape(12).ndim() == 1);
  CHECK(x.reshape(-1).ndim() == 1);
  CHECK(shape_refusal([&] { x.reshape(5, 3); }) == shape_refusal([&] { x.reshape({5, 3}); }));
  CHECK(shape_refusal([&] { sn::zeros<float>(2, -3); }) ==
        shape_refusal([&] { sn::zeros<float>({2, -3}); }));
}

TEST_CASE("the only element is a number where C++ is told so") {
  const sn::array<float> x{{3, 4}};
  CHECK(float(x(0, 1)) == 4);
  CHECK(double(sn::norm(x)) == 5);
  CHECK(float(sn::sum(x) * 2) == 14);
  CHECK(int(sn::argmax(x)) == 1);
  CHECK(static_cast<std::size_t>(sn::sum(x > 3)) == 1);
  CHECK(std::complex<float>(sn::sum(x * std::complex<float>(0, 1))) == std::complex<float>(0, 7));
  CHECK(double(sn::asarray(sn::float16(0.5f))) == 0.5);
  CHECK(int(sn::all(x > 0)) == 1);
  CHECK((sn::all(x > 0) ? 1 : 2) == 1);
  CHECK_THROWS_AS(float(x), sn::shape_error);
  const sn::array<std::int64_t> large{std::int64_t{1} << 40};
  CHECK_THROWS_AS(int(large), sn::value_error);
  CHECK_THROWS_AS(unsigned(-large), sn::value_error);
  CHECK(double(large) == 0x1p40);
}

TEST_CASE("arrays become numbers only where C++ is told so") {
  using floats = sn::array<float>;
  STATIC_REQUIRE(!std::convertible_to<floats, float>);
  STATIC_REQUIRE(!std::convertible_to<floats, double>);
  STATIC_REQUIRE(!std::convertible_to<floats, std::size_t>);
  STATIC_REQUIRE(!std::convertible_to<sn::array<bool>, int>);
  STATIC_REQUIRE(!std::constructible_from<int, floats>);
  STATIC_REQUIRE(!std::constructible_from<bool, floats>);
  STATIC_REQUIRE(!std::constructible_from<bool, sn::array<int>>);
  STATIC_REQUIRE(!std::constructible_from<float, sn::array<std::complex<float>>>);
  STATIC_REQUIRE(!std::constructible_from<std::vector<float>, floats>);
  STATIC_REQUIRE(!std::constructible_from<std::string, floats>);
  STATIC_REQUIRE(!std::constructible_from<floats, sn::array<double>>);
  STATIC_REQUIRE(!std::constructible_from<sn::int_list, sn::array<int>>);
  STATIC_REQUIRE(!std::constructible_from<sn::slice, sn::array<int>>);
  STATIC_REQUIRE(!std::constructible_from<std::vector<int>, sn::array<int>>);
}

}  // namespace numpy_arguments_test
