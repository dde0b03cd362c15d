// Loops in graphs: what they fuse with, and that no loop runs twice.

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace loops_test {

using namespace passes_tests;

namespace {

/// x = r x (1 - x), %1 times, then `rest` applied to %5.
std::string logistic(const std::string& rest) {
  return "%0 = source float32 [1000]\n"
         "%1 = scalar int64 [] 10\n"
         "%2 = scalar float32 [] 3.5\n"
         "%3 = map float32 [1000] (%0) { v1 = abs float32 v0 }\n"
         "%4 = loop float32 [1000] (%3, %1, %2) carries 1 { v4 = less int64 v1 v2; v5 = multiply "
         "float32 v3 v0; v6 = subtract float32 v3 v0; v7 = multiply float32 v5 v6 } while v4 "
         "next v7\n"
         "%5 = result float32 [1000] (%4) 0\n" +
         rest;
}

}  // namespace

TEST_CASE("A loop is one kernel with what comes before and after") {
  CHECK(groups_of(logistic("%6 = map float32 [1000] (%5) { v1 = exp float32 v0 }\nreturn %6\n")) ==
        "[1000]: %6\n");
  CHECK(groups_of(logistic("%6 = reduce float32 [] (%5) add over [0]\nreturn %6\n")) ==
        "[1000] reducing [1000]: %6\n");
  CHECK(groups_of(logistic("return %5\n")) == "[1000]: %5\n");
}

TEST_CASE("A loop runs once, whoever reads it") {
  const std::string shifted =
      logistic("%6 = view float32 [999] (%5) offset 1 strides [1]\n"
               "%7 = view float32 [999] (%5) strides [1]\n"
               "%8 = map float32 [999] (%6, %7) { v2 = subtract float32 v0 v1 }\nreturn %8\n");
  CHECK(groups_of(shifted) == "[1000]: %5\n[999]: %8\n");
  CHECK(refused(plan_of(shifted), "loop stored: read in several places"));
  const std::string normalised =
      logistic("%6 = reduce float32 [] (%5) add over [0]\n"
               "%7 = view float32 [1000] (%6) strides [0]\n"
               "%8 = map float32 [1000] (%5, %7) { v2 = divide float32 v0 v1 }\nreturn %8\n");
  std::size_t loops = 0;
  for (const ir::kernel& k : plan_of(normalised).kernels) loops += k.loops.size();
  CHECK(loops == 1);
  const std::string kept =
      logistic("%6 = map float32 [1000] (%5) { v1 = exp float32 v0 }\nreturn %5, %6\n");
  CHECK(plan_of(kept).kernels.size() == 1);
}

TEST_CASE("A CPU's loop has the vectors of its rounds' numbers, several side by side") {
  const auto lanes = [](std::string text, int bytes) {
    ir::machine m;
    m.vector_bytes = bytes;
    const ir::plan p = plan_of(text, m);
    return p.kernels.at(0).schedule.vector;
  };
  const std::string floats = logistic("return %5\n");
  CHECK(lanes(floats, 64) == 64);  // four of 16
  CHECK(lanes(floats, 16) == 8);
  std::string from_doubles = floats;
  const std::string source = "abs float32 v0", wide = "cast float64 -> float32 v0";
  from_doubles.replace(from_doubles.find(source), source.size(), wide);
  from_doubles.replace(from_doubles.find("float32"), 7, "float64");
  CHECK(lanes(from_doubles, 64) == 64);
  std::string few = floats;
  for (std::size_t at; (at = few.find("1000")) != few.npos;) few.replace(at, 4, "20");
  CHECK(lanes(few, 64) == 16);
}

TEST_CASE("Loops of the same program are one, loops of others are not") {
  const std::string twice = logistic(
      "%6 = loop float32 [1000] (%3, %1, %2) carries 1 { v4 = less int64 v1 v2; v5 = multiply "
      "float32 v3 v0; v6 = subtract float32 v3 v0; v7 = multiply float32 v5 v6 } while v4 next "
      "v7\n"
      "%7 = result float32 [1000] (%6) 0\n"
      "%8 = loop float32 [1000] (%3, %1, %2) carries 1 { v4 = less int64 v1 v2; v5 = multiply "
      "float32 v3 v0; v6 = subtract float32 v3 v0; v7 = multiply float32 v5 v6 } while v4 next "
      "v5\n"
      "%9 = result float32 [1000] (%8) 0\n"
      "%10 = map float32 [1000] (%5, %7) { v2 = add float32 v0 v1 }\n"
      "%11 = map float32 [1000] (%9, %10) { v2 = add float32 v0 v1 }\n"
      "return %11\n");
  const ir::plan p = plan_of(twice);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].loops.size() == 2);
}

