// The same bits in every way of running a graph: the graph interpreter, interpreted CPU and GPU
// kernels, compiled kernels, fused and not, and on a GPU if there is one.

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/fuzz/execute.hpp"

namespace devices_test {

namespace sn = sinter;
namespace ir = sinter::ir;
namespace rnd = sinter::random;
using namespace sinter::fuzz;

namespace {

/// The graph for evaluating x. Through its text: extents of a recorded graph refer to its trace.
ir::graph graph_of(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return ir::parse_graph(ir::print(sn::detail::graph_of(snapshot, trace)));
}

/// Parameters computed in place: 0.5, 0.75, ...
template <class T> sn::array<T> parameters(std::int64_t n) {
  return sn::astype<T>(sn::arange(n)) * T(0.25) + T(0.5);
}

template <class T> std::vector<sn::any_array> continuous() {
  const auto p = parameters<T>(503);
  const int n = 503;
  return {
      rnd::uniform<T>({n}, {.seed = 1, .low = -p, .high = p}),
      rnd::normal<T>({n}, {.seed = 2, .mean = p, .stddev = p}),
      rnd::exponential<T>({n}, {.seed = 3, .scale = p}),
      rnd::laplace<T>({n}, {.seed = 4, .scale = p}),
      rnd::logistic<T>({n}, {.seed = 5}),
      rnd::gumbel<T>({n}, {.seed = 6}),
      rnd::cauchy<T>({n}, {.seed = 7}),
      rnd::rayleigh<T>({n}, {.seed = 8}),
      rnd::lognormal<T>({n}, {.seed = 9, .mean = p}),
      rnd::weibull<T>({n}, {.seed = 10, .a = p}),
      rnd::pareto<T>({n}, {.seed = 11, .a = p}),
      rnd::power<T>({n}, {.seed = 12, .a = p}),
      rnd::triangular<T>({n}, {.seed = 13, .right = p + 1}),
      rnd::wald<T>({n}, {.seed = 14, .mean = p}),
      rnd::truncated_normal<T>({n}, {.seed = 15, .low = p - 60, .high = p}),
      rnd::truncated_normal<T>({n}, {.seed = 16, .low = p, .high = p * 2}),
  };
}

std::vector<sn::any_array> others() {
  const auto p = parameters<double>(503) / 130;
  const auto logits = sn::reshape(parameters<float>(600), {100, 6});
  return {
      rnd::integers<int>({503}, {.seed = 21, .low = -5, .high = 100}),
      rnd::integers<std::int64_t>({503}, {.seed = 22, .low = -sn::arange(503), .high = 7}),
      rnd::bernoulli({503}, {.seed = 23, .p = p}),
      rnd::geometric({503}, {.seed = 24, .p = p}),
      rnd::categorical(logits, {.seed = 25}),
      rnd::choice(503, {1000}, {.seed = 26}),
      rnd::choice(503, {1000}, {.seed = 27, .p = p}),
  };
}

std::vector<sn::any_array> by_rejection() {
  const sn::array<double> p = parameters<double>(503), q = p / 130;
  const auto f = parameters<float>(503);
  return {
      rnd::gamma<double>({503}, {.seed = 31, .shape = p}),
      rnd::gamma<float>({503}, {.seed = 32, .shape = f / 60}),
      rnd::beta<double>({503}, {.seed = 33, .a = q, .b = p}),
      rnd::chisquare<float>({503}, {.seed = 34, .df = f}),
      rnd::standard_t<float>({503}, {.seed = 35, .df = f}),
      rnd::f<double>({503}, {.seed = 36, .dfnum = p, .dfden = 3}),
      rnd::dirichlet<double>(p, {.seed = 37}),
      rnd::poisson({503}, {.seed = 38, .lam = p}),
      rnd::binomial({503}, {.seed = 39, .n = sn::arange(503), .p = q}),
      rnd::negative_binomial({503}, {.seed = 40, .n = p, .p = q}),
      rnd::logseries({503}, {.seed = 41, .p = q}),
  };
}

std::vector<way> ways(const executor& run) {
  std::vector<way> out;
  for (int w = 0; w < way_count; ++w) {
    if (run.available(static_cast<way>(w))) out.push_back(static_cast<way>(w));
  }
  return out;
}

void check_everywhere(const std::vector<sn::any_array>& results) {
  executor run;
  for (std::size_t i = 0; i < results.size(); ++i) {
    trial t;
    t.graph = graph_of(results[i]);
    INFO("result " << i << "\n" << ir::print(t.graph));
    if (const auto failure = run.check(t, ways(run))) {
      FAIL_CHECK(name(failure->how) << ": " << failure->what);
    }
  }
  // An inexact step would have been compared with a bound.
  CHECK(run.known().exact > 0);
  CHECK(run.known().bounded == 0);
  CHECK(run.known().unknown == 0);
}

}  // namespace

TEST_CASE("continuous distributions are the same bits on every device") {
  check_everywhere(continuous<float>());
  check_everywhere(continuous<double>());
}

TEST_CASE("discrete distributions are the same bits on every device") {
  check_everywhere(others());
}

TEST_CASE("distributions by rejection are the same bits on every device") {
  check_everywhere(by_rejection());
}

TEST_CASE("a distribution is one kernel with what reads it") {
  const auto kernels = [](const sn::any_array& x) {
    return ir::make_plan(graph_of(x), ir::machine{}).kernels.size();
  };
  for (const auto& x : continuous<float>())
    CHECK(kernels((sn::array<float>(x) * 2 + 1).to_array()) == 1);
  CHECK(kernels(rnd::gamma<float>({1000}, {.seed = 1, .shape = 2})) == 1);
  CHECK(kernels(rnd::poisson({1000}, {.seed = 1, .lam = 20})) == 1);
  CHECK(kernels(sn::sum(rnd::gumbel<float>({1000, 100}, {.seed = 1}), {.axis = 1})) == 1);
  CHECK(kernels(rnd::categorical(parameters<float>(600).reshape({100, 6}), {.seed = 1})) == 1);
  // Weights are summed first.
  const auto p = parameters<double>(100);
  CHECK(kernels(rnd::choice(100, {1000}, {.seed = 1, .p = p})) <= 3);
}

}  // namespace devices_test
