// Loops in which each step depends on the previous one.

#include <cmath>

#include "bench/suite/tridiagonal.hpp"
#include "bench/suite/workload.hpp"

namespace suite {

namespace {

// ---- bodies under gravity, each step with its energies

/// The position of each body relative to each other one: column minus row.
struct distances {
  doubles x, y, z;
};

distances distances_of(const doubles& position) {
  const auto apart = [&](index axis) -> doubles {
    const doubles c = position(sn::_, sn::slice(axis, axis + 1));
    return c.T() - c;
  };
  return {apart(0), apart(1), apart(2)};
}

doubles acceleration(const doubles& position, const doubles& mass) {
  const auto [dx, dy, dz] = distances_of(position);
  const doubles i3 = sn::pow(dx * dx + dy * dy + dz * dz + 0.01, -1.5);
  return sn::concatenate(
      {sn::matmul(dx * i3, mass), sn::matmul(dy * i3, mass), sn::matmul(dz * i3, mass)},
      {.axis = 1});
}

struct energies {
  doubles kinetic, potential;
};

energies energies_of(const doubles& position, const doubles& velocity, const doubles& mass) {
  const auto [dx, dy, dz] = distances_of(position);
  const doubles r = sn::sqrt(dx * dx + dy * dy + dz * dz);
  const doubles each = -(mass * mass.T()) * sn::where(r > 0, 1 / r, 0);
  const auto i = sn::arange(mass.shape(0));
  const auto above = sn::expand_dims(i, 1) < i;  // each pair once
  return {0.5 * sn::sum(mass * velocity * velocity), sn::sum(sn::where(above, each, 0))};
}

std::tuple<doubles, doubles> nbody(const dims& d, const doubles& mass, const doubles& p,
                                   const doubles& v) {
  using state = std::tuple<doubles, doubles, doubles>;  // positions, velocities, accelerations
  const auto step = [&](const state& now, std::tuple<>) {
    const auto& [position, velocity, a] = now;
    const energies e = energies_of(position, velocity, mass);
    const doubles half = velocity + a * 0.005, to = position + half * 0.01;
    const doubles there = acceleration(to, mass);
    return std::pair(state(to, half + there * 0.005, there),
                     std::tuple(e.kinetic, e.potential));
  };
  const doubles still = v - sn::mean(mass * v, {.axis = 0}) / sn::mean(mass);
  const auto [last, energy] = sn::scan(step, state(p, still, acceleration(p, mass)), std::tuple<>(),
                                       {.length = d.steps + 1});
  return energy;
}

tensor acceleration_by_hand(const tensor& p, const tensor& mass) {
  const index n = p.shape[0];
  tensor a(p.shape);
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j) {
      double r2 = 0.01;
      for (index k = 0; k < 3; ++k) r2 += std::pow(p(j, k) - p(i, k), 2);
      for (index k = 0; k < 3; ++k)
        a(i, k) += (p(j, k) - p(i, k)) * std::pow(r2, -1.5) * mass(j, 0);
    }
  }
  return a;
}

double potential_by_hand(const tensor& p, const tensor& mass) {
  double sum = 0;
  for (index i = 0; i < p.shape[0]; ++i) {
    for (index j = i + 1; j < p.shape[0]; ++j) {
      sum -= mass(i, 0) * mass(j, 0) /
             std::hypot(p(j, 0) - p(i, 0), p(j, 1) - p(i, 1), p(j, 2) - p(i, 2));
    }
  }
  return sum;
}

double kinetic_by_hand(const tensor& velocity, const tensor& mass) {
  double sum = 0;
  for (index i = 0; i < velocity.shape[0]; ++i)
    for (index k = 0; k < 3; ++k) sum += 0.5 * mass(i, 0) * velocity(i, k) * velocity(i, k);
  return sum;
}

/// y += factor x
void accumulate(tensor& y, double factor, const tensor& x) {
  for (std::size_t i = 0; i < y.v.size(); ++i) y.v[i] += factor * x.v[i];
}

/// Subtracts the velocity of the centre of mass.
void settle(tensor& velocity, const tensor& mass) {
  double total = 0;
  for (const double m : mass.v) total += m;
  for (index k = 0; k < 3; ++k) {
    double momentum = 0;
    for (index i = 0; i < mass.size(); ++i) momentum += mass(i, 0) * velocity(i, k);
    for (index i = 0; i < mass.size(); ++i) velocity(i, k) -= momentum / total;
  }
}

