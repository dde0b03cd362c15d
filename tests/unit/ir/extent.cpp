// Extents that record how they were computed.

#include "ir/extent.hpp"

#include "ir/kernel.hpp"
#include "tests/catch.hpp"

namespace extent_test {

using namespace sinter::ir;

namespace {

/// The recipe at n: do its conditions hold, and what is the value of e?
struct outcome {
  bool holds;
  std::int64_t value;
  bool operator==(const outcome&) const = default;
};
outcome at(const recipe& r, extent e, std::vector<std::int64_t> symbols) {
  std::vector<std::int64_t> values;
  if (!r.compute(symbols, values)) return {false, 0};
  return {true, e.term() == no_term ? e.peek() : values[static_cast<std::size_t>(e.term())]};
}

}  // namespace

TEST_CASE("arithmetic on symbols is computed again for others") {
  trace t;
  const extent n = t.symbol(0, 10), m = t.symbol(1, 7);
  const extent e = (n * m - 3) / 2 + n % 4 - -m, d = divisor_of(n);
  CHECK(e.peek() == (70 - 3) / 2 + 2 + 7);
  const recipe r = t.take();
  CHECK(r.conditions.empty());
  CHECK(at(r, e, {10, 7}) == outcome{true, e.peek()});
  CHECK(at(r, e, {101, 8}) == outcome{true, (808 - 3) / 2 + 1 + 8});
  CHECK(at(r, d, {12, 2}) == outcome{true, static_cast<std::int64_t>(make_divisor(12))});
}

TEST_CASE("what is decided by a symbol is a condition: comparisons, plain use, magnitude") {
  const auto conditions = [](auto decide) {
    trace t;
    const extent n = t.symbol(0, 100);
    decide(n);
    const recipe r = t.take();
    std::string text;
    for (std::int64_t v : {2, 50, 99, 100, 101, 127, 128, 5000}) {
      text += at(r, n, {v}).holds ? std::to_string(v) + " " : "";
    }
    return text;
  };
  CHECK(conditions([](extent n) { CHECK(n < 128); }) == "2 50 99 100 101 127 ");
  CHECK(conditions([](extent n) { CHECK(n >= 100); }) == "100 101 127 128 5000 ");
  CHECK(conditions([](extent n) { CHECK(n % 4 == 0); }) == "100 128 5000 ");
  CHECK(conditions([](extent n) { CHECK_FALSE(n == 128); }) == "2 50 99 100 101 127 5000 ");
  CHECK(conditions([](extent n) { CHECK(static_cast<std::int64_t>(n) == 100); }) == "100 ");
  CHECK(conditions([](extent n) { CHECK(static_cast<double>(n) == 100.0); }) ==
        "99 100 101 127 128 ");
  CHECK(conditions([](extent n) { CHECK(n.peek() == 100); }) == "2 50 99 100 101 127 128 5000 ");
}

TEST_CASE("numbers that have no value, or too large a one, are refused") {
  trace t;
  const extent n = t.symbol(0, 10), m = t.symbol(1, 3);
  const extent q = n / (m - 2), p = n * m;
  const recipe r = t.take();
  CHECK(at(r, q, {8, 4}) == outcome{true, 4});
  CHECK_FALSE(at(r, q, {8, 2}).holds);
  CHECK_FALSE(at(r, p, {std::int64_t{1} << 62, 4}).holds);
}

TEST_CASE("paused, and outside of a trace, nothing is written down") {
  trace t;
  const extent n = t.symbol(0, 10);
  {
    const trace::pause unseen;
    CHECK(n == 10);
    CHECK((n + 1).term() == no_term);
  }
  CHECK(t.take().conditions.empty());
  CHECK(extent(3) * 4 == 12);
}

}  // namespace extent_test
