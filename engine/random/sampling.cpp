#include <algorithm>
#include <bit>
#include <cmath>

#include <sinter/indexing.hpp>
#include <sinter/linalg.hpp>
#include <sinter/random.hpp>
#include <sinter/sorting.hpp>

#include "engine/random/draws.hpp"

namespace sinter::detail {
namespace {

/// Validates weights: numbers as NumPy does, arrays by shape.
any_array checked_weights(const random::weights& p, std::int64_t n, std::string_view op,
                          location where) {
  const auto refuse = [&](const std::string& why) {
    fail<value_error>(error_code::bad_argument, op, why, where);
  };
  const auto length = [&](shape_view shape) {
    if (shape.size() == 1 && shape[0] == n) return;
    fail<shape_error>(error_code::shape_mismatch, op,
                      "probabilities of shape " + text_of(shape) + " for " + std::to_string(n) +
                          " to choose from",
                      where);
  };
  if (!p.is_numbers()) {
    if (is_complex(checked(p.values(), op, where).type)) refuse("probabilities are not real");
    length(p.values().extents());
    return make_cast(p.values(), dtype::float64, where);
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(p.numbers().size())};
  length(shape);
  double sum = 0;
  for (double v : p.numbers()) {
    if (!(v >= 0)) refuse("a probability is " + std::to_string(v));
    sum += v;
  }
  // NumPy's bound: the square root of epsilon.
  if (!(std::abs(sum - 1) <= 0x1p-26)) {
    refuse("probabilities sum to " + std::to_string(sum) + ", not 1");
  }
  return from_host(p.numbers().data(), dtype::float64, shape, where);
}

/// Cumulative weights as integers, the largest below 2^62: then additions are exact, and equal on
/// every device. A weight keeps 61 bits minus those of the number of weights.
any_array running_weights(const any_array& p, std::int64_t n, location where) {
  const term weight{p, where};
  const term largest = reduce_kept(weight, ir::op::maximum, {0});
  const int digits = 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
  // Negative weights and NaN become 0.
  const any_array whole =
      make_cast((weight / largest * std::ldexp(1.0, digits)).x, dtype::uint64, where);
  return make_scan(whole, ir::op::add, 0, where);
}

/// For each `r` the number of `sums` (not decreasing) that are <= r: bisection with one gather per
/// step, in the kernel that computes r.
term count_up_to(const any_array& sums, std::int64_t n, const term& r) {
  const location where = r.where;
  term count{make_broadcast(number(0, dtype::int64, where).x, r.x.extents(), "choice", where),
             where};
  for (std::int64_t step = std::bit_floor(static_cast<std::uint64_t>(n)); step > 0; step /= 2) {
    const term next = count + static_cast<double>(step);
    const any_array at =
        take(sums, (next - number(1, dtype::int64, where)).x, {.mode = index_mode::clip}, where);
    const term below =
        next <= number(static_cast<double>(n), dtype::int64, where) && term{at, where} <= r;
    count = select(below, next, count);
  }
  return count;
}

any_array weighted(std::int64_t n, shape_view shape, const random::choice_options& o,
                   location where) {
  draws d("choice", dtype::int64, shape, o.seed, where, dtype::float64);
  const any_array sums = running_weights(checked_weights(o.p, n, "choice", where), n, where);
  const any_array total = make_reshape(cut(sums, 0, n - 1, 1, where), {}, where);
  const term r = high_product(d.bits(dtype::uint64), {total, where});
  const term last = number(static_cast<double>(n - 1), dtype::int64, where);
  return d.result(least(count_up_to(sums, n, r), last));
}

void require_choice(std::int64_t n, shape_view shape, const random::choice_options& o,
                    location where) {
  constexpr std::string_view op = "choice";
  check_shape(shape, dtype::int64, op, where);
  const std::int64_t count = product_of(shape);
  if (n < 0 || (n == 0 && count > 0)) {
    fail<value_error>(error_code::bad_argument, op,
                      "there is nothing to choose from: n is " + std::to_string(n), where);
  }
  const auto& p = o.p.numbers();
  const auto possible =
      o.p.is_numbers() ? std::ranges::count_if(p, [](double v) { return v > 0; }) : n;
  if (o.replace || count <= std::min<std::int64_t>(n, possible)) return;
  fail<value_error>(
      error_code::bad_argument, op,
      std::to_string(count) + " of " + std::to_string(possible) + " without replacement", where);
}

/// Assigns each element an exponential time with its weight as rate, and chooses the earliest: the
/// exponential distribution has no memory (Efraimidis and Spirakis, Inf. Process. Lett. 97, 2006).
any_array without_replacement(std::int64_t n, shape_view shape, const random::choice_options& o,
                              location where) {
  any_array order;
  if (o.p.given()) {
    const std::int64_t all[] = {n};
    draws d("choice", dtype::float64, all, o.seed, where);
    const term weight{checked_weights(o.p, n, "choice", where), where};
    const term share = weight / reduce_kept(weight, ir::op::maximum, {0});
    const term never = d.constant(std::numeric_limits<double>::infinity());
    const term time = select(d.constant(0) < share, d.exponential() / share, never);
    order = argsort(d.result(time), {.axis = 0}, where);
  } else {
    order = permutation(n, o.seed, where);
  }
  return make_reshape(cut(order, 0, 0, product_of(shape), where), shape, where);
}

/// The shape of the draws, without the vectors' axis.
extents batch_of(const any_array& mean, const any_array& cov, const random::asked_shape& asked) {
  if (asked.given()) return {asked.values().begin(), asked.values().end()};
  const extents m = extents_of(mean), c = extents_of(cov);
  extents out(std::max(m.size() - 1, c.size() - 2), 1);
  const auto merge = [&](shape_view from) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      auto& to = out[out.size() - from.size() + k];
      if (to == 1) to = from[k];
    }
  };
  merge(shape_view(m).first(m.size() - 1));
  merge(shape_view(c).first(c.size() - 2));
  return out;
}

