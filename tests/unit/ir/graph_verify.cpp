// Every rule of the graph verifier rejects a graph that breaks only this rule.
#include "ir/error.hpp"
#include "ir/graph.hpp"
#include "tests/catch.hpp"

namespace graph_verify_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

std::string message_of(const graph& g) {
  try {
    verify(g);
  } catch (const verify_error& e) {
    return e.what();
  }
  return "";
}

/// The rule that a graph with these lines breaks; empty if none.
std::string rule_of(const std::string& lines) {
  const std::string message = message_of(parse_graph(lines + "return\n"));
  return message.substr(0, message.find(']') + 1);
}

const std::string base = "%0 = source float32 [2, 3]\n%1 = scalar float32 [] 1\n";

}  // namespace

TEST_CASE("A correct graph passes") {
  CHECK(rule_of(base +
                "%2 = map float32 [2, 3] (%0, %1) { v2 = add float32 v0 v1 }\n"
                "%3 = view float32 [3, 2] (%2) strides [1, 3]\n"
                "%4 = reduce float32 [3] (%3) add over [1]\n"
                "%5 = reduce int64 [3] (%3) arg maximum over [1]\n"
                "%6 = update float32 [3, 2] (%3, %4) strides [2]\n"
                "%7 = map bool [2, 3] (%0) { v1 = isnan float32 v0 }\n"
                "%8 = map float16 [2, 3] (%0) { v1 = cast float32 -> float16 v0 }\n"
                "%9 = map int16 [2, 3] (%8) { v1 = bitcast float16 -> int16 v0 }\n"
                "%10 = view float32 [0, 3] (%0) offset 9 strides [3, 1]\n"
                "%11 = call float32 [2, 2] (%0, %3) matmul\n"
                "%12 = call float32 [7] (%0) other\n") == "");
}

TEST_CASE("The message names rule, node and reason") {
  graph g = parse_graph(base + "return\n");
  g.nodes[1].shape = {1};
  CHECK(message_of(g) == "[scalar] %1 (scalar): a scalar has rank 0");
}

TEST_CASE("Structure") {
  graph g = parse_graph(base + "%2 = map float32 [2, 3] (%0) { v1 = exp float32 v0 }\nreturn %2\n");
  graph later = g, none = g, output = g, origin = g;
  later.nodes[2].inputs[0] = 2;
  CHECK(message_of(later).substr(0, 7) == "[order]");
  none.nodes[2].inputs[0] = -1;
  CHECK(message_of(none).substr(0, 7) == "[order]");
  output.outputs[0] = 3;
  CHECK(message_of(output).substr(0, 8) == "[output]");
  origin.nodes[0].origin = 0;
  CHECK(message_of(origin).substr(0, 8) == "[origin]");
  CHECK(rule_of(base + "%2 = iota int64 [3] (%0)\n") == "[inputs]");
  CHECK(rule_of("%0 = source float32 [2, -1]\n") == "[shape]");
  CHECK(rule_of("%0 = source float32 [4294967296, 4294967296]\n") == "[shape]");
  CHECK(rule_of("%0 = source float32 [4294967296, 4294967296, 0]\n") == "");
}

TEST_CASE("Joins are recorded, not planned") {
  CHECK(rule_of(base + "%2 = join float32 [4, 3] (%0, %0)\n") == "[join]");
  CHECK(rule_of(base + "%2 = call float64 [2, 3] (%0) barrier\n") == "[barrier]");
}

TEST_CASE("Leaves") {
  CHECK(rule_of("%0 = scalar float32 [1] 1\n") == "[scalar]");
  CHECK(rule_of("%0 = random float32 [1] seed 1\n") == "[random]");
  CHECK(rule_of("%0 = iota int32 [1]\n") == "[iota]");
}

TEST_CASE("Maps") {
  const std::string map = base + "%2 = map float32 [2, 3] ";
  graph g = parse_graph(map + "(%0, %1) { v2 = add float32 v0 v1 }\nreturn\n");
  g.nodes[2].program.inputs.push_back(dtype::float32);
  CHECK(message_of(g).substr(0, 12) == "[map-inputs]");
  CHECK(rule_of("%0 = map float32 [2] { }\n") == "[map-empty]");
  CHECK(rule_of(map + "(%0 as float64) { v1 = cast float64 -> float32 v0 }\n") == "[map-types]");
  CHECK(rule_of("%0 = source float32 [3]\n%1 = map float32 [2, 3] (%0) { }\n") == "[map-shapes]");
  CHECK(rule_of(map + "(%0) { v1 = isnan float32 v0 }\n") == "[map-result]");
  CHECK(rule_of(map + "(%0) { v1 = bitwise_and float32 v0 v0 }\n") == "[op-type]");
  CHECK(rule_of("%0 = source float16 [1]\n%1 = map float16 [1] (%0) { v1 = exp float16 v0 }\n") ==
        "[op-type]");
  CHECK(rule_of(map + "(%0) { v1 = add float32 v0 }\n") == "[op-arguments]");
  CHECK(rule_of(map + "(%0) { v1 = exp float32 v0 v0 }\n") == "[op-arguments]");
  CHECK(rule_of(map + "(%0) { v1 = exp float32 v1 }\n") == "[op-arguments]");
  CHECK(rule_of(map + "(%0) { v1 = isnan float32 v0; v2 = exp float32 v1 }\n") ==
        "[op-argument-type]");
  CHECK(rule_of(map + "(%0) { v1 = where float32 v0 v0 v0 }\n") == "[op-argument-type]");
  CHECK(rule_of(map + "(%0) { v1 = exp float32 -> float64 v0 }\n") == "[op-result]");
  CHECK(rule_of(map + "(%0) { v1 = bitcast float32 -> float64 v0 }\n") == "[op-result]");
}

