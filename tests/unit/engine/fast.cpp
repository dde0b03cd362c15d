// Contraction on request.

#include <cmath>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace fast_test {

namespace sn = sinter;

namespace {

using doubles = sn::array<double>;

/// Numbers whose products need all digits.
std::vector<double> numbers(int salt) {
  std::vector<double> out;
  for (int i = 1; i <= 1000; ++i) out.push_back(std::sin(i * 1.7 + salt) * (salt + 1.0 / i));
  return out;
}

template <class F> std::vector<double> by_hand(F f) {
  const auto a = numbers(1), b = numbers(2), c = numbers(3);
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(f(a[i], b[i], c[i]));
  return out;
}

}  // namespace

TEST_CASE("sums of products are rounded once where fast asks for it, and only there") {
  const doubles a = sn::asarray(numbers(1)), b = sn::asarray(numbers(2)),
                c = sn::asarray(numbers(3));
  const auto host = [](const doubles& x) { return x.to_host(); };
  using std::fma;
  CHECK(host(sn::fast(a * b + c)) == by_hand([](auto x, auto y, auto z) { return fma(x, y, z); }));
  CHECK(host(sn::fast(c + a * b)) == by_hand([](auto x, auto y, auto z) { return fma(x, y, z); }));
  CHECK(host(sn::fast(a * b - c)) == by_hand([](auto x, auto y, auto z) { return fma(x, y, -z); }));
  CHECK(host(sn::fast(c - a * b)) == by_hand([](auto x, auto y, auto z) { return fma(-x, y, z); }));
  CHECK(host(sn::fast(2 + a * (3 + b * c))) ==
        by_hand([](auto x, auto y, auto z) { return fma(x, fma(y, z, 3.0), 2.0); }));
  // Of two products the first is contracted.
  CHECK(host(sn::fast(a * b + b * c)) ==
        by_hand([](auto x, auto y, auto z) { return fma(x, y, y * z); }));
  CHECK(host(a * b + c) == by_hand([](double x, double y, double z) {
          volatile const double product = x * y;
          return product + z;
        }));
}

TEST_CASE("fast changes nothing else, and reaches into no array") {
  const doubles a = sn::asarray(numbers(1)), b = sn::asarray(numbers(2));
  const doubles product = a * b;
  CHECK(doubles(sn::fast(product + 1)).to_host() == doubles(product + 1).to_host());
  CHECK(doubles(sn::fast(sn::exp(a) / b)).to_host() == doubles(sn::exp(a) / b).to_host());
  CHECK(doubles(sn::fast(a)).to_host() == a.to_host());
  const sn::array<int> i = sn::arange(5), j = sn::fast(i * i + 1);
  CHECK(j.to_host() == std::vector<int>{1, 2, 5, 10, 17});
  const sn::array<std::complex<double>> z = sn::asarray(
      std::vector<std::complex<double>>{{1, 2}, {3, -4}});
  CHECK(sn::array<std::complex<double>>(sn::fast(z * z + 1)).to_host() ==
        sn::array<std::complex<double>>(z * z + 1).to_host());
}

TEST_CASE("an expression that is fast goes on in a larger one, with the same bits unfused") {
  const doubles a = sn::asarray(numbers(1)), b = sn::asarray(numbers(2));
  const auto both = [&] { return doubles(sn::sqrt(sn::abs(sn::fast(a * b + 0.5))) * b + a); };
  const auto fused = both().to_host();
  const auto want = by_hand([](double x, double y, double) {
    volatile const double product = std::sqrt(std::abs(std::fma(x, y, 0.5))) * y;
    return product + x;
  });
  CHECK(fused == want);
  sn::fusion(false);
  const auto unfused = both().to_host();
  sn::fusion(true);
  CHECK(fused == unfused);
}

TEST_CASE("fast in halves computes in float, and rounds where it becomes an array") {
  using halves = sn::array<sn::float16>;
  const halves h = sn::astype<sn::float16>(sn::linspace(0.1, 3.0, 50));
  const sn::array<float> f = sn::astype<float>(h);
  const halves got = sn::fast(h * h + h), want = sn::astype<sn::float16>(sn::fma(f, f, f));
  CHECK(sn::array_equal(got, want).item());
}

}  // namespace fast_test
