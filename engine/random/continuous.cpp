#include <cmath>

#include <sinter/random.hpp>

#include "engine/random/draws.hpp"

namespace sinter::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

any_array located(const draws& d, const random::location_scale_options& o, const term& z) {
  return d.result(z * d.at_least(o.scale, 0, "scale") + d.any(o.loc));
}

/// log of the normal distribution's tail beyond y, without the terms y^2 / 2 and a constant: its
/// asymptotic series.
term tail_factor(const term& y) {
  const term z = apply(ir::op::reciprocal, {y * y});
  return log_of((((z * -15 + 3) * z - 1) * z + 1) / y);
}

/// A normal y > c given that c < y < d, for large c: solves Q(y) = (1 - u (1 - Q(d) / Q(c))) Q(c).
term deep_tail(const term& c, const term& d, const term& u) {
  const term ratio = exp_of((d - c) * (d + c) * -0.5) * (c / d);
  const term e = negative(log1p_of(negative(u * (1 - ratio))));
  const term at_c = tail_factor(c);
  term y = sqrt_of(c * c + e * 2);
  for (int step = 0; step < 2; ++step) y = sqrt_of(c * c + (e + tail_factor(y) - at_c) * 2);
  return y;
}

/// Standard normal in [a, b]. The half with the smaller tail is computed as its mirror image,
/// because probabilities are accurate only near 0.
term standard_between(draws& r, const term& a, const term& b) {
  const term turned = r.constant(0) < a + b;
  const term low = select(turned, negative(b), a), high = select(turned, negative(a), b);
  const auto [lower, m] = r.centred();
  const term u = select(lower, m, 1 - m);
  const auto cdf = [](const term& x) { return apply(ir::op::ndtr, {x}); };
  const term below = cdf(low);
  const term p = least(below + u * (cdf(high) - below), r.constant(0x1.fffffffffffffp-1));
  const term near = apply(ir::op::ndtri, {p});
  const term far = negative(deep_tail(negative(high), negative(low), u));
  const term z = apply(ir::op::clip, {select(high < r.constant(-30), far, near), low, high});
  return select(turned, negative(z), z);
}

void require_order(const draws& d, const random::parameter& a, const random::parameter& b,
                   bool equal, std::string_view what) {
  if (!a.is_number() || !b.is_number()) return;
  if (a.number() < b.number() || (equal && a.number() == b.number())) return;
  d.refuse(std::string(what));
}

}  // namespace

any_array exponential(dtype type, shape_view shape, const random::scale_options& o,
                      location where) {
  draws d("exponential", type, shape, o.seed, where);
  return d.result(d.exponential() * d.at_least(o.scale, 0, "scale"));
}

any_array laplace(dtype type, shape_view shape, const random::location_scale_options& o,
                  location where) {
  draws d("laplace", type, shape, o.seed, where);
  const auto [lower, m] = d.centred();
  const term l = log_of(m * 2);
  return located(d, o, select(lower, l, negative(l)));
}

any_array logistic(dtype type, shape_view shape, const random::location_scale_options& o,
                   location where) {
  draws d("logistic", type, shape, o.seed, where);
  const auto [lower, m] = d.centred();
  const term l = log_of(m / (1 - m));
  return located(d, o, select(lower, l, negative(l)));
}

any_array gumbel(dtype type, shape_view shape, const random::location_scale_options& o,
                 location where) {
  draws d("gumbel", type, shape, o.seed, where);
  return located(d, o, negative(log_of(d.exponential())));
}

any_array cauchy(dtype type, shape_view shape, const random::location_scale_options& o,
                 location where) {
  draws d("cauchy", type, shape, o.seed, where);
  const term a = d.normal(), b = d.normal();
  return located(d, o, a / b);
}

any_array rayleigh(dtype type, shape_view shape, const random::scale_options& o, location where) {
  draws d("rayleigh", type, shape, o.seed, where);
  return d.result(sqrt_of(d.exponential() * 2) * d.at_least(o.scale, 0, "scale"));
}

any_array lognormal(dtype type, shape_view shape, const random::lognormal_options& o,
                    location where) {
  draws d("lognormal", type, shape, o.seed, where);
  return d.result(exp_of(d.normal() * d.at_least(o.sigma, 0, "sigma") + d.any(o.mean)));
}

any_array weibull(dtype type, shape_view shape, const random::shape_options& o, location where) {
  draws d("weibull", type, shape, o.seed, where);
  const term a = d.at_least(o.a, 0, "a");
  // In the limit of a = 0 all mass is at 0.
  return d.result(select(a == 0, d.constant(0), exp_of(log_of(d.exponential()) / a)));
}

any_array pareto(dtype type, shape_view shape, const random::shape_options& o, location where) {
  draws d("pareto", type, shape, o.seed, where);
  return d.result(expm1_of(d.exponential() / d.above(o.a, 0, "a")));
}

any_array power(dtype type, shape_view shape, const random::shape_options& o, location where) {
  draws d("power", type, shape, o.seed, where);
  return d.result(exp_of(negative(d.exponential()) / d.above(o.a, 0, "a")));
}

any_array triangular(dtype type, shape_view shape, const random::triangular_options& o,
                     location where) {
  draws d("triangular", type, shape, o.seed, where);
  require_order(d, o.left, o.right, false, "left is not below right");
  require_order(d, o.left, o.mode, true, "left is above mode");
  require_order(d, o.mode, o.right, true, "mode is above right");
  const term left = d.finite(o.left, "left"), right = d.finite(o.right, "right");
  const term given = d.finite(o.mode, "mode");
  const term ordered = left <= given && given <= right && left < right;
  const term mode = select(ordered, given, d.constant(std::nan("")));
  const term u = d.half_open(), base = right - left, rise = mode - left, fall = right - mode;
  const term up = left + sqrt_of(u * base * rise), down = right - sqrt_of((1 - u) * base * fall);
  return d.result(select(u * base <= rise, up, select(mode == mode, down, mode)));
}

// Michael, Schucany, Haas, Generating random variates using transformations with multiple roots,
// The American Statistician 30 (1976). The smaller root is computed from the product of both, as
// the difference would cancel.
any_array wald(dtype type, shape_view shape, const random::wald_options& o, location where) {
  draws d("wald", type, shape, o.seed, where);
  const term mean = d.above(o.mean, 0, "mean"), scale = d.above(o.scale, 0, "scale");
  const term z = d.normal(), y = mean * z * z / (scale * 2);
  const term root = y + sqrt_of(y * (y + 2)) + 1;
  const term larger = mean * root, smaller = mean / root;
  return d.result(select(d.half_open() * (mean + smaller) <= mean, smaller, larger));
}

any_array truncated_normal(dtype type, shape_view shape, const random::truncated_normal_options& o,
                           location where) {
  draws d("truncated_normal", type, shape, o.seed, where, dtype::float64);
  require_order(d, o.low, o.high, false, "low is not below high");
  const term stddev = d.above(o.stddev, 0, "stddev"), mean = d.finite(o.mean, "mean");
  const term low = d.any(o.low), high = d.any(o.high);
  const term a = (low - mean) / stddev, b = (high - mean) / stddev;
  const term x = apply(ir::op::clip, {standard_between(d, a, b) * stddev + mean, low, high});
  const term some = low < high && low < d.constant(infinity) && d.constant(-infinity) < high;
  return d.result(select(some, x, d.constant(std::nan(""))));
}

}  // namespace sinter::detail
