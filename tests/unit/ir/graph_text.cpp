// Text of graphs: print and parse are inverse, errors have positions.
#include <random>

#include "ir/error.hpp"
#include "ir/graph.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "values.hpp"

namespace graph_text_test {

using namespace ir_tests;
using namespace sinter::ir;

namespace {

bool same_node(const node& a, const node& b) {
  return a.kind == b.kind && a.type == b.type && a.shape == b.shape && a.inputs == b.inputs &&
         a.program == b.program && a.map == b.map && a.reduction == b.reduction &&
         a.value[0] == b.value[0] && a.value[1] == b.value[1] && a.routine == b.routine &&
         a.loop == b.loop &&
         a.origin == b.origin;
}

void check_round_trip(const graph& g) {
  const std::string text = print(g);
  INFO(text);
  const graph again = parse_graph(text);
  REQUIRE(again.nodes.size() == g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) REQUIRE(same_node(again.nodes[i], g.nodes[i]));
  CHECK(again.outputs == g.outputs);
  CHECK(again.origins == g.origins);
  CHECK(print(again) == text);
}

std::string message_of(std::string_view text) {
  try {
    parse_graph(text);
  } catch (const syntax_error& e) {
    return e.what();
  }
  return "";
}

class random_graph {
 public:
  explicit random_graph(unsigned seed) : random_(seed) {}

