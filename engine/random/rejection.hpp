#pragma once
// Rejection sampling: candidates, per element, until one is accepted; all rounds in one kernel. The
// draws of a round are a function of the key, the element and the round alone.

#include <functional>

#include "engine/random/draws.hpp"

namespace sinter::detail {

/// The inputs of a round. Its random numbers are two 64-bit words.
struct attempt {
  term low, high;
  dtype compute;

  /// Uniform in (0, 1), from the first or second half of the bits.
  term uniform(const term& word) const;
  /// Standard normal, from one word.
  term normal(const term& word) const;
};

/// A candidate and whether it is accepted.
struct candidate {
  term value, accepted;
};

/// The first accepted value where `wanted`, elsewhere `otherwise`. `round` is called once, on terms
/// of the draws' shape. REQUIRES: every wanted element can be accepted in every round.
term first_accepted(draws& d, const term& wanted, const term& otherwise,
                    const std::function<candidate(const attempt&)>& round);

/// Iterates `next` on several values while `more` holds for them.
std::vector<term> while_true(
    const draws& d, std::vector<term> first,
    const std::function<term(const std::vector<term>&)>& more,
    const std::function<std::vector<term>(const std::vector<term>&, const term& round)>& next);

// Variables that others are built from.

/// A gamma variable with scale 1 for an alpha above 0, NaN for any other: factor * exp(power).
/// `power` is 0 for an alpha of 1 or more, else a logarithm, far below 0 for a small alpha, where
/// the variable itself would underflow.
struct gamma_variable {
  term factor, power;

  term value() const { return factor * exp_of(power); }
  term logarithm() const { return log_of(factor) + power; }
};
gamma_variable standard_gamma(draws& d, const term& alpha);
/// NaN if the mean is not in [0, 2^62]. REQUIRES: double.
term poisson_variable(draws& d, const term& mean);

}  // namespace sinter::detail
