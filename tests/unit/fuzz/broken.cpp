// The fuzzer finds deliberate bugs, and shrinks them.
#include "tests/catch.hpp"
#include "tests/fuzz/campaign.hpp"

namespace broken_test {

using namespace sinter;
using namespace sinter::fuzz;

namespace {

/// b - a for a - b, only in maps of several ops.
ir::graph subtract_backwards(const ir::graph& g) {
  ir::graph out = g;
  for (ir::node& n : out.nodes) {
    for (ir::instruction& i : n.program.code) {
      if (i.code == ir::op::subtract) std::swap(i.args[0], i.args[1]);
    }
  }
  return out;
}

/// Drops the offsets of views.
ir::graph lose_offsets(const ir::graph& g) {
  ir::graph out = g;
  for (ir::node& n : out.nodes) {
    const bool back = std::any_of(n.map.strides.begin(), n.map.strides.end(),
                                  [](ir::extent s) { return s < 0; });
    if (n.kind == ir::node_kind::view && !back) n.map.offset = 0;
  }
  return out;
}

/// Sums of integers become bitwise ors.
ir::graph sums_as_extrema(const ir::graph& g) {
  ir::graph out = g;
  for (ir::node& n : out.nodes) {
    const bool sum = n.kind == ir::node_kind::reduce && n.reduction.code == ir::op::add;
    if (sum && is_integer(n.type)) n.reduction.code = ir::op::bitwise_or;
  }
  return out;
}

finding find(ir::graph (*broken)(const ir::graph&)) {
  executor e;
  e.first_pass = broken;
  campaign_options o;
  o.seconds = 300;
  o.graphs = 3000;
  o.compiled = o.cuda = false;
  o.seed = 5;
  const campaign_report r = run_campaign(e, o);
  REQUIRE(r.first_failure);
  return *r.first_failure;
}

/// The printed trial can be replayed: it fails with the broken pass, and only with it.
void check_replay(const finding& f, ir::graph (*broken)(const ir::graph&)) {
  const trial again = parse_trial(text_of(f, 5));
  CHECK(print(again) == print(f.small));
  executor e;
  CHECK_FALSE(e.check(again, {f.wrong.how}));
  e.first_pass = broken;
  CHECK(e.check(again, {f.wrong.how}));
}

}  // namespace

TEST_CASE("an op with its operands the wrong way round is found and shrunk") {
  const finding f = find(subtract_backwards);
  INFO(text_of(f, 5));
  CHECK(f.small.graph.nodes.size() <= 3);
  CHECK(f.small.graph.nodes.back().program.code.size() == 1);
  CHECK(ir::size_of(f.small.graph.nodes.back().shape) <= 2);
  check_replay(f, subtract_backwards);
}

TEST_CASE("a view that loses its offset is found and shrunk") {
  const finding f = find(lose_offsets);
  INFO(text_of(f, 5));
  CHECK(f.small.graph.nodes.size() == 2);
  CHECK(f.small.graph.nodes.back().kind == ir::node_kind::view);
  check_replay(f, lose_offsets);
}

TEST_CASE("a wrong reduction is found and shrunk") {
  const finding f = find(sums_as_extrema);
  INFO(text_of(f, 5));
  CHECK(f.small.graph.nodes.size() <= 3);
  check_replay(f, sums_as_extrema);
}

TEST_CASE("a pass that throws is a failure that says so") {
  executor e;
  e.first_pass = [](const ir::graph&) -> ir::graph { throw std::logic_error("out of ideas"); };
  const auto f = e.check(make_trial(1, 1), {way::gpu_interpreted});
  REQUIRE(f);
  CHECK(f->how == way::gpu_interpreted);
  CHECK(f->what == "out of ideas");
}

}  // namespace broken_test
