// Sorting on a GPU; every test case needs one, and libsinter_cub.so.
#include "cuda_fixture.hpp"
#include "sort_cases.hpp"

namespace cub_test {

using namespace sinter::runtime;

namespace {

template <class Key, class Place = std::int32_t> void check_gpu() {
  const auto gpu = cuda_device_to_test();
  if (!gpu) return;
  if (const auto module = module_library::open("cub"); !module) {
    WARN("left out: " << module.status());
    return;
  }
  check_sorting<Key, Place>(*gpu);
  CHECK(gpu->memory().used_bytes == 0);
}

}  // namespace

TEST_CASE("keys are sorted on a GPU, 1 byte") {
  check_gpu<std::uint8_t>();
}
TEST_CASE("keys are sorted on a GPU, 2 bytes") {
  check_gpu<std::uint16_t>();
}
TEST_CASE("keys are sorted on a GPU, 4 bytes") {
  check_gpu<std::uint32_t>();
}
TEST_CASE("keys are sorted on a GPU, 8 bytes") {
  check_gpu<std::uint64_t>();
}
TEST_CASE("keys are sorted on a GPU, with wide places") {
  check_gpu<std::uint64_t, std::int64_t>();
}

}  // namespace cub_test
