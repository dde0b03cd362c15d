// Random nests of elementwise loops: one kernel, the bits of C++ loops, in every way of running it.
// They are recorded through the language, because no graph node is a nest.

#include <cmath>
#include <random>

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"
#include "tests/fuzz/execute.hpp"

namespace nested_loops_test {

namespace sn = sinter;
namespace ir = sinter::ir;
using namespace sinter::fuzz;
using doubles = sn::array<double>;
using counts = sn::array<std::int64_t>;

namespace {

/// The operations of a body in sequence, then its loops one after another.
struct body {
  struct operation {
    int code;
    std::size_t a, b;  // indices of values: the carry, a constant, and the results
  };
  std::vector<operation> code;
  struct loop;
  std::vector<loop> loops;
};

struct body::loop {
  int rounds;    // at most, if it is not counted
  double limit;  // of the carry; none: a counted loop
  body inside;
};

body random_body(std::mt19937& random, int depth) {
  const auto below = [&](std::size_t n) { return std::size_t{random() % n}; };
  body b;
  for (std::size_t k = 0, count = 1 + below(4); k < count; ++k) {
    b.code.push_back({static_cast<int>(below(6)), below(k + 2), below(k + 2)});
  }
  for (std::size_t k = depth > 0 ? 1 + below(2) : 0; k > 0; --k) {
    const double limit = below(2) ? 0.25 * static_cast<double>(1 + below(3)) : 0;
    b.loops.push_back({static_cast<int>(below(4)), limit, random_body(random, depth - 1)});
  }
  return b;
}

template <class X> X lesser(const X& a, const X& b) { return sn::minimum(a, b); }
double lesser(double a, double b) { return a < b ? a : b; }
template <class X> X fraction(const X& x) { return x - sn::floor(x); }
double fraction(double x) { return x - std::floor(x); }
template <class X> X smaller_half(const X& a, const X& b) { return sn::where(a < b, a, b * 0.5); }
double smaller_half(double a, double b) { return a < b ? a : b * 0.5; }

double loop_of(const body::loop& l, double v, double c);
doubles loop_of(const body::loop& l, const doubles& v, const doubles& c);

/// In [0, 1), so that nothing grows without bound.
template <class X> X run(const body& b, const X& v, const X& c) {
  std::vector<X> values{v, c};
  for (const auto& o : b.code) {
    const X &x = values[o.a], &y = values[o.b];
    switch (o.code) {
      case 0: values.push_back(X(x + y)); break;
      case 1: values.push_back(X(x - y)); break;
      case 2: values.push_back(X(x * y)); break;
      case 3: values.push_back(lesser(x, y)); break;
      case 4: values.push_back(smaller_half(x, y)); break;
      default: values.push_back(X(x * 0.75 + 0.125)); break;
    }
  }
  X result = fraction(values.back());
  for (const auto& l : b.loops) result = loop_of(l, result, c);
  return result;
}

double loop_of(const body::loop& l, double v, double c) {
  for (int k = 0; k < l.rounds && (l.limit == 0 || v < l.limit); ++k) {
    v = fraction(run(l.inside, v, c) + k * 0.25);
  }
  return v;
}

doubles loop_of(const body::loop& l, const doubles& v, const doubles& c) {
  const auto round = [&](const doubles& u, const counts& k) {
    return fraction(doubles(run(l.inside, u, c) + sn::astype<double>(k) * 0.25));
  };
  if (l.limit == 0) {
    return sn::fori_loop(0, l.rounds, [&](auto k, auto u) { return round(u, k); }, v);
  }
  const auto [last, n] = sn::while_loop(
      [&](auto u, auto k) { return u < l.limit && k < l.rounds; },
      [&](auto u, auto k) { return std::tuple(round(u, k), k + 1); },
      std::tuple(v, sn::zeros<std::int64_t>(v.shape())));
  return last;
}

/// Through its text: extents of a recorded graph refer to its trace.
ir::graph graph_of(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return ir::parse_graph(ir::print(sn::detail::graph_of(snapshot, trace)));
}

std::vector<way> ways(const executor& e) {
  std::vector<way> out;
  for (int w = 0; w < way_count; ++w) {
    if (e.available(static_cast<way>(w))) out.push_back(static_cast<way>(w));
  }
  return out;
}

}  // namespace

TEST_CASE("random nests of loops give what C++'s loops give, by every way") {
  executor everywhere;
  const doubles x = sn::random::uniform<double>({37}, {.seed = 1}), c = sn::flip(x);
  sn::eval(x, c);
  const auto from = x.to_host(), constant = c.to_host();
  std::size_t one_kernel = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const body b = random_body(random, 1 + static_cast<int>(seed % 3));
    INFO("nest " << seed);
    const doubles y = sn::fori_loop(
        0, 2 + seed % 2, [&](auto, auto v) { return run(b, doubles(v), c); }, x);
    trial t;
    t.graph = graph_of(y);
    for (const ir::node& n : t.graph.nodes) {
      if (n.kind != ir::node_kind::source) continue;
      t.sources.push_back({seed % 2 ? fill::small : fill::edges, seed + t.sources.size()});
    }
    INFO(ir::print(t.graph));
    // A loop with more operations than a shared kernel accepts gets its own; with even more it has
    // already run round by round.
    const std::size_t kernels = ir::make_plan(t.graph, ir::machine{}).kernels.size();
    CHECK(kernels <= 2);
    one_kernel += kernels == 1;
    if (const auto failure = everywhere.check(t, ways(everywhere))) {
      FAIL_CHECK(name(failure->how) << ": " << failure->what);
    }
    const auto got = y.to_host();
    for (std::size_t e = 0; e < got.size(); ++e) {
      double v = from[e];
      for (std::uint32_t k = 0; k < 2 + seed % 2; ++k) v = run(b, v, constant[e]);
      if (got[e] != v) FAIL("element " << e << ": " << got[e] << " where C++ gives " << v);
    }
  }
  CHECK(one_kernel >= 55);
}

}  // namespace nested_loops_test
