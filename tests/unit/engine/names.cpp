// NumPy's alternative names, arrays of unknown dtype, and errors at compile time.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace names_test {

namespace sn = sinter;

namespace {

template <class X>
concept has_order = requires(X x) { sn::max(x); };
template <class T>
concept countable = requires(T t) { sn::arange<T>(t); };
template <class T>
concept drawable = requires { sn::random::uniform<T>({2}); };

static_assert(has_order<sn::array<float>> && !has_order<sn::array<std::complex<float>>>);
static_assert(countable<int> && !countable<bool> && !countable<std::complex<double>>);
static_assert(drawable<sn::bfloat16> && !drawable<int>);

}  // namespace

TEST_CASE("NumPy's names are the array API's functions") {
  const auto x = sn::array<float>({0.25f, -0.5f, 1});
  const auto i = sn::array<int>({5, -7, 12});
  const auto same = [](auto a, auto b) { return a.to_host() == b.to_host(); };
  CHECK(same(sn::absolute(x), sn::abs(x)));
  CHECK(same(sn::arcsin(x), sn::asin(x)));
  CHECK(same(sn::arccos(x), sn::acos(x)));
  CHECK(same(sn::arctan2(x, 2), sn::atan2(x, 2)));
  CHECK(same(sn::power(x, 2), sn::pow(x, 2)));
  CHECK(same(sn::mod(i, 4), i % 4));
  CHECK(same(sn::true_divide(i, 4), i / 4));
  CHECK(same(sn::invert(i), ~i));
  CHECK(same(sn::left_shift(i, 1), i << 1));
  CHECK(same(sn::rint(x), sn::round(x)));
  CHECK(same(sn::fix(x), sn::trunc(x)));
  CHECK(sn::rint(i).dtype() == sn::dtype::float64);
  CHECK(same(sn::deg2rad(x), sn::radians(x)));
  CHECK(same(sn::expit(x), sn::sigmoid(x)));
  CHECK(sn::amax(x).item() == 1);
  CHECK(sn::amin(i, {.axis = 0, .keepdims = true}).shape(0) == 1);
  CHECK(sn::copy(x).get() == x.get());
}

TEST_CASE("arrays whose dtype is known at run time") {
  const sn::any_array x = sn::arange(6).reshape({2, 3});
  CHECK(x.dtype() == sn::dtype::int32);
  CHECK(x.nbytes() == 24);
  CHECK(sn::array<std::int64_t>(sn::sum(x, {.axis = 0})).to_host() ==
        std::vector<std::int64_t>{3, 5, 7});
  CHECK(sn::mean(x).dtype() == sn::dtype::float64);
  CHECK(sn::to_string(sn::transpose(x)) == "[[0 3]\n [1 4]\n [2 5]]");
  CHECK(sn::to_string(sn::matmul(x, sn::transpose(x))) == "[[ 5 14]\n [14 50]]");
  CHECK(sn::to_string(sn::astype(x, sn::dtype::float32)) == "[[0. 1. 2.]\n [3. 4. 5.]]");
  const double total =
      sn::visit(x, [](auto a) { return sn::astype<double>(sn::sum(a)).item(); });
  CHECK(total == 15);
}

TEST_CASE("expressions may be kept, copied and read twice") {
  auto x = sn::arange<float>(3);
  auto e = x * 2 + 1;
  const auto f = e;
  x = sn::zeros<float>({3});
  CHECK(e.to_host() == std::vector<float>{1, 3, 5});
  CHECK(f.to_host() == std::vector<float>{1, 3, 5});
  CHECK(e(1).item() == 3);
  CHECK(e.reshape({3, 1}).T().shape(1) == 3);
}

}  // namespace names_test
