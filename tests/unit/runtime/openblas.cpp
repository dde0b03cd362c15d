#include "runtime/cpu/openblas.hpp"

#include <complex>
#include <cstdlib>
#include <limits>
#include <thread>

#include "gemm_cases.hpp"
#include "runtime/cpu/openblas_library.hpp"
#include "tests/catch.hpp"

namespace openblas_test {

using namespace sinter::runtime;

namespace {

bool have_openblas() {
  if (open_openblas()) return true;
  WARN("left out: OpenBLAS is not installed");
  return false;
}

template <typename T> void check_products() {
  thread_pool threads(3);
  auto library = make_openblas(threads);
  CHECK(library->supports(element_of<T>()));
  for_each_gemm_case<T>([&](gemm_case<T>& product) {
    run_on_host(*library, product);
    INFO(product.text());
    CHECK(product.error() < 4);
  });
}

}  // namespace

TEST_CASE("OpenBLAS multiplies by kernels of this processor's vectors") {
  if (!have_openblas()) return;
  const std::string core = openblas_core(open_openblas());
  INFO(core);
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (std::getenv("OPENBLAS_CORETYPE") || !wide) return;
  for (const char* old : {"Prescott", "Core2", "Nehalem", "Sandybridge"}) CHECK(core != old);
#endif
  CHECK(!std::getenv("OPENBLAS_CORETYPE"));
}

TEST_CASE("products of every shape and flag, float") {
  if (have_openblas()) check_products<float>();
}
TEST_CASE("products of every shape and flag, double") {
  if (have_openblas()) check_products<double>();
}
TEST_CASE("products of every shape and flag, complex float") {
  if (have_openblas()) check_products<std::complex<float>>();
}
TEST_CASE("products of every shape and flag, complex double") {
  if (have_openblas()) check_products<std::complex<double>>();
}

TEST_CASE("what was in the result does not matter") {
  if (!have_openblas()) return;
  thread_pool threads(1);
  auto library = make_openblas(threads);
  for (const std::int64_t k : {0, 6}) {
    for (const std::int64_t n : {1, 5}) {
      gemm_case<float> product(4, n, k, 1, 0, 0, 1);
      std::fill(product.c.begin(), product.c.end(), std::numeric_limits<float>::quiet_NaN());
      run_on_host(*library, product);
      CHECK(product.error() < 4);
    }
  }
}

TEST_CASE("without OpenBLAS, a product says what to install") {
  if (open_openblas()) return;
  thread_pool threads(1);
  auto library = make_openblas(threads);
  gemm_case<float> product(2, 2, 2, 1, 0, 0, 1);
  CHECK_THROWS_WITH(run_on_host(*library, product),
                    says("need OpenBLAS") && says("install libopenblas0"));
}

TEST_CASE("halves are not taken, nor sizes beyond an int") {
  thread_pool threads(1);
  auto library = make_openblas(threads);
  CHECK(!library->supports(element::float16));
  CHECK(!library->supports(element::bfloat16));
  gemm_call call{.type = element::float16, .m = 1, .n = 1, .k = 1};
  CHECK_THROWS_AS(library->gemm(call), device_error);
  call = {.type = element::float32, .m = 2, .n = 2, .k = std::int64_t{1} << 31};
  CHECK_THROWS_AS(library->gemm(call), device_error);
}

TEST_CASE("several threads may multiply at once") {
  if (!have_openblas()) return;
  thread_pool threads(2);
  auto library = make_openblas(threads);
  std::vector<double> errors(4);
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (unsigned i = 0; i < 20; ++i) {
        gemm_case<double> product(50 + t, 40 + i, 30, 1 + i % 3, 0, 0, t * 100 + i);
        run_on_host(*library, product);
        errors[t] = std::max(errors[t], product.error());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const double error : errors) CHECK(error < 4);
}

}  // namespace openblas_test
