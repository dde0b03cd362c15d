// Transforms on a GPU; every test case needs one.

#include <bit>
#include <thread>

#include "cuda_fixture.hpp"
#include "fft_cases.hpp"

namespace cufft_test {

using namespace sinter::runtime;

namespace {

template <typename T> void run_on_device(device& gpu, fft_case<T>& one) {
  auto in = gpu.allocate(one.in.size() * sizeof(T));
  auto out = gpu.allocate(one.out.size() * sizeof(T));
  gpu.copy_from_host(*in, 0, one.in.data(), in->bytes());
  gpu.copy_from_host(*out, 0, one.out.data(), out->bytes());
  one.call.in = in->data();
  one.call.out = out->data();
  gpu.fourier().transform(one.call);
  gpu.copy_to_host(one.out.data(), *out, 0, out->bytes());
  gpu.copy_to_host(one.in.data(), *in, 0, in->bytes());
}

template <typename T> void check_transforms() {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  for_each_fft_case<T>([&](fft_case<T>& one) {
    INFO(one.text());
    const auto before = one.in;
    run_on_device(*gpu, one);
    CHECK(one.error() < 4);
    CHECK(one.in == before);
  });
  CHECK(gpu->memory().used_bytes == 0);
}

float float_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float mantissa = static_cast<float>(half & 1023);
  const float size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -size : size;
}

}  // namespace

TEST_CASE("transforms on the GPU of every kind, rank and layout, float") {
  check_transforms<float>();
}
TEST_CASE("transforms on the GPU of every kind, rank and layout, double") {
  check_transforms<double>();
}

TEST_CASE("halves on the GPU, where the length is a power of two") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  fft& library = gpu->fourier();
  CHECK(library.supports(element::float16, 1024));
  CHECK(!library.supports(element::float16, 1000));
  CHECK(!library.supports(element::float16, 1));
  // A single one amid zeros: the result is the exponentials.
  constexpr std::int64_t n = 256, at = 3;
  std::vector<std::uint16_t> in(2 * n), out(2 * n);
  in[2 * at] = 0x3c00;
  auto from = gpu->allocate(in.size() * 2), to = gpu->allocate(out.size() * 2);
  gpu->copy_from_host(*from, 0, in.data(), from->bytes());
  const fft_layout row{.embed = {n, 0, 0}, .stride = 1, .distance = n};
  library.transform({.type = element::float16,
                     .length = {n, 1, 1},
                     .in = from->data(),
                     .in_layout = row,
                     .out = to->data(),
                     .out_layout = row});
  gpu->copy_to_host(out.data(), *to, 0, to->bytes());
  double worst = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(2 * k);
    const auto expected = std::polar(1.0, -2 * std::numbers::pi * double(k * at % n) / n);
    worst = std::max({worst, std::abs(float_of(out[i]) - expected.real()),
                      std::abs(float_of(out[i + 1]) - expected.imag())});
  }
  CHECK(worst < 0.005);
  CHECK_THROWS_AS(library.transform({.type = element::float16, .length = {1000, 1, 1}}),
                  device_error);
}

TEST_CASE("plans on the GPU are kept, up to a bound, and hold no pool memory") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  for (std::int64_t n = 2; n < 300; ++n) {
    fft_case<float> one(fft_kind::complex, false, {n}, 2, 1, fft_order::rows, 1);
    run_on_device(*gpu, one);
  }
  const auto first = gpu->fourier().statistics();
  CHECK(first.plans <= 128);
  CHECK(first.bytes <= 256u << 20);
  CHECK(gpu->memory().used_bytes == 0);
}

TEST_CASE("threads transform on streams of their own") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  std::vector<double> errors(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 20; ++i) {
        fft_case<double> one(fft_kind::complex, i % 2, {30 + i}, 1 + t, 1, fft_order::rows,
                             t * 100 + i);
        run_on_device(*gpu, one);
        errors[t] = std::max(errors[t], one.error());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double error : errors) CHECK(error < 4);
}

}  // namespace cufft_test
