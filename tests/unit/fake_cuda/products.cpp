// The calls made to cuBLAS and cuBLASLt, with libraries that count and compute nothing.

#include <dlfcn.h>

#include "runtime/blas.hpp"
#include "runtime/cuda/module.hpp"
#include "runtime/loader.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cuda/libraries.hpp"

namespace products_test {

using namespace sinter::runtime;

namespace {

/// Opened first, so that the loader uses the fakes under these names.
struct fakes {
  void* driver = dlopen(SINTER_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  void* cublas = dlopen(SINTER_FAKE_CUBLAS, RTLD_NOW);
  void* lt = dlopen(SINTER_FAKE_CUBLAS_LT, RTLD_NOW);
  std::unique_ptr<device> gpu;

  fakes() {
    REQUIRE((driver && cublas && lt));
    const auto module = module_library::open("cuda");
    REQUIRE(module);
    gpu.reset(module.function<decltype(sinter_cuda_device)>("sinter_cuda_device")(0));
  }
  template <class F> static F* function(void* library, const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
  }
  fake_library_counts& plain() const {
    return *function<decltype(fake_cublas_counts)>(cublas, "fake_cublas_counts")();
  }
  fake_library_counts& folded() const {
    return *function<decltype(fake_cublas_lt_counts)>(lt, "fake_cublas_lt_counts")();
  }
  void finds(bool some) const {
    function<decltype(fake_cublas_lt_finds)>(lt, "fake_cublas_lt_finds")(some);
  }
};

/// Odd sides of halves, which are unaligned.
gemm_call layer(const std::shared_ptr<buffer>& room, bool bias) {
  gemm_call c{.type = element::bfloat16, .m = 7, .n = 5, .k = 3};
  c.a = {.data = room->data(), .leading = 3};
  c.b = {.data = room->data(), .leading = 5};
  c.c = static_cast<char*>(room->data()) + 512;
  c.c_leading = 5;
  if (bias) c.epilogue = {.bias = room->data(), .act = activation::gelu};
  return c;
}

}  // namespace

TEST_CASE("a product whose epilogue cuBLASLt does not have is refused, and remembered") {
  const fakes f;
  const auto room = f.gpu->allocate(1024);
  const auto before = f.folded();
  f.finds(false);
  CHECK_FALSE(f.gpu->linear_algebra().gemm(layer(room, true)));
  CHECK_FALSE(f.gpu->linear_algebra().gemm(layer(room, true)));
  CHECK(f.folded().questions == before.questions + 1);
  CHECK(f.folded().folded_products == before.folded_products);
  CHECK(f.gpu->linear_algebra().gemm(layer(room, false)));  // supported without an epilogue
  f.finds(true);
  gemm_call other = layer(room, true);
  other.m = 8;
  CHECK(f.gpu->linear_algebra().gemm(other));
  CHECK(f.folded().folded_products == before.folded_products + 1);
  CHECK(f.folded().preferred_workspace == 32u << 20);
}

TEST_CASE("products that come again ask cuBLAS for the product alone") {
  const fakes f;
  const auto room = f.gpu->allocate(1024);
  f.gpu->linear_algebra().gemm(layer(room, false));
  const auto before = f.plain();
  for (int i = 0; i < 10; ++i) f.gpu->linear_algebra().gemm(layer(room, false));
  CHECK(f.plain().products == before.products + 10);
  CHECK(f.plain().workspaces == before.workspaces);
}

TEST_CASE("of operands that lie across the sum a large TF32 product has the smaller one turned") {
  const fakes f;
  const auto room = f.gpu->allocate(std::size_t{4} << 24);
  const auto turns = [&](std::int64_t m, std::int64_t k, std::int64_t n, compute_mode mode,
                         bool along) {
    gemm_call c{.type = element::float32, .m = m, .n = n, .k = k};
    c.mode = mode;
    c.a = {.data = room->data(), .leading = along ? k : m, .transpose = !along};
    c.b = {.data = room->data(), .leading = n};
    c.c = room->data();
    c.c_leading = n;
    const auto before = f.plain();
    CHECK(f.gpu->linear_algebra().gemm(c));
    CHECK(f.plain().products == before.products + 1);
    return f.plain().turned - before.turned;
  };
  CHECK(turns(2048, 2048, 2048, compute_mode::tf32, false) == 1);
  CHECK(turns(1024, 4096, 4096, compute_mode::tf32, false) == 1);
  CHECK(turns(2048, 2048, 2048, compute_mode::bfloat16, false) == 1);
  CHECK(turns(2048, 2048, 2048, compute_mode::tf32, true) == 0);
  CHECK(turns(2048, 2048, 2048, compute_mode::ieee, false) == 0);
  CHECK(turns(512, 16384, 512, compute_mode::tf32, false) == 0);  // transposing takes as long
  CHECK(turns(1000, 1000, 1000, compute_mode::tf32, false) == 0);
}

}  // namespace products_test