TEST_CASE("A loop that keeps every round reads slices in place, and its kernel is its own") {
  const std::string text =
      "%0 = source float32 [1000]\n"
      "%1 = source float32 [12, 1000]\n"
      "%2 = scalar int64 [] 12\n"
      "%3 = loop float32 [1000] (%0, %2, %1) carries 1 { v4 = less int64 v1 v2; v5 = add float32 "
      "v0 v3 } while v4 next v5, v5 slice along 1000 strides [1]\n"
      "%4 = result float32 [1000] (%3) 0\n"
      "%5 = result float32 [12, 1000] (%3) 1\n"
      "%6 = map float32 [12, 1000] (%5) { v1 = exp float32 v0 }\n"
      "%7 = map float32 [1000] (%4) { v1 = exp float32 v0 }\n"
      "return %6, %7\n";
  CHECK(ir::print(ir::parse_graph(text)) == text);
  CHECK(groups_of(text) == "[1000]: %5 %4\n[12, 1000]: %6\n[1000]: %7\n");
}

TEST_CASE("No scan walks the rows of a loop that keeps every round") {
  const std::string text =
      "%0 = source float32 [8, 300]\n"
      "%1 = scan float32 [8, 300] (%0) maximum over [1]\n"
      "%2 = scalar int64 [] 3\n"
      "%3 = loop float32 [8, 300] (%1, %2) carries 1 { v3 = less int64 v1 v2; v4 = add float32 v0 "
      "v0 } while v3 next v4, v4\n"
      "%4 = result float32 [3, 8, 300] (%3) 1\n"
      "return %4\n";
  CHECK(groups_of(text) == "[8, 300] reducing [300]: %1\n[8, 300]: %4\n");
}

namespace {

/// Element k is half of the previous one plus a number, for k below %1.
std::string halved(const std::string& rest) {
  return "%0 = source float32 [100]\n"
         "%1 = scalar int64 [] 99\n"
         "%2 = scalar float32 [] 0.5\n"
         "%3 = source float32 []\n"
         "%4 = loop float32 [] (%3, %1, %2, %0) carries 1 tables 1 read t0 { v5 = less int64 "
         "v1 v2; v6 = multiply float32 v4 v3 } while v5 next v6 slice "
         "along 1 strides [] after 0 write t0 offset 1 by v1 = v6\n"
         "%5 = result float32 [] (%4) 0\n"
         "%6 = result float32 [100] (%4) 1\n" +
         rest;
}

}  // namespace

TEST_CASE("A loop works in the memory of what its table comes to, which begins as a copy") {
  const ir::plan p = plan_of(halved("return %6\n"));
  REQUIRE(p.steps.size() == 2);
  CHECK(p.steps[0].what == ir::plan_step::kind::copy);
  CHECK(p.steps[1].outputs.size() == 2);  // read and written
  REQUIRE(p.steps[1].donors.size() == 1);
  CHECK(p.steps[1].donors[0] == std::pair(p.steps[0].outputs[0], p.steps[0].inputs[0]));
}

TEST_CASE("Who reads the table itself does so before, and it keeps its memory") {
  const std::string beside =
      "%7 = map float32 [100] (%0) { v1 = abs float32 v0 }\n"
      "%8 = map float32 [100] (%6, %7) { v2 = add float32 v0 v1 }\nreturn %8\n";
  CHECK(groups_of(halved(beside)) == "[]: %5\n[100]: %7\n");
  CHECK(groups_of(halved("%7 = reduce float32 [] (%0) add over [0]\nreturn %6, %7\n")) ==
        "[100] reducing [100]: %6\n[]: %5\n");
}

TEST_CASE("A table that nobody wants afterwards has memory all the same") {
  const ir::plan p = plan_of(halved("return %5\n"));
  REQUIRE(p.steps.size() == 2);
  CHECK(p.steps[0].what == ir::plan_step::kind::copy);
  CHECK(p.outputs.size() == 1);
}

}  // namespace loops_test