tensors nbody_by_hand(const dims& d, tensors in) {
  const tensor& mass = in[0];
  tensor &p = in[1], &v = in[2];
  settle(v, mass);
  tensor a = acceleration_by_hand(p, mass), kinetic({d.steps + 1}), potential = kinetic;
  for (index t = 0;; ++t) {
    kinetic(t) = kinetic_by_hand(v, mass);
    potential(t) = potential_by_hand(p, mass);
    if (t == d.steps) return {kinetic, potential};
    accumulate(v, 0.005, a);
    accumulate(p, 0.01, v);
    a = acceleration_by_hand(p, mass);
    accumulate(v, 0.005, a);
  }
}

workload npb_nbody() {
  const auto n = [](const dims& d) { return static_cast<double>(d.n); };
  const auto steps = [](const dims& d) { return static_cast<double>(d.steps); };
  return {
      .name = "npb_nbody",
      .group = 'D',
      .type = "f64",
      .sizes = {{"10x5", {.n = 10, .steps = 5}, checked},
                {"100x90", {.n = 100, .steps = 90}, timed | cpu_only},
                {"100x900", {.n = 100, .steps = 900}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<double>({d.n, 1}, .15, .25), uniform<double>({d.n, 3}),
                               uniform<double>({d.n, 3})};
          },
      .run = program_of(nbody),
      .error = against(nbody_by_hand),
      .tolerance = 1e-8,
      .bytes = [=](const dims& d) { return 56 * n(d) + 16 * (steps(d) + 1); },
      .flops = [=](const dims& d) { return 36 * n(d) * n(d) * steps(d); },
  };
}

// ---- vertical advection: a tridiagonal system per column of the atmosphere

tridiagonal advection(const doubles& us, const doubles& u, const doubles& w, const doubles& up,
                      const doubles& ut) {
  constexpr sn::slice rest{1, sn::slice::unset}, most{0, -1};
  const doubles gv = 0.125 * (w(rest, sn::_, rest) + w(most, sn::_, rest));
  const doubles du = u(sn::_, sn::_, rest) - u(sn::_, sn::_, most);
  const doubles zero = sn::zeros_like(us(sn::_, sn::_, sn::slice(0, 1)));
  const auto after_zero = [&](const doubles& x) { return sn::concatenate({zero, x}, {.axis = 2}); };
  const auto before_zero = [&](const doubles& x) {
    return sn::concatenate({x, zero}, {.axis = 2});
  };
  const doubles a = after_zero(-gv), c = before_zero(gv);
  const doubles right = a * after_zero(du) - c * before_zero(du);
  return {a, 0.15 - a - c, c, 0.15 * up + ut + us + right};
}

doubles vadv(const doubles& us, const doubles& u, const doubles& w, const doubles& up,
             const doubles& ut) {
  return 0.15 * (solved(advection(us, u, w, up, ut)) - up);
}

tensors vadv_by_hand(const dims& s, const tensors& in) {
  const tensor &us = in[0], &u = in[1], &w = in[2], &up = in[3], &ut = in[4];
  tensor out(us.shape);
  for (index i = 0; i < s.x; ++i) {
    for (index j = 0; j < s.y; ++j) {
      std::vector<double> a, b, c, d;
      for (index k = 0; k < s.z; ++k) {
        const bool bottom = k == 0, top = k == s.z - 1;
        const double below = bottom ? 0 : -0.125 * (w(i, j, k) + w(i + 1, j, k));
        const double above = top ? 0 : 0.125 * (w(i, j, k + 1) + w(i + 1, j, k + 1));
        a.push_back(below);
        b.push_back(0.15 - below - above);
        c.push_back(above);
        d.push_back(0.15 * up(i, j, k) + ut(i, j, k) + us(i, j, k));
        if (!bottom) d.back() += below * (u(i, j, k) - u(i, j, k - 1));
        if (!top) d.back() -= above * (u(i, j, k + 1) - u(i, j, k));
      }
      const std::vector<double> x = solved_by_hand(a, b, c, d);
      for (index k = 0; k < s.z; ++k) {
        out(i, j, k) = 0.15 * (x[static_cast<std::size_t>(k)] - up(i, j, k));
      }
    }
  }
  return {out};
}

