// NumPy's functions of numbers beyond the op table: divisors, decimals, Bessel's.
#include <cmath>

#include <sinter/control.hpp>
#include <sinter/numerics.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

/// Euclid's algorithm on pairs.
struct euclid {
  static any_array zero_like(const any_array& x, location where) {
    return make_scalar({}, x.dtype(), where);
  }
  static void goes(void*, any_array* in, any_array* out, location where) {
    out[0] = make_op(ir::op::not_equal, {in[1], zero_like(in[1], where)}, where);
  }
  static void step(void*, any_array* in, any_array* out, location where) {
    const any_array rest = make_op(ir::op::remainder, {in[0], in[1]}, where);
    out[0] = in[1];
    out[1] = rest;
  }
};

/// The magnitudes, in one shape and the unsigned type of the promoted size, which can represent the
/// magnitude of the most negative integer.
std::pair<any_array, any_array> magnitudes(const any_array& a, const any_array& b,
                                           std::string_view op, location where) {
  if (!is_integer(checked(a, op, where).type) || !is_integer(checked(b, op, where).type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      "divisors and multiples are of integers, not of " +
                          std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())),
                      where);
  }
  const any_array shape = make_op(ir::op::bitwise_or, {a, b}, where);
  const dtype type = shape.dtype(), magnitude = integer_of(false, size_of(type));
  const auto one = [&](const any_array& x) {
    const any_array wide = make_cast(x, type, where);
    const any_array positive = is_signed(type) ? make_op(ir::op::abs, {wide}, where) : wide;
    return make_broadcast(make_cast(positive, magnitude, where), shape.extents(), op, where);
  };
  return {one(a), one(b)};
}

any_array divisor(const any_array& a, const any_array& b, location where) {
  euclid e;
  return while_loop({euclid::goes, &e, 1}, {euclid::step, &e, 2}, {a, b}, where)[0];
}

// NumPy's (Cephes'): Chebyshev coefficients of exp(-x) I0(x) in [0, 8], and of that times sqrt(x)
// above.
constexpr double below_8[] = {
    -4.4153416464793395e-18, 3.3307945188222384e-17,  -2.431279846547955e-16,
    1.715391285555133e-15,   -1.1685332877993451e-14, 7.676185498604936e-14,
    -4.856446783111929e-13,  2.95505266312964e-12,    -1.726826291441556e-11,
    9.675809035373237e-11,   -5.189795601635263e-10,  2.6598237246823866e-09,
    -1.300025009986248e-08,  6.046995022541919e-08,   -2.670793853940612e-07,
    1.1173875391201037e-06,  -4.4167383584587505e-06, 1.6448448070728896e-05,
    -5.754195010082104e-05,  0.00018850288509584165,  -0.0005763755745385824,
    0.0016394756169413357,   -0.004324309995050576,   0.010546460394594998,
    -0.02373741480589947,    0.04930528423967071,     -0.09490109704804764,
    0.17162090152220877,     -0.3046826723431984,     0.6767952744094761};
constexpr double above_8[] = {
    -7.233180487874754e-18,  -4.830504485944182e-18, 4.46562142029676e-17,
    3.461222867697461e-17,   -2.8276239805165836e-16, -3.425485619677219e-16,
    1.7725601330565263e-15,  3.8116806693526224e-15,  -9.554846698828307e-15,
    -4.150569347287222e-14,  1.54008621752141e-14,    3.8527783827421426e-13,
    7.180124451383666e-13,   -1.7941785315068062e-12, -1.3215811840447713e-11,
    -3.1499165279632416e-11, 1.1889147107846439e-11,  4.94060238822497e-10,
    3.3962320257083865e-09,  2.266668990498178e-08,   2.0489185894690638e-07,
    2.8913705208347567e-06,  6.889758346916825e-05,   0.0033691164782556943,
    0.8044904110141088};

/// Clenshaw's sum of a Chebyshev series.
template <std::size_t N>
term series(const term& x, const double (&c)[N]) {
  term now = number(c[0], x.type(), x.where), before = number(0, x.type(), x.where), last = before;
  for (std::size_t i = 1; i < N; ++i) {
    last = before;
    before = now;
    now = x * before - last + c[i];
  }
  return (now - last) * 0.5;
}

term bessel(const term& t) {
  const term x = apply(ir::op::abs, {t});
  const term small = series(x / 2.0 - 2.0, below_8);
  const term large =
      series(number(32, x.type(), x.where) / x - 2.0, above_8) / apply(ir::op::sqrt, {x});
  const term part = select(x <= number(8, x.type(), x.where), small, large);
  return apply(ir::op::exp, {x}) * part;
}

}  // namespace

any_array gcd(const any_array& a, const any_array& b, location where) {
  const auto [x, y] = magnitudes(a, b, "gcd", where);
  return make_cast(divisor(x, y, where), promote(a.dtype(), b.dtype()), where);
}

any_array lcm(const any_array& a, const any_array& b, location where) {
  const auto [x, y] = magnitudes(a, b, "lcm", where);
  const any_array d = divisor(x, y, where);  // for two zeros 0, and x / 0 is 0
  const any_array least =
      make_op(ir::op::multiply, {make_op(ir::op::floor_divide, {x, d}, where), y}, where);
  return make_cast(least, promote(a.dtype(), b.dtype()), where);
}

any_array round_to(const any_array& x, int decimals, location where) {
  const dtype type = checked(x, "round", where).type;
  if (!is_inexact(type) && decimals >= 0) return x;
  const double unit = std::pow(10.0, std::abs(decimals));
  const term t = is_inexact(type) ? as_term(x, "round", where)
                                  : term{make_cast(x, dtype::float64, where), where};
  if (decimals == 0) return rounded(apply(ir::op::round, {t}), type);
  if (decimals > 0) return rounded(apply(ir::op::round, {t * unit}) / unit, type);
  return rounded(apply(ir::op::round, {t / unit}) * unit, type);
}

any_array i0(const any_array& x, location where) {
  checked(x, "i0", where);
  return bessel({make_cast(x, dtype::float64, where), where}).x;
}

any_array kaiser(dtype type, std::int64_t count, double beta, location where) {
  if (count < 0) {
    fail<value_error>(error_code::bad_argument, "kaiser",
                      "a count of " + std::to_string(count) + " is negative", where);
  }
  const std::int64_t shape[] = {count};
  if (count == 1) return make_broadcast(number(1, type, where).x, shape, "kaiser", where);
  const term n{make_cast(make_iota(shape, where), dtype::float64, where), where};
  const double middle = static_cast<double>(count - 1) / 2;
  const term u = (n - middle) / middle;
  const term inside = apply(ir::op::sqrt, {1.0 - u * u}) * beta;
  return rounded(bessel(inside) / bessel(number(beta, dtype::float64, where)), type);
}

}  // namespace sinter::detail
