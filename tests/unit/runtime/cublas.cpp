// Products on a GPU; every test case needs one.

#include <bit>
#include <chrono>
#include <complex>
#include <thread>

#include "cuda_fixture.hpp"
#include "gemm_cases.hpp"

namespace cublas_test {

using namespace sinter::runtime;

namespace {

template <typename T> void run_on_device(device& gpu, gemm_case<T>& product) {
  const auto place = [&](const std::vector<T>& data) {
    auto block = gpu.allocate(data.size() * sizeof(T));
    gpu.copy_from_host(*block, 0, data.data(), block->bytes());
    return block;
  };
  const auto a = place(product.a);
  const auto b = place(product.b);
  const auto c = place(product.c);
  product.call.a.data = a->data();
  product.call.b.data = b->data();
  product.call.c = c->data();
  gpu.linear_algebra().gemm(product.call);
  gpu.copy_to_host(product.c.data(), *c, 0, c->bytes());
}

template <typename T> void check_products() {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  for_each_gemm_case<T>([&](gemm_case<T>& product) {
    run_on_device(*gpu, product);
    INFO(product.text());
    CHECK(product.error() < 4);
  });
  CHECK(gpu->memory().used_bytes == 0);
}

// Small integers, which both half types represent exactly.
std::uint16_t half_of(int value, element type) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == element::bfloat16) return static_cast<std::uint16_t>(bits >> 16);
  if (value == 0) return 0;
  const std::uint32_t sign = bits >> 31 << 15;
  const std::uint32_t exponent = ((bits >> 23 & 255) - 127 + 15) << 10;
  return static_cast<std::uint16_t>(sign | exponent | (bits >> 13 & 1023));
}

}  // namespace

TEST_CASE("products on the GPU of every shape and flag, float") {
  check_products<float>();
}
TEST_CASE("products on the GPU of every shape and flag, double") {
  check_products<double>();
}
TEST_CASE("products on the GPU of every shape and flag, complex float") {
  check_products<std::complex<float>>();
}
TEST_CASE("products on the GPU of every shape and flag, complex double") {
  check_products<std::complex<double>>();
}

TEST_CASE("halves are summed in float on the GPU") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  for (const element type : {element::float16, element::bfloat16}) {
    // In these types 1 + 1 + ... would stop at 2048 and 256.
    constexpr std::int64_t k = 4096;
    std::vector<std::uint16_t> ones(k * 8, half_of(1, type));
    auto a = gpu->allocate(ones.size() * 2);
    auto c = gpu->allocate(64 * 2);
    gpu->copy_from_host(*a, 0, ones.data(), a->bytes());
    gemm_call call{.type = type, .m = 8, .n = 8, .k = k};
    call.a = {.data = a->data(), .leading = k};
    call.b = {.data = a->data(), .leading = k, .transpose = true};
    call.c = c->data();
    call.c_leading = 8;
    gpu->linear_algebra().gemm(call);
    std::vector<std::uint16_t> result(64);
    gpu->copy_to_host(result.data(), *c, 0, c->bytes());
    CHECK(result == std::vector<std::uint16_t>(64, half_of(4096, type)));
  }
}

TEST_CASE("bytes along the sum are multiplied on the GPU, wherever they begin") {
  const auto gpu = cuda_device_to_test();
  if (!gpu || !gpu->linear_algebra().supports(element::int8)) return;
  gemm_case<std::int8_t> product(12, 20, 48, 1, 4, 0, 1);
  for (const std::int64_t first : {0, 1, 16}) {
    const auto place = [&](const std::vector<std::int8_t>& data, gemm_operand& to) {
      auto block = gpu->allocate(data.size() + 16);
      gpu->copy_from_host(*block, static_cast<std::size_t>(first), data.data(), data.size());
      to.data = static_cast<const std::byte*>(block->data()) + first;
      return block;
    };
    const auto a = place(product.a, product.call.a), b = place(product.b, product.call.b);
    const auto c = gpu->allocate(product.c.size() * sizeof(int));
    product.call.c = c->data();
    gpu->linear_algebra().gemm(product.call);
    gpu->copy_to_host(product.c.data(), *c, 0, c->bytes());
    INFO(first);
    CHECK(product.error() == 0);
  }
}