/// S with S S^T = cov.
any_array root_of(const any_array& cov, random::root_method method, location where) {
  if (method == random::root_method::cholesky) return cholesky(cov, {}, where);
  const results r = eigh(cov, {}, where);
  const term values{r.a, where};
  const term roots = sqrt_of(greatest(values, number(0, values.type(), where)));
  extents row = extents_of(r.a);
  row.insert(row.end() - 1, 1);
  const term scaled = term{r.b, where} * term{make_reshape(roots.x, row, where), where};
  return matmul(scaled.x, matrix_transpose(r.b, where), where);
}

void require_vectors(const any_array& mean, const any_array& cov, location where) {
  constexpr std::string_view op = "multivariate_normal";
  const auto m = checked(mean, op, where).shape.size(), c = checked(cov, op, where).shape.size();
  const auto fits = [&] {
    return m >= 1 && c >= 2 && cov.extents()[c - 1] == cov.extents()[c - 2] &&
           cov.extents()[c - 1] == mean.extents()[m - 1];
  };
  if (fits()) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    "a mean of shape " + text_of(mean.extents()) + " and a covariance of shape " +
                        text_of(cov.extents()) + ": (..., n) and (..., n, n) fit",
                    where);
}

}  // namespace

any_array drawn(std::int64_t n, shape_view shape, const random::choice_options& o,
                location where) {
  require_choice(n, shape, o, where);
  if (!o.replace) return without_replacement(n, shape, o, where);
  if (o.p.given() && n > 0) return weighted(n, shape, o, where);
  return integers(dtype::int64, shape, o.seed, 0,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1)), where);
}

any_array drawn(const any_array& x, shape_view shape, const random::choice_options& o,
                location where) {
  const int ndim = static_cast<int>(checked(x, "choice", where).shape.size());
  const int axis = normalize_axis(o.axis, ndim, "choice", where);
  const any_array at = drawn(x.extents()[static_cast<std::size_t>(axis)], shape, o, where);
  return take(x, at, {.axis = axis, .mode = index_mode::clip}, where);
}

any_array permutation(std::int64_t n, std::optional<std::uint64_t> seed, location where) {
  if (n < 0) {
    fail<value_error>(error_code::bad_argument, "permutation",
                      "n is " + std::to_string(n) + ", and negative", where);
  }
  const std::int64_t shape[] = {n};
  draws d("permutation", dtype::uint64, shape, seed, where);
  return argsort(d.bits(dtype::uint64).x, {.axis = 0}, where);
}

any_array permutation(const any_array& x, const random::permutation_options& o, location where) {
  constexpr std::string_view op = "permutation";
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  const int axis = normalize_axis(o.axis, ndim, op, where);
  const any_array order = permutation(x.extents()[static_cast<std::size_t>(axis)], o.seed, where);
  return take(x, order, {.axis = axis, .mode = index_mode::clip}, where);
}

any_array permuted(const any_array& x, const random::permuted_options& o, location where) {
  constexpr std::string_view op = "permuted";
  const int ndim = static_cast<int>(checked(x, op, where).shape.size());
  if (!o.axis) {
    const std::int64_t all[] = {x.size()};
    const any_array flat = permutation(make_reshape(x, all, where), {.seed = o.seed}, where);
    return make_reshape(flat, x.extents(), where);
  }
  const int axis = normalize_axis(*o.axis, ndim, op, where);
  draws d(op, dtype::uint64, x.extents(), o.seed, where);
  return take_along_axis(x, argsort(d.bits(dtype::uint64).x, {.axis = axis}, where), axis, where);
}

any_array multivariate_normal(dtype type, const any_array& mean, const any_array& cov,
                              const random::multivariate_normal_options& o, location where) {
  constexpr std::string_view op = "multivariate_normal";
  require_vectors(mean, cov, where);
  const std::int64_t n = mean.extents().back();
  extents shape = batch_of(mean, cov, o.shape);
  shape.push_back(n);
  draws d(op, type, shape, o.seed, where);
  const any_array centre = make_broadcast(make_cast(mean, type, where), shape, op, where);
  const any_array root = root_of(make_cast(cov, type, where), o.method, where);
  // Rows times the transposed root: one product for all, or one per covariance.
  const bool one = cov.ndim() == 2;
  extents rows = {product_of(shape) / std::max<std::int64_t>(n, 1), n};
  if (!one) rows = shape, rows.insert(rows.end() - 1, 1);
  const any_array z = make_reshape(d.normal().x, rows, where);
  const any_array turned = matmul(z, matrix_transpose(root, where), where);
  extents wide = one ? rows : extents_of(turned);
  if (!one) wide.erase(wide.end() - 2);
  if (!one && wide != shape) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "covariances of shape " + text_of(cov.extents()) +
                          " do not broadcast to shape " + text_of(shape),
                      where);
  }
  return d.result(term{make_reshape(turned, shape, where), where} + term{centre, where});
}

}  // namespace sinter::detail
