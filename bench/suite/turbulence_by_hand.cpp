// The step of turbulent kinetic energy as loops: the reference for turbulence.cpp.

#include <algorithm>
#include <cmath>

#include "bench/suite/ocean.hpp"
#include "bench/suite/tridiagonal.hpp"

namespace suite {

namespace {

/// The inputs by name.
struct fields {
  const tensor &u, &v, &w, &mask_u, &mask_v, &mask_w, &dxt, &dxu, &dyt, &dyu, &dzt, &dzw, &cost,
      &cosu, &bottom, &kappa, &mixing, &forcing, &surface, &tke, &rate;
  index x, y, z;

  explicit fields(const tensors& in)
      : u(in[0]),
        v(in[1]),
        w(in[2]),
        mask_u(in[3]),
        mask_v(in[4]),
        mask_w(in[5]),
        dxt(in[6]),
        dxu(in[7]),
        dyt(in[8]),
        dyu(in[9]),
        dzt(in[10]),
        dzw(in[11]),
        cost(in[12]),
        cosu(in[13]),
        bottom(in[14]),
        kappa(in[15]),
        mixing(in[16]),
        forcing(in[17]),
        surface(in[18]),
        tke(in[19]),
        rate(in[20]),
        x(u.shape[0]),
        y(u.shape[1]),
        z(u.shape[2]) {}
};

/// The column at (i, j) after vertical mixing; only above the bottom.
std::vector<double> mixed(const fields& f, index i, index j) {
  const index n = f.z, deepest = static_cast<index>(f.bottom(i, j)) - 1;
  const double top = 0.5 * f.dzw(n - 1);
  const auto delta = [&](index k) {
    return 0.5 * (f.kappa(i, j, k) + f.kappa(i, j, k + 1)) / f.dzt(k + 1);
  };
  std::vector<double> a, b, c, d;
  for (index k = 0; k < n; ++k) {
    const bool edge = deepest >= 0 && k == deepest, water = deepest >= 0 && k >= deepest;
    const double loss = 0.7 * std::sqrt(std::max(f.tke(i, j, k, 0), 0.0)) / f.mixing(i, j, k);
    const double depth = k == n - 1 ? top : f.dzw(k);
    const double below = k > 0 ? delta(k - 1) : 0, above = k < n - 1 ? delta(k) : 0;
    a.push_back(water && !edge && k > 0 ? -below / depth : 0);
    if (edge)
      b.push_back(1 + above / f.dzw(k) + loss);
    else
      b.push_back(water ? 1 + (above + below) / depth + loss : 1);
    c.push_back(water ? -above / f.dzw(k) : 0);
    const double source = k == n - 1 ? f.surface(i, j) / top : 0;
    d.push_back(water ? f.tke(i, j, k, 0) + f.forcing(i, j, k) + source : 0);
  }
  return solved_by_hand(a, b, c, d);
}

/// The limited flux through a face: x and mask at the four points around it.
double superbee(double velocity, double scale, double dx, const double (&x)[4],
                const double (&mask)[3]) {
  const double v = scale * velocity;
  const double before = (x[1] - x[0]) * mask[0], here = (x[2] - x[1]) * mask[1];
  const double after = (x[3] - x[2]) * mask[2];
  const double ratio = (velocity > 0 ? before : after) / (std::abs(here) < 1e-20 ? 1e-20 : here);
  const double limit = std::max(std::max(std::min(2 * ratio, 1.0), std::min(ratio, 2.0)), 0.0);
  return v * (x[2] + x[1]) * 0.5 -
         std::abs(v) * ((1 - limit) + std::abs(v / dx) * limit) * here * 0.5;
}

double east_flux(const fields& f, index i, index j, index k) {
  const auto t = [&](index at) { return f.tke(at, j, k, 0); };
  const auto m = [&](index at) { return f.mask_w(at + 1, j, k) * f.mask_w(at, j, k); };
  return superbee(f.u(i, j, k, 0), 1, f.cost(j) * f.dxt(i), {t(i - 1), t(i), t(i + 1), t(i + 2)},
                  {m(i - 1), m(i), m(i + 1)});
}

double north_flux(const fields& f, index i, index j, index k) {
  const auto t = [&](index at) { return f.tke(i, at, k, 0); };
  const auto m = [&](index at) { return f.mask_w(i, at + 1, k) * f.mask_w(i, at, k); };
  return superbee(f.v(i, j, k, 0), f.cosu(j), f.cost(j) * f.dyt(j),
                  {t(j - 1), t(j), t(j + 1), t(j + 2)}, {m(j - 1), m(j), m(j + 1)});
}

/// The flux through the bottom and the surface is zero.
double upward_flux(const fields& f, index i, index j, index k) {
  const auto t = [&](index at) { return at < 0 || at >= f.z ? 0.0 : f.tke(i, j, at, 0); };
  const auto m = [&](index at) {
    return at < 0 || at >= f.z - 1 ? 0.0 : f.mask_w(i, j, at + 1) * f.mask_w(i, j, at);
  };
  return superbee(f.w(i, j, k, 0), 1, f.dzw(k), {t(k - 1), t(k), t(k + 1), t(k + 2)},
                  {m(k - 1), m(k), m(k + 1)});
}

double diffused(const fields& f, index i, index j, index k) {
  const auto t = [&](index a, index b) { return f.tke(a, b, k, 0); };
  const auto east = [&](index a) {
    return 2000 * (t(a + 1, j) - t(a, j)) / (f.cost(j) * f.dxu(a)) * f.mask_u(a, j, k);
  };
  const auto north = [&](index b) {
    return 2000 * (t(i, b + 1) - t(i, b)) / f.dyu(b) * f.mask_v(i, b, k) * f.cosu(b);
  };
  return f.mask_w(i, j, k) * ((east(i) - east(i - 1)) / (f.cost(j) * f.dxt(i)) +
                              (north(j) - north(j - 1)) / (f.cost(j) * f.dyt(j)));
}

double advected(const fields& f, index i, index j, index k) {
  const double lateral =
      -(east_flux(f, i, j, k) - east_flux(f, i - 1, j, k)) / (f.cost(j) * f.dxt(i)) -
      (north_flux(f, i, j, k) - north_flux(f, i, j - 1, k)) / (f.cost(j) * f.dyt(j));
  const double in = k > 0 ? upward_flux(f, i, j, k - 1) : 0;
  const double out = k < f.z - 1 ? upward_flux(f, i, j, k) : 0;
  return f.mask_w(i, j, k) * lateral - (out - in) / (k == f.z - 1 ? 0.5 * f.dzw(k) : f.dzw(k));
}

}  // namespace

tensors turbulence_by_hand(const dims&, const tensors& in) {
  const fields f(in);
  tensor next({f.x, f.y, f.z}), rate = next, correction({f.x, f.y});
  for (index i = 0; i < f.x; ++i) {
    for (index j = 0; j < f.y; ++j) {
      const bool inside = i >= 2 && i < f.x - 2 && j >= 2 && j < f.y - 2;
      const std::vector<double> column = inside ? mixed(f, i, j) : std::vector<double>();
      const auto deepest = static_cast<index>(f.bottom(i, j)) - 1;
      for (index k = 0; k < f.z; ++k) {
        double t = f.tke(i, j, k, 1), d = f.rate(i, j, k, 0);
        if (inside) {
          if (deepest >= 0 && k >= deepest) t = column[static_cast<std::size_t>(k)];
          if (k == f.z - 1) {
            correction(i, j) = t < 0 ? -t * 0.5 * f.dzw(k) : 0;
            t = std::max(t, 0.0);
          }
          t += diffused(f, i, j, k);
          d = advected(f, i, j, k);
        }
        rate(i, j, k) = d;
        next(i, j, k) = t + 1.6 * d - 0.6 * f.rate(i, j, k, 2);
      }
    }
  }
  return {next, rate, correction};
}

}  // namespace suite
