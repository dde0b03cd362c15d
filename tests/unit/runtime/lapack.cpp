// Factorisations on the host.
#include "runtime/cpu/cpu_device.hpp"
#include "runtime/cpu/openblas_library.hpp"
#include "solver_cases.hpp"

namespace lapack_test {

using namespace sinter::runtime;

namespace {

template <class T> void check_solver() {
  if (!open_openblas()) {
    WARN("left out: OpenBLAS is not installed");
    return;
  }
  for (const int threads : {1, 3}) {
    cpu_device host({.threads = threads});
    solver_contract<T>(host).run();
    CHECK(host.memory().used_bytes == 0);
  }
}

}  // namespace

TEST_CASE("LAPACK keeps the contract, float") {
  check_solver<float>();
}
TEST_CASE("LAPACK keeps the contract, double") {
  check_solver<double>();
}
TEST_CASE("LAPACK keeps the contract, complex float") {
  check_solver<std::complex<float>>();
}
TEST_CASE("LAPACK keeps the contract, complex double") {
  check_solver<std::complex<double>>();
}

TEST_CASE("half types and sides beyond an int are refused") {
  cpu_device host({.threads = 1});
  std::int32_t info = 0;
  const matrices half{element::float16, 1, 1, 1, nullptr};
  CHECK_THROWS_AS(host.factorisations().cholesky(half, triangle::lower, &info), device_error);
  const matrices wide{element::float32, std::int64_t{1} << 31, 1, 1, nullptr};
  CHECK_THROWS_AS(host.factorisations().lu(wide, &info, &info), device_error);
}

}  // namespace lapack_test
