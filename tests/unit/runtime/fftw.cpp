#include "runtime/cpu/fftw.hpp"

#include <cmath>
#include <limits>
#include <thread>

#include "fft_cases.hpp"
#include "runtime/cpu/fftw_columns.hpp"
#include "runtime/dynamic_library.hpp"
#include "tests/catch.hpp"

namespace fftw_test {

using namespace sinter::runtime;

namespace {

bool have_fftw() {
  if (dynamic_library::open({"libfftw3.so.3"}) && dynamic_library::open({"libfftw3f.so.3"})) {
    return true;
  }
  WARN("left out: FFTW is not installed");
  return false;
}

/// A library and its thread pool.
struct bench {
  explicit bench(int count) : threads(count), library(make_fftw(threads)) {}
  thread_pool threads;
  std::unique_ptr<fft> library;

  template <typename T> void run(fft_case<T>& one) {
    one.call.in = one.in.data();
    one.call.out = one.out.data();
    library->transform(one.call);
  }
};

template <typename T> void check_transforms() {
  if (!have_fftw()) return;
  bench b(3);
  for_each_fft_case<T>([&](fft_case<T>& one) {
    INFO(one.text());
    const auto before = one.in;
    b.run(one);
    CHECK(one.error() < 2);
    CHECK(one.in == before);
  });
}

}  // namespace

TEST_CASE("transforms of every kind, rank and layout, float") {
  check_transforms<float>();
}
TEST_CASE("transforms of every kind, rank and layout, double") {
  check_transforms<double>();
}

TEST_CASE("large transforms are cut into pieces, and the threads do not show") {
  if (!have_fftw()) return;
  bench one(1), four(4);
  for (const auto kind :
       {fft_kind::complex, fft_kind::real_to_complex, fft_kind::complex_to_real}) {
    const std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>> shapes = {
        {{150}, 3000},  {{243}, 1001},   {{70, 90}, 40},
        {{61, 80}, 20}, {{300, 500}, 1}, {{40, 30, 63}, 3}};
    for (const auto& [lengths, batch] : shapes) {
      if (kind == fft_kind::complex_to_real && lengths.size() > 1) continue;
      for (const auto order : {fft_order::rows, fft_order::columns}) {
        fft_case<float> a(kind, false, lengths, batch, 1, order, 5);
        fft_case<float> b = a;
        one.run(a);
        four.run(b);
        INFO(a.text());
        CHECK(a.error() < 2);
        CHECK(a.out == b.out);
      }
    }
  }
}

TEST_CASE("columns that meet in the caches, or do not fit, go through rows") {
  if (!have_fftw()) return;
  CHECK(column_block::pays(256, 2048));
  CHECK(column_block::pays(2048, 2048 * 8));
  CHECK(column_block::pays(1024, 1200));
  CHECK(!column_block::pays(128, 1024));
  CHECK(!column_block::pays(128, 1 << 17));
  CHECK(!column_block::pays(250, 2000));
  CHECK(!column_block::pays(1 << 20, 16));
  bench one(1), four(4);
  const auto check = [&]<typename T>(fft_kind kind, std::vector<std::int64_t> lengths,
                                     std::int64_t batch, fft_order order, T) {
    fft_case<T> a(kind, kind == fft_kind::complex, lengths, batch, 2, order, 5);
    fft_case<T> b = a;
    one.run(a);
    four.run(b);
    INFO(a.text());
    CHECK(a.error() < 2);
    CHECK(a.out == b.out);
  };
  for (const auto kind :
       {fft_kind::complex, fft_kind::real_to_complex, fft_kind::complex_to_real}) {
    check(kind, {1024}, 256, fft_order::columns, 0.0f);
    check(kind, {1021}, 150, fft_order::columns, 0.0f);
    check(kind, {513}, 301, fft_order::columns, 0.0);
  }
  check(fft_kind::complex, {256, 256}, 1, fft_order::rows, 0.0f);
  check(fft_kind::real_to_complex, {256, 254}, 1, fft_order::rows, 0.0);
  check(fft_kind::complex, {128, 256}, 5, fft_order::columns, 0.0f);
  check(fft_kind::complex, {32, 32, 128}, 3, fft_order::gaps, 0.0);
}

TEST_CASE("nothing to do") {
  if (!have_fftw()) return;
  bench b(1);
  fft_case<float> one(fft_kind::complex, false, {8}, 1, 1, fft_order::rows, 1);
  one.call.batch = 0;
  b.run(one);
  CHECK(one.out == std::vector<float>(one.out.size(), one.untouched));
}

TEST_CASE("infinity and NaN stay in their row") {
  if (!have_fftw()) return;
  bench b(1);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    fft_case<float> one(fft_kind::complex, false, {64}, 3, 1, fft_order::rows, 1);
    one.in[2 * 64 + 10] = bad;
    b.run(one);
    for (std::size_t i = 0; i < 3 * 128; i += 2) {
      const bool finite = std::isfinite(one.out[i]) && std::isfinite(one.out[i + 1]);
      CHECK(finite == (i / 128 != 1));
    }
  }
}

TEST_CASE("halves are not taken by FFTW") {
  bench b(1);
  CHECK(b.library->supports(element::float32, 7));
  CHECK(b.library->supports(element::float64, 7));
  CHECK(!b.library->supports(element::float16, 8));
  CHECK(!b.library->supports(element::bfloat16, 8));
  CHECK_THROWS_AS(b.library->transform({.type = element::float16}), device_error);
}

TEST_CASE("without FFTW, a transform says what to install") {
  if (dynamic_library::open({"libfftw3.so.3", "libfftw3.so"})) return;
  bench b(1);
  fft_case<double> one(fft_kind::complex, false, {4}, 1, 1, fft_order::rows, 1);
  CHECK_THROWS_WITH(b.run(one), says("need FFTW 3") && says("install libfftw3-double3"));
}

TEST_CASE("plans are kept, up to a bound") {
  if (!have_fftw()) return;
  bench b(1);
  const auto transform = [&](std::int64_t n) {
    std::vector<float> in(static_cast<std::size_t>(2 * n), 1), out(in.size());
    fft_layout row{.embed = {n, 0, 0}, .stride = 1, .distance = n};
    fft_call call{.length = {n, 1, 1},
                  .in = in.data(),
                  .in_layout = row,
                  .out = out.data(),
                  .out_layout = row};
    b.library->transform(call);
  };
  for (int i = 0; i < 10; ++i) transform(16);
  // Allocations differ only in a few alignments.
  CHECK(b.library->statistics().plans <= 4);
  for (std::int64_t n = 2; n < 1000; ++n) transform(n);
  CHECK(b.library->statistics().plans <= 256);
  CHECK(b.library->statistics().bytes <= 64u << 20);
  for (std::int64_t i = 0; i < 12; ++i) transform((1 << 19) + i);
  CHECK(b.library->statistics().bytes <= 64u << 20);
  CHECK(b.library->statistics().plans < 10);
}

TEST_CASE("several threads may transform at once") {
  if (!have_fftw()) return;
  bench b(2);
  std::vector<double> errors(4);
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (unsigned i = 0; i < 20; ++i) {
        fft_case<double> one(fft_kind::complex, i % 2, {20 + i}, 1 + t * 40, 1, fft_order::rows,
                             t * 100 + i);
        b.run(one);
        errors[t] = std::max(errors[t], one.error());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const double error : errors) CHECK(error < 2);
}

}  // namespace fftw_test