TEST_CASE("Views and updates") {
  const std::string start = base + "%2 = source float32 [2]\n";
  CHECK(rule_of(base + "%2 = view float64 [2] (%0) strides [1]\n") == "[view-type]");
  CHECK(rule_of(base + "%2 = view float32 [2] (%0) strides [1, 1]\n") == "[strides]");
  CHECK(rule_of(base + "%2 = view float32 [2] (%0) strides [6]\n") == "[bounds]");
  CHECK(rule_of(base + "%2 = view float32 [2] (%0) strides [-1]\n") == "[bounds]");
  CHECK(rule_of(base + "%2 = view float32 [3] (%0) strides [9223372036854775807]\n") == "[bounds]");
  CHECK(rule_of(start + "%3 = update float64 [2, 3] (%0, %2) strides [1]\n") == "[update-type]");
  CHECK(rule_of(start + "%3 = update float32 [3, 2] (%0, %2) strides [1]\n") == "[update-shape]");
  CHECK(rule_of(start + "%3 = update float32 [2, 3] (%0, %2) strides [0]\n") == "[update-twice]");
  CHECK(rule_of("%0 = source float32 [2, 0]\n"
                "%1 = update float32 [2, 0] (%0, %0) strides [0, 1]\n")
            .empty());
  CHECK(rule_of(start + "%3 = update float32 [2, 3] (%0, %2) offset 5 strides [1]\n") ==
        "[bounds]");
}

TEST_CASE("Scatters") {
  const std::string start = base +
                            "%2 = source int64 [4]\n%3 = source float32 [4]\n"
                            "%4 = source bool [4]\n%5 = source complex64 [3]\n"
                            "%6 = source complex64 [4]\n";
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %3, %4, %4) add strides [0]\n") ==
        "");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %1) put strides [0]\n") == "");
  CHECK(rule_of(start + "%7 = scatter complex64 [3] (%5, %2, %6) subtract strides [0]\n") == "");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2) put strides [0]\n") ==
        "[scatter-inputs]");
  CHECK(rule_of(start + "%7 = scatter float64 [2, 3] (%0, %2, %3) put strides [0]\n") ==
        "[scatter-type]");
  CHECK(rule_of(start + "%7 = scatter float32 [6] (%0, %2, %3) put strides [0]\n") ==
        "[scatter-shape]");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %3, %3) put strides [0]\n") ==
        "[scatter-index]");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %0) put strides [0]\n") ==
        "[scatter-value]");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %3, %3) put strides [0]\n") ==
        "[scatter-where]");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %3) put strides [0, 1]\n") ==
        "[strides]");
  CHECK(rule_of(start + "%7 = scatter float32 [2, 3] (%0, %2, %3) bitwise_and strides [0]\n") ==
        "[scatter-op]");
  CHECK(rule_of(start + "%7 = scatter complex64 [3] (%5, %2, %6) multiply strides [0]\n") ==
        "[scatter-op]");
  CHECK(rule_of(start + "%7 = source float32 [0]\n"
                        "%8 = scatter float32 [0] (%7, %2, %3) put strides [0]\n") ==
        "[scatter-empty]");
}

