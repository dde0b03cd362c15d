// Quotients and roots of floats are rounded once, as in IEEE 754, although maps on a GPU compute
// them by steps of their own. A double has more than twice the bits, so rounding its result to a
// float gives the same (Figueroa, SIGNUM Newsletter 30, 1995).

#include <bit>
#include <limits>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace rounded_once_test {

namespace sn = sinter;

namespace {

using floats = sn::array<float>;
using words = sn::array<std::uint32_t>;

bool on_gpu() {
  return sn::current_device().what == sn::device::kind::cuda;
}

/// Every float on a GPU, in parts; some on a CPU.
template <class F> void for_floats(F check) {
  const std::int64_t part = on_gpu() ? std::int64_t{1} << 26 : std::int64_t{1} << 14;
  const std::int64_t parts = 64, apart = (std::int64_t{1} << 32) / parts;
  for (std::int64_t p = 0; p < parts; ++p) {
    const words bits = sn::astype<std::uint32_t>(sn::arange<std::int64_t>(part) + p * apart);
    const floats x = sn::view<float>(bits);
    sn::eval(x);
    check(x);
  }
}

floats some_floats(std::int64_t count, std::uint64_t seed) {
  const auto most = std::numeric_limits<std::uint32_t>::max();
  const words bits = sn::random::integers<std::uint32_t>(
      {count}, {.seed = seed, .low = 0, .high = most, .endpoint = true});
  const floats x = sn::view<float>(bits);
  sn::eval(x);
  return x;
}

/// In [1, 2), where quotients are between two powers of two and every remainder occurs.
floats mantissas(const floats& x) {
  const words bits = (sn::view<std::uint32_t>(x) & 0x007fffffU) | 0x3f800000U;
  const floats m = sn::view<float>(bits);
  sn::eval(m);
  return m;
}

/// The number of elements whose bits differ and that are not both NaN.
std::int64_t differences(const floats& a, const floats& b) {
  const words wanted = sn::view<std::uint32_t>(b), found = sn::view<std::uint32_t>(a);
  return sn::count_nonzero(wanted != found && !(sn::isnan(a) && sn::isnan(b))).item();
}

void check_quotients(const floats& a, const floats& b) {
  const floats found = a / b;
  sn::eval(found);
  const sn::array<double> x = sn::astype<double>(a), y = sn::astype<double>(b);
  const floats wanted = sn::astype<float>(x / y);
  sn::eval(wanted);
  REQUIRE(differences(found, wanted) == 0);
}

}  // namespace

TEST_CASE("A square root of floats is rounded once") {
  for_floats([](const floats& x) {
    const floats found = sn::sqrt(x);
    sn::eval(found);
    const floats wanted = sn::astype<float>(sn::sqrt(sn::astype<double>(x)));
    sn::eval(wanted);
    REQUIRE(differences(found, wanted) == 0);
  });
}

TEST_CASE("A quotient of floats is rounded once") {
  for_floats([](const floats& x) {
    check_quotients(sn::ones_like(x), x);
    check_quotients(x, some_floats(x.size(), 5));
  });
  const std::int64_t count = on_gpu() ? std::int64_t{1} << 26 : std::int64_t{1} << 14;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const floats a = mantissas(some_floats(count, 2 * seed)),
                 b = mantissas(some_floats(count, 2 * seed + 1));
    check_quotients(a, b);
    // Reciprocals of the largest mantissas are the hardest to round.
    check_quotients(a, sn::maximum(b, std::bit_cast<float>(0x3ffffff0U)));
  }
}

/// Rows of numbers of one binary exponent each, whose quotients by their row's largest are ties
/// between bfloat16s or up to two floats from one.
floats rows_of_ties(std::int64_t rows, std::int64_t length) {
  const floats largest = sn::reshape(mantissas(some_floats(rows, 7)), {rows, std::int64_t{1}});
  const auto i = sn::arange<std::int32_t>(length);
  const floats ties = sn::astype<float>(2 * (i % 128) + 257) / 512.0F;
  const floats products = ties * largest;
  const auto off = sn::astype<std::uint32_t>(i / 128 % 5) - 2U;
  const words near = sn::view<std::uint32_t>(products) + off;
  const floats x = sn::where(i == 0, largest, sn::view<float>(near));
  const auto exponents = sn::arange<std::int32_t>(rows) % 250 - 125;
  const floats scaled = sn::ldexp(x, sn::reshape(exponents, {rows, std::int64_t{1}}));
  sn::eval(scaled);
  return scaled;
}

TEST_CASE("A quotient by a row's value is rounded to a float before it is a bfloat16") {
  for (const std::int64_t length : {500, 1024, 4097, 20'000, 32'768, 65'537, 100'000}) {
    CAPTURE(length);
    const std::int64_t rows = (on_gpu() ? std::int64_t{1} << 25 : std::int64_t{1} << 18) / length;
    const floats x = rows_of_ties(rows, length);
    const floats largest = sn::max(x, {.axis = 1, .keepdims = true});
    const sn::array<sn::bfloat16> found = sn::astype<sn::bfloat16>(x / largest);
    sn::eval(found);
    const floats quotients = sn::astype<float>(sn::astype<double>(x) / sn::astype<double>(largest));
    sn::eval(quotients);
    const sn::array<sn::bfloat16> wanted = sn::astype<sn::bfloat16>(quotients);
    CHECK(sn::count_nonzero(found != wanted).item() == 0);
  }
}

TEST_CASE("Several quotients and roots of a statement are rounded once, each by its divisor") {
  const std::int64_t count = on_gpu() ? std::int64_t{1} << 26 : std::int64_t{1} << 14;
  const floats a = some_floats(count, 1), b = some_floats(count, 2), c = mantissas(a);
  const floats found = sn::sqrt(sn::abs(c / b)) / b + sn::sqrt(c) / 3.0F;
  sn::eval(found);
  const auto q = sn::astype<float>(sn::astype<double>(c) / sn::astype<double>(b));
  const auto r = sn::astype<float>(sn::sqrt(sn::astype<double>(sn::abs(q))));
  const auto s = sn::astype<float>(sn::astype<double>(r) / sn::astype<double>(b));
  const auto t = sn::astype<float>(sn::sqrt(sn::astype<double>(c)));
  const floats wanted = s + sn::astype<float>(sn::astype<double>(t) / 3.0);
  sn::eval(wanted);
  CHECK(differences(found, wanted) == 0);
}

}  // namespace rounded_once_test
