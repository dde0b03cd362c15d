// Which kernels share a launch.
#include "ir/passes/share_launches.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace share_launches_test {

using namespace passes_tests;

namespace {

ir::machine sharing() {
  ir::machine m = gpu();
  m.share_limit = 10000;
  return m;
}

/// The number of parts of each launch, in order: "2 1".
std::string launches_of(const std::string& text, const ir::machine& m = sharing()) {
  const ir::plan p = plan_of(text, m);
  std::string out;
  for (const ir::plan_step& s : p.steps) {
    const ir::kernel& k = p.kernels.at(static_cast<std::size_t>(s.kernel));
    ir::verify(k);
    CHECK(s.slots.size() == ir::slots_of(k).size());
    out += (out.empty() ? "" : " ") + std::to_string(std::max<std::size_t>(k.parts.size(), 1));
  }
  CHECK(p.reports.size() == p.kernels.size());
  return out;
}

constexpr const char* three = R"(%0 = source float32 [100]
%1 = source float32 [30, 40]
%2 = source float64 [7]
%3 = map float32 [100] (%0) { v1 = exp float32 v0 }
%4 = map float32 [30, 40] (%1) { v1 = sqrt float32 v0 }
%5 = map float64 [7] (%2) { v1 = negative float64 v0 }
return %3, %4, %5
)";

}  // namespace

TEST_CASE("small maps of any shapes and types share a launch") {
  CHECK(launches_of(three) == "3");
  const ir::plan p = plan_of(three, sharing());
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].name == p.kernels[0].parts[0].name + "_with_2");
  CHECK(p.reports[0].ops == std::vector<std::string>{"exp", "sqrt", "negative"});
  CHECK(p.reports[0].bytes_read == 4 * 100 + 4 * 1200 + 8 * 7);
}

TEST_CASE("nothing shares a launch where the machine says so, or where nothing fuses") {
  CHECK(launches_of(three, gpu()) == "1 1 1");
  ir::machine apart = sharing();
  apart.fuse = false;
  CHECK(launches_of(three, apart) == "1 1 1");
}

TEST_CASE("large maps, reductions and scans have launches of their own") {
  CHECK(launches_of(R"(%0 = source float32 [100]
%1 = source float32 [300, 40]
%2 = source float32 [64, 64]
%3 = map float32 [100] (%0) { v1 = exp float32 v0 }
%4 = map float32 [300, 40] (%1) { v1 = sqrt float32 v0 }
%5 = reduce float32 [64] (%2) add over [1]
return %3, %4, %5
)") == "1 1 1");
}

TEST_CASE("a launch has as much code as NVRTC compiles soon") {
  std::string text, roots;
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(100 + i), in = std::to_string(2 * i);
    text += "%" + in + " = source float32 [" + n + "]\n%" + std::to_string(2 * i + 1) +
            " = map float32 [" + n + "] (%" + in + ") { v1 = sin float32 v0";
    for (int k = 1; k < 40; ++k) {
      text += "; v" + std::to_string(k + 1) + " = " + (k % 2 ? "cos" : "sin") + " float32 v" +
              std::to_string(k);
    }
    text += " }\n";
    roots += (i ? ", %" : "%") + std::to_string(2 * i + 1);
  }
  CHECK(launches_of(text + "return " + roots + "\n") == "3 3");
}

TEST_CASE("what depends on another part comes later") {
  // Of the maps over 100 and over 200 elements one reads the other, through a gather.
  CHECK(launches_of(R"(%0 = source float32 [100]
%1 = source int64 [200]
%2 = map float32 [100] (%0) { v1 = exp float32 v0 }
%3 = gather float32 [200] (%2, %1) strides [0]
%4 = source float32 [50]
%5 = map float32 [50] (%4) { v1 = sqrt float32 v0 }
return %2, %3, %5
)") == "2 1");
}

TEST_CASE("a part may overwrite what no other part reads") {
  const auto donors = [](const char* text) {
    const ir::plan p = plan_of(text, sharing());
    REQUIRE(p.steps.size() == 1);
    return p.steps[0].donors.size();
  };
  CHECK(donors(three) == 3);
  // Both read %0, over different domains.
  CHECK(donors(R"(%0 = source float32 [100]
%1 = map float32 [100] (%0) { v1 = exp float32 v0 }
%2 = view float32 [5, 100] (%0) strides [0, 1]
%3 = map float32 [5, 100] (%2) { v1 = sqrt float32 v0 }
return %1, %3
)") == 0);
}

}  // namespace share_launches_test
