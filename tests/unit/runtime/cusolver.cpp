// Factorisations on a GPU; every test case needs one.
#include "cuda_fixture.hpp"
#include "solver_cases.hpp"

namespace cusolver_test {

using namespace sinter::runtime;

namespace {

template <class T> void check_solver() {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  solver_contract<T>(*gpu, 32).run();
  CHECK(gpu->memory().used_bytes == 0);
}

}  // namespace

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
