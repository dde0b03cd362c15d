// Repeated calls on the same operands: a GPU replays the recorded launches.
#include "samples.hpp"

namespace again_test {

using namespace linalg_tests;

namespace {

/// Calls `of` on an array at the same address with different contents, round after round.
template <class F> void each_round(const extents& shape, F of) {
  sn::array<float> x = sample<float>(shape);
  sn::eval(x);
  for (int round = 0; round < 12; ++round) {
    INFO("round " << round);
    of(x);
    x += 1.0f;
    sn::eval(x);
  }
}

}  // namespace

TEST_CASE("products that come again are of the numbers that are there") {
  const auto w = sample<float>({300, 260});
  const sn::array<float> sums = sn::sum(w, {.axis = 0, .keepdims = true});
  const auto first = sample<float>({270, 300});
  const sn::array<float> start = sn::matmul(first, w);
  sn::eval(w, sums, start);
  const auto layer = sn::fuse([&](const sn::array<float>& x) -> sn::array<float> {
    return sn::matmul(x * 2.0f, w) * 0.5f + 1.0f;
  });
  float added = 0;
  each_round({270, 300}, [&](const sn::array<float>& x) {
    const sn::array<float> y = layer(x), expected = start + added * sums + 1.0f;
    CHECK(error<float>(y, expected, 300) < bound);
    added += 1;
  });
}

TEST_CASE("transforms that come again are of the numbers that are there") {
  for (const extents& shape : {extents{64, 128}, extents{5, 120}, extents{3, 1009}}) {
    each_round(shape, [&](const sn::array<float>& x) {
      const sn::array<std::complex<float>> c = sn::fft::fft(x * 2.0f);
      const sn::array<float> back = sn::real(sn::fft::ifft(c)) * 0.5f;
      const sn::array<float> half = sn::fft::irfft(sn::fft::rfft(x), {.n = shape[1]});
      CHECK(sn::allclose(back, x, {.rtol = 1e-4, .atol = 1e-4}));
      CHECK(sn::allclose(half, x, {.rtol = 1e-4, .atol = 1e-4}));
    });
  }
}

TEST_CASE("sorts that come again are of the numbers that are there") {
  for (const extents& shape : {extents{40000}, extents{7, 900}}) {
    const auto first = sample<float>(shape);
    // Whole numbers, whose sums with other whole numbers are exact.
    sn::array<float> x = sn::floor(first * 1000.0f);
    const sn::array<float> start = sn::sort(x);
    sn::eval(x, start);
    for (int round = 0; round < 12; ++round) {
      INFO("round " << round);
      const sn::array<float> sorted = sn::sort(x * 2.0f) * 0.5f;
      CHECK(sn::array_equal(sorted, start + float(round)));
      const sn::array<float> picked = sn::take_along_axis(x, sn::argsort(x), -1);
      CHECK(sn::array_equal(picked, start + float(round)));
      x += 1.0f;
      sn::eval(x);
    }
  }
}

TEST_CASE("loops with calls give what their rounds one by one give") {
  const auto w = sample<float>({288, 288});
  const sn::array<float> factor = w * 0.05f, start = sample<float>({288, 288});
  sn::eval(factor, start);
  const auto step = [&](const sn::array<float>& x) -> sn::array<float> {
    const sn::array<float> y = sn::tanh(sn::matmul(x, factor));
    return sn::real(sn::fft::ifft(sn::fft::fft(y) * 0.5f)) + sn::sort(y) * 0.25f;
  };
  sn::array<float> one_by_one = start;
  for (int i = 0; i < 40; ++i) {
    one_by_one = step(one_by_one);
    sn::eval(one_by_one);
  }
  for (int again = 0; again < 3; ++again) {
    sn::array<float> plain = start;
    for (int i = 0; i < 40; ++i) plain = step(plain);
    CHECK(sn::array_equal(plain, one_by_one));
    const sn::array<float> traced = sn::fori_loop(
        0, 40, [&](auto, const sn::array<float>& x) { return step(x); }, start);
    CHECK(sn::array_equal(traced, one_by_one));
  }
}

}  // namespace again_test
