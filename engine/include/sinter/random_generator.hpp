#pragma once
// A generator: seeds for one array after another. Included by <sinter/random.hpp>.

#include <array>
#include <string>
#include <vector>

#include <sinter/random.hpp>

namespace sinter::random {

/// The complete state of a generator: two words, which can be saved as they are.
struct generator_state {
  std::uint64_t seed = 0;   // of this generator
  std::uint64_t drawn = 0;  // the number of arrays and splits so far
  bool operator==(const generator_state&) const = default;
};

/// NumPy's default_rng: every array drawn from it has different numbers, which are the same in
/// every run, on every device and however they are computed. The n-th draw depends only on the seed
/// and n. A copy has the same state, so it draws the same numbers. A generator serves one thread at
/// a time; `split` makes one per thread.
/// `auto rng = random::generator(42); auto x = rng.normal<float>({1000});`
class generator {
 public:
  /// Seeded by the system: different numbers in every run.
  generator();
  explicit generator(std::uint64_t seed) : state_{seed, 0} {}
  explicit generator(const generator_state& state) : state_(state) {}
  /// Restores a generator from the text of `to_string`. Throws value_error for any other text.
  static generator from_string(std::string_view text, location where = location::current());

  const generator_state& state() const { return state_; }
  /// "philox4x32-10 <seed> <drawn>", in hexadecimal digits.
  std::string to_string() const;
  bool operator==(const generator&) const = default;

  /// Generators that are independent of each other and of this one's draws: for threads, or for
  /// parts of a program. Counts as a draw, so the next split gives different ones. Throws
  /// value_error for a negative count. `auto [a, b] = rng.split<2>();`, `rng.split(n)`
  std::vector<generator> split(std::int64_t count, location where = location::current());
  template <std::size_t N> std::array<generator, N> split() {
    return children<N>(split_seed(), std::make_index_sequence<N>());
  }

  /// A seed for a function with a seed option. `random::normal({3}, {.seed = rng.next_seed()})`
  std::uint64_t next_seed();

  // The functions of sinter::random, each with the next seed. Options that contain a seed throw
  // value_error.

