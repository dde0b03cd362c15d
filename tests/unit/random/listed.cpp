// Every listed distribution: moments, the distance from the distribution function (Kolmogorov and
// Smirnov), and correlations between streams of its values.

#include <numeric>

#include "samples.hpp"

namespace listed_test {

namespace rnd = sinter::random;
using namespace random_tests;

namespace {

using cdf = std::function<double(double)>;

struct listed {
  const char* name;
  std::function<std::vector<double>(rnd::generator&)> draw;
  double mean, variance;
  cdf below_or_at;
  bool whole = false;  // of integers
};

/// The distribution function of weights for 0, 1, ...
cdf steps(std::vector<double> weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  return [=](double x) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size() && static_cast<double>(i) <= x; ++i) {
      sum += weights[i] / all;
    }
    return std::min(sum, 1.0);
  };
}

/// Weights of the counts up to 60.
std::vector<double> counted(const std::function<double(double)>& log_weight) {
  std::vector<double> w;
  for (int k = 0; k <= 60; ++k) w.push_back(std::exp(log_weight(k)));
  return w;
}
double log_factorial(double k) {
  return std::lgamma(k + 1);
}

std::vector<double> first_half(const sn::array<std::int64_t>& x) {
  return values(x(sn::slice(0, many)));
}

const std::vector<double> weights = {0.1, 0.4, 0.3, 0.2};
constexpr double of_weights = 1.6, spread_of_weights = 0.84;

std::vector<listed> whole_numbers() {
  const auto poisson = counted([](double k) { return k * std::log(4.0) - 4 - log_factorial(k); });
  const auto binomial = counted([](double k) {
    if (k > 20) return -1e9;
    return log_factorial(20) - log_factorial(k) - log_factorial(20 - k) + k * std::log(0.3) +
           (20 - k) * std::log(0.7);
  });
  const auto logits = sn::log(sn::asarray(weights)).to_array();
  return {
      {"integers", [](auto& g) { return values(g.integers({many}, {.low = 0, .high = 10})); }, 4.5,
       8.25, steps(std::vector<double>(10, 1)), true},
      {"binomial", [](auto& g) { return values(g.binomial({many}, {.n = 20, .p = 0.3})); }, 6, 4.2,
       steps(binomial), true},
      {"poisson", [](auto& g) { return values(g.poisson({many}, {.lam = 4})); }, 4, 4,
       steps(poisson), true},
      {"bernoulli", [](auto& g) { return values(g.bernoulli({many}, {.p = 0.3})); }, 0.3, 0.21,
       steps({0.7, 0.3}), true},
      {"choice", [](auto& g) { return values(g.choice(4, {many}, {.p = weights})); }, of_weights,
       spread_of_weights, steps(weights), true},
      {"categorical", [=](auto& g) { return values(g.categorical(logits, {.shape = many})); },
       of_weights, spread_of_weights, steps(weights), true},
      // Half of a permutation of twice as many is a sample without replacement.
      {"permutation", [](auto& g) { return first_half(g.permutation(2 * many)); }, many - 0.5,
       (4.0 * many * many - 1) / 12, [](double x) { return (x + 1) / (2.0 * many); }, true},
      {"shuffle",
       [](auto& g) {
         auto x = sn::arange<std::int64_t>(2 * many);
         g.shuffle(x);
         return first_half(x);
       },
       many - 0.5, (4.0 * many * many - 1) / 12, [](double x) { return (x + 1) / (2.0 * many); },
       true},
  };
}

double density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

std::vector<listed> real_numbers() {
  const double part = normal_cdf(2) - normal_cdf(-1), mean = (density(-1) - density(2)) / part,
               variance = 1 + (-density(-1) - 2 * density(2)) / part - mean * mean;
  const sn::array<double> centre{1, -2}, spread{{4, 1}, {1, 9}};
  return {
      {"uniform", [](auto& g) { return values(g.uniform({many}, {.low = -1, .high = 3})); }, 1,
       16 / 12.0, [](double x) { return (x + 1) / 4; }},
      {"normal", [](auto& g) { return values(g.normal({many}, {.mean = 2, .stddev = 3})); }, 2, 9,
       [](double x) { return normal_cdf((x - 2) / 3); }},
      {"standard_exponential", [](auto& g) { return values(g.standard_exponential({many})); }, 1, 1,
       [](double x) { return -std::expm1(-x); }},
      {"gamma", [](auto& g) { return values(g.gamma({many}, {.shape = 2, .scale = 3})); }, 6, 18,
       [](double x) { return 1 - std::exp(-x / 3) * (1 + x / 3); }},
      {"beta", [](auto& g) { return values(g.beta({many}, {.a = 2, .b = 3})); }, 0.4, 0.04,
       [](double x) { return x * x * (6 - 8 * x + 3 * x * x); }},
      {"truncated_normal",
       [](auto& g) { return values(g.truncated_normal({many}, {.low = -1, .high = 2})); }, mean,
       variance, [=](double x) { return (normal_cdf(x) - normal_cdf(-1)) / part; }},
      {"multivariate_normal",
       [=](auto& g) {
         const auto x = g.multivariate_normal(centre, spread, {.shape = many}).to_array();
         return values(x(sn::_, 1));
       },
       -2, 9, [](double x) { return normal_cdf((x + 2) / 3); }},
  };
}

std::vector<listed> all() {
  auto rows = real_numbers();
  for (listed& row : whole_numbers()) rows.push_back(std::move(row));
  return rows;
}

/// The largest distance at integers, where both functions step, times sqrt(n).
double whole_distance(std::vector<double> x, const cdf& f) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i + 1 < x.size() && x[i + 1] == x[i]) continue;
    distance = std::max(distance, std::abs(static_cast<double>(i + 1) / n - f(x[i])));
  }
  return distance * std::sqrt(n);
}

}  // namespace

TEST_CASE("listed distributions have their moments and their distribution function") {
  rnd::generator rng(20260101);
  for (const listed& row : all()) {
    INFO(row.name);
    const auto x = row.draw(rng);
    CHECK(x.size() == many);
    check_moments(sn::asarray(x), row.mean, row.variance, 0.03);
    CHECK((row.whole ? whole_distance(x, row.below_or_at) : ks_distance(x, row.below_or_at)) <
          2.22);
  }
}

TEST_CASE("streams of each listed distribution are not correlated") {
  for (const listed& row : all()) {
    INFO(row.name);
    rnd::generator root(77), next(78);
    std::vector<std::vector<double>> streams;
    streams.push_back(row.draw(root));  // consecutive draws
    streams.push_back(row.draw(root));
    for (auto& child : root.split(2)) streams.push_back(row.draw(child));
    streams.push_back(row.draw(next));  // consecutive seeds
    for (std::size_t i = 0; i < streams.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK(std::abs(correlation(streams[i], streams[j])) < 4.5);
      }
    }
    // Neighbours in one stream.
    const auto& x = streams[0];
    CHECK(std::abs(correlation({x.begin(), x.end() - 1}, {x.begin() + 1, x.end()})) < 4.5);
  }
}

}  // namespace listed_test
