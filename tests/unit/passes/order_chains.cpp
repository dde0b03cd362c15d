// Graphs that exceed one kernel are cut where few values are live.
#include "ir/passes/order_chains.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace order_chains_test {

using namespace passes_tests;

namespace {

/// sum(w * s) / sum(w) over `taps` neighbours s, with w = exp(-(s - x)^2): all numerators first.
std::string weighted(int taps) {
  std::string text = "%0 = source float32 [3000, 4000]\n%1 = source float32 [3100]\n";
  int next = 2;
  std::vector<int> weights, numerators;
  const auto map = [&](const std::string& inputs, const std::string& code) {
    text += "%" + std::to_string(next) + " = map float32 [3000, 4000] (" + inputs + ") { " + code +
            " }\n";
    return next++;
  };
  const auto p = [](int n) { return "%" + std::to_string(n); };
  const auto two = [](const char* op) { return "v2 = " + std::string(op) + " float32 v0 v1"; };
  for (int t = 0; t < taps; ++t) {
    text += p(next) + " = view float32 [3000, 4000] (%1) offset " + std::to_string(t) +
            " strides [1, 0]\n";
    const int s = next++;
    const int d = map(p(s) + ", %0", two("subtract"));
    const int minus = map(p(d), "v1 = negative float32 v0");
    const int square = map(p(d) + ", " + p(minus), two("multiply"));
    weights.push_back(map(p(square), "v1 = exp float32 v0"));
    numerators.push_back(map(p(s) + ", " + p(weights.back()), two("multiply")));
  }
  const auto sum = [&](const std::vector<int>& of) {
    int all = of[0];
    for (std::size_t t = 1; t < of.size(); ++t) all = map(p(all) + ", " + p(of[t]), two("add"));
    return all;
  };
  const int a = sum(numerators), b = sum(weights);
  const int end = map(p(a) + ", " + p(b), two("divide"));
  return text + "return " + p(end) + "\n";
}

}  // namespace

TEST_CASE("order_chains: two sums over the same neighbours are cut at the same neighbour") {
  for (const ir::machine& m : {ir::machine{}, gpu()}) {
    const ir::plan p = plan_of(weighted(60), m);
    CHECK(p.kernels.size() == 2);
    const auto outputs = [](const ir::kernel& k) {
      return std::ranges::count_if(
          k.operands, [](const auto& o) { return o.role == ir::operand_role::output; });
    };
    for (const ir::kernel& k : p.kernels) CHECK(outputs(k) <= 3);
  }
}

TEST_CASE("order_chains: what binds arrays and numbers keeps its order, few nodes keep theirs") {
  const ir::graph g = ir::parse_graph(weighted(60)), out = ir::order_chains(g);
  ir::verify(out);
  CHECK(out.nodes.size() == g.nodes.size());
  CHECK(out[0].shape == g[0].shape);
  CHECK(out[1].shape == g[1].shape);
  const ir::graph few = ir::parse_graph(weighted(10));
  CHECK(ir::print(ir::order_chains(few)) == ir::print(few));
}

}  // namespace order_chains_test
