#include "ir/passes/group_waits.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace group_waits_test {

using sinter::ir::group_waits;

group_waits chain(int count) {
  group_waits w;
  for (int i = 0; i < count; ++i) w.add();
  for (int i = 0; i + 1 < count; ++i) w.wait(i, i + 1);
  return w;
}

TEST_CASE("group_waits: what is waited for through others, whatever comes first") {
  group_waits w;
  for (int i = 0; i < 200; ++i) w.add();
  w.wait(150, 199);
  w.wait(0, 70);
  CHECK_FALSE(w.through(0, 199));
  w.wait(70, 150);
  CHECK(w.through(0, 150));
  CHECK(w.through(0, 199));
  CHECK(w.through(70, 199));
  CHECK_FALSE(w.itself(0, 150));
  CHECK(w.itself(0, 70));
  CHECK_FALSE(w.through(199, 0));
  CHECK_FALSE(w.through(150, 70));
}

TEST_CASE("group_waits: who waits for one that was joined waits for the other") {
  group_waits w = chain(4);  // 0 for 1 for 2 for 3
  for (int i = 4; i < 7; ++i) w.add();
  w.wait(4, 5);
  w.wait(5, 6);
  w.join(2, 5);
  CHECK(w.through(0, 6));
  CHECK(w.through(4, 3));
  CHECK(w.itself(4, 2));
  CHECK(w.of(2) == std::set<std::int32_t>{3, 6});
  CHECK(w.of(5).empty());
}

TEST_CASE("group_waits: numbers that are left keep what they wait for") {
  group_waits w = chain(5);
  w.add();
  w.renumber({4, 3, 2, 1, 0, -1}, 5);
  CHECK(w.through(4, 0));
  CHECK(w.itself(4, 3));
  CHECK_FALSE(w.through(0, 4));
  CHECK(w.of(0).empty());
}

}  // namespace group_waits_test