TEST_CASE("Reductions") {
  CHECK(rule_of(base + "%2 = reduce float32 [2, 3] (%0) add over []\n") == "[reduce-axes]");
  CHECK(rule_of(base + "%2 = reduce float32 [] (%0) add over [1, 0]\n") == "[reduce-axes]");
  CHECK(rule_of(base + "%2 = reduce float32 [2, 3] (%0) add over [2]\n") == "[reduce-axes]");
  CHECK(rule_of(base + "%2 = reduce float32 [3] (%0) add over [1]\n") == "[reduce-shape]");
  CHECK(rule_of(base + "%2 = reduce float32 [2] (%0) subtract over [1]\n") == "[reduce-op]");
  CHECK(rule_of(base + "%2 = reduce float32 [2] (%0) logical_and over [1]\n") == "[reduce-op]");
  CHECK(rule_of("%0 = source float16 [2]\n%1 = reduce float16 [] (%0) add over [0]\n") ==
        "[reduce-op]");
  CHECK(rule_of("%0 = source complex64 [2]\n%1 = reduce complex64 [] (%0) multiply over [0]\n") ==
        "[reduce-op]");
  CHECK(rule_of(base + "%2 = reduce float64 [2] (%0) add over [1]\n") == "[reduce-type]");
  CHECK(rule_of(base + "%2 = reduce float32 [2] (%0) arg maximum over [1]\n") == "[reduce-type]");
  CHECK(rule_of(base + "%2 = reduce int64 [2] (%0) arg add over [1]\n") == "[reduce-arg]");
  CHECK(rule_of("%0 = source int8 [2, 0]\n%1 = reduce int64 [2] (%0) arg maximum over [1]\n") ==
        "[reduce-empty]");
}

TEST_CASE("Calls") {
  graph g = parse_graph("%0 = source float32 [2, 3]\n%1 = call float32 [2, 2] (%0) x\nreturn\n");
  g.nodes[1].routine.clear();
  CHECK(message_of(g).substr(0, 6) == "[call]");
  const std::string b = base + "%2 = source float32 [4, 2]\n%3 = source float64 [3, 2]\n";
  CHECK(rule_of(b + "%4 = call float32 [2, 2] (%0, %2) matmul\n") == "[matmul]");
  CHECK(rule_of(b + "%4 = call float32 [2, 2] (%0, %3) matmul\n") == "[matmul]");
  CHECK(rule_of(b + "%4 = call float32 [2, 2] (%0) matmul\n") == "[matmul]");
  const std::string c = base + "%2 = source float32 [3, 1]\n%3 = source float32 [1]\n";
  CHECK(rule_of(c + "%4 = call float32 [2] (%0, %2) matmul\n") == "");  // of a vector: no axis
  CHECK(rule_of(c + "%4 = call float32 [3] (%0, %2) matmul\n") == "[matmul]");
  CHECK(rule_of(c + "%4 = call float32 [2] (%0, %2, %3) matmul [256]\n") == "");  // a bias
  CHECK(rule_of(c + "%4 = call float32 [2] (%0, %2) matmul [256]\n") == "[matmul]");
  CHECK(rule_of(c + "%4 = call float32 [2] (%0, %2, %3) matmul\n") == "[matmul]");
  CHECK(rule_of("%0 = source uint8 [3]\n%1 = call uint8 [3] (%0) sort\n") == "");
  CHECK(rule_of("%0 = source uint8 [3]\n%1 = call uint8 [2] (%0) sort\n") == "");  // the first
  CHECK(rule_of("%0 = source uint8 [3]\n%1 = call uint8 [4] (%0) sort\n") == "[sort]");
  CHECK(rule_of("%0 = source uint8 [3, 3]\n%1 = call uint8 [2, 3] (%0) sort\n") == "[sort]");
  CHECK(rule_of("%0 = source int8 [3]\n%1 = call int8 [3] (%0) sort\n") == "[sort]");
  CHECK(rule_of("%0 = source uint8 []\n%1 = call uint8 [] (%0) sort\n") == "[sort]");
}

TEST_CASE("Gathers") {
  const std::string in = "%0 = source float32 [2, 3]\n%1 = source int64 [4]\n";
  CHECK(rule_of(in + "%2 = gather float32 [4] (%0, %1) strides [0]\n") == "");
  CHECK(rule_of(in + "%2 = gather float32 [4] (%0, %1) strides [0] along 1\n") == "");
  CHECK(rule_of(in + "%2 = gather float32 [4] (%0, %1) strides [0] along 2\n") ==
        "[gather-along]");
  CHECK(rule_of(in + "%2 = gather float64 [4] (%0, %1) strides [0]\n") == "[gather-type]");
  CHECK(rule_of("%0 = source float32 [0]\n%1 = source int64 [4]\n"
                "%2 = gather float32 [4] (%0, %1) strides [0]\n") == "[gather-empty]");
}

TEST_CASE("Results of calls") {
  const std::string call = "%0 = source float32 [2]\n%1 = call int32 [] (%0) x\n";
  CHECK(rule_of(call + "%2 = result float32 [2] (%1) 1\n%3 = result int8 [] (%1) 2\n") == "");
  CHECK(rule_of(call + "%2 = result float32 [2] (%0) 1\n") == "[result]");
  CHECK(rule_of(call + "%2 = result float32 [2] (%1) 0\n") == "[result]");
  CHECK(rule_of(call + "%2 = result float32 [2] (%1) 1\n%3 = result float32 [2] (%1) 1\n") ==
        "[result-twice]");
}

}  // namespace graph_verify_test
