#pragma once
// Continuous distributions: included by <sinter/random.hpp>. For all of them: dtype T, a real
// float; half types are computed in float32 and rounded once. All throw shape_error for a bad shape
// or a parameter that does not broadcast to it, dtype_error for a complex parameter, value_error
// for an invalid number (see <sinter/random.hpp> for arrays).

#include <limits>

#include <sinter/random_parameter.hpp>

namespace sinter::random {

struct scale_options {
  std::optional<std::uint64_t> seed = {};
  parameter scale = 1;  // >= 0
};

struct location_scale_options {
  std::optional<std::uint64_t> seed = {};
  parameter loc = 0, scale = 1;  // scale >= 0
};

struct seed_options {
  std::optional<std::uint64_t> seed = {};
};

struct lognormal_options {
  std::optional<std::uint64_t> seed = {};
  parameter mean = 0, sigma = 1;  // of the logarithm; sigma >= 0
};

/// Options of a distribution with one parameter, which has no default.
struct shape_options {
  std::optional<std::uint64_t> seed = {};
  parameter a = std::numeric_limits<double>::quiet_NaN();
};

struct triangular_options {
  std::optional<std::uint64_t> seed = {};
  parameter left = 0, mode = 0.5, right = 1;  // left <= mode <= right, left < right
};

struct wald_options {
  std::optional<std::uint64_t> seed = {};
  parameter mean = 1, scale = 1;  // both > 0
};

struct truncated_normal_options {
  std::optional<std::uint64_t> seed = {};
  parameter low = -std::numeric_limits<double>::infinity();
  parameter high = std::numeric_limits<double>::infinity();
  parameter mean = 0, stddev = 1;  // of the normal distribution before truncation; stddev > 0
};

}  // namespace sinter::random

namespace sinter::detail {

any_array exponential(dtype, shape_view, const random::scale_options&, location);
any_array laplace(dtype, shape_view, const random::location_scale_options&, location);
any_array logistic(dtype, shape_view, const random::location_scale_options&, location);
any_array gumbel(dtype, shape_view, const random::location_scale_options&, location);
any_array cauchy(dtype, shape_view, const random::location_scale_options&, location);
any_array rayleigh(dtype, shape_view, const random::scale_options&, location);
any_array lognormal(dtype, shape_view, const random::lognormal_options&, location);
any_array weibull(dtype, shape_view, const random::shape_options&, location);
any_array pareto(dtype, shape_view, const random::shape_options&, location);
any_array power(dtype, shape_view, const random::shape_options&, location);
any_array triangular(dtype, shape_view, const random::triangular_options&, location);
any_array wald(dtype, shape_view, const random::wald_options&, location);
any_array truncated_normal(dtype, shape_view, const random::truncated_normal_options&, location);

}  // namespace sinter::detail

namespace sinter::random {

/// Exponential: density exp(-x / scale) / scale for x > 0. Small values are resolved as finely as
/// large values reach far. `random::exponential<float>({1000}, {.seed = 1, .scale = 2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> exponential(const int_list& shape, const scale_options& options = {},
                     location where = location::current()) {
  return array<T>(detail::exponential(dtype_of<T>, shape, options, where));
}

/// `exponential` with scale 1. `random::standard_exponential<float>({1000}, {.seed = 1})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> standard_exponential(const int_list& shape, const seed_options& options = {},
                              location where = location::current()) {
  return exponential<T>(shape, {.seed = options.seed}, where);
}

/// Laplace: density exp(-|x - loc| / scale) / (2 scale). `random::laplace({1000}, {.scale = 2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> laplace(const int_list& shape, const location_scale_options& options = {},
                 location where = location::current()) {
  return array<T>(detail::laplace(dtype_of<T>, shape, options, where));
}

/// Logistic: P(X < x) = 1 / (1 + exp(-(x - loc) / scale)). `random::logistic({1000}, {.loc = 3})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> logistic(const int_list& shape, const location_scale_options& options = {},
                  location where = location::current()) {
  return array<T>(detail::logistic(dtype_of<T>, shape, options, where));
}

/// Gumbel, the maximum of many: P(X < x) = exp(-exp(-(x - loc) / scale)). `random::gumbel({1000})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> gumbel(const int_list& shape, const location_scale_options& options = {},
                location where = location::current()) {
  return array<T>(detail::gumbel(dtype_of<T>, shape, options, where));
}

/// Cauchy: density 1 / (pi scale (1 + ((x - loc) / scale)^2)); by default NumPy's standard_cauchy.
/// `random::cauchy({1000}, {.seed = 1})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> cauchy(const int_list& shape, const location_scale_options& options = {},
                location where = location::current()) {
  return array<T>(detail::cauchy(dtype_of<T>, shape, options, where));
}

/// Rayleigh: density x / scale^2 exp(-(x / scale)^2 / 2) for x > 0. `random::rayleigh({1000})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> rayleigh(const int_list& shape, const scale_options& options = {},
                  location where = location::current()) {
  return array<T>(detail::rayleigh(dtype_of<T>, shape, options, where));
}

/// Lognormal: exp of a normal variable. `random::lognormal({1000}, {.mean = 1, .sigma = 0.5})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> lognormal(const int_list& shape, const lognormal_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::lognormal(dtype_of<T>, shape, options, where));
}

/// Weibull with scale 1: P(X > x) = exp(-x^a), a >= 0. `random::weibull({1000}, {.a = 1.5})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> weibull(const int_list& shape, const shape_options& options,
                 location where = location::current()) {
  return array<T>(detail::weibull(dtype_of<T>, shape, options, where));
}

/// Pareto II (Lomax): P(X > x) = (1 + x)^-a, a > 0. `random::pareto({1000}, {.a = 3})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> pareto(const int_list& shape, const shape_options& options,
                location where = location::current()) {
  return array<T>(detail::pareto(dtype_of<T>, shape, options, where));
}

/// Power: density a x^(a - 1) in [0, 1], a > 0. `random::power({1000}, {.a = 5})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> power(const int_list& shape, const shape_options& options,
               location where = location::current()) {
  return array<T>(detail::power(dtype_of<T>, shape, options, where));
}

/// Triangular in [left, right], with the peak at mode. `random::triangular({1000}, {.mode = 0.2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> triangular(const int_list& shape, const triangular_options& options = {},
                    location where = location::current()) {
  return array<T>(detail::triangular(dtype_of<T>, shape, options, where));
}

/// Wald, the inverse Gaussian: the hitting time of a drifting Brownian motion.
/// `random::wald({1000})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> wald(const int_list& shape, const wald_options& options = {},
              location where = location::current()) {
  return array<T>(detail::wald(dtype_of<T>, shape, options, where));
}

/// Normal with this mean and stddev, truncated to [low, high]: by the inverse CDF, equally accurate
/// in the tails and in the middle. Computed in double. Throws value_error unless low < high.
/// `random::truncated_normal<float>({1000}, {.seed = 1, .low = -2, .high = 2})`
template <element T = double>
  requires(detail::is_real_float<T>)
array<T> truncated_normal(const int_list& shape, const truncated_normal_options& options = {},
                          location where = location::current()) {
  return array<T>(detail::truncated_normal(dtype_of<T>, shape, options, where));
}

}  // namespace sinter::random
