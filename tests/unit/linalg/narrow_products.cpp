// Products of bfloat16 and of bytes, by any available implementation, against sums by hand.

#include <cstdint>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace narrow_products_test {

namespace sn = sinter;

namespace {

template <class T> sn::array<T> bits(const std::vector<std::int64_t>& shape, unsigned seed) {
  const sn::array<T> x = sn::astype<T>(
      sn::random::integers<std::int64_t>(shape, {.seed = seed, .low = 0, .high = 256}));
  sn::eval(x);
  return x;
}

/// sum over k of a[i, k] b[k, j], of the elements' own values.
template <class A, class B>
std::vector<std::int64_t> by_hand(const sn::array<A>& a, const sn::array<B>& b) {
  const auto x = a.to_host();
  const auto y = b.to_host();
  const auto m = static_cast<std::size_t>(a.shape()[0]), k = static_cast<std::size_t>(a.shape()[1]),
             n = static_cast<std::size_t>(b.shape()[1]);
  std::vector<std::int64_t> sums(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) {
        sums[i * n + j] += std::int64_t{x[i * k + p]} * std::int64_t{y[p * n + j]};
      }
    }
  }
  return sums;
}

template <class A, class B, class Sum> void check_bytes(std::int64_t depth) {
  const sn::array<A> a = bits<A>({120, depth}, 1);
  const sn::array<B> b = bits<B>({depth, 100}, 2);
  const sn::array<Sum> product = sn::matmul(sn::astype<Sum>(a), sn::astype<Sum>(b));
  const sn::array<B> turned = sn::copy(sn::transpose(b));
  sn::eval(turned);
  const sn::array<Sum> across =
      sn::matmul(sn::astype<Sum>(a), sn::transpose(sn::astype<Sum>(turned)));
  std::vector<Sum> expected;
  for (const std::int64_t sum : by_hand(a, b)) expected.push_back(static_cast<Sum>(sum));
  CHECK(product.to_host() == expected);
  CHECK(across.to_host() == expected);
}

}  // namespace

TEMPLATE_TEST_CASE("products of bytes are exact", "", std::int16_t, std::int32_t, std::uint32_t,
                   std::int64_t) {
  for (const std::int64_t depth : {40, 1504}) {  // few steps, and more than a GPU's kernel supports
    check_bytes<std::int8_t, std::int8_t, TestType>(depth);
    check_bytes<std::uint8_t, std::int8_t, TestType>(depth);
    check_bytes<std::int8_t, std::uint8_t, TestType>(depth);
    check_bytes<std::uint8_t, std::uint8_t, TestType>(depth);
  }
}

TEST_CASE("a quantised layer: sums of bytes, scaled, in float") {
  const auto x = bits<std::uint8_t>({65, 300}, 3);
  const auto w = bits<std::int8_t>({300, 33}, 4);
  const sn::array<float> scales = sn::linspace<float>(0.5f, 2, 33);
  const sn::array<float> y =
      sn::astype<float>(sn::matmul(sn::astype<std::int32_t>(x), sn::astype<std::int32_t>(w))) *
      scales;
  const auto sums = by_hand(x, w);
  const auto factors = scales.to_host();
  std::vector<float> expected;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    expected.push_back(static_cast<float>(sums[i]) * factors[i % 33]);
  }
  CHECK(y.to_host() == expected);
}

TEST_CASE("products of bfloat16 are summed in float32") {
  // bfloat16 represents 8-bit integers, and a float the sum of 1,024 of their products.
  const auto a = bits<std::int8_t>({70, 1000}, 5);
  const auto b = bits<std::int8_t>({1000, 90}, 6);
  const auto x = sn::array<sn::bfloat16>(sn::astype<sn::bfloat16>(a)),
             y = sn::array<sn::bfloat16>(sn::astype<sn::bfloat16>(b));
  sn::eval(x, y);
  const sn::array<float> wide = sn::matmul(sn::astype<float>(x), sn::astype<float>(y));
  const sn::array<sn::bfloat16> narrow = sn::matmul(x, y);
  const auto found = wide.to_host();
  const auto rounded = narrow.to_host();
  const auto sums = by_hand(a, b);
  bool same = true, near = true;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    same = same && found[i] == static_cast<float>(sums[i]);
    near = near && static_cast<float>(rounded[i]) ==
                       static_cast<float>(sn::bfloat16(static_cast<float>(sums[i])));
  }
  CHECK(same);
  CHECK(near);
}

}  // namespace narrow_products_test