TEST_CASE("what becomes of sums before they are stored, on the GPU") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  constexpr std::int64_t n = 24, m = 40, k = 16;
  const auto place = [&](std::int64_t count, int seed) {
    std::vector<float> data(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
    }
    auto block = gpu->allocate(data.size() * sizeof(float));
    gpu->copy_from_host(*block, 0, data.data(), block->bytes());
    return std::pair(block, data);
  };
  const auto [a, a_data] = place(m * k, 1);
  const auto [b, b_data] = place(k * n, 2);
  const auto [bias, bias_data] = place(n, 3);
  const auto [addend, addend_data] = place(m * n, 4);
  auto c = gpu->allocate(m * n * sizeof(float));
  for (int which = 0; which < 16; ++which) {
    gemm_call call{.type = element::float32, .m = m, .n = n, .k = k};
    call.a = {.data = a->data(), .leading = k};
    call.b = {.data = b->data(), .leading = n};
    call.c = c->data();
    call.c_leading = n;
    if (which & 1) call.epilogue.bias = bias->data();
    if (which & 2) call.epilogue.addend = addend->data();
    if (which & 2) call.epilogue.beta = 2;
    if (which & 4) call.epilogue.alpha = 3;
    if (which & 8) call.epilogue.act = activation::relu;
    for (int again = 0; again < 2; ++again) gpu->linear_algebra().gemm(call);
    std::vector<float> result(m * n);
    gpu->copy_to_host(result.data(), *c, 0, c->bytes());
    bool right = true;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = [](const std::vector<float>& x, std::int64_t p) {
          return x[static_cast<std::size_t>(p)];
        };
        float sum = 0;  // of small integers, which is exact
        for (std::int64_t p = 0; p < k; ++p) sum += at(a_data, i * k + p) * at(b_data, p * n + j);
        if (which & 4) sum *= 3;
        if (which & 2) sum += 2 * at(addend_data, i * n + j);
        if (which & 1) sum += at(bias_data, j);
        if (which & 8) sum = std::max(sum, 0.0f);
        right = right && at(result, i * n + j) == sum;
      }
    }
    INFO(which);
    CHECK(right);
  }
}

TEST_CASE("very many small products, and no TF32 in one") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  gemm_case<float> many(2, 2, 2, 70000, 0, 0, 1);
  run_on_device(*gpu, many);
  CHECK(many.error() < 4);
  gemm_case<float> one(256, 256, 256, 1, 0, 0, 2);
  run_on_device(*gpu, one);
  CHECK(one.error() < 4);
}

TEST_CASE("threads multiply on streams of their own") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  std::vector<double> errors(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 20; ++i) {
        gemm_case<double> product(30 + t, 20 + i, 40, 1 + i % 3, 0, 0, t * 100 + i);
        run_on_device(*gpu, product);
        errors[t] = std::max(errors[t], product.error());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double error : errors) CHECK(error < 4);
}

TEST_CASE("how fast products are on a GPU", "[.benchmark]") {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  struct shape {
    element type;
    std::int64_t m, n, k;
  };
  const shape shapes[] = {
      {element::float32, 1024, 1024, 1024}, {element::float32, 8192, 8192, 8192},
      {element::float16, 8192, 8192, 8192}, {element::float64, 8192, 8192, 8192},
      {element::float32, 16384, 1, 16384},  {element::float32, 1, 16384, 16384},
      {element::float64, 16384, 1, 16384},  {element::float16, 16384, 1, 16384},
      {element::float32, 16, 16, 16}};
  for (const shape& s : shapes) {
    const std::size_t size = bytes_of(s.type);
    auto a = gpu->allocate(static_cast<std::size_t>(s.m * s.k) * size);
    auto b = gpu->allocate(static_cast<std::size_t>(s.k * s.n) * size);
    auto c = gpu->allocate(static_cast<std::size_t>(s.m * s.n) * size);
    gemm_call call{.type = s.type, .m = s.m, .n = s.n, .k = s.k};
    call.a = {.data = a->data(), .leading = s.k};
    call.b = {.data = b->data(), .leading = s.n};
    call.c = c->data();
    call.c_leading = s.n;
    double best = 1e9;
    for (int repeat = 0; repeat < 8; ++repeat) {
      gpu->synchronize();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 4; ++i) gpu->linear_algebra().gemm(call);
      const auto queued = std::chrono::steady_clock::now();
      gpu->synchronize();
      const auto end = std::chrono::steady_clock::now();
      best = std::min(best, std::chrono::duration<double>(end - start).count() / 4);
      if (repeat == 7) {
        const double host = std::chrono::duration<double>(queued - start).count() / 4;
        const double work =
            2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
        WARN(static_cast<int>(s.type)
             << ": " << s.m << "x" << s.n << "x" << s.k << ": " << best * 1e6 << " us, "
             << work / best / 1e12 << " TFLOP/s, "
             << static_cast<double>(a->bytes() + b->bytes() + c->bytes()) / best / 1e9
             << " GB/s, host " << host * 1e6 << " us");
      }
    }
  }
}

}  // namespace cublas_test
