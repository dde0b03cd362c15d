// Vectors with inline storage: every operation compared with std::vector's, across the limit and
// back, for numbers and for owning types.

#include <memory>
#include <random>
#include <vector>

#include "engine/nodes/inline_vector.hpp"
#include "tests/catch.hpp"

namespace inline_vector_test {

using sinter::detail::inline_vector;

namespace {

/// Random steps on both; `make` creates an element from a number.
template <class T, class Make> void compare(Make make, int seed) {
  std::mt19937 rng(static_cast<unsigned>(seed));
  inline_vector<T, 3> a;
  std::vector<T> b;
  for (int step = 0; step < 400; ++step) {
    const T x = make(step);
    const std::size_t at = b.empty() ? 0 : rng() % (b.size() + 1), n = rng() % 4;
    const auto to = static_cast<std::ptrdiff_t>(at);
    switch (rng() % 9) {
      case 0: a.push_back(x), b.push_back(x); break;
      case 1: a.insert(a.begin() + to, x), b.insert(b.begin() + to, x); break;
      case 2: a.insert(a.begin() + to, n, x), b.insert(b.begin() + to, n, x); break;
      case 3: {
        const std::vector<T> more(n, x);
        a.insert(a.begin() + to, more.begin(), more.end());
        b.insert(b.begin() + to, more.begin(), more.end());
        break;
      }
      case 4:
        if (at == b.size()) break;
        a.erase(a.begin() + to), b.erase(b.begin() + to);
        break;
      case 5: a.resize(n, x), b.resize(n, x); break;
      case 6: a.assign(n, x), b.assign(n, x); break;
      case 7: {
        inline_vector<T, 3> copy = a, moved = std::move(a);
        REQUIRE(a.empty());
        REQUIRE(copy == moved);
        a = step % 2 == 0 ? copy : std::move(moved);
        break;
      }
      default:
        if (step % 50 == 0) a.clear(), b.clear();
    }
    REQUIRE(std::vector<T>(a.begin(), a.end()) == b);
  }
}

}  // namespace

TEST_CASE("inline vectors do what vectors do") {
  for (int seed = 0; seed < 50; ++seed) {
    compare<int>([](int i) { return i; }, seed);
    compare<std::shared_ptr<int>>([](int i) { return std::make_shared<int>(i); }, seed);
  }
}

TEST_CASE("an inline vector lets go of what it no longer holds") {
  const auto owned = std::make_shared<int>(1);
  inline_vector<std::shared_ptr<int>, 2> v;
  for (int i = 0; i < 5; ++i) v.push_back(owned);
  CHECK(owned.use_count() == 6);
  v.erase(v.begin() + 1);
  CHECK(owned.use_count() == 5);
  v.resize(2, nullptr);
  CHECK(owned.use_count() == 3);
  v.clear();
  CHECK(owned.use_count() == 1);
}

}  // namespace inline_vector_test
