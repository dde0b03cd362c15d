// The gamma distribution and those based on it: beta, chi-square, F, Student's t, Dirichlet.

#include <bit>
#include <cmath>

#include <sinter/random.hpp>

#include "engine/random/rejection.hpp"

namespace sinter::detail {

/// Marsaglia and Tsang, A simple method for generating gamma variables, ACM TOMS 26 (2000): accepts
/// 95 % or more. For alpha below 1: the variable for alpha + 1 times u^(1 / alpha).
gamma_variable standard_gamma(draws& d, const term& alpha) {
  const term small = alpha < d.constant(1);
  const term raised = select(small, alpha + 1, alpha);
  const term k = raised - 1.0 / 3, c = apply(ir::op::rsqrt, {k * 9});
  const term valid =
      d.constant(0) < alpha && alpha < d.constant(std::numeric_limits<double>::infinity());
  const term factor = first_accepted(d, valid, d.constant(std::nan("")), [&](const attempt& bits) {
    const bool wide = bits.compute == dtype::float64;
    const term z = bits.normal(bits.low);
    const term upper = apply(ir::op::shift_right, {bits.low, number(32, dtype::uint64, d.where())});
    const term u = bits.uniform(wide ? bits.high : upper);
    const term t = c * z, root = t + 1;
    // k (1 - v + log(v)) with v = root^3, so that the terms of a large k do not cancel.
    const term off = log1p_of(t) - t - t * t * (t / 3 + 1);
    const term bound = z * z * 0.5 + k * 3 * off;
    return candidate{k * (root * root * root), d.constant(0) < root && log_of(u) < bound};
  });
  const term power = negative(d.exponential()) / alpha;
  return {factor, select(small, power, d.constant(0))};
}

any_array gamma(dtype type, shape_view shape, const random::gamma_options& o, location where) {
  draws d("gamma", type, shape, o.seed, where);
  const term alpha = d.at_least(o.shape, 0, "shape"), scale = d.at_least(o.scale, 0, "scale");
  const term value = standard_gamma(d, alpha).value();
  // In the limit of a shape of 0 all mass is at 0.
  return d.result(select(alpha == 0, d.constant(0), value) * scale);
}

any_array beta(dtype type, shape_view shape, const random::beta_options& o, location where) {
  draws d("beta", type, shape, o.seed, where);
  const term a = d.above(o.a, 0, "a"), b = d.above(o.b, 0, "b");
  // x / (x + y) by logarithms: with small parameters both may underflow a float.
  const term x = standard_gamma(d, a).logarithm(), y = standard_gamma(d, b).logarithm();
  return d.result(apply(ir::op::reciprocal, {exp_of(y - x) + 1}));
}

any_array chisquare(dtype type, shape_view shape, const random::freedom_options& o,
                    location where) {
  draws d("chisquare", type, shape, o.seed, where);
  const term df = d.above(o.df, 0, "df");
  return d.result(standard_gamma(d, df * 0.5).value() * 2);
}

any_array student_t(dtype type, shape_view shape, const random::freedom_options& o,
                    location where) {
  draws d("standard_t", type, shape, o.seed, where);
  const term half = d.above(o.df, 0, "df") * 0.5;
  const term chance = standard_gamma(d, half).logarithm();
  return d.result(d.normal() * exp_of((log_of(half) - chance) * 0.5));
}

any_array f(dtype type, shape_view shape, const random::f_options& o, location where) {
  draws d("f", type, shape, o.seed, where);
  const term a = d.above(o.dfnum, 0, "dfnum") * 0.5, b = d.above(o.dfden, 0, "dfden") * 0.5;
  const term x = standard_gamma(d, a).logarithm(), y = standard_gamma(d, b).logarithm();
  return d.result(exp_of(x - y) * (b / a));
}

any_array noncentral_chisquare(dtype type, shape_view shape, const random::noncentral_options& o,
                               location where) {
  draws d("noncentral_chisquare", type, shape, o.seed, where, dtype::float64);
  const term df = d.above(o.df, 0, "df"), nonc = d.at_least(o.nonc, 0, "nonc");
  // A chi-square variable with a random number of degrees of freedom.
  const term more = poisson_variable(d, nonc * 0.5);
  return d.result(standard_gamma(d, df * 0.5 + more).value() * 2);
}

any_array dirichlet(dtype type, const any_array& alpha, const random::dirichlet_options& o,
                    location where) {
  constexpr std::string_view op = "dirichlet";
  if (checked(alpha, op, where).shape.empty()) {
    fail<shape_error>(error_code::shape_mismatch, op, "alpha has no axis", where);
  }
  const std::int64_t count = alpha.extents().back();
  extents shape = extents_of(alpha);
  if (o.shape.given()) {
    shape.assign(o.shape.values().begin(), o.shape.values().end());
    shape.push_back(count);
  }
  draws d(op, type, shape, o.seed, where);
  const term l = standard_gamma(d, d.above(alpha, 0, "alpha")).logarithm();
  const std::vector<int> last = {static_cast<int>(shape.size()) - 1};
  const term part = exp_of(l - reduce_kept(l, ir::op::maximum, last));
  // Summed as integers, so that the order does not matter.
  const int digits = 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
  const term whole{make_cast((part * std::ldexp(1.0, digits)).x, dtype::int64, where), where};
  const term sum{make_cast(reduce_kept(whole, ir::op::add, last).x, d.compute(), where), where};
  return d.result(part / (sum * std::ldexp(1.0, -digits)));
}

}  // namespace sinter::detail
