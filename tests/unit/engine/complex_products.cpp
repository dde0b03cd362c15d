// Products of complex elements, computed as walks and as products of the walks' results.

#include <cmath>
#include <complex>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace complex_products_test {

namespace sn = sinter;
using complex = std::complex<double>;

namespace {

/// Of norm 1, so that products of any length are too.
sn::array<complex> drawn(std::int64_t rows, std::int64_t columns) {
  const auto angles = sn::random::normal<double>({rows, columns}, {.seed = 5});
  return sn::exp(complex(0, 1) * angles);
}

/// The products of rows, or of columns, factor by factor.
std::vector<complex> multiplied(const sn::array<complex>& x, bool of_rows) {
  const auto [rows, columns] = x.shape<2>();
  std::vector<complex> out(static_cast<std::size_t>(of_rows ? rows : columns), complex(1));
  std::size_t at = 0;
  for (const complex& v : x.to_host()) {
    const std::size_t place = at++;
    out[of_rows ? place / static_cast<std::size_t>(columns)
                : place % static_cast<std::size_t>(columns)] *= v;
  }
  return out;
}

double distance(const sn::array<complex>& found, const std::vector<complex>& wanted) {
  const auto got = found.to_host();
  REQUIRE(got.size() == wanted.size());
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::max(most, std::abs(got[i] - wanted[i]));
  return most;
}

}  // namespace

TEST_CASE("complex products of every length") {
  for (const std::int64_t n : {1, 2, 7, 16, 31, 32, 33, 47, 64, 511, 512, 1023, 4097, 70'001}) {
    INFO(n);
    const double tolerance = 1e-15 * static_cast<double>(n) + 1e-14;
    const sn::array<complex> row = drawn(1, n);
    CHECK(distance(sn::prod(row, {.axis = 1}), multiplied(row, true)) < tolerance);
    if (n > 5000) continue;
    const sn::array<complex> tall = drawn(n, 3), wide = drawn(3, n);
    CHECK(distance(sn::prod(tall, {.axis = 0}), multiplied(tall, false)) < tolerance);
    CHECK(distance(sn::prod(wide, {.axis = 1}), multiplied(wide, true)) < tolerance);
  }
}

TEST_CASE("products of complex axes, of what is computed, fused and not") {
  const sn::array<complex> x = sn::reshape(drawn(8, 75), {8, 15, 5});
  const sn::array<complex> fused = sn::prod(x * x, {0, 2});
  sn::eval(fused);
  sn::fusion(false);
  const sn::array<complex> unfused = sn::prod(x * x, {0, 2});
  sn::eval(unfused);
  sn::fusion(true);
  CHECK(fused.to_host() == unfused.to_host());
  const sn::array<complex> by_hand = sn::reshape(sn::transpose(x * x, {1, 0, 2}), {15, 40});
  CHECK(distance(fused, multiplied(by_hand, true)) < 1e-13);
  const auto single = sn::astype<std::complex<float>>(x);
  CHECK(std::abs(complex(sn::prod(single).item()) - sn::prod(x).item()) < 1e-4);
}

}  // namespace complex_products_test
