#include "ir/passes/hold_places.hpp"

#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace hold_places_test {

using namespace passes_tests;
using namespace sinter;

namespace {

/// The kernels that combine `values` values of a type at `places` places.
ir::plan planned(const std::string& type, std::int64_t values, std::int64_t places,
                 const std::string& how = "add", std::int64_t offset = 0) {
  const std::string n = "[" + std::to_string(values) + "]", m = "[" + std::to_string(places) + "]";
  std::string text = "%0 = source " + type + " " + m + "\n%1 = source int64 " + n +
                     "\n%2 = source " + type + " " + n + "\n%3 = scatter " + type + " " + m +
                     " (%0, %1, %2) " + how;
  if (offset) text += " offset " + std::to_string(offset);
  return ir::make_plan(ir::parse_graph(text + " strides [0]\nreturn %3\n"), gpu());
}

/// The places that the only kernel holds; -1 if there are more kernels.
std::int64_t held(const ir::plan& p) {
  return p.kernels.size() == 1 ? p.kernels[0].schedule.held : -1;
}

}  // namespace

TEST_CASE("hold_places: few places of many values are held") {
  CHECK(held(planned("int32", 10'000'000, 5)) == 16);
  CHECK(held(planned("int32", 10'000'000, 256)) == 256);
  CHECK(held(planned("int32", 10'000'000, 257)) == 384);
  CHECK(held(planned("int32", 10'000'000, 385)) == 512);
  CHECK(held(planned("int32", 100'000'000, 8192)) == 8192);
  CHECK(held(planned("int64", 100'000'000, 4096, "maximum")) == 4096);
  CHECK(held(planned("int64", 100'000'000, 4097)) == 6144);
  CHECK(held(planned("float32", 10'000'000, 5000, "maximum")) == 6144);
  CHECK(held(planned("float64", 10'000'000, 256, "minimum")) == 256);
}

TEST_CASE("hold_places: crowds are held, too, in narrow vectors, so that many blocks share them") {
  const ir::plan p = planned("int32", 200'000, 3);
  CHECK(held(p) == 16);
  CHECK(p.steps.back().blocks.peek() >= gpu().units);
  CHECK(held(planned("int32", 50'000, 8)) == 16);
  CHECK(held(planned("int32", 100'000, 500)) == 0);
  CHECK(planned("int32", 100'000, 8).kernels[0].schedule.vector == 1);
  CHECK(held(planned("int32", 5'000, 1)) == 0);
}

TEST_CASE("hold_places: many places, few values and other combinations are not") {
  CHECK(held(planned("int32", 100'000'000, 12'289)) == 0);
  CHECK(held(planned("int64", 100'000'000, 6'145)) == 0);
  CHECK(held(planned("int32", 100'000, 256)) == 0);
  CHECK(held(planned("int32", 10'000'000, 256, "put")) == 0);
  CHECK(held(planned("int32", 10'000'000, 256, "multiply")) == 0);
  CHECK(held(planned("int16", 10'000'000, 256)) == 0);
  CHECK(held(planned("float32", 10'000'000, 256, "multiply")) == 0);
  CHECK(held(planned("int32", 10'000'000, 256, "add", 7)) == 0);
}

TEST_CASE("hold_places: a block has work for each of its places, and each multiprocessor blocks") {
  int holding = 0;
  for (const std::int64_t places : {16, 1000, 8192}) {
    for (const std::int64_t values : {3'000'000, 100'000'000}) {
      const ir::plan p = planned("int32", values, places);
      const ir::schedule& s = p.kernels[0].schedule;
      if (s.held == 0) continue;
      ++holding;
      CHECK(s.tile >= 8 * places);
      CHECK(p.steps.back().blocks.peek() >= gpu().units);
      CHECK(p.steps.back().blocks.peek() * s.tile >= values);
    }
  }
  CHECK(holding == 5);  // 3e6 values are too few for 8,192 places
}

TEST_CASE("hold_places: all sums of doubles are one kernel") {
  const ir::plan p = planned("float64", 10'000'000, 100, "sums add");
  int holding = 0, stores = 0;
  for (const ir::kernel& k : p.kernels) {
    if (k.schedule.held == 0) continue;
    ++holding;
    for (const ir::inst& i : k.body) stores += ir::combines(i);
  }
  CHECK(holding == 2);
  CHECK(stores == 4);  // the largest exponents, and three bins
}

TEST_CASE("hold_places: what is held alone is not brought together where it would not be") {
  const ir::plan p = planned("float64", 100'000'000, 4096, "sums add");
  int holding = 0;
  for (const ir::kernel& k : p.kernels) holding += k.schedule.held > 0;
  CHECK(holding == 3);
}

}  // namespace hold_places_test
