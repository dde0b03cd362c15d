// Ordering between the device's streams and foreign ones, on a driver that runs on the host.

#include "tests/catch.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace foreign_test {

using namespace sinter::runtime;

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

}  // namespace foreign_test
