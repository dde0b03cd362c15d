// Counts: Poisson, binomial and distributions based on them. Computed in double.

#include <cmath>

#include <sinter/random.hpp>

#include "engine/random/rejection.hpp"
#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// log(k!) - (k log k - k): Stirling's series, and the exact value for k below 8.
term stirling(const term& k) {
  const term r = apply(ir::op::reciprocal, {k}), z = r * r;
  const term series =
      ((((z * (1.0 / 1188) - 1.0 / 1680) * z + 1.0 / 1260) * z - 1.0 / 360) * z + 1.0 / 12) * r;
  term g = log_of(k * 6.283185307179586) * 0.5 + series;
  constexpr double small[] = {0,
                              1,
                              1.3068528194400546,
                              1.4959226032237258,
                              1.6328763858683832,
                              1.7403021806115442,
                              1.828694396641771,
                              1.9037903176782212};
  for (int n = 0; n < 8; ++n) g = select(k == n, number(small[n], k.type(), k.where), g);
  return g;
}

/// k log(k / mean) + mean - k, or the mean for k = 0. Loader, Fast and accurate computation of
/// binomial probabilities (2000): after subtracting Stirling's terms, the rest of log f(k) does not
/// cancel.
term deviance(const term& k, const term& mean) {
  const term off = k - mean;
  return select(k == 0, mean, k * log1p_of(off / mean) - off);
}

/// The first k with u < f(0) + ... + f(k), where f(k + 1) = f(k) * ratio(k + 1), by summation: for
/// distributions with a small mean. Stops once the remaining f is below the last digit of u.
term by_inversion(draws& d, const term& wanted, const term& first,
                  const std::function<term(const term&)>& ratio) {
  const term u = d.half_open();
  const auto results = while_true(
      d, {select(wanted, d.constant(0), d.constant(not_a_number)), u, first},
      [](const std::vector<term>& c) {
        return c[2] <= c[1] && number(1e-20, c[2].type(), c[2].where) < c[2];
      },
      [&](const std::vector<term>& c, const term&) {
        const term k = c[0] + 1;
        return std::vector<term>{k, c[1] - c[2], c[2] * ratio(k)};
      });
  return results[0];
}

/// Hörmann's transformed rejection (The transformed rejection method for generating Poisson random
/// variables, 1993; The generation of binomial random variates, 1993): a candidate k from a table
/// mountain over the distribution, and the exact test if the quick one does not accept.
struct mountain {
  term a, b, centre, quick;  // of the candidate; the v up to which it is accepted at once

  /// `log_ratio(k)`: the logarithm of the distribution over the mountain's top. `scale`: applied to
  /// v.
  candidate draw(const attempt& bits, const term& scale, const term& most,
                 const std::function<term(const term&)>& log_ratio) const {
    const term u = bits.uniform(bits.low) - 0.5, v = bits.uniform(bits.high);
    const term half = 0.5 - apply(ir::op::abs, {u});
    const term k = apply(ir::op::floor, {(a * 2 / half + b) * u + centre});
    const term zero = number(0, k.type(), k.where);
    const term possible = zero <= k && k <= most;
    const term inner = number(0.07, k.type(), k.where) <= half && v <= quick;
    const term height = log_of(v * scale / (a / (half * half) + b));
    const term exact = height <= log_ratio(select(possible, k, zero));
    return {k, possible && (inner || exact)};
  }
};

}  // namespace

term poisson_variable(draws& d, const term& mean) {
  const term some = d.constant(0) <= mean && mean <= d.constant(0x1p62),
             small = mean < d.constant(10);
  const term near = by_inversion(d, some && small, exp_of(negative(mean)),
                                 [&](const term& k) { return mean / k; });
  const term root = sqrt_of(mean), b = root * 2.53 + 0.931, a = b * 0.02483 - 0.059;
  const mountain m{a, b, mean + 0.43, 0.9277 - d.constant(3.6224) / (b - 2)};
  const term scale = d.constant(1.1328) / (b - 3.4) + 1.1239, most = d.constant(INFINITY);
  return first_accepted(d, some && !small, near, [&](const attempt& bits) {
    return m.draw(bits, scale, most,
                  [&](const term& k) { return negative(deviance(k, mean) + stirling(k)); });
  });
}

