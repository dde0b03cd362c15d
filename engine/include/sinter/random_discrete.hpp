#pragma once
// Discrete distributions: included by <sinter/random.hpp>. Probabilities are compared in double.
// All throw shape_error for a bad shape or a parameter that does not broadcast to it, dtype_error
// for a complex parameter, value_error for an invalid number.

#include <sinter/random_parameter.hpp>
#include <sinter/reductions.hpp>

namespace sinter::random {

struct probability_options {
  std::optional<std::uint64_t> seed = {};
  parameter p = 0.5;
};

struct categorical_options {
  std::optional<std::uint64_t> seed = {};
  std::int64_t axis = -1;
  asked_shape shape = {};  // of the result; none: that of the logits without the axis
};

}  // namespace sinter::random

namespace sinter::detail {

any_array bernoulli(dtype, shape_view, const random::probability_options&, location);
any_array geometric(dtype, shape_view, const random::probability_options&, location);
any_array categorical(const any_array& logits, const random::categorical_options&, location);

template <class T>
concept count_type = element<T> && std::integral<T>;

}  // namespace sinter::detail

namespace sinter::random {

/// Bernoulli: true (1 for number types) with probability p, 0 <= p <= 1.
/// `random::bernoulli({1000}, {.p = 0.1})`
template <element T = bool>
array<T> bernoulli(const int_list& shape, const probability_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::bernoulli(dtype_of<T>, shape, options, where));
}

/// Geometric: the number of trials up to and including the first success, 0 < p <= 1. dtype: T, an
/// integer type; a larger number becomes T's largest value. `random::geometric({1000}, {.p = 0.1})`
template <detail::count_type T = std::int64_t>
array<T> geometric(const int_list& shape, const probability_options& options = {},
                   location where = location::current()) {
  return array<T>(detail::geometric(dtype_of<T>, shape, options, where));
}

/// Categorical: indices along an axis, i with a probability proportional to exp(logits[i]). Shape:
/// that of the logits without the axis, or `shape`, to which it broadcasts. dtype: int64. Uses the
/// Gumbel trick, whose work is the number of results times the number of logits. Throws
/// shape_error, axis_error, dtype_error, value_error for an axis of extent 0.
/// `random::categorical(log(p), {.seed = 1, .shape = 1000})`
template <detail::ordered X>
array<std::int64_t> categorical(X&& logits, const categorical_options& options = {},
                                location where = location::current()) {
  return array<std::int64_t>(
      detail::categorical(detail::to_any(std::forward<X>(logits), where), options, where));
}

}  // namespace sinter::random
