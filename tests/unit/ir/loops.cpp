// Loops in both IRs: their text, the rules for them, and their results in the interpreters.
#include <functional>

#include "ir/error.hpp"
#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "tests/support/loop_kernels.hpp"

namespace loops_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

/// Doubles each element until it is 100 or more, and counts.
const std::string doubling =
    "%0 = source int32 [4]\n"
    "%1 = source int32 []\n"
    "%2 = scalar int32 [] 100\n"
    "%3 = loop int32 [4] (%0, %1, %2) carries 2 { v4 = less int32 v0 v3; v5 = add int32 v0 v0; "
    "v6 = equal int32 v3 v3; v7 = cast bool -> int32 v6; v8 = add int32 v1 v7 } while v4 next "
    "v5, v8\n"
    "%4 = result int32 [4] (%3) 0\n"
    "%5 = result int32 [4] (%3) 1\n"
    "return %4, %5\n";

/// Running sums of a matrix's rows, emitted every round, from the last row to the first.
const std::string sums =
    "%0 = source int32 [2]\n"
    "%1 = source int32 [3, 2]\n"
    "%2 = scalar int64 [] 3\n"
    "%3 = loop int32 [2] (%0, %2, %1) carries 1 { v4 = less int64 v1 v2; v5 = add int32 v0 v3 } "
    "while v4 next v5, v5 slice along -2 offset 4 strides [1]\n"
    "%4 = result int32 [2] (%3) 0\n"
    "%5 = result int32 [3, 2] (%3) 1\n"
    "return %4, %5\n";

/// The end of three steps, each to the place that the previous one read.
const std::string led =
    "%0 = source int32 [3]\n"
    "%1 = source int32 [5]\n"
    "%2 = scalar int64 [] 3\n"
    "%3 = loop int32 [3] (%0, %2, %1) carries 1 { v4 = less int64 v1 v2 } while v4 next v3 "
    "slice along 1 by v0 strides [0]\n"
    "%4 = result int32 [3] (%3) 0\n"
    "return %4\n";

/// The same from a computed place: one step ahead of the element's.
const std::string ahead =
    "%0 = source int32 [3]\n"
    "%1 = source int32 [5]\n"
    "%2 = scalar int64 [] 2\n"
    "%3 = scalar int32 [] 1\n"
    "%4 = loop int32 [3] (%0, %2, %3, %1) carries 1 { v5 = less int64 v1 v2; v6 = add int32 v0 v3; "
    "v7 = subtract int32 v4 v3 } while v5 next v7 slice along 1 by v6 strides [0]\n"
    "%5 = result int32 [3] (%4) 0\n"
    "return %5\n";

/// Swaps two places of a table per round, k and the one that element k names, and counts how often
/// the first one was larger.
const std::string swaps =
    "%0 = source int32 []\n"
    "%1 = scalar int64 [] 3\n"
    "%2 = source int32 [5]\n"
    "%3 = source int32 [4]\n"
    "%4 = loop int32 [] (%0, %1, %2, %3) carries 1 tables 1 read t0 read t0 "
    "{ v6 = less int64 v1 v2; v7 = greater int32 v4 v5; v8 = cast bool -> int32 v7; "
    "v9 = add int32 v0 v8 } while v6 next v9 slice along 1 strides [] "
    "slice along 1 strides [] after 0 slice along 1 by v3 strides [] after 0 "
    "write t0 offset 0 by v1 = v5 write t0 offset 0 by v3 = v4\n"
    "%5 = result int32 [] (%4) 0\n"
    "%6 = result int32 [4] (%4) 1\n"
    "return %5, %6\n";

tensor ints(shape_t shape, std::vector<std::int32_t> values) {
  tensor t{dtype::int32, std::move(shape), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  t.data.assign(bytes, bytes + values.size() * 4);
  return t;
}

template <class Program, class Parse>
std::string rule_of(const Program& text, Parse parse) {
  try {
    verify(parse(text));
  } catch (const verify_error& e) {
    const std::string message = e.what();
    return message.substr(0, message.find(']') + 1);
  }
  return "";
}

/// The rule that a graph breaks after replacing `from` by `to`.
std::string graph_rule(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  text.replace(text.find(from), from.size(), to);
  return rule_of(text, [](const std::string& s) { return parse_graph(s); });
}

kernel growing_kernel() {
  return tests::loop_kernel(tests::growing, "cpu", "vector 4 unroll 1 lanes kept tile 64 rows 1");
}

std::string kernel_rule(const std::function<void(kernel&)>& edit) {
  kernel k = growing_kernel();
  edit(k);
  return rule_of(k, [](const kernel& x) { return x; });
}

inst& inside(kernel& k, std::size_t i) { return k.loops[0].body[i]; }

}  // namespace

TEST_CASE("The text of a graph's loop is the loop again") {
  for (const std::string& text : {doubling, sums, led, ahead, swaps}) {
    const graph g = parse_graph(text);
    verify(g);
    CHECK(print(g) == text);
    const graph again = parse_graph(print(g));
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      CHECK(again.nodes[i].loop == g.nodes[i].loop);
      CHECK(again.nodes[i].program == g.nodes[i].program);
    }
  }
}

