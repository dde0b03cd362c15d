#pragma once
// Poisson and binomial counts and what is made of them: included by <sinter/random.hpp>. What is
// said of all discrete distributions in <sinter/random_discrete.hpp> holds here. dtype: T, an
// integer type; what it does not hold is its largest value. Candidates are drawn until one is
// accepted, in double and inside the kernel that uses the counts. They throw what those do.

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
  parameter n = 1;    // a whole number from 0 to 2^53
  parameter p = 0.5;  // from 0 to 1
};

struct negative_binomial_options {
  std::optional<std::uint64_t> seed = {};
  parameter n = 1;    // > 0
  parameter p = 0.5;  // above 0, up to 1
};

struct multinomial_options {
  std::optional<std::uint64_t> seed = {};
  asked_shape shape = {};  // without the vectors' axis; none: the operands' own
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

/// Events of a mean lam: P(k) = lam^k exp(-lam) / k!. Below a mean of 10 by inversion, above by
/// Hormann's PTRS (1993). `random::poisson({1000}, {.seed = 1, .lam = 4.5})`
template <detail::count_type T = std::int64_t>
array<T> poisson(const int_list& shape, const poisson_options& options = {},
                 location where = location::current()) {
  return array<T>(detail::poisson(dtype_of<T>, shape, options, where));
}

/// Successes in n trials of probability p. Below a mean of 10 (of successes or failures) by
/// inversion, above by Hormann's BTRS (1993). `random::binomial({1000}, {.n = 100, .p = 0.3})`
template <detail::count_type T = std::int64_t>
array<T> binomial(const int_list& shape, const binomial_options& options = {},
                  location where = location::current()) {
  return array<T>(detail::binomial(dtype_of<T>, shape, options, where));
}

/// Failures before the n-th success, of probability p; n need not be whole.
/// `random::negative_binomial({1000}, {.n = 5, .p = 0.3})`
template <detail::count_type T = std::int64_t>
array<T> negative_binomial(const int_list& shape, const negative_binomial_options& options = {},
                           location where = location::current()) {
  return array<T>(detail::negative_binomial(dtype_of<T>, shape, options, where));
}

/// P(k) = -p^k / (k log(1 - p)) for k >= 1, 0 < p < 1. Kemp (1981).
/// `random::logseries({1000}, {.p = 0.9})`
template <detail::count_type T = std::int64_t>
array<T> logseries(const int_list& shape, const probability_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::logseries(dtype_of<T>, shape, options, where));
}

/// How often each of k outcomes comes in n trials: (shape..., k) for probabilities (..., k), which
/// broadcast with n. Numbers as probabilities must not sum to more than 1, and the last one is what
/// is left; so it is for arrays. One binomial after another: for a k that is not large. Throws
/// shape_error, value_error. `random::multinomial(20, {1 / 6., ...}, {.seed = 1, .shape = 1000})`
template <detail::count_type T = std::int64_t>
array<T> multinomial(const parameter& n, const weights& p, const multinomial_options& options = {},
                     location where = location::current()) {
  return array<T>(detail::multinomial(dtype_of<T>, n, p, options, where));
}

}  // namespace sinter::random
