#pragma once
// The gamma distribution, and distributions derived from it: included by <sinter/random.hpp>. The
// opening comment of <sinter/random_continuous.hpp> applies, errors included. Candidates are drawn
// until one is accepted, inside the kernel that uses the numbers.

#include <limits>

#include <sinter/random_parameter.hpp>
#include <sinter/reductions.hpp>

namespace sinter::random {

struct gamma_options {
  std::optional<std::uint64_t> seed = {};
  parameter shape = std::numeric_limits<double>::quiet_NaN();  // >= 0; no default
  parameter scale = 1;                                         // >= 0
};

struct standard_gamma_options {
  std::optional<std::uint64_t> seed = {};
  parameter shape = std::numeric_limits<double>::quiet_NaN();  // >= 0; no default
};

struct beta_options {
  std::optional<std::uint64_t> seed = {};
  parameter a = std::numeric_limits<double>::quiet_NaN();  // both > 0; no default
  parameter b = std::numeric_limits<double>::quiet_NaN();
};

struct freedom_options {
  std::optional<std::uint64_t> seed = {};
  parameter df = std::numeric_limits<double>::quiet_NaN();  // > 0; no default
};

struct f_options {
  std::optional<std::uint64_t> seed = {};
  parameter dfnum = std::numeric_limits<double>::quiet_NaN();  // both > 0; no default
  parameter dfden = std::numeric_limits<double>::quiet_NaN();
};

struct noncentral_options {
  std::optional<std::uint64_t> seed = {};
  parameter df = std::numeric_limits<double>::quiet_NaN();    // > 0; no default
  parameter nonc = std::numeric_limits<double>::quiet_NaN();  // >= 0; no default
};

struct dirichlet_options {
  std::optional<std::uint64_t> seed = {};
  asked_shape shape = {};  // without the vectors' axis; none: that of alpha
};

}  // namespace sinter::random

namespace sinter::detail {

any_array gamma(dtype, shape_view, const random::gamma_options&, location);
any_array beta(dtype, shape_view, const random::beta_options&, location);
any_array chisquare(dtype, shape_view, const random::freedom_options&, location);
any_array student_t(dtype, shape_view, const random::freedom_options&, location);
any_array f(dtype, shape_view, const random::f_options&, location);
any_array noncentral_chisquare(dtype, shape_view, const random::noncentral_options&, location);
any_array dirichlet(dtype, const any_array& alpha, const random::dirichlet_options&, location);

}  // namespace sinter::detail

namespace sinter::random {

/// Gamma: density proportional to x^(shape - 1) exp(-x / scale). Marsaglia and Tsang (2000).
/// `random::gamma<float>({1000}, {.seed = 1, .shape = 2.5, .scale = 3})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> gamma(const int_list& shape, const gamma_options& options,
               location where = location::current()) {
  return array<T>(detail::gamma(dtype_of<T>, shape, options, where));
}

/// `gamma` with scale 1. `random::standard_gamma({1000}, {.shape = 0.5})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> standard_gamma(const int_list& shape, const standard_gamma_options& options,
                        location where = location::current()) {
  return gamma<T>(shape, {.seed = options.seed, .shape = options.shape}, where);
}

/// Beta: density proportional to x^(a - 1) (1 - x)^(b - 1), also for tiny a and b.
/// `random::beta({1000}, {.a = 0.5, .b = 2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> beta(const int_list& shape, const beta_options& options,
              location where = location::current()) {
  return array<T>(detail::beta(dtype_of<T>, shape, options, where));
}

/// Chi-square with df degrees of freedom. `random::chisquare({1000}, {.df = 3})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> chisquare(const int_list& shape, const freedom_options& options,
                   location where = location::current()) {
  return array<T>(detail::chisquare(dtype_of<T>, shape, options, where));
}

/// Noncentral chi-square: of normal variables with means whose squares sum to nonc. Computed in
/// double. `random::noncentral_chisquare({1000}, {.df = 3, .nonc = 2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> noncentral_chisquare(const int_list& shape, const noncentral_options& options,
                              location where = location::current()) {
  return array<T>(detail::noncentral_chisquare(dtype_of<T>, shape, options, where));
}

/// Student's t with df degrees of freedom. `random::standard_t({1000}, {.df = 3})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> standard_t(const int_list& shape, const freedom_options& options,
                    location where = location::current()) {
  return array<T>(detail::student_t(dtype_of<T>, shape, options, where));
}

/// F: the ratio of two chi-square variables, each divided by its degrees of freedom.
/// `random::f({1000}, {.dfnum = 3, .dfden = 10})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> f(const int_list& shape, const f_options& options, location where = location::current()) {
  return array<T>(detail::f(dtype_of<T>, shape, options, where));
}

/// Dirichlet: vectors of positive numbers along the last axis that sum to 1, with a density
/// proportional to the product of x^(alpha - 1). Shape (shape..., n) for an alpha of shape (...,
/// n), all above 0. `random::dirichlet(alpha, {.seed = 1, .shape = 1000})`
template <element T = double, detail::ordered A>
  requires(detail::is_real_float<T>)
array<T> dirichlet(A&& alpha, const dirichlet_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::dirichlet(dtype_of<T>, detail::to_any(std::forward<A>(alpha), where),
                                    options, where));
}

}  // namespace sinter::random