TEST_CASE("The text of a kernel's loop is the loop again") {
  for (auto* text : {tests::growing, tests::counted, tests::nested, tests::walking}) {
    const kernel k = tests::loop_kernel(text, "cpu", "vector 4 unroll 1 lanes kept tile 64 rows 1");
    verify(k);
    const kernel again = parse_kernel(print(k));
    CHECK(again.loops == k.loops);
    CHECK(again.body == k.body);
    CHECK(print(again) == print(k));
  }
  const kernel rows =
      tests::loop_kernel(tests::in_rows, "cpu", "vector 4 unroll 1 lanes reduced rows 1", 1);
  verify(rows);
  CHECK(key_of(parse_kernel(print(rows))) == key_of(rows));
}

TEST_CASE("Elements stop each by itself, and keep what they have") {
  const auto out = interpret(parse_graph(doubling),
                             {ints({4}, {1, 7, 100, 99}), ints({}, {0})});
  CHECK(out[0].data == ints({4}, {128, 112, 100, 198}).data);
  CHECK(out[1].data == ints({4}, {7, 4, 0, 1}).data);
}

TEST_CASE("A loop over slices keeps every round") {
  const auto out =
      interpret(parse_graph(sums), {ints({2}, {10, 20}), ints({3, 2}, {1, 2, 3, 4, 5, 6})});
  CHECK(out[0].data == ints({2}, {19, 32}).data);
  CHECK(out[1].data == ints({3, 2}, {15, 26, 18, 30, 19, 32}).data);
}

TEST_CASE("A carry says which slice a round reads") {
  const auto out =
      interpret(parse_graph(led), {ints({3}, {0, 1, 3}), ints({5}, {2, 0, 4, 1, 3})});
  CHECK(out[0].data == ints({3}, {3, 4, 2}).data);
}

TEST_CASE("A value of a round says which slice it reads") {
  const auto out =
      interpret(parse_graph(ahead), {ints({3}, {0, 1, 3}), ints({5}, {2, 1, 4, 3, 3})});
  CHECK(out[0].data == ints({3}, {0, 2, 2}).data);
}

TEST_CASE("A table is read and written in the order that is said") {
  const tensor none = ints({}, {0}), led_to = ints({5}, {2, 0, 3, 9, 9}),
               table = ints({4}, {7, 5, 6, 1});
  const std::vector<tensor_view> in{none, led_to, table};
  // 7 5 6 1 -> 6 5 7 1 -> 5 6 7 1 -> 5 6 1 7
  const auto out = interpret(parse_graph(swaps), in);
  CHECK(out[0].data == ints({}, {2}).data);
  CHECK(out[1].data == ints({4}, {5, 6, 1, 7}).data);
  CHECK(table.data == ints({4}, {7, 5, 6, 1}).data);
  std::string later = swaps;  // the second read sees the first write
  later.replace(later.find("by v3 strides [] after 0"), 24, "by v3 strides [] after 1");
  later.replace(later.find("by v1 = v5"), 10, "by v1 = v0");
  // 7 5 6 1 -> 0 5 7 1 -> 5 1 7 1 -> 5 1 2 7
  CHECK(interpret(parse_graph(later), in)[1].data == ints({4}, {5, 1, 2, 7}).data);
}

TEST_CASE("Every rule about tables rejects a graph that breaks it alone") {
  CHECK(graph_rule(swaps, "tables 1 read t0 read t0", "tables 1 read t0 read t0") == "");
  CHECK(graph_rule(swaps, "by v3 strides [] after 0", "by v3 strides [] after 1") ==
        "[loop-tables]");  // the first write needs it
  CHECK(graph_rule(swaps, "by v3 strides [] after 0", "by v3 strides [] after 3") ==
        "[loop-tables]");
  CHECK(graph_rule(swaps, "write t0 offset 0 by v3", "write t1 offset 0 by v3") ==
        "[loop-tables]");
  CHECK(graph_rule(swaps, "by v1 = v5", "by v1 = v1") == "[loop-tables]");
  CHECK(graph_rule(swaps, "by v1 = v5", "by v7 = v5") == "[loop-tables]");
  CHECK(graph_rule(swaps, "by v1 = v5", "by v77 = v5") == "[loop-tables]");
  CHECK(graph_rule(swaps, "%6 = result int32 [4]", "%6 = result int32 [5]") == "[result-type]");
  CHECK(graph_rule(swaps, "%6 = result int32 [4] (%4) 1", "%6 = result int32 [4] (%4) 2") ==
        "[result]");
  CHECK(graph_rule(swaps, "less int64 v1 v2; v7", "greater int32 v4 v5; v7") ==
        "[loop-condition]");
}

