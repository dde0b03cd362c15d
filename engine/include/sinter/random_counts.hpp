#pragma once
// Poisson and binomial counts, and distributions derived from them: included by
// <sinter/random.hpp>. The opening comment of <sinter/random_discrete.hpp> applies. dtype: T, an
// integer type; a larger count becomes T's largest value. Candidates are drawn until one is
// accepted, in double, inside the kernel that uses the counts. The errors are those of the discrete
// distributions.

#include <limits>

#include <sinter/random_discrete.hpp>
#include <sinter/random_sampling.hpp>

namespace sinter::random {

struct poisson_options {
  std::optional<std::uint64_t> seed = {};
  parameter lam = 1;  // the mean, from 0 to 2^61
};

struct binomial_options {
  std::optional<std::uint64_t> seed = {};
  parameter n = 1;    // an integer from 0 to 2^53
  parameter p = 0.5;  // from 0 to 1
};

struct negative_binomial_options {
  std::optional<std::uint64_t> seed = {};
  parameter n = 1;    // > 0
  parameter p = 0.5;  // above 0, up to 1
};

struct multinomial_options {
  std::optional<std::uint64_t> seed = {};
  asked_shape shape = {};  // without the vectors' axis; none: that of the operands
};

}  // namespace sinter::random

namespace sinter::detail {

any_array poisson(dtype, shape_view, const random::poisson_options&, location);
any_array binomial(dtype, shape_view, const random::binomial_options&, location);
any_array negative_binomial(dtype, shape_view, const random::negative_binomial_options&, location);
any_array logseries(dtype, shape_view, const random::probability_options&, location);
any_array multinomial(dtype, const random::parameter& n, const random::weights& p,
                      const random::multinomial_options&, location);

}  // namespace sinter::detail

namespace sinter::random {

/// Poisson: P(k) = lam^k exp(-lam) / k!. By inversion below a mean of 10, above it by Hormann's
/// PTRS (1993). `random::poisson({1000}, {.seed = 1, .lam = 4.5})`
template <detail::count_type T = std::int64_t>
array<T> poisson(const int_list& shape, const poisson_options& options = {},
                 location where = location::current()) {
  return array<T>(detail::poisson(dtype_of<T>, shape, options, where));
}

/// Binomial: the number of successes in n trials of probability p. By inversion below a mean of 10
/// (of successes or failures), above it by Hormann's BTRS (1993).
/// `random::binomial({1000}, {.n = 100, .p = 0.3})`
template <detail::count_type T = std::int64_t>
array<T> binomial(const int_list& shape, const binomial_options& options = {},
                  location where = location::current()) {
  return array<T>(detail::binomial(dtype_of<T>, shape, options, where));
}

/// Negative binomial: the number of failures before the n-th success, of probability p; n need not
/// be an integer. `random::negative_binomial({1000}, {.n = 5, .p = 0.3})`
template <detail::count_type T = std::int64_t>
array<T> negative_binomial(const int_list& shape, const negative_binomial_options& options = {},
                           location where = location::current()) {
  return array<T>(detail::negative_binomial(dtype_of<T>, shape, options, where));
}

/// Logarithmic series: P(k) = -p^k / (k log(1 - p)) for k >= 1, 0 < p < 1. Kemp (1981).
/// `random::logseries({1000}, {.p = 0.9})`
template <detail::count_type T = std::int64_t>
array<T> logseries(const int_list& shape, const probability_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::logseries(dtype_of<T>, shape, options, where));
}

/// Multinomial: how often each of k outcomes occurs in n trials. Shape (shape..., k) for
/// probabilities (..., k), which broadcast with n. Probabilities given as numbers must not sum to
/// more than 1. The last probability is the remainder, also for arrays. Draws one binomial after
/// another, so k should not be large. Throws shape_error, value_error.
/// `random::multinomial(20, {1 / 6., ...}, {.seed = 1, .shape = 1000})`
template <detail::count_type T = std::int64_t>
array<T> multinomial(const parameter& n, const weights& p, const multinomial_options& options = {},
                     location where = location::current()) {
  return array<T>(detail::multinomial(dtype_of<T>, n, p, options, where));
}

}  // namespace sinter::random