workload npb_vadv() {
  const auto points = [](const dims& d) { return static_cast<double>(d.x * d.y * d.z); };
  return {
      .name = "npb_vadv",
      .group = 'D',
      .type = "f64",
      .sizes = {{"12x10x16", {.x = 12, .y = 10, .z = 16}, checked},
                {"64x64x160", {.x = 64, .y = 64, .z = 160}, timed | cpu_only},
                {"256x256x160", {.x = 256, .y = 256, .z = 160}, timed | large}},
      .inputs =
          [](const dims& d) {
            std::vector<input> in(5, uniform<double>({d.x, d.y, d.z}));
            in[2].shape[0] += 1;
            return in;
          },
      .run = program_of(vadv),
      .error = against(vadv_by_hand),
      .tolerance = 1e-10,
      .bytes = [=](const dims& d) { return 8 * (6 * points(d) + static_cast<double>(d.y * d.z)); },
      .flops = [=](const dims& d) { return 24 * points(d); },
  };
}

// ---- the Mandelbrot set, real and imaginary parts separate

std::tuple<doubles, doubles, longs> mandelbrot(const dims& d, const doubles& x, const doubles& y) {
  const doubles cr = x(sn::newaxis, sn::_) + 0 * y(sn::_, sn::newaxis);
  const doubles ci = 0 * x(sn::newaxis, sn::_) + y(sn::_, sn::newaxis);
  const doubles zero = sn::zeros_like(cr);
  const auto [zr, zi, count] = sn::while_loop(
      [&](auto zr, auto zi, auto n) { return zr * zr + zi * zi < 4 && n < d.steps; },
      [&](auto zr, auto zi, auto n) {
        return std::tuple(zr * zr - zi * zi + cr, 2 * zr * zi + ci, n + 1);
      },
      std::tuple(zero, zero, sn::zeros<index>({d.n, d.n})));
  return {zr, zi, sn::where(count == d.steps, 0, count - 1)};
}

tensors mandelbrot_by_hand(const dims& d, const tensors& in) {
  tensor re({d.n, d.n}), im({d.n, d.n}), count({d.n, d.n});
  for (index i = 0; i < d.n; ++i) {
    for (index j = 0; j < d.n; ++j) {
      double x = 0, y = 0;
      index n = 0;
      for (; n < d.steps && x * x + y * y < 4; ++n) {
        const double next = x * x - y * y + in[0](j);
        y = 2 * x * y + in[1](i);
        x = next;
      }
      re(i, j) = x;
      im(i, j) = y;
      count(i, j) = n == d.steps ? 0.0 : static_cast<double>(n - 1);
    }
  }
  return {re, im, count};
}

/// Evenly spaced, as np.linspace(low, high, n) + 1e-4.
input line(double low, double high, index n) {
  const double step = (high - low) / static_cast<double>(n - 1);
  return {input::kind::made, {n}, sn::dtype::float64, 0, 0, [=](std::mt19937_64&, index i) {
            return low + step * static_cast<double>(i) + 1e-4;
          }};
}

workload npb_mandelbrot1() {
  const auto square = [](const dims& d) { return static_cast<double>(d.n * d.n); };
  return {
      .name = "npb_mandelbrot1",
      .group = 'D',
      .type = "f64",
      .sizes = {{"40^2x12", {.n = 40, .steps = 12}, checked},
                {"400^2x50", {.n = 400, .steps = 50}, timed | cpu_only},
                {"833^2x200", {.n = 833, .steps = 200}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{line(-2, .5, d.n), line(-1.25, 1.25, d.n)};
          },
      .run = traced_program_of(mandelbrot),
      .error = against(mandelbrot_by_hand),
      .tolerance = 1e-6,
      .bytes = [=](const dims& d) { return 24 * square(d) + 16 * static_cast<double>(d.n); },
      .flops = [=](const dims& d) { return 12 * square(d) * static_cast<double>(d.steps); },
  };
}

}  // namespace

std::vector<workload> simulations() {
  std::vector<workload> all{npb_nbody(), npb_mandelbrot1(), npb_vadv()};
  for (workload& w : all) w.late = true;
  return all;
}

}  // namespace suite
