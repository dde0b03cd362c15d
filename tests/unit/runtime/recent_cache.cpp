#include "runtime/recent_cache.hpp"

#include "tests/catch.hpp"

namespace recent_cache_test {

using sinter::runtime::recent_cache;

TEST_CASE("what was used last stays") {
  recent_cache<int, int> cache(3, 100);
  for (int i = 0; i < 3; ++i) cache.add(i, std::make_shared<int>(10 * i), 1);
  REQUIRE(cache.find(0));
  cache.add(3, std::make_shared<int>(30), 1);
  CHECK(cache.size() == 3);
  CHECK(!cache.find(1));
  CHECK(*cache.find(0) == 0);
  CHECK(*cache.find(3) == 30);
}

TEST_CASE("bytes bound it too, but for the newest entry") {
  recent_cache<int, int> cache(100, 10);
  cache.add(1, std::make_shared<int>(1), 6);
  cache.add(2, std::make_shared<int>(2), 4);
  CHECK(cache.size() == 2);
  CHECK(cache.bytes() == 10);
  cache.add(3, std::make_shared<int>(3), 50);
  CHECK(cache.size() == 1);
  CHECK(cache.bytes() == 50);
  CHECK(cache.find(3));
}

TEST_CASE("an entry outlives its place while somebody uses it") {
  recent_cache<int, int> cache(1, 10);
  cache.add(1, std::make_shared<int>(7), 1);
  const auto held = cache.find(1);
  cache.add(2, std::make_shared<int>(8), 1);
  CHECK(!cache.find(1));
  CHECK(*held == 7);
}

}  // namespace recent_cache_test