namespace {

/// NaN if n is no count or p no probability.
term binomial_variable(draws& d, const term& n, const term& p) {
  const term zero = d.constant(0), whole = apply(ir::op::floor, {n}) == n;
  const term some = zero <= n && n < d.constant(0x1p62) && whole && zero <= p && p <= d.constant(1);
  const term turned = d.constant(0.5) < p, r = select(turned, 1 - p, p), q = 1 - r;
  const term small = n * r < d.constant(10);
  const term odds = r / q;
  const term near = by_inversion(d, some && small, exp_of(n * log1p_of(negative(r))),
                                 [&](const term& k) { return (n - k + 1) / k * odds; });
  const term spread = sqrt_of(n * r * q), b = spread * 2.53 + 1.15;
  const term a = b * 0.0248 + r * 0.01 - 0.0873;
  const mountain m{a, b, n * r + 0.5, 0.92 - d.constant(4.2) / b};
  const auto log_of_chance = [&](const term& k) {
    const term rest = n - k;
    return negative(stirling(k) + stirling(rest) + deviance(k, n * r) + deviance(rest, n * q));
  };
  const term top = log_of_chance(apply(ir::op::floor, {(n + 1) * r}));
  const term scale = (d.constant(5.1) / b + 2.83) * spread;
  const term k = first_accepted(d, some && !small, near, [&](const attempt& bits) {
    return m.draw(bits, scale, n, [&](const term& c) { return log_of_chance(c) - top; });
  });
  return select(turned, n - k, k);
}

}  // namespace

any_array poisson(dtype type, shape_view shape, const random::poisson_options& o, location where) {
  draws d("poisson", type, shape, o.seed, where, dtype::float64);
  return d.counts(poisson_variable(d, d.within(o.lam, 0, 0x1p61, "lam")));
}

any_array binomial(dtype type, shape_view shape, const random::binomial_options& o,
                   location where) {
  draws d("binomial", type, shape, o.seed, where, dtype::float64);
  if (o.n.is_number() && o.n.number() != std::floor(o.n.number())) d.refuse("n is no whole number");
  const term n = d.within(o.n, 0, 0x1p53, "n");
  return d.counts(binomial_variable(d, n, d.within(o.p, 0, 1, "p")));
}

any_array negative_binomial(dtype type, shape_view shape,
                            const random::negative_binomial_options& o, location where) {
  draws d("negative_binomial", type, shape, o.seed, where, dtype::float64);
  const term n = d.above(o.n, 0, "n");
  if (o.p.is_number() && o.p.number() == 0) d.refuse("p is 0, not above 0");
  const term p = d.within(o.p, 0, 1, "p");
  // A Poisson variable whose mean is a gamma variable.
  const term positive = select(p == 0, d.constant(not_a_number), p);
  const term mean = standard_gamma(d, n).value() * ((1 - positive) / positive);
  return d.counts(poisson_variable(d, mean));
}

// Kemp, Efficient generation of logarithmically distributed pseudo-random variables, Appl. Statist.
// 30 (1981), LK.
any_array logseries(dtype type, shape_view shape, const random::probability_options& o,
                    location where) {
  draws d("logseries", type, shape, o.seed, where, dtype::float64);
  if (o.p.is_number() && !(o.p.number() > 0 && o.p.number() < 1))
    d.refuse("p is not between 0 and 1");
  const term given = d.any(o.p), zero = d.constant(0), one = d.constant(1);
  const term p = select(zero < given && given < one, given, d.constant(not_a_number));
  const term q = negative(expm1_of(log1p_of(negative(p)) * d.half_open()));
  const auto [lower, m] = d.centred();
  const term v = select(lower, m, 1 - m);
  const term far = apply(ir::op::floor, {log_of(v) / log_of(q)}) + 1;
  // If q is 0, the result is 1.
  const term k = select(v <= q * q, far, select(q <= v, one, d.constant(2)));
  return d.counts(select(p == p, greatest(k, one), p));
}

