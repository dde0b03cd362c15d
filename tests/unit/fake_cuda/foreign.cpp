// Order between the device's streams and somebody else's, on a driver that runs on the host.

#include <dlfcn.h>

#include "runtime/cuda/module.hpp"
#include "runtime/loader.hpp"
#include "tests/catch.hpp"
#include "tests/fake_cuda/driver.hpp"

using namespace sinter::runtime;

namespace {

fake_counts counts() {
  static void* const library = dlopen(SINTER_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
  REQUIRE(library);
  return reinterpret_cast<fake_counts (*)()>(dlsym(library, "fake_cuda_counts"))();
}

std::unique_ptr<device> make_device() {
  counts();
  const auto module = module_library::open("cuda");
  REQUIRE(module);
  return std::unique_ptr<device>(
      module.function<decltype(sinter_cuda_device)>("sinter_cuda_device")(0));
}

}  // namespace

TEST_CASE("following a stream waits for it, leading one lets it wait") {
  const auto d = make_device();
  constexpr std::uintptr_t theirs = 0x1234;
  d->follow(theirs);
  CHECK(counts().recorded == theirs);
  CHECK(counts().waiting != theirs);
  const std::uintptr_t ours = counts().waiting;
  d->lead(theirs);
  CHECK(counts().recorded == ours);
  CHECK(counts().waiting == theirs);
}

TEST_CASE("dropping lent memory waits for its work, dropping a part of our own does not") {
  const auto d = make_device();
  float memory[16];
  const auto before = counts().synchronized;
  d->part(d->allocate(1024), 64, 4).reset();
  CHECK(counts().synchronized == before);
  d->adopt(memory, sizeof memory, nullptr).reset();
  CHECK(counts().synchronized == before + 1);
}

TEST_CASE("adopted memory is lent, the pool's own is not") {
  const auto d = make_device();
  CHECK_FALSE(d->allocate(64)->lent());
  float memory[16];
  bool gone = false;
  {
    const auto lent = d->adopt(memory, sizeof memory,
                               std::shared_ptr<void>(nullptr, [&](void*) { gone = true; }));
    CHECK(lent->lent());
    CHECK(lent->data() == memory);
    CHECK_FALSE(gone);
  }
  CHECK(gone);
}