  /// Uniform floats in [0, 1). `rng.random<float>({3, 4})`
  template <element T = double>
  array<T> random(const int_list& shape, location where = location::current()) {
    return random::uniform<T>(shape, {.seed = next_seed()}, where);
  }
  template <element T = double>
  array<T> uniform(const int_list& shape, uniform_options o = {},
                   location where = location::current()) {
    return random::uniform<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> normal(const int_list& shape, normal_options o = {},
                  location where = location::current()) {
    return random::normal<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> standard_normal(const int_list& shape, location where = location::current()) {
    return random::normal<T>(shape, {.seed = next_seed()}, where);
  }
  template <element T = std::int64_t>
  array<T> integers(const int_list& shape, integer_options<T> o = {},
                    location where = location::current()) {
    return random::integers<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> exponential(const int_list& shape, scale_options o = {},
                       location where = location::current()) {
    return random::exponential<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> standard_exponential(const int_list& shape, location where = location::current()) {
    return random::exponential<T>(shape, {.seed = next_seed()}, where);
  }
  template <element T = double>
  array<T> laplace(const int_list& shape, location_scale_options o = {},
                   location where = location::current()) {
    return random::laplace<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> logistic(const int_list& shape, location_scale_options o = {},
                    location where = location::current()) {
    return random::logistic<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> gumbel(const int_list& shape, location_scale_options o = {},
                  location where = location::current()) {
    return random::gumbel<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> cauchy(const int_list& shape, location_scale_options o = {},
                  location where = location::current()) {
    return random::cauchy<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> standard_cauchy(const int_list& shape, location where = location::current()) {
    return random::cauchy<T>(shape, {.seed = next_seed()}, where);
  }
  template <element T = double>
  array<T> rayleigh(const int_list& shape, scale_options o = {},
                    location where = location::current()) {
    return random::rayleigh<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> lognormal(const int_list& shape, lognormal_options o = {},
                     location where = location::current()) {
    return random::lognormal<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> weibull(const int_list& shape, shape_options o, location where = location::current()) {
    return random::weibull<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> pareto(const int_list& shape, shape_options o, location where = location::current()) {
    return random::pareto<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> power(const int_list& shape, shape_options o, location where = location::current()) {
    return random::power<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> triangular(const int_list& shape, triangular_options o = {},
                      location where = location::current()) {
    return random::triangular<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> wald(const int_list& shape, wald_options o = {}, location where = location::current()) {
    return random::wald<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> truncated_normal(const int_list& shape, truncated_normal_options o = {},
                            location where = location::current()) {
    return random::truncated_normal<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> gamma(const int_list& shape, gamma_options o, location where = location::current()) {
    return random::gamma<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> standard_gamma(const int_list& shape, standard_gamma_options o,
                          location where = location::current()) {
    return random::standard_gamma<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> beta(const int_list& shape, beta_options o, location where = location::current()) {
    return random::beta<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> chisquare(const int_list& shape, freedom_options o,
                     location where = location::current()) {
    return random::chisquare<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> noncentral_chisquare(const int_list& shape, noncentral_options o,
                                location where = location::current()) {
    return random::noncentral_chisquare<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> standard_t(const int_list& shape, freedom_options o,
                      location where = location::current()) {
    return random::standard_t<T>(shape, seeded(o, where), where);
  }
  template <element T = double>
  array<T> f(const int_list& shape, f_options o, location where = location::current()) {
    return random::f<T>(shape, seeded(o, where), where);
  }
  template <element T = double, detail::ordered A>
  array<T> dirichlet(A&& alpha, dirichlet_options o = {}, location where = location::current()) {
    return random::dirichlet<T>(std::forward<A>(alpha), seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> poisson(const int_list& shape, poisson_options o = {},
                   location where = location::current()) {
    return random::poisson<T>(shape, seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> binomial(const int_list& shape, binomial_options o = {},
                    location where = location::current()) {
    return random::binomial<T>(shape, seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> negative_binomial(const int_list& shape, negative_binomial_options o = {},
                             location where = location::current()) {
    return random::negative_binomial<T>(shape, seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> logseries(const int_list& shape, probability_options o = {},
                     location where = location::current()) {
    return random::logseries<T>(shape, seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> multinomial(const parameter& n, const weights& p, multinomial_options o = {},
                       location where = location::current()) {
    return random::multinomial<T>(n, p, seeded(o, where), where);
  }
  template <element T = bool>
  array<T> bernoulli(const int_list& shape, probability_options o = {},
                     location where = location::current()) {
    return random::bernoulli<T>(shape, seeded(o, where), where);
  }
  template <element T = std::int64_t>
  array<T> geometric(const int_list& shape, probability_options o = {},
                     location where = location::current()) {
    return random::geometric<T>(shape, seeded(o, where), where);
  }
  template <detail::ordered X>
  array<std::int64_t> categorical(X&& logits, categorical_options o = {},
                                  location where = location::current()) {
    return random::categorical(std::forward<X>(logits), seeded(o, where), where);
  }
  template <class X>
  auto choice(X&& x, const int_list& shape, choice_options o = {},
              location where = location::current()) {
    return random::choice(std::forward<X>(x), shape, seeded(o, where), where);
  }
  template <class X>
  auto permutation(X&& x, permutation_options o = {}, location where = location::current()) {
    return random::permutation(std::forward<X>(x), seeded(o, where), where);
  }
  template <class X>
  auto permuted(X&& x, permuted_options o = {}, location where = location::current()) {
    return random::permuted(std::forward<X>(x), seeded(o, where), where);
  }
  template <element T>
  void shuffle(array<T>& x, permutation_options o = {}, location where = location::current()) {
    random::shuffle(x, seeded(o, where), where);
  }
  template <element T = double, detail::ordered M, detail::ordered C>
  array<T> multivariate_normal(M&& mean, C&& cov, multivariate_normal_options o = {},
                               location where = location::current()) {
    return random::multivariate_normal<T>(std::forward<M>(mean), std::forward<C>(cov),
                                          seeded(o, where), where);
  }

 private:
  [[noreturn]] static void throw_second_seed(location where);
  std::uint64_t split_seed();
  static generator child(std::uint64_t seed, std::uint64_t number);
  template <std::size_t N, std::size_t... I>
  static std::array<generator, N> children(std::uint64_t seed, std::index_sequence<I...>) {
    return {child(seed, I)...};
  }

  template <class Options> Options& seeded(Options& o, location where) {
    if (o.seed) throw_second_seed(where);
    o.seed = next_seed();
    return o;
  }

  generator_state state_;
};

/// NumPy's name of generator. `auto rng = random::default_rng(42);`
using default_rng = generator;

}  // namespace sinter::random