  graph make(int nodes) {
    graph g;
    for (const char* o : {"b.cpp:2", "a.cpp:1", "with space.cpp:3"}) g.origins.push_back(o);
    for (int i = 0; i < nodes; ++i) g.add(make_node(g));
    for (int i = 0; i < 3; ++i) g.outputs.push_back(pick(nodes));
    return g;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  dtype type() { return static_cast<dtype>(pick(dtype_count)); }
  std::vector<extent> numbers() {
    std::vector<extent> out(static_cast<std::size_t>(pick(4)));
    for (extent& e : out) e = pick(100) - 50;
    return out;
  }

  node make_node(const graph& g) {
    node n;
    const int kind = pick(11);
    n.kind = kind == 10 ? node_kind::scatter : static_cast<node_kind>(kind);
    const bool leaf = g.nodes.empty() || n.kind == node_kind::source ||
                      n.kind == node_kind::scalar || n.kind == node_kind::random ||
                      n.kind == node_kind::iota;
    n.type = type();
    n.shape = numbers();
    n.origin = pick(4) - 1;
    for (int k = leaf ? 0 : pick(4); k > 0; --k) {
      n.inputs.push_back(pick(static_cast<int>(g.nodes.size())));
    }
    if (n.kind == node_kind::scalar) {
      n.value[0] = random_();
      n.value[1] = random_();
    }
    if (n.kind == node_kind::random) n.value[0] = random_();
    if (n.kind == node_kind::view || n.kind == node_kind::update) {
      n.map = {pick(3), numbers()};
    }
    if (n.kind == node_kind::scatter) {
      n.map = {pick(3), numbers()};
      n.reduction.code = pick(2) == 1 ? op::cast : op::maximum;
    }
    if (n.kind == node_kind::reduce) {
      n.reduction = {static_cast<op>(pick(op_count)), pick(2) == 1, {0, pick(9)}};
    }
    if (n.kind == node_kind::call) {
      n.routine = "routine_" + std::to_string(pick(9));
      const auto list = numbers();
      n.attributes.assign(list.begin(), list.end());
    }
    if (n.kind == node_kind::result) n.value[0] = random_();
    if (n.kind == node_kind::map) fill(n.program, n, g);
    return n;
  }

  void fill(program& p, const node& n, const graph& g) {
    for (node_id in : n.inputs) p.inputs.push_back(pick(5) ? g[in].type : type());
    for (int i = pick(4); i > 0; --i) {
      instruction x{static_cast<op>(pick(op_count + 2)), type(), type()};
      for (int k = 0; k < pick(4); ++k) x.args[k] = static_cast<std::int16_t>(pick(20));
      p.code.push_back(x);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("A graph reads as documented") {
  const std::string text = R"(%0 = source float32 [1000, 1000]
%1 = scalar float32 [] 0.5
%2 = map float32 [1000, 1000] (%0, %1) { v2 = multiply float32 v0 v1; v3 = exp float32 v2 }  @a:17
%3 = view float32 [1000] (%2) offset 5 strides [1000]
%4 = reduce float32 [1000] (%2) add over [1]
%5 = reduce int64 [1000] (%2) arg maximum over [1]
%6 = random uint32 [1000] seed 42
%7 = iota int64 [1000]
%8 = update float32 [1000] (%4, %3) strides [1]
%9 = call float32 [1000, 1000] (%0, %2) matmul  @other.cpp:3
%10 = map int32 [1000] (%8) { v1 = cast float32 -> int32 v0 }
%11 = call int32 [] (%9) qr [0, -1]
%12 = result float32 [1000, 1000] (%11) 1
return %8, %5, %12
)";
  const graph g = parse_graph(text);
  CHECK_NOTHROW(verify(g));
  CHECK(print(g) == text);
  CHECK(g.origins == std::vector<std::string>{"a:17", "other.cpp:3"});
  check_round_trip(g);
}

TEST_CASE("Comments, blank lines and spacing do not matter") {
  const graph g =
      parse_graph("# a graph\n\n  %0=source  float32[2,3] # the input\r\n\n"
                  "%1 = map float32 [2,3] (%0) {v1=exp float32 v0;}@a.cpp:1\nreturn %1");
  CHECK(print(g) == "%0 = source float32 [2, 3]\n"
                    "%1 = map float32 [2, 3] (%0) { v1 = exp float32 v0 }  @a.cpp:1\nreturn %1\n");
}

TEST_CASE("Random graphs survive printing and parsing, correct or not") {
  for (unsigned seed = 0; seed < 200; ++seed) check_round_trip(random_graph(seed).make(12));
}

TEST_CASE("Lists of origins survive: unused, repeated, odd ones") {
  graph g = parse_graph("%0 = source int8 []\n%1 = source int8 []\nreturn\n");
  g.origins = {"unused", "a", "a", " # \\ \n ", ""};
  for (std::int32_t i : {-1, 1, 2, 3, 4}) {
    g.nodes[0].origin = i;
    g.nodes[1].origin = i > 0 ? i - 1 : i;
    check_round_trip(g);
  }
  check_round_trip(graph{});
}

TEST_CASE("Scalars of every type survive") {
  for (int t = 0; t < dtype_count; ++t) {
    const auto type = static_cast<dtype>(t);
    std::vector<scalar_value> values;
    if (is_complex(type)) {
      for (const scalar_value& re : edges_of(real_of(type))) {
        values.push_back(complex_of(type, re, scalar_of(-0.0)));
        values.push_back(complex_of(type, scalar_of(0.0), re));
      }
    } else if (is_half(type)) {
      for (std::uint64_t bits = 0; bits < 0x10000; bits += 7) values.push_back({{bits, 0}});
    } else {
      values = edges_of(type);
    }
    // Patterns without a plain text: bits beyond the type, unusual NaNs.
    values.push_back({{0x7ff00000deadbeef, 0}});
    values.push_back({{0xffffffffffffffff, 3}});
    for (const scalar_value& v : values) {
      const std::string text = sinter::ir::detail::value_text(type, v.bits);
      sinter::ir::detail::scanner in(text);
      scalar_value again;
      sinter::ir::detail::parse_value(in, type, again.bits);
      INFO(name(type) << " " << text);
      CHECK(again == v);
      CHECK(in.at_end());
    }
  }
}

TEST_CASE("Mistakes in the text of a graph have a line and a column") {
  const std::string first = "%0 = source float32 [2]\n";
  CHECK(message_of("%1 = source float32 []\n") == "1:1: %0 expected: nodes stand in order");
  CHECK(message_of("%0 = thing float32 []\n") == "1:6: kind of node expected");
  CHECK(message_of("%0 = source float31 []\n") == "1:13: type expected");
  CHECK(message_of("%0 = source float32 [2\n") == "1:23: ']' expected");
  CHECK(message_of("%0 = source float32 [x]\n") == "1:22: integer expected");
  CHECK(message_of("%0 = source float32 [] 7\n") == "1:24: end of line expected");
  CHECK(message_of("%0 = scalar float32 [] x\n") == "1:24: number expected");
  CHECK(message_of(first + "%1 = view float32 [] (%1) strides []\n") ==
        "2:23: %1 is not a node above this one");
  CHECK(message_of(first + "%1 = map float32 [2] (%0) { v2 = exp float32 v0 }\n") ==
        "2:29: v1 expected");
  CHECK(message_of(first + "%1 = map float32 [2] (%0) { v1 = expo float32 v0 }\n") ==
        "2:34: op expected");
  CHECK(message_of(first + "%1 = map float32 [2] (%0) { v1 = exp float32 v0\n") ==
        "2:48: '}' expected");
  CHECK(message_of(first + "%1 = view float32 [2] (%0)\n") == "2:27: 'strides' expected");
  CHECK(message_of(first) == "2:1: '%' and a number expected");
  CHECK(message_of(first + "return %0\nmore\n") == "3:1: end of text expected");
  CHECK(message_of(first + "return 0\n") == "2:8: '%' and a number expected");
}

}  // namespace graph_text_test
