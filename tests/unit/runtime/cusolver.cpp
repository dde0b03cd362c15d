// Factorisations on a GPU; every test case needs one.
#include "cuda_fixture.hpp"
#include "solver_cases.hpp"

namespace cusolver_test {

using namespace sinter::runtime;

namespace {

template <class T> void check_solver() {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  solver_contract<T>(*gpu).run();
  CHECK(gpu->memory().used_bytes == 0);
}

/// Inverses at once, which are nothing that a CPU's solver has.
template <class T> void check_inverses(std::int64_t n, std::int64_t batch) {
  INFO("batch " << batch << ", n " << n);
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  auto a = host_batch<T>::random(n, n, batch, 51);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < n; ++i) a(b, i, n - 1 - i) += T(static_cast<float>(2 * n + 1));
  }
  if (n > 1 && batch > 2) std::fill_n(a.data.begin() + 2 * n * n, n, T(0));  // a column of one
  const on_device<T> memory(*gpu, a.data), made(*gpu, batch * n * n);
  const on_device<std::int32_t> info(*gpu, batch);
  gpu->factorisations().invert({element_of<T>(), n, n, batch, memory.data()}, made.data(),
                               info.data());
  CHECK(memory.read() == a.data);
  auto x = a;
  x.data = made.read();
  const auto status = info.read();
  for (std::int64_t b = 0; b < batch; ++b) {
    const bool singular = n > 1 && b == 2;
    CHECK((status[static_cast<std::size_t>(b)] != 0) == singular);
    for (std::int64_t i = 0; i < n * n && !singular; ++i) {
      typename host_batch<T>::wide s = 0;
      for (std::int64_t k = 0; k < n; ++k) s += a.at(b, i / n, k) * x.at(b, k, i % n);
      const double off = std::abs(s - (i / n == i % n ? 1.0 : 0.0));
      CHECK(off <
            100.0 * static_cast<double>(n) *
                static_cast<double>(std::numeric_limits<decltype(std::real(T{}))>::epsilon()));
    }
  }
}

}  // namespace

TEST_CASE("cuBLAS inverts small matrices at once, and says which it cannot") {
  for (const std::int64_t batch : {1, 3, 1000}) {
    for (const std::int64_t n : {1, 2, 4, 7, 32}) {
      check_inverses<float>(n, batch);
      check_inverses<double>(n, batch);
      check_inverses<std::complex<float>>(n, batch);
      check_inverses<std::complex<double>>(n, batch);
    }
  }
}
TEST_CASE("cuSOLVER keeps the contract, float") {
  check_solver<float>();
}
TEST_CASE("cuSOLVER keeps the contract, double") {
  check_solver<double>();
}
TEST_CASE("cuSOLVER keeps the contract, complex float") {
  check_solver<std::complex<float>>();
}
TEST_CASE("cuSOLVER keeps the contract, complex double") {
  check_solver<std::complex<double>>();
}

}  // namespace cusolver_test
