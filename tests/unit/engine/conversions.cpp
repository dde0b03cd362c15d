// Implicit conversions to arrays of another type, and those that are rejected; numbers as arrays;
// assignments to slices.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/traced.hpp"

namespace conversions_test {

namespace sn = sinter;
using traced_tests::text_of;

namespace {

using floats = sn::array<float>;
using doubles = sn::array<double>;
using complexes = sn::array<std::complex<float>>;
template <class T> using to = sn::array<T>;

const floats x = sn::arange<float>(4);

}  // namespace

TEST_CASE("conversions: a type that has all values is taken without a word") {
  doubles d = x * 2.0f;
  CHECK(d.to_host() == std::vector<double>{0, 2, 4, 6});
  d = x(sn::slice(1, 3));
  CHECK(d.to_host() == std::vector<double>{1, 2});
  d = x > 1.0f;
  CHECK(d.to_host() == std::vector<double>{0, 0, 1, 1});
  CHECK(complexes(x).to_host()[3] == std::complex<float>(3, 0));
  CHECK(to<std::int64_t>(to<int>(x > 1.0f) + 1).to_host() == std::vector<std::int64_t>{1, 1, 2, 2});
  CHECK(traced_tests::kernels({doubles(sn::exp(x) + 1.0f)}) == 1);
}

TEST_CASE("conversions: one that may lose something is asked for") {
  static_assert(!std::is_constructible_v<floats, doubles>);
  static_assert(!std::is_constructible_v<floats, to<int>>);
  static_assert(!std::is_constructible_v<to<int>, to<std::int64_t>>);
  static_assert(!std::is_constructible_v<to<unsigned>, to<int>>);
  static_assert(!std::is_constructible_v<floats, complexes>);
  static_assert(!std::is_constructible_v<to<bool>, to<int>>);
  static_assert(std::is_convertible_v<to<unsigned>, to<std::int64_t>>);
  static_assert(std::is_convertible_v<floats, to<std::complex<double>>>);
  CHECK(floats(sn::astype<float>(doubles(x))).to_host() == x.to_host());
}

TEST_CASE("conversions: a number is an array of rank 0, unasked where nothing is lost by kind") {
  const doubles one(1.5);
  const auto three = sn::array(3);
  CHECK((one.ndim() == 0 && one.item() == 1.5));
  CHECK((three.dtype() == sn::dtype::int32 && three.item() == 3));
  CHECK(complexes(2).item() == std::complex<float>(2, 0));
  CHECK(doubles{1.5}.ndim() == 1);  // braces are a list
  doubles total = 0;
  total += one;
  CHECK((total.ndim() == 0 && total.item() == 1.5));
  const auto shifted = [](const floats& a) { return floats(a + 1); };
  CHECK(shifted(2).item() == 3);
  CHECK_THROWS_AS(([]() -> to<unsigned> { return -1; }()), sn::value_error);
  static_assert(std::is_convertible_v<double, floats>);
  static_assert(!std::is_convertible_v<double, to<int>>);
  static_assert(!std::is_convertible_v<int, to<bool>>);
  static_assert(std::is_constructible_v<to<int>, double>);
  static_assert(!std::is_assignable_v<doubles&, double>);  // x = 0 would not fill x
  static_assert(!std::is_constructible_v<floats, std::complex<float>>);
  CHECK(text_of<sn::value_error>([] { to<std::int8_t>(300); }) ==
        "[scalar] 300 is not a value of int8");
}

TEST_CASE("conversions: slices take what braces joined, and arrays of a type known when it runs") {
  doubles m = sn::zeros<double>({3, 4});
  m(0) = sn::stack({x(0), 2.0f * x(1), x(2), x(3)});
  m(1) = sn::concatenate({x(sn::slice(2, 4)), doubles(x(sn::slice(0, 2)))});
  m(2) = sn::any_array(x);
  CHECK(m.to_host() == std::vector<double>{0, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3});
  CHECK(text_of<sn::dtype_error>([&] { m(2) = sn::any_array(complexes(x)); }) ==
        "[assign] complex64 does not fit into float64: assign real(z) or abs(z)");
}

}  // namespace conversions_test
