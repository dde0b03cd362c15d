// Slots and their names, divisors, levels and phases.
#include "ir/kernel.hpp"

#include "launcher.hpp"
#include "tests/catch.hpp"

namespace kernel_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

constexpr std::string_view everything = R"(
kernel everything
target gpu, kept 2, reduced 1
schedule vector 4 unroll 1 threads 256 row_threads 32 lanes reduced split rows 8
ix0 = index int64 [any, zero, any]
in0 = input float32 [any, zero, one]
out0 = output float32 [any, one, zero]
in1 = input float16 [one, zero, any] unravel 2
s0 = scalar float32
s1 = scalar int8
v0 = each index int64 ix0
v1 = each load float32 in0
v2 = scalar float32 s0
v3 = each multiply float32 v1 v2
v4 = reduce add float32 v3
v5 = store float32 out0 v4
)";

}  // namespace

TEST_CASE("Slots stand in their documented order, each with a name") {
  const kernel k = parse_kernel(everything);
  std::string names;
  for (const slot& s : slots_of(k)) names += name_of(k, s) + " ";
  CHECK(names ==
        "n0 n1 n2 d0 d1 d2 splits chunk ix0_start ix0_s0 ix0_s2 in0_s0 out0_s0 in1_start in1_s2 "
        "in1_u0 in1_u1 in1_v0 in1_v1 s0 s1 in0 out0 in1 ");
}

TEST_CASE("CPU kernels have no divisors, maps no splits") {
  const kernel k = parse_kernel(
      "kernel k\ntarget cpu, kept 1, reduced 0\n"
      "schedule vector 1 unroll 1 lanes kept tile 8 rows 1\n"
      "in0 = input int8 [one]\n");
  std::string names;
  for (const slot& s : slots_of(k)) names += name_of(k, s) + " ";
  CHECK(names == "n0 in0 ");
}

TEST_CASE("Numbers that may stand for a divisor") {
  using sinter::dtype;
  CHECK(scalar_divisor(7, dtype::int64) == 0x2492492492492493);
  CHECK(scalar_divisor(0xffffffff00000007, dtype::int32) == make_divisor(7));
  CHECK(scalar_divisor(200, dtype::uint8) == make_divisor(200));
  CHECK(scalar_divisor(0x7fffffff, dtype::uint32) == make_divisor(0x7fffffff));
  CHECK(scalar_divisor(1ull << 40, dtype::uint64) == 1ull << 24);
  for (std::uint64_t none : {0ull, 1ull, 1ull << 63, ~0ull}) {
    CHECK(scalar_divisor(none, dtype::int64) == 0);
  }
  CHECK(scalar_divisor(0x80000000, dtype::int32) == 0);
  CHECK(scalar_divisor(200, dtype::int8) == 0);
}

TEST_CASE("A wide divisor divides every number, or gives one more") {
  const auto high = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
  };
  const std::uint64_t top = ~std::uint64_t{0};
  for (int bits = 2; bits <= 63; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << (bits - 1);
    for (std::uint64_t d : {power, power + 1, 2 * power - 1, power | power >> 1 | 5}) {
      const std::uint64_t m = scalar_divisor(d, sinter::dtype::uint64), last = top / d * d;
      for (std::uint64_t n : {std::uint64_t{0}, d - 1, d, d + 1, last - 1, last, top, top / 3}) {
        const std::uint64_t q = high(n, m);
        REQUIRE(q - (static_cast<std::int64_t>(n - q * d) < 0) == n / d);
      }
    }
  }
}

TEST_CASE("A divisor divides every 31-bit number") {
  std::uint64_t random = 1;
  const auto quotient = [](std::uint64_t divisor, std::uint64_t n) {
    return n * (divisor & 0xffffffffu) >> (divisor >> 32);
  };
  const std::uint64_t top = (std::uint64_t{1} << 31) - 1;
  const auto check = [&](std::uint64_t d) {
    const std::uint64_t m = make_divisor(d);
    const std::uint64_t last = top / d * d;
    for (std::uint64_t n : {std::uint64_t{0}, d - 1, d, d + 1, 2 * d - 1, last - 1, last, top}) {
      if (n <= top) REQUIRE(quotient(m, n) == n / d);
    }
    for (int i = 0; i < 20; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t n = random >> 33;
      REQUIRE(quotient(m, n) == n / d);
    }
  };
  for (std::uint64_t d = 1; d < 3000; ++d) check(d);
  for (int bit = 1; bit < 31; ++bit) {
    for (std::uint64_t step = 0; step < 3; ++step) check((std::uint64_t{1} << bit) + step - 1);
  }
  check(top);
  check(top - 1);
  for (int i = 0; i < 2000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    check((random >> 33) | 1);
  }
}

TEST_CASE("Levels and phases of a softmax") {
  kernel k = parse_kernel(R"(
kernel softmax
target cpu, kept 1, reduced 1
schedule vector 1 unroll 1 lanes reduced rows 1
in0 = input float32 [any, one]
in1 = input float32 [any, zero]
out0 = output float32 [any, one]
out1 = output float32 [any, zero]
v0 = load float32 in0
v1 = load float32 in1
v2 = reduce maximum float32 v0
v3 = subtract float32 v0 v2
v4 = exp float32 v3
v5 = reduce add float32 v4
v6 = divide float32 v4 v5
v7 = store float32 out0 v6
v8 = add float32 v5 v1
v9 = store float32 out1 v8
v10 = store float32 out0 v1
)");
  infer_levels(k);
  std::string levels;
  for (const inst& i : k.body) levels += i.inner ? 'i' : 'o';
  CHECK(levels == "ioo" "iioii" "oo" "i");
  CHECK(phases_of(k) == std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 0});
}

}  // namespace kernel_test
