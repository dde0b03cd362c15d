#include <cmath>

#include <sinter/sinter.hpp>

#include "ir/philox.hpp"
#include "tests/catch.hpp"

namespace random_test {

namespace sn = sinter;

namespace {

constexpr int many = 200'000;

double mean_of(const sn::array<double>& x) { return sn::mean(x).item(); }

}  // namespace

TEST_CASE("random numbers depend on the seed alone") {
  const auto a = sn::random::uniform<float>({100}, {.seed = 1}),
             b = sn::random::uniform<float>({100}, {.seed = 1});
  const auto c = sn::random::uniform<float>({100}, {.seed = 2});
  CHECK(a.to_host() == b.to_host());
  CHECK(a.to_host() != c.to_host());
  // They depend neither on the expression around them, nor on the shape.
  CHECK((sn::random::uniform<float>({100}, {.seed = 1}) + 0).to_host() == a.to_host());
  CHECK(sn::random::uniform<float>({10, 10}, {.seed = 1}).to_host() == a.to_host());
  CHECK(a(sn::slice(90, 100)).to_host()[3] == a.to_host()[93]);
}

TEST_CASE("numbers drawn inside of a pad are those of the array") {
  const auto draw = [] { return sn::random::uniform<float>({37}, {.seed = 5}); };
  const sn::array<float> alone = draw();
  sn::eval(alone);
  for (int before = 1; before < 20; ++before) {
    const sn::array<float> padded = sn::pad(draw(), {{before, 3}});
    CHECK(sn::all(padded(sn::slice(before, before + 37)) == alone).item());
  }
}

TEST_CASE("without a seed every call differs") {
  CHECK(sn::random::uniform({8}).to_host() != sn::random::uniform({8}).to_host());
}

TEST_CASE("one array is one draw, however often it is read") {
  const auto x = sn::random::normal({50}, {.seed = 3});
  CHECK(sn::all(x - x == 0).item());
  CHECK((x + x).to_host()[7] == 2 * x.to_host()[7]);
}

TEMPLATE_TEST_CASE("uniform values fill their range and never reach its end", "", float, double,
                   sn::float16, sn::bfloat16) {
  const auto x = sn::random::uniform<TestType>({many}, {.seed = 5, .low = -2, .high = 3});
  CHECK(sn::min(sn::astype<double>(x)).item() >= -2);
  CHECK(sn::max(sn::astype<double>(x)).item() < 3);
  const auto d = sn::astype<double>(x).to_array();
  CHECK(mean_of(d) == Approx(0.5).margin(0.02));
  CHECK(sn::var(d).item() == Approx(25.0 / 12).margin(0.03));
  const auto tight = sn::random::uniform<TestType>({many}, {.seed = 5, .low = 256, .high = 257});
  CHECK(sn::max(sn::astype<double>(tight)).item() < 257);
}

TEMPLATE_TEST_CASE("normal values have the moments they are asked for", "", float, double,
                   sn::float16) {
  const auto z = sn::astype<double>(sn::random::normal<TestType>({many}, {.seed = 7})).to_array();
  CHECK(mean_of(z) == Approx(0).margin(0.01));
  CHECK(sn::var(z).item() == Approx(1).margin(0.02));
  CHECK(mean_of(z * z * z) == Approx(0).margin(0.05));
  CHECK(mean_of(z * z * z * z) == Approx(3).margin(0.1));
  CHECK(sn::all(sn::isfinite(z)).item());
  const auto w = sn::random::normal<double>({many}, {.seed = 7, .mean = 10, .stddev = 0.5});
  CHECK(mean_of(w) == Approx(10).margin(0.01));
  CHECK(sn::stddev(w).item() == Approx(0.5).margin(0.01));
}

TEST_CASE("normal values reach far into both tails alike") {
  const auto z = sn::random::normal<float>({1 << 22}, {.seed = 11});
  CHECK(sn::max(z).item() > 4.5f);
  CHECK(sn::min(z).item() < -4.5f);
  const auto beyond = sn::count_nonzero(z > 3).item(), below = sn::count_nonzero(z < -3).item();
  CHECK(static_cast<double>(beyond) == Approx(0.00134990 * (1 << 22)).epsilon(0.05));
  CHECK(static_cast<double>(below) == Approx(0.00134990 * (1 << 22)).epsilon(0.05));
}

TEST_CASE("integers cover their range evenly") {
  const auto x =
      sn::random::integers<int>({60000}, {.seed = 13, .low = 1, .high = 6, .endpoint = true});
  for (int face = 1; face <= 6; ++face) {
    CHECK(static_cast<double>(sn::count_nonzero(x == face).item()) == Approx(10000).margin(500));
  }
  CHECK(sn::min(x).item() == 1);
  CHECK(sn::max(x).item() == 6);
  const auto s = sn::random::integers<std::int8_t>(
      {many}, {.seed = 1, .low = -128, .high = 127, .endpoint = true});
  CHECK(sn::min(s).item() == -128);
  CHECK(sn::max(s).item() == 127);
  const auto wide = sn::random::integers<std::int64_t>(
      {many}, {.seed = 1, .low = -(1LL << 62), .high = 1LL << 62});
  CHECK(sn::count_nonzero(wide < 0).item() == Approx(many / 2.0).margin(1500));
}

TEST_CASE("integers are the high half of word times range, exactly") {
  __extension__ using wide = unsigned __int128;
  const std::uint64_t low = 5, range = 0xfedcba9876543210u;
  const auto all_bits =
      sn::random::integers<std::uint64_t>({64}, {.seed = 9, .endpoint = true}).to_host();
  const auto scaled =
      sn::random::integers<std::uint64_t>({64}, {.seed = 9, .low = low, .high = low + range})
          .to_host();
  const auto small =
      sn::random::integers<std::uint64_t>({64}, {.seed = 9, .low = 0, .high = 1000003}).to_host();
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(scaled[i] == low + static_cast<std::uint64_t>((wide(all_bits[i]) * range) >> 64));
    CHECK(small[i] == static_cast<std::uint64_t>((wide(all_bits[i]) * 1000003) >> 64));
  }
}

}  // namespace random_test