TEST_CASE("Every rule about loops in graphs rejects a graph that breaks it alone") {
  CHECK(graph_rule(doubling, "carries 2", "carries 1") == "[op-argument-type]");
  CHECK(graph_rule(doubling, "while v4", "while v5") == "[loop-condition]");
  CHECK(graph_rule(doubling, "while v4", "while v44") == "[loop-condition]");
  CHECK(graph_rule(doubling, "next v5, v8", "next v5") == "[loop-results]");
  CHECK(graph_rule(doubling, "next v5, v8", "next v5, v88") == "[loop-results]");
  CHECK(graph_rule(doubling, "next v5, v8", "next v5, v6") == "[loop-carry]");
  CHECK(graph_rule(doubling, "(%0, %1, %2)", "(%0, %1, %2 as int64)") == "[loop-types]");
  CHECK(graph_rule(doubling, "%1 = source int32 []", "%1 = source int32 [3]") == "[loop-shapes]");
  CHECK(graph_rule(doubling, "%5 = result int32 [4] (%3) 1", "%5 = result int32 [4] (%3) 2") ==
        "[result]");
  CHECK(graph_rule(doubling, "%5 = result int32 [4] (%3) 1", "%5 = result int32 [4] (%3) 0") ==
        "[result-twice]");
  CHECK(graph_rule(doubling, "%5 = result int32 [4]", "%5 = result int64 [4]") == "[result-type]");
  CHECK(graph_rule(doubling, "%5 = result int32 [4]", "%5 = result int32 [5]") ==
        "[result-shape]");
  CHECK(graph_rule(doubling, "return %4, %5", "%6 = view int32 [4] (%3) strides [1]\nreturn %6") ==
        "[loop-value]");
  CHECK(graph_rule(sums, "%5 = result int32 [3, 2]", "%5 = result int32 [2]") ==
        "[result-shape]");
  CHECK(graph_rule(sums, "offset 4 strides [1]", "offset 4 strides [1, 1]") == "[strides]");
  CHECK(graph_rule(doubling, "add int32 v0 v0", "add int32 v0 v9") == "[op-arguments]");
  CHECK(graph_rule(led, "by v0", "by v3") == "[loop-slices]");
  CHECK(graph_rule(led, "by v0", "by v4") == "[loop-slices]");
  CHECK(graph_rule(led, "by v0", "by v5") == "[loop-slices]");
  CHECK(graph_rule(led, "by v0", "by v1") == "");
  CHECK(graph_rule(led, "by v0", "by v2") == "");
  CHECK(graph_rule(ahead, "by v6", "by v7") == "[loop-slices]");
  CHECK(graph_rule(led, "less int64 v1 v2", "less int32 v3 v3") == "[loop-condition]");
}

TEST_CASE("Every rule about loops in kernels rejects a kernel that breaks it alone") {
  CHECK(kernel_rule([](kernel&) {}) == "");
  CHECK(kernel_rule([](kernel& k) { k.loops[0].condition = 4; }) == "[loop-condition]");
  CHECK(kernel_rule([](kernel& k) { k.loops[0].condition = 400; }) == "[loop-condition]");
  CHECK(kernel_rule([](kernel& k) { k.loops[0].next.pop_back(); }) == "[loop-carry]");
  CHECK(kernel_rule([](kernel& k) { k.loops[0].next[0] = 4; }) == "[loop-carry]");
  CHECK(kernel_rule([](kernel& k) { inside(k, 0).which = 9; }) == "[loop-place]");
  CHECK(kernel_rule([](kernel& k) { inside(k, 0).which = 1; }) == "[loop-place]");
  CHECK(kernel_rule([](kernel& k) { inside(k, 5).kind = inst_kind::scalar; }) == "[loop-body]");
  CHECK(kernel_rule([](kernel& k) { inside(k, 12).args[1] = 12; }) == "[arguments]");
  CHECK(kernel_rule([](kernel& k) { inside(k, 12).args[1] = 1; }) == "[argument-type]");
  CHECK(kernel_rule([](kernel& k) { k.body[9].which = 1; }) == "[loop]");
  CHECK(kernel_rule([](kernel& k) { k.body[9].args[0] = 7; }) == "[loop-inputs]");
  CHECK(kernel_rule([](kernel& k) { k.body[8].args[2] = 1; }) == "[loop-types]");
  CHECK(kernel_rule([](kernel& k) { k.body[9].args[0] = 5; }) == "[pack]");
  CHECK(kernel_rule([](kernel& k) { k.body[9].args[1] = 0; }) == "[loop-guard]");
  CHECK(kernel_rule([](kernel& k) { k.body[10].which = 4; }) == "[pick]");
  CHECK(kernel_rule([](kernel& k) { k.body[10].args[0] = 5; }) == "[loop]");
  CHECK(kernel_rule([](kernel& k) { k.body[13].args[0] = 9; }) == "[loop]");
  CHECK(kernel_rule([](kernel& k) { k.body[4].kind = inst_kind::given; }) == "[loop-body]");
  kernel walked =
      tests::loop_kernel(tests::walking, "cpu", "vector 4 unroll 1 lanes kept tile 64 rows 1");
  walked.body[9].inner = walked.body[10].inner = walked.body[11].inner = true;
  CHECK(rule_of(walked, [](const kernel& k) { return k; }) == "[loop-store]");
}

}  // namespace loops_test
