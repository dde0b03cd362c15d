#include "ir/passes/lookup_chains.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace lookup_chains_test {

using namespace passes_tests;

namespace {

std::string with_count(std::string text, const std::string& count) {
  for (auto at = text.find('N'); at != text.npos; at = text.find('N')) text.replace(at, 1, count);
  return text;
}

std::ptrdiff_t kernels(const std::string& text, const ir::machine& m = {}) {
  const std::string groups = groups_of(text, m);
  return std::count(groups.begin(), groups.end(), '\n');
}

const char* const in_turn =
    "%0 = source int64 [N]\n"
    "%1 = source int64 [100]\n"
    "%2 = gather int64 [N] (%1, %0) strides [0]\n"
    "%3 = gather int64 [N] (%1, %2) strides [0]\n"
    "%4 = gather int64 [N] (%1, %3) strides [0]\n"
    "return %4\n";

/// lut(y) + lut(255 - y) for y = lut(x) + lut(255 - x), numbers of 8 bits.
const char* const at_two_places =
    "%0 = source uint8 [N]\n"
    "%1 = source uint8 [256]\n"
    "%2 = scalar uint8 [] 255\n"
    "%3 = map int64 [N] (%0) { v1 = cast uint8 -> int64 v0 }\n"
    "%4 = gather uint8 [N] (%1, %3) strides [0]\n"
    "%5 = map int64 [N] (%2, %0) { v2 = subtract uint8 v0 v1; v3 = cast uint8 -> int64 v2 }\n"
    "%6 = gather uint8 [N] (%1, %5) strides [0]\n"
    "%7 = map uint8 [N] (%4, %6) { v2 = add uint8 v0 v1 }\n"
    "%8 = map int64 [N] (%7) { v1 = cast uint8 -> int64 v0 }\n"
    "%9 = gather uint8 [N] (%1, %8) strides [0]\n"
    "%10 = map int64 [N] (%2, %7) { v2 = subtract uint8 v0 v1; v3 = cast uint8 -> int64 v2 }\n"
    "%11 = gather uint8 [N] (%1, %10) strides [0]\n"
    "%12 = map uint8 [N] (%9, %11) { v2 = add uint8 v0 v1 }\n"
    "return %12\n";

}  // namespace

TEST_CASE("lookup_chains: a CPU's lookups in turn are a kernel each") {
  CHECK(kernels(with_count(in_turn, "20000")) == 3);
  CHECK(kernels(with_count(in_turn, "1000")) == 1);
  CHECK(kernels(with_count(in_turn, "20000"), gpu()) == 1);
}

TEST_CASE("lookup_chains: what several lookups need of earlier ones is stored once, and narrow") {
  CHECK(kernels(with_count(at_two_places, "20000")) == 2);
  CHECK(kernels(with_count(at_two_places, "20000"), gpu()) == 1);
  const ir::graph g = ir::parse_graph(with_count(at_two_places, "20000"));
  CHECK(ir::link_before(g, 9) == 7);
  CHECK(ir::link_before(g, 11) == 7);
  CHECK(ir::link_before(g, 4) == -1);
}

TEST_CASE("lookup_chains: of a chain read at few places nothing is stored") {
  const std::string few = with_count(
      "%0 = source int64 [N]\n"
      "%1 = source int64 [100]\n"
      "%2 = gather int64 [N] (%1, %0) strides [0]\n"
      "%3 = gather int64 [N] (%1, %2) strides [0]\n"
      "%4 = view int64 [10] (%3) strides [1]\n"
      "%5 = map int64 [10] (%4) { v1 = negative int64 v0 }\n"
      "return %5\n",
      "20000");
  CHECK(kernels(few) == 1);
}

}  // namespace lookup_chains_test
