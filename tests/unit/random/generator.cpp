// Generators: drawing, splitting, saving; and independence of streams.

#include "samples.hpp"

namespace generator_test {

using namespace random_tests;
namespace rnd = sinter::random;

TEST_CASE("a generator draws the same again from the same state") {
  rnd::generator a(42), b(42), c(43);
  const auto first = values(a.normal({100})), second = values(a.normal({100}));
  CHECK(first != second);
  CHECK(values(b.normal({100})) == first);
  CHECK(values(c.normal({100})) != first);
  const rnd::generator_state saved = a.state();
  const std::string text = a.to_string();
  const auto third = values(a.uniform<float>({10}));
  CHECK(values(rnd::generator(saved).uniform<float>({10})) == third);
  CHECK(rnd::generator::from_string(text) == rnd::generator(saved));
  CHECK(values(rnd::generator::from_string(text).uniform<float>({10})) == third);
  CHECK(text == "philox4x32-10 2a 2");
}

TEST_CASE("the n-th draw depends on the seed and n alone") {
  rnd::generator a(7), b(7);
  const auto lost = a.normal({1000});  // never read
  b.integers<int>({3});
  CHECK(values(a.exponential({50})) == values(b.exponential({50})));
}

TEST_CASE("generators without a seed differ") {
  CHECK(rnd::generator().state() != rnd::generator().state());
}

TEST_CASE("splitting gives generators of their own") {
  rnd::generator a(42), b(42);
  auto children = a.split(3);
  auto [x, y] = b.split<2>();
  CHECK(children[0] == x);
  CHECK(children[1] == y);
  CHECK(a == b);
  CHECK(a.split(1)[0] != children[0]);
  std::set<std::uint64_t> seeds = {a.next_seed(), children[0].next_seed(), children[1].next_seed(),
                                   children[2].next_seed(), children[0].split(1)[0].next_seed()};
  CHECK(seeds.size() == 5);
  CHECK(a.split(0).empty());
}

TEST_CASE("a generator in a function that is replayed draws anew") {
  rnd::generator rng(5);
  auto noisy = sn::fuse(
      [&rng](const sn::array<float>& x) -> sn::array<float> { return x + rng.normal<float>({4}); });
  const sn::array<float> x = {1.0f, 2.0f, 3.0f, 4.0f};
  const auto a = values(noisy(x)), b = values(noisy(x)), c = values(noisy(x));
  CHECK(a != b);
  CHECK(b != c);
}

TEST_CASE("streams are not correlated") {
  rnd::generator root(2024);
  std::vector<std::vector<double>> streams;
  for (int i = 0; i < 6; ++i) streams.push_back(values(root.uniform({many})));
  for (auto& child : root.split(6)) {
    streams.push_back(values(child.uniform({many})));
    streams.push_back(values(child.split(1)[0].uniform({many})));
  }
  // Consecutive seeds, too.
  for (std::uint64_t s = 0; s < 6; ++s) {
    streams.push_back(values(rnd::uniform({many}, {.seed = s})));
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(std::abs(correlation(streams[i], streams[j])) < 4.5);
  }
}

TEST_CASE("neighbours in a stream are not correlated, nor are its bits") {
  const auto x = values(rnd::uniform({many + 64}, {.seed = 99}));
  const std::vector<double> start(x.begin(), x.end() - 64);
  for (int lag : {1, 2, 3, 4, 8, 16, 64}) {
    const std::vector<double> later(x.begin() + lag, x.begin() + lag + many);
    CHECK(std::abs(correlation(start, later)) < 4.5);
  }
  const auto words = rnd::integers<std::uint64_t>({many}, {.seed = 98, .endpoint = true});
  for (int bit = 0; bit < 64; ++bit) {
    const auto ones = sn::count_nonzero((words >> bit) & 1u).item();
    CHECK(std::abs(static_cast<double>(ones) - many / 2.0) < 5 * std::sqrt(many / 4.0));
  }
  // Pairs fill the square evenly.
  const auto cells = values(sn::floor(rnd::uniform({2 * many}, {.seed = 97}) * 10));
  std::vector<double> pairs;
  for (std::size_t i = 0; i < cells.size(); i += 2) pairs.push_back(10 * cells[i] + cells[i + 1]);
  CHECK(chi_square(pairs, [](std::int64_t) { return 0.01; }) < 4.5);
}

TEST_CASE("several draws of one call are not the same bits") {
  // Cauchy variables are quotients of two normal variables.
  const auto x = values(rnd::normal({many}, {.seed = 3})),
             y = values(rnd::cauchy({many}, {.seed = 3}));
  std::vector<double> other(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) other[i] = std::clamp(x[i] / y[i], -5.0, 5.0);
  CHECK(std::abs(correlation(x, other)) < 4.5);
}

TEST_CASE("every function of the namespace is a function of the generator") {
  const rnd::generator rng(1);
  const auto with = [&](auto draw) {
    rnd::generator g = rng;
    return values(draw(g));
  };
  rnd::generator seeds = rng;
  const std::uint64_t s = seeds.next_seed();
  CHECK(with([](auto& g) { return g.random({9}); }) == values(rnd::uniform({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.standard_normal({9}); }) ==
        values(rnd::normal({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.integers({9}, {.high = 9}); }) ==
        values(rnd::integers({9}, {.seed = s, .high = 9})));
  CHECK(with([](auto& g) { return g.exponential({9}, {.scale = 2}); }) ==
        values(rnd::exponential({9}, {.seed = s, .scale = 2})));
  CHECK(with([](auto& g) { return g.standard_exponential({9}); }) ==
        values(rnd::exponential({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.laplace({9}); }) == values(rnd::laplace({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.logistic({9}); }) == values(rnd::logistic({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.gumbel({9}); }) == values(rnd::gumbel({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.cauchy({9}); }) == values(rnd::cauchy({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.standard_cauchy({9}); }) ==
        values(rnd::cauchy({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.rayleigh({9}); }) == values(rnd::rayleigh({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.lognormal({9}); }) == values(rnd::lognormal({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.weibull({9}, {.a = 2}); }) ==
        values(rnd::weibull({9}, {.seed = s, .a = 2})));
  CHECK(with([](auto& g) { return g.pareto({9}, {.a = 2}); }) ==
        values(rnd::pareto({9}, {.seed = s, .a = 2})));
  CHECK(with([](auto& g) { return g.power({9}, {.a = 2}); }) ==
        values(rnd::power({9}, {.seed = s, .a = 2})));
  CHECK(with([](auto& g) { return g.triangular({9}); }) ==
        values(rnd::triangular({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.wald({9}); }) == values(rnd::wald({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.truncated_normal({9}, {.low = 1}); }) ==
        values(rnd::truncated_normal({9}, {.seed = s, .low = 1})));
  CHECK(with([](auto& g) { return g.bernoulli({9}); }) == values(rnd::bernoulli({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.geometric({9}); }) == values(rnd::geometric({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.choice(5, {9}); }) == values(rnd::choice(5, {9}, {.seed = s})));
  const sn::array<double> logits = {1.0, 2.0, 3.0}, cov = sn::eye(3);
  CHECK(with([&](auto& g) { return g.categorical(logits, {.shape = 9}); }) ==
        values(rnd::categorical(logits, {.seed = s, .shape = 9})));
  CHECK(with([&](auto& g) { return g.multivariate_normal(logits, cov); }) ==
        values(rnd::multivariate_normal(logits, cov, {.seed = s})));
  CHECK(with([](auto& g) { return g.permutation(9); }) == values(rnd::permutation(9, {.seed = s})));
  CHECK(with([](auto& g) { return g.permuted(sn::arange(9)); }) ==
        values(rnd::permuted(sn::arange(9), {.seed = s})));
  CHECK(with([](auto& g) {
          auto x = sn::arange(9);
          g.shuffle(x);
          return x;
        }) == values(rnd::permutation(sn::arange(9), {.seed = s})));
  CHECK(with([](auto& g) { return g.gamma({9}, {.shape = 2}); }) ==
        values(rnd::gamma({9}, {.seed = s, .shape = 2})));
  CHECK(with([](auto& g) { return g.standard_gamma({9}, {.shape = 2}); }) ==
        values(rnd::gamma({9}, {.seed = s, .shape = 2})));
  CHECK(with([](auto& g) { return g.beta({9}, {.a = 2, .b = 3}); }) ==
        values(rnd::beta({9}, {.seed = s, .a = 2, .b = 3})));
  CHECK(with([](auto& g) { return g.chisquare({9}, {.df = 2}); }) ==
        values(rnd::chisquare({9}, {.seed = s, .df = 2})));
  CHECK(with([](auto& g) { return g.noncentral_chisquare({9}, {.df = 2, .nonc = 1}); }) ==
        values(rnd::noncentral_chisquare({9}, {.seed = s, .df = 2, .nonc = 1})));
  CHECK(with([](auto& g) { return g.standard_t({9}, {.df = 2}); }) ==
        values(rnd::standard_t({9}, {.seed = s, .df = 2})));
  CHECK(with([](auto& g) { return g.f({9}, {.dfnum = 2, .dfden = 4}); }) ==
        values(rnd::f({9}, {.seed = s, .dfnum = 2, .dfden = 4})));
  CHECK(with([&](auto& g) { return g.dirichlet(logits); }) ==
        values(rnd::dirichlet(logits, {.seed = s})));
  CHECK(with([](auto& g) { return g.poisson({9}); }) == values(rnd::poisson({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.binomial({9}); }) == values(rnd::binomial({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.negative_binomial({9}); }) ==
        values(rnd::negative_binomial({9}, {.seed = s})));
  CHECK(with([](auto& g) { return g.logseries({9}); }) == values(rnd::logseries({9}, {.seed = s})));
  CHECK(with([](auto& g) {
          return g.multinomial(9, {0.25, 0.75});
        }) == values(rnd::multinomial(9, {0.25, 0.75}, {.seed = s})));
}

}  // namespace generator_test
