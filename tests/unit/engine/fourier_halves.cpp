// Transforms in half precision, on request and if the device supports them.

#include <cmath>
#include <cstring>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace fourier_halves_test {

namespace sn = sinter;

namespace {

using spectrum = sn::array<std::complex<float>>;

template <class T> sn::array<T> sample(std::initializer_list<std::int64_t> shape) {
  const sn::array<T> x =
      sn::astype<T>(sn::random::uniform<float>(shape, {.seed = 5, .low = -1, .high = 1}));
  sn::eval(x);
  return x;
}

template <class Work> spectrum halved(Work work) {
  const sn::precision scope({.fft = sn::fft_mode::half});
  const spectrum s = work();
  sn::eval(s);
  return s;
}

/// |a - b| / |b|
double apart(const spectrum& a, const spectrum& b) {
  const auto x = a.to_host(), y = b.to_host();
  REQUIRE(x.size() == y.size());
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += std::norm(std::complex<double>(x[i]) - std::complex<double>(y[i]));
    size += std::norm(std::complex<double>(y[i]));
  }
  return std::sqrt(off / size);
}

bool on_gpu() {
  return sn::current_device().what == sn::device::kind::cuda;
}

/// Each of log2 n stages rounds once, and the final store once more.
template <class T> double bound(std::int64_t n) {
  const double unit = std::is_same_v<T, sn::float16> ? 0x1p-11 : 0x1p-8;
  return unit * (std::log2(static_cast<double>(n)) + 2);
}

template <class T> void agree(std::int64_t n) {
  INFO(n);
  const sn::array<T> rows = sample<T>({3, n});
  const auto check = [&](auto work) {
    const spectrum wide = work(), half = halved(work);
    CHECK(apart(half, wide) < bound<T>(n));
    if (n >= 256) CHECK((apart(half, wide) > 1e-5) == on_gpu());  // floats would be within 1e-7
  };
  check([&]() -> spectrum { return sn::fft::rfft(rows); });
  check([&]() -> spectrum { return sn::fft::fft(rows); });
  check([&]() -> spectrum { return sn::fft::ifft(rows, {.norm = sn::fft::ortho}); });
  check([&]() -> spectrum { return sn::fft::ihfft(rows); });
  check([&]() -> spectrum { return sn::fft::rfft(sn::transpose(rows), {.axis = 0}); });
  check([&]() -> spectrum { return sn::fft::rfftn(rows, {.s = {4, n}}); });
}

}  // namespace

TEST_CASE("transforms of halves in halves agree with wide ones") {
  for (const std::int64_t n : {2, 8, 64, 1024}) {
    agree<sn::float16>(n);
    agree<sn::bfloat16>(n);
  }
}

TEST_CASE("lengths that the library does not take in halves are transformed in float32") {
  for (const std::int64_t n : {1, 3, 100}) {
    const sn::array<sn::float16> x = sample<sn::float16>({2, n});
    const auto work = [&]() -> spectrum { return sn::fft::rfft(x); };
    CHECK(apart(halved(work), work()) == 0);
  }
}

TEST_CASE("a scope changes what it names") {
  const sn::array<sn::float16> x = sample<sn::float16>({1024});
  const auto work = [&]() -> spectrum { return sn::fft::rfft(x); };
  const spectrum wide = work(), half = halved(work);
  const sn::precision outer({.fft = sn::fft_mode::half});
  {
    const sn::precision inner({.matmul = sn::matmul_mode::tf32});
    CHECK(apart(work(), half) == 0);
    const sn::precision again({.fft = sn::fft_mode::wide});
    CHECK(apart(work(), wide) == 0);
  }
  CHECK(apart(work(), half) == 0);
}

TEST_CASE("functions that are replayed or mapped transform in the mode of the call") {
  const sn::array<sn::bfloat16> x = sample<sn::bfloat16>({4, 512});
  auto traced =
      sn::fuse([](const sn::array<sn::bfloat16>& v) -> spectrum { return sn::fft::rfft(v); });
  const spectrum wide = sn::fft::rfft(x);
  for (int i = 0; i < 2; ++i) {
    CHECK(apart(traced(x), wide) == 0);
    const spectrum half = halved([&]() -> spectrum { return traced(x); });
    CHECK((apart(half, wide) > 0) == on_gpu());
    CHECK(apart(half, wide) < bound<sn::bfloat16>(512));
    const spectrum mapped =
        halved([&]() -> spectrum { return sn::vmap([](auto v) { return sn::fft::rfft(v); })(x); });
    CHECK(apart(mapped, half) == 0);
  }
}

}  // namespace fourier_halves_test
