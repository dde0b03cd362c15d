#include "runtime/cpu/onednn.hpp"

#include <cstdint>
#include <limits>
#include <thread>

#include "gemm_cases.hpp"
#include "runtime/cpu/openblas.hpp"
#include "tests/catch.hpp"

namespace onednn_test {

using namespace sinter::runtime;

namespace {

std::unique_ptr<blas> make_library(thread_pool& threads) {
  return make_onednn(threads, make_openblas(threads));
}

bool multiplies(const blas& library, element type) {
  if (library.supports(type)) return true;
  WARN("left out: no oneDNN, or no such instructions");
  return false;
}

template <typename T> void check_products(double most) {
  for (const int count : {1, 3, 7}) {
    thread_pool threads(count);
    const auto library = make_library(threads);
    if (!multiplies(*library, element_of<T>())) return;
    for_each_gemm_case<T>([&](gemm_case<T>& product) {
      run_on_host(*library, product);
      INFO(product.text());
      CHECK(product.error() <= most);
    });
    gemm_case<T> large(200, 300, 100, 1, 4, 3, 1);
    run_on_host(*library, large);
    CHECK(large.error() <= most);
  }
}

}  // namespace

TEST_CASE("products of bfloat16 of every shape and flag, summed in float32") {
  check_products<sinter::bfloat16>(4);
}
TEST_CASE("products of bytes of every shape and flag are exact") {
  check_products<std::int8_t>(0);
}

TEST_CASE("sums of bytes are exact up to what an int32 holds") {
  thread_pool threads(2);
  const auto library = make_library(threads);
  if (!multiplies(*library, element::int8)) return;
  gemm_case<std::int8_t> product(16, 17, (1 << 17) - 1, 1, 4, 0, 1);
  std::ranges::fill(product.a, std::int8_t{-128});
  std::ranges::fill(product.b, std::int8_t{-128});
  run_on_host(*library, product);
  CHECK(std::ranges::all_of(product.c, [](int x) { return x == (1 << 14) * ((1 << 17) - 1); }));
}

TEST_CASE("a library and instructions are there, or the one is named") {
  thread_pool threads(1);
  const auto library = make_library(threads);
  for (const element type : {element::bfloat16, element::int8}) {
    CHECK((library->supports(type)
               ? library->lacks(type).empty()
               : library->lacks(type).empty() || library->lacks(type).find("oneDNN") == 0));
  }
  CHECK(library->supports(element::float32));
  CHECK(!library->supports(element::float16));
  CHECK(library->lacks(element::float16).empty());
}

TEST_CASE("what the library does not store is refused, and what it does not fold not done") {
  thread_pool threads(1);
  const auto library = make_library(threads);
  gemm_call call{.type = element::bfloat16, .m = 1, .n = 1, .k = 1};
  CHECK_THROWS_AS(library->gemm(call), device_error);
  if (!multiplies(*library, element::bfloat16)) return;
  call.wide_result = true;
  call.epilogue.act = activation::relu;
  CHECK(!library->gemm(call));
}

TEST_CASE("what there is none of is not multiplied by infinity") {
  thread_pool threads(1);
  const auto library = make_library(threads);
  if (!multiplies(*library, element::bfloat16)) return;
  gemm_case<sinter::bfloat16> product(4, 5, 6, 1, 0, 0, 1);
  std::ranges::fill(product.c, std::numeric_limits<float>::quiet_NaN());
  run_on_host(*library, product);
  CHECK(product.error() < 4);
}

TEST_CASE("several threads may multiply halves at once") {
  thread_pool threads(2);
  const auto library = make_library(threads);
  if (!multiplies(*library, element::bfloat16)) return;
  std::vector<double> errors(4);
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (unsigned i = 0; i < 20; ++i) {
        gemm_case<sinter::bfloat16> product(50 + t, 40 + i, 30, 1 + i % 3, 0, 0, t * 100 + i);
        run_on_host(*library, product);
        errors[t] = std::max(errors[t], product.error());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const double error : errors) CHECK(error < 4);
}

}  // namespace onednn_test
