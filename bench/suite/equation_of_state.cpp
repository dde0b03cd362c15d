// The equation of state of seawater: some 300 operations per point in double.

#include <cmath>
#include <initializer_list>

#include "bench/suite/ocean.hpp"

namespace suite {

namespace {

/// The 48 terms of the density of seawater (IOC, SCOR and IAPSO 2010: The international
/// thermodynamic equation of seawater, appendix K), numbered from 1 as usual.
constexpr double v[] = {0,
                        9.998420897506056e2,
                        2.839940833161907,
                        -3.147759265588511e-2,
                        1.181805545074306e-3,
                        -6.698001071123802,
                        -2.986498947203215e-2,
                        2.327859407479162e-4,
                        -3.988822378968490e-2,
                        5.095422573880500e-4,
                        -1.426984671633621e-5,
                        1.645039373682922e-7,
                        -2.233269627352527e-2,
                        -3.436090079851880e-4,
                        3.726050720345733e-6,
                        -1.806789763745328e-4,
                        6.876837219536232e-7,
                        -3.087032500374211e-7,
                        -1.988366587925593e-8,
                        -1.061519070296458e-11,
                        1.550932729220080e-10,
                        1.0,
                        2.775927747785646e-3,
                        -2.349607444135925e-5,
                        1.119513357486743e-6,
                        6.743689325042773e-10,
                        -7.521448093615448e-3,
                        -2.764306979894411e-5,
                        1.262937315098546e-7,
                        9.527875081696435e-10,
                        -1.811147201949891e-11,
                        -3.303308871386421e-5,
                        3.801564588876298e-7,
                        -7.672876869259043e-9,
                        -4.634182341116144e-11,
                        2.681097235569143e-12,
                        5.419326551148740e-6,
                        -2.742185394906099e-5,
                        -3.212746477974189e-7,
                        3.191413910561627e-9,
                        -1.931012931541776e-12,
                        -1.105097577149576e-7,
                        6.211426728363857e-10,
                        -1.119011592875110e-10,
                        -1.941660213148725e-11,
                        -1.864826425365600e-14,
                        1.119522344879478e-14,
                        -1.200507748551599e-15,
                        6.057902487546866e-17};

template <class T> struct polynomial { T value, slope; };

/// c0 + c1 t + ... and its derivative, by Horner's rule.
template <class T> polynomial<T> horner(const T& t, std::initializer_list<double> c) {
  const double* const k = c.begin();
  const auto n = static_cast<int>(c.size()) - 1;  // at least 2
  T value = k[n - 1] + k[n] * t;
  T slope = (n - 1) * k[n - 1] + n * k[n] * t;
  for (int j = n - 2; j >= 0; --j) value = k[j] + t * value;
  for (int j = n - 2; j > 0; --j) slope = j * k[j] + t * slope;
  return {value, slope};
}

/// The three polynomials in (s, t) of which the density is a quotient, and their derivatives by t:
/// the denominator is a + 2 b p + c p p.
template <class T> struct denominator { T a, at, b, bt, c, ct; };

template <class T> denominator<T> denominator_of(const T& s, const T& t, const T& r) {
  const auto a1 = horner(t, {v[1], v[2], v[3], v[4]}), a2 = horner(t, {v[5], v[6], v[7]});
  const auto a3 = horner(t, {v[8], v[9], v[10], v[11]});
  const auto b1 = horner(t, {v[12], v[13], v[14]}), c1 = horner(t, {v[17], v[18], v[19]});
  return {a1.value + s * (a2.value + r * a3.value),
          a1.slope + s * (a2.slope + r * a3.slope),
          0.5 * (b1.value + s * (v[15] + v[16] * t)),
          0.5 * (b1.slope + s * v[16]),
          c1.value + v[20] * s,
          c1.slope};
}

/// The factors of the logarithms, and the part without logarithms.
template <class T> struct terms { T f, ft, w, wt, rest; };

template <class T>
terms<T> terms_of(const T& s, const T& t, const T& p, const T& r, const denominator<T>& d) {
  const auto& [a, at, b, bt, c, ct] = d;
  const T ic = 1.0 / c, bb = b * b;
  const T q = v[47] + v[48] * t;
  const double qt = v[48];
  const T R = v[43] + t * (v[44] + v[45] * t + v[46] * s);
  const T Rt = v[44] + 2.0 * v[45] * t + v[46] * s;
  const auto f1 = horner(t, {v[37], v[38], v[39], v[40]});
  const auto n1 = horner(t, {v[21], v[22], v[23], v[24], v[25]});
  const auto n2 = horner(t, {v[26], v[27], v[28], v[29], v[30]});
  const auto n3 = horner(t, {v[31], v[32], v[33], v[34], v[35]});
  const T K = 4.0 * q * bb * ic - q * a - 2.0 * R * b;
  const T Kt = (4.0 * qt * bb + 8.0 * q * b * bt - 4.0 * q * bb * ct * ic) * ic - qt * a - q * at -
               2.0 * (Rt * b + R * bt);
  const T F = f1.value + s * (v[41] + v[42] * t) + K * ic;
  const T Ft = f1.slope + s * v[42] + (Kt - K * ct * ic) * ic;
  const T L = 2.0 * q * a * b * ic - R * a;
  const T Lt =
      2.0 * (qt * a * b + q * at * b + q * a * bt - q * a * b * ct * ic) * ic - Rt * a - R * at;
  const T M = n1.value + s * (n2.value + v[36] * s + r * n3.value) + L * ic;
  const T Mt = n1.slope + s * (n2.slope + r * n3.slope) + (Lt - L * ct * ic) * ic;
  const T first =
      1.0e4 * p * (Rt - 2.0 * (qt * b + q * bt - q * b * ct * ic) * ic + 0.5 * qt * p) * ic;
  const T second = 1.0e4 * p * (R - 2.0 * q * b * ic + 0.5 * q * p) * ct * ic * ic;
  return {F, Ft, M * c - F * b, Mt * c + M * ct - Ft * b - F * bt, first - second};
}

/// The derivative by temperature of the dynamic enthalpy. s: absolute salinity, g/kg; t:
/// conservative temperature, degrees C; p: pressure, dbar.
template <class T> T enthalpy_slope(const T& s, const T& t, const T& p) {
  using sinter::log, sinter::sqrt, std::log, std::sqrt;
  const T r = sqrt(s);
  const denominator<T> d = denominator_of<T>(s, t, r);
  const auto [F, Ft, W, Wt, rest] = terms_of<T>(s, t, p, r, d);
  const auto& [a, at, b, bt, c, ct] = d;
  const T ic = 1.0 / c, cp = c * p, u = p * (2.0 * b + cp);
  const T g = 1.0 + u / a, lg = log(g);
  const T gt = (p * (2.0 * bt + ct * p) - u * at / a) / a;
  const T D = b * b - a * c, q = sqrt(D);
  const T Dt = 2.0 * b * bt - at * c - a * ct, qt = 0.5 * Dt / q;
  const T lo = b - q, hi = b + q + cp, w = q / (lo * hi);
  const T e = 1.0 + 2.0 * cp * w, le = log(e);
  const T et = 2.0 * p * w * ct +
               2.0 * cp * (qt / (lo * hi) - w * (bt - qt) / lo - w * (bt + qt + ct * p) / hi);
  const T h = rest + 5.0e3 * ic * ((Ft - F * ct * ic) * lg + F * gt / g);
  return h + 5.0e3 * ic / q * ((Wt - W * ct * ic - 0.5 * W * Dt / D) * le + W * et / e);
}

doubles eos(const doubles& s, const doubles& t, const doubles& p) {
  return enthalpy_slope<doubles>(s, t, p);
}

/// The same formula, point by point.
tensors eos_by_hand(const dims& d, const tensors& in) {
  tensor out({d.x, d.y, d.z});
  for (index i = 0; i < d.x; ++i)
    for (index j = 0; j < d.y; ++j)
      for (index k = 0; k < d.z; ++k)
        out(i, j, k) = enthalpy_slope<double>(in[0](i, j, k), in[1](i, j, k), in[2](0, 0, k));
  return {out};
}

}  // namespace

workload equation_of_state() {
  return {
      .name = "eos",
      .group = 'C',
      .type = "f64",
      .sizes = ocean_sizes(),
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<double>({d.x, d.y, d.z}, 1e-2, 10),
                               uniform<double>({d.x, d.y, d.z}, -12, 20),
                               uniform<double>({1, 1, d.z}, 0, 1000)};
          },
      .run = traced_program_of(eos),
      .error = against(eos_by_hand),
      .tolerance = 1e-7,
      .bytes = [](const dims& d) { return 8 * (3 * points_of(d) + static_cast<double>(d.z)); },
      .flops = [](const dims& d) { return 318 * points_of(d); },
  };
}

}  // namespace suite
