// Random graphs: valid, the same for the same seed, and the same after printing and parsing.
#include <set>

#include "tests/catch.hpp"
#include "tests/fuzz/campaign.hpp"
#include "tests/fuzz/generator.hpp"

using namespace sinter;
using namespace sinter::fuzz;

TEST_CASE("random graphs verify, and their text is the graph again") {
  for (int i = 0; i < 500; ++i) {
    const trial t = make_trial(11, i);
    INFO(print(t));
    REQUIRE_NOTHROW(ir::verify(t.graph));
    const std::string text = print(t);
    REQUIRE(print(parse_trial(text)) == text);
    REQUIRE(print(make_trial(11, i)) == text);
  }
}

TEST_CASE("a tape gives the graph that it was recorded from") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    choices fresh(seed);
    const std::string text = print(generator(fresh).run());
    choices again(fresh.taken());
    REQUIRE(print(generator(again).run()) == text);
    CHECK(again.taken() == fresh.taken());
  }
}

TEST_CASE("any tape gives a graph") {
  choices nothing{tape{}};
  REQUIRE_NOTHROW(ir::verify(generator(nothing).run().graph));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    choices fresh(seed);
    generator(fresh).run();
    tape t = fresh.taken();
    random_bits random(seed);
    for (auto& step : t.steps) {
      for (auto& number : step) {
        if (random.next() % 5 == 0) number = static_cast<std::uint32_t>(random.next() % 50);
      }
      if (random.next() % 5 == 0) step.resize(step.size() / 2);
    }
    choices changed(t);
    REQUIRE_NOTHROW(ir::verify(generator(changed).run().graph));
  }
}

TEST_CASE("all kinds, types and most ops turn up") {
  std::set<ir::node_kind> kinds;
  std::set<dtype> types;
  std::set<ir::op> ops;
  for (int i = 0; i < 1500; ++i) {
    const trial t = make_trial(3, i);
    for (const ir::node& n : t.graph.nodes) {
      kinds.insert(n.kind);
      types.insert(n.type);
      for (const ir::instruction& c : n.program.code) ops.insert(c.code);
    }
  }
  CHECK(kinds.size() == std::size(ir::node_kind_names));
  CHECK(types.size() == dtype_count);
  for (int i = 0; i < ir::op_count; ++i) {
    const auto code = static_cast<ir::op>(i);
    INFO(ir::name(code));
    CHECK((ir::info(code).traits & ir::internal || ops.count(code)));
  }
}

TEST_CASE("text that says nothing of its sources fills them with edge values") {
  const trial t = parse_trial("%0 = source float32 [4]\n%1 = source int8 []\nreturn %0, %1\n");
  REQUIRE(t.sources.size() == 2);
  CHECK(t.sources[0].what == fill::edges);
  CHECK_THROWS(parse_trial("# source 0 gold 1\n%0 = source float32 [4]\nreturn %0\n"));
  CHECK_THROWS(parse_trial("# machine luck 7\n%0 = source float32 [4]\nreturn %0\n"));
}