namespace {

/// The probability of each outcome; the last one stands for the remainder.
std::vector<term> outcomes(const draws& d, const random::weights& p, const any_array& array,
                           location where) {
  const auto last = static_cast<std::size_t>(array.ndim()) - 1;
  std::vector<term> out;
  for (std::int64_t i = 0; i < array.extents()[last]; ++i) {
    if (p.is_numbers()) {
      out.push_back(d.constant(p.numbers()[static_cast<std::size_t>(i)]));
      continue;
    }
    extents shape = extents_of(array);
    shape.pop_back();
    const any_array one = make_reshape(cut(array, last, i, 1, where), shape, where);
    out.push_back(d.any(one));
  }
  return out;
}

any_array checked_outcomes(const random::weights& p, location where) {
  constexpr std::string_view op = "multinomial";
  if (!p.is_numbers()) {
    if (checked(p.values(), op, where).shape.empty() || p.values().extents().back() == 0) {
      fail<shape_error>(error_code::shape_mismatch, op, "there are no probabilities", where);
    }
    return p.values();
  }
  const auto refuse = [&](const std::string& why) {
    fail<value_error>(error_code::bad_argument, op, why, where);
  };
  double sum = 0;
  for (std::size_t i = 0; i < p.numbers().size(); ++i) {
    const double v = p.numbers()[i];
    if (!(v >= 0 && v <= 1)) refuse("a probability is " + std::to_string(v));
    if (i + 1 < p.numbers().size()) sum += v;
  }
  if (p.numbers().empty()) refuse("there are no probabilities");
  // NumPy's bound.
  if (sum > 1 + 1e-12) refuse("probabilities sum to " + std::to_string(sum) + ", more than 1");
  const std::int64_t shape[] = {static_cast<std::int64_t>(p.numbers().size())};
  return from_host(p.numbers().data(), dtype::float64, shape, where);
}

}  // namespace

// Each outcome is a binomial variable over the remaining trials.
any_array multinomial(dtype type, const random::parameter& n, const random::weights& p,
                      const random::multinomial_options& o, location where) {
  constexpr std::string_view op = "multinomial";
  const any_array array = checked_outcomes(p, where);
  extents shape = extents_of(array);
  shape.pop_back();
  if (o.shape.given()) {
    shape.assign(o.shape.values().begin(), o.shape.values().end());
  } else if (!n.is_number()) {
    const any_array both[] = {n.values(),
                              make_broadcast(number(0, dtype::int64, where).x, shape, op, where)};
    const auto common = broadcast_shape(both, op, where);
    shape.assign(common.begin(), common.end());
  }
  draws d(op, type, shape, o.seed, where, dtype::float64);
  if (n.is_number() && n.number() != std::floor(n.number())) d.refuse("n is no whole number");
  term left = d.within(n, 0, 0x1p53, "n"), rest = d.constant(1);
  const std::vector<term> chances = outcomes(d, p, array, where);
  std::vector<any_array> pieces;
  for (std::size_t i = 0; i + 1 < chances.size(); ++i) {
    const term share = apply(ir::op::clip, {chances[i] / rest, d.constant(0), d.constant(1)});
    const term none = select(left == 0, d.constant(0), share);
    const term k = binomial_variable(d, left, none);
    pieces.push_back(d.counts(k));
    left = left - k;
    rest = rest - chances[i];
  }
  pieces.push_back(d.counts(left));
  shape.push_back(1);
  for (any_array& x : pieces) x = make_reshape(x, shape, where);
  return join(pieces, shape.size() - 1, op, where);
}

}  // namespace sinter::detail
