#pragma once
// Sampling from arrays, and random vectors: included by <sinter/random.hpp>.

#include <vector>

#include <sinter/random_parameter.hpp>
#include <sinter/reductions.hpp>

namespace sinter::random {

/// Probabilities or weights: numbers, which must sum to 1 as in NumPy, or an array of any weights.
/// Negative and NaN weights in arrays count as 0.
class weights {
 public:
  weights() = default;
  weights(std::initializer_list<double> p) : numbers_(p), given_(true) {}
  weights(std::vector<double> p) : numbers_(std::move(p)), given_(true) {}
  weights(any_array x) : given_(true), array_(std::move(x)) {}
  template <detail::expression X>
  weights(X&& x, location where = location::current())
      : given_(true), array_(detail::to_any(std::forward<X>(x), where)) {}

  bool given() const { return given_; }
  bool is_numbers() const { return given_ && !array_.valid(); }
  const std::vector<double>& numbers() const { return numbers_; }
  const any_array& values() const { return array_; }

 private:
  std::vector<double> numbers_;
  bool given_ = false;
  any_array array_;
};

struct choice_options {
  std::optional<std::uint64_t> seed = {};
  weights p = {};         // none: all equal
  std::int64_t axis = 0;  // of the array that is sampled
  bool replace = true;    // whether an element may be chosen again
};

struct permutation_options {
  std::optional<std::uint64_t> seed = {};
  std::int64_t axis = 0;
};

struct permuted_options {
  std::optional<std::uint64_t> seed = {};
  std::optional<std::int64_t> axis = {};  // none: permutes all elements
};

enum class root_method : std::uint8_t { eigh, cholesky };

struct multivariate_normal_options {
  std::optional<std::uint64_t> seed = {};
  asked_shape shape = {};  // without the vectors' axis; none: that of the operands
  // "cholesky" is faster, but needs all eigenvalues above 0.
  sinter::detail::worded<root_method> method = root_method::eigh;
};

}  // namespace sinter::random

namespace sinter::detail {

template <>
inline constexpr enum_words option_words<random::root_method> = {"root_method", "eigh, cholesky"};

any_array drawn(std::int64_t n, shape_view shape, const random::choice_options&, location);
any_array drawn(const any_array& x, shape_view shape, const random::choice_options&, location);
any_array permutation(std::int64_t n, std::optional<std::uint64_t> seed, location);
any_array permutation(const any_array& x, const random::permutation_options&, location);
any_array permuted(const any_array& x, const random::permuted_options&, location);
any_array multivariate_normal(dtype, const any_array& mean, const any_array& cov,
                              const random::multivariate_normal_options&, location);

}  // namespace sinter::detail

namespace sinter::random {

/// Random integers of 0, ..., n - 1, i with probability p[i]. dtype: int64. With `.replace = false`
/// no two are equal: each is drawn by the probabilities of those that are left, at the cost of a
/// sort of all n. Throws shape_error; value_error unless there are n probabilities, none negative,
/// that sum to 1, and for a negative n, draws from n = 0, or more than n draws without replacement.
/// `random::choice(6, {1000}, {.seed = 1, .p = {0.5, 0.1, 0.1, 0.1, 0.1, 0.1}})`
template <std::integral N>
array<std::int64_t> choice(N n, const int_list& shape, const choice_options& options = {},
                           location where = location::current()) {
  return array<std::int64_t>(detail::drawn(static_cast<std::int64_t>(n), shape, options, where));
}

/// Random entries of x along an axis: x's shape with the axis replaced by `shape`.
/// `random::choice(x, {1000}, {.p = p})`
template <detail::expression X>
auto choice(X&& x, const int_list& shape, const choice_options& options = {},
            location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::drawn(detail::to_any(std::forward<X>(x), where), shape, options, where));
}

/// The integers 0, ..., n - 1 in random order, by sorting random words. dtype: int64. Throws
/// value_error for a negative n. `random::permutation(10, {.seed = 1})`
template <std::integral N>
array<std::int64_t> permutation(N n, const permutation_options& options = {},
                                location where = location::current()) {
  return array<std::int64_t>(
      detail::permutation(static_cast<std::int64_t>(n), options.seed, where));
}

/// x with its slices along an axis in random order. Throws axis_error.
/// `random::permutation(x, {.seed = 1, .axis = 1})`
template <detail::expression X>
auto permutation(X&& x, const permutation_options& options = {},
                 location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::permutation(detail::to_any(std::forward<X>(x), where), options, where));
}

/// x = permutation(x). Arrays are values, so copies of x keep their order. Throws as `permutation`
/// does. `random::shuffle(x, {.seed = 1})`
template <element T>
void shuffle(array<T>& x, const permutation_options& options = {},
             location where = location::current()) {
  x = permutation(std::move(x), options, where);
}

/// x with the elements of each row along an axis in an independent random order; without an axis,
/// all elements in random order. Throws axis_error. `random::permuted(x, {.seed = 1, .axis = 1})`
template <detail::expression X>
auto permuted(X&& x, const permuted_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::permuted(detail::to_any(std::forward<X>(x), where), options, where));
}

/// Random vectors of the normal distribution with mean (..., n) and covariance (..., n, n), whose
/// leading axes broadcast: shape (shape..., n). dtype: T, float or double. The covariance is
/// assumed symmetric, and its negative eigenvalues are taken as 0. The vectors are mean + S z,
/// where S is the symmetric root (`cholesky`: the lower factor; throws linalg_error, when read, if
/// there is none). The z have the same bits on every device; S comes from a library and agrees up
/// to rounding. Throws shape_error.
/// `random::multivariate_normal(mean, cov, {.seed = 1, .shape = 1000})`
template <element T = double, detail::ordered M, detail::ordered C>
  requires(detail::is_real_float<T> && !is_half(dtype_of<T>))
array<T> multivariate_normal(M&& mean, C&& cov, const multivariate_normal_options& options = {},
                             location where = location::current()) {
  return array<T>(
      detail::multivariate_normal(dtype_of<T>, detail::to_any(std::forward<M>(mean), where),
                                  detail::to_any(std::forward<C>(cov), where), options, where));
}

}  // namespace sinter::random
