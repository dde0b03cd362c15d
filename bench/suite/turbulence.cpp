// A step of turbulent kinetic energy: implicit vertical mixing, lateral diffusion and advection
// with a limiter, on a staggered grid.

#include <algorithm>
#include <cmath>

#include "bench/suite/ocean.hpp"
#include "bench/suite/tridiagonal.hpp"

namespace suite {

namespace {

constexpr sn::slice J{2, -2};  // the points that have all neighbours
constexpr sn::slice rest{1, sn::slice::unset}, most{0, -1}, last{-1, sn::slice::unset};
using sn::_;
using sn::newaxis;

/// The inputs of the step. Lengths and cosines are lines along x, y or z; the others are (x, y, z).
struct ocean_state {
  doubles u, v, w;                 // velocities
  doubles mask_u, mask_v, mask_w;  // 1 in water, else 0
  doubles dxt, dxu, dyt, dyu, dzt, dzw, cost, cosu;
  longs bottom;                             // (x, y): the deepest level, from 1; 0: land
  doubles kappa, mixing, forcing, surface;  // surface: (x, y)
  doubles tke, rate;                        // (x, y, z, 3): at three times
};

doubles along_z(std::initializer_list<doubles> parts) {
  return sn::concatenate(parts, {.axis = 2});
}

struct mixing {
  tridiagonal system;
  sn::array<bool> water;
};

mixing vertical_mixing(const ocean_state& o) {
  const doubles t = o.tke(J, J, _, 0), k = o.kappa(J, J);
  const doubles delta = 0.5 * (k(_, _, most) + k(_, _, rest)) / o.dzt(rest);
  const doubles loss = 0.7 * sn::sqrt(sn::maximum(t, 0)) / o.mixing(J, J);
  const doubles none = sn::zeros_like(loss(_, _, sn::slice(0, 1)));
  const doubles top = 0.5 * o.dzw(last);
  const doubles on_top = delta(_, _, last) / top;
  const doubles a = along_z({none, -delta(_, _, most) / o.dzw(inner), -on_top});
  const doubles middle = (delta(_, _, rest) + delta(_, _, most)) / o.dzw(inner);
  const doubles b = 1 + along_z({none, middle, on_top}) + loss;
  const doubles at_edge = 1 + along_z({delta, none}) / o.dzw + loss;
  const doubles c = along_z({-delta / o.dzw(most), none});
  const doubles source = o.surface(J, J, newaxis) / top;
  const doubles d = t + o.forcing(J, J) + along_z({sn::zeros_like(delta), source});
  const longs deepest = o.bottom(J, J, newaxis) - 1, level = sn::arange(t.shape(2));
  const sn::array<bool> edge = deepest >= 0 && level == deepest;
  const sn::array<bool> water = deepest >= 0 && level >= deepest;
  return {{sn::where(water && !edge, a, 0), sn::where(edge, at_edge, sn::where(water, b, 1)),
           sn::where(water, c, 0), sn::where(water, d, 0)},
          water};
}

/// The product of each value and the next one along an axis; 0 for the last.
doubles both(const doubles& x, int axis) {
  const auto part = [&](sn::slice s) {
    return axis == 0 ? x(s) : axis == 1 ? x(_, s) : x(_, _, s);
  };
  const doubles ends = sn::zeros_like(part(sn::slice(0, 1)));
  const doubles products = part(rest) * part(most);
  return sn::concatenate({products, ends}, {.axis = axis});
}

/// The flux through the faces along an axis, limited by superbee (P. L. Roe 1986).
doubles superbee(const doubles& velocity, const doubles& x, const doubles& mask, const doubles& dx,
                 int axis, const doubles& scale) {
  const auto at = [&](const doubles& y, index offset) -> doubles {
    const sn::slice s{1 + offset, offset == 2 ? sn::slice::unset : offset - 2};
    return axis == 0 ? y(s, J) : axis == 1 ? y(J, s) : y(J, J, s);
  };
  const doubles x0 = at(x, 0), x1 = at(x, 1), velocity0 = at(velocity, 0);
  const doubles v = scale * velocity0;
  const doubles after = (at(x, 2) - x1) * at(mask, 1), here = (x1 - x0) * at(mask, 0);
  const doubles before = (x0 - at(x, -1)) * at(mask, -1);
  const doubles ratio =
      sn::where(velocity0 > 0, before, after) / sn::where(sn::abs(here) < 1e-20, 1e-20, here);
  const doubles limit =
      sn::maximum(sn::maximum(sn::minimum(2 * ratio, 1), sn::minimum(ratio, 2)), 0);
  return v * (x1 + x0) * 0.5 - sn::abs(v) * ((1 - limit) + sn::abs(v / dx) * limit) * here * 0.5;
}

/// Lateral diffusion and advection divide what flows in by the size of the cells.
struct cells {
  doubles x, y;
};

doubles diffusion(const ocean_state& o, const doubles& t, const cells& c) {
  const doubles east = 2000 * (t(sn::slice(2, -1)) - t(sn::slice(1, -2))) /
                       (o.cost(newaxis, _, newaxis) * o.dxu(sn::slice(1, -2), newaxis, newaxis)) *
                       o.mask_u(sn::slice(1, -2));
  const doubles north = 2000 * (t(_, sn::slice(2, -1)) - t(_, sn::slice(1, -2))) /
                        o.dyu(newaxis, sn::slice(1, -2), newaxis) * o.mask_v(_, sn::slice(1, -2)) *
                        o.cosu(newaxis, sn::slice(1, -2), newaxis);
  return o.mask_w(J, J) *
         ((east(rest, J) - east(most, J)) / c.x + (north(J, rest) - north(J, most)) / c.y);
}

doubles advection(const ocean_state& o, const doubles& t, const cells& c) {
  constexpr sn::slice faces{1, -2};
  const doubles zero = sn::zeros_like(o.mask_w(_, _, sn::slice(0, 1)));
  const auto padded = [&](const doubles& x) { return along_z({zero, x, zero}); };
  const doubles cos_j = o.cost(newaxis, J, newaxis), one = sn::ones({1, 1, 1});
  const doubles east = superbee(o.u(sn::ellipsis, 0), t, both(o.mask_w, 0),
                                cos_j * o.dxt(faces, newaxis, newaxis), 0, one);
  const doubles wide = o.cost * o.dyt;
  const doubles north = superbee(o.v(sn::ellipsis, 0), t, both(o.mask_w, 1),
                                 wide(newaxis, faces, newaxis), 1, o.cosu(newaxis, faces, newaxis));
  const doubles up = superbee(padded(o.w(sn::ellipsis, 0)), padded(t), padded(both(o.mask_w, 2)),
                              o.dzw(newaxis, newaxis, most), 2, one);
  doubles d = o.rate(sn::ellipsis, 0);
  d(J, J) =
      o.mask_w(J, J) * (-(east(rest) - east(most)) / c.x - (north(_, rest) - north(_, most)) / c.y);
  d(J, J, 0) -= up(_, _, 0) / o.dzw(0);
  d(J, J, inner) -= (up(_, _, rest) - up(_, _, most)) / o.dzw(inner);
  d(J, J, -1) += up(_, _, -1) / (0.5 * o.dzw(-1));
  return d;
}

std::tuple<doubles, doubles, doubles> step(const ocean_state& o) {
  const auto [system, water] = vertical_mixing(o);
  const doubles solution = solved(system), t = o.tke(sn::ellipsis, 0);
  doubles next = o.tke(sn::ellipsis, 1);
  next(J, J) = sn::where(water, solution, next(J, J));
  const doubles top = next(J, J, -1);
  doubles correction = sn::zeros_like(next(_, _, 0));
  correction(J, J) = sn::where(top < 0, -top * 0.5 * o.dzw(-1), 0);
  next(J, J, -1) = sn::maximum(top, 0);
  const doubles cos_j = o.cost(newaxis, J, newaxis);
  const cells c{cos_j * o.dxt(J, newaxis, newaxis), cos_j * o.dyt(newaxis, J, newaxis)};
  next(J, J) += diffusion(o, t, c);
  const doubles d = advection(o, t, c);
  return {next + 1.6 * d - 0.6 * o.rate(sn::ellipsis, 2), d, correction};
}

std::tuple<doubles, doubles, doubles> turbulence(
    const doubles& u, const doubles& v, const doubles& w, const doubles& mu, const doubles& mv,
    const doubles& mw, const doubles& dxt, const doubles& dxu, const doubles& dyt,
    const doubles& dyu, const doubles& dzt, const doubles& dzw, const doubles& cost,
    const doubles& cosu, const longs& bottom, const doubles& kappa, const doubles& mixing,
    const doubles& forcing, const doubles& surface, const doubles& tke, const doubles& rate) {
  return step({u,   v,    w,    mu,     mv,    mw,     dxt,     dxu,     dyt, dyu, dzt,
               dzw, cost, cosu, bottom, kappa, mixing, forcing, surface, tke, rate});
}

}  // namespace

workload turbulent_kinetic_energy() {
  const auto inputs = [](const dims& d) {
    const auto mask = [&] {
      return input{input::kind::made,
                   {d.x, d.y, d.z},
                   sn::dtype::float64,
                   0,
                   0,
                   [](std::mt19937_64& g, index) {
                     return std::uniform_real_distribution<double>()(g) < 0.8 ? 1.0 : 0.0;
                   }};
    };
    const auto line = [](index n) { return uniform<double>({n}, .5, 1.5); };
    const auto three = normal<double>({d.x, d.y, d.z, 3});
    std::vector<input> in(3, three);
    for (int i = 0; i < 3; ++i) in.push_back(mask());
    for (const index n : {d.x, d.x, d.y, d.y, d.z, d.z, d.y, d.y}) in.push_back(line(n));
    in.push_back(integers({d.x, d.y}, 0, static_cast<double>(d.z)));
    in.push_back(uniform<double>({d.x, d.y, d.z}, .1, 1));
    in.push_back(uniform<double>({d.x, d.y, d.z}, 1, 2));
    in.push_back(normal<double>({d.x, d.y, d.z}));
    in.push_back(normal<double>({d.x, d.y}));
    in.insert(in.end(), 2, three);
    return in;
  };
  return {
      .name = "tke",
      .group = 'C',
      .type = "f64",
      .sizes = ocean_sizes(),
      .inputs = inputs,
      .run = traced_program_of(turbulence),
      .error = against(turbulence_by_hand),
      .tolerance = 1e-9,
      .bytes =
          [](const dims& d) {
            return 8 * (14 * points_of(d) + 3 * static_cast<double>(d.x * d.y));
          },
      .flops = [](const dims& d) { return 158 * points_of(d); },
      .late = true,
  };
}

}  // namespace suite
