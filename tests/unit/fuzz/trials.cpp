// Random graphs: valid, determined by the seed, and unchanged by printing and parsing.
#include <set>

#include "ir/interpreter.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/fuzz/campaign.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/host_plan.hpp"

namespace trials_test {

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
  // All but joins, which only recordings have: graphs have pads.
  CHECK(kinds.size() == std::size(ir::node_kind_names) - 1);
  CHECK(kinds.count(ir::node_kind::join) == 0);
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

namespace {

/// Do a graph's plans, fused and not, on both targets, give the graph's outputs?
bool plans_agree(const std::string& text, const std::vector<ir::tensor>& sources) {
  const ir::graph g = ir::parse_graph(text);
  std::vector<ir::tensor_view> views;
  for (const ir::tensor& s : sources) views.emplace_back(s.type, s.shape, s.data.data());
  const std::vector<ir::tensor> want = ir::interpret(g, views);
  for (const ir::target where : {ir::target::cpu, ir::target::gpu}) {
    for (const bool fuse : {true, false}) {
      ir::machine m;
      m.target = where;
      m.fuse = fuse;
      m.split_length = 10;
      m.split_grain = 8;
      m.units = 132;
      const auto got = run_interpreted(g, ir::make_plan(g, m), sources, false);
      if (got[0].data != want[0].data) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("rows that are walked in another order keep their places when they are cut") {
  CHECK(plans_agree(R"(%0 = iota int64 [2, 13, 8]
%1 = view int64 [8, 2, 13] (%0) strides [1, 104, 8]
%2 = reduce int64 [8, 2] (%1) add over [2]
return %2
)",
                    {}));
}

TEST_CASE("what reads a reduction over nothing is stored all the same") {
  const std::vector<std::byte> twos(24, std::byte{0x40});
  CHECK(plans_agree(R"(%0 = source float32 [2, 3, 0, 1]
%1 = reduce float32 [2, 3, 1] (%0) maximum over [2]
%2 = view float32 [2, 3, 0, 1] (%1) strides [3, 1, 0, 1]
%3 = source float32 [2, 3, 1]
%4 = view float32 [2, 3, 0, 1] (%3) strides [3, 1, 0, 1]
%5 = map float32 [2, 3, 0, 1] (%2, %4) { v2 = divide float32 v0 v1 }
%6 = source bool [1, 1, 1, 1]
%7 = pad float32 [1, 1, 1, 1] (%5, %6) strides [0, 0, 1, 1]
%8 = view float32 [2, 3, 1] (%7) strides [0, 0, 0]
return %8
)",
                    {{dtype::float32, {2, 3, 0, 1}, {}},
                     {dtype::float32, {2, 3, 1}, twos},
                     {dtype::bool_, {1, 1, 1, 1}, {std::byte{0}}}}));
}

}  // namespace trials_test
