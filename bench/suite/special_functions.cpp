// Maps of exponentials, logarithms and similar functions: bound by arithmetic, or nearly so.

#include <algorithm>
#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

constexpr double pi = 3.14159265358979323846;

floats softplus(const floats& x) {
  return sn::maximum(x, 0) + sn::log1p(sn::exp(-sn::abs(x)));
}

workload softplus_workload() {
  return {
      .name = "softplus",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e6, 1e8}),
      .inputs = [](const dims& d) { return std::vector{normal<float>({d.n}, 0, 3)}; },
      .run = program_of(softplus),
      .error = elementwise<1>(
          [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }),
      .bytes = per_element(8),
      .flops = per_element(6),
  };
}

constexpr double mean = 0.3, sigma = 1.7;

floats gaussian(const floats& x) {
  return sn::exp(-0.5 * sn::pow((x - mean) / sigma, 2)) / (sigma * std::sqrt(2 * pi));
}

workload gaussian_pdf() {
  return {
      .name = "gaussian_pdf",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e6, 1e8}),
      .inputs = [](const dims& d) { return std::vector{uniform<float>({d.n}, -3, 3)}; },
      .run = program_of(gaussian),
      .error = elementwise<1>([](double x) {
        const double z = (x - mean) / sigma;
        return std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * pi));
      }),
      .bytes = per_element(8),
      .flops = per_element(6),
  };
}

floats polar(const floats& r1, const floats& t1, const floats& r2, const floats& t2) {
  const auto dx = r1 * sn::cos(t1) - r2 * sn::cos(t2);
  const auto dy = r1 * sn::sin(t1) - r2 * sn::sin(t2);
  return sn::pow(sn::pow(dx, 2) + sn::pow(dy, 2), 0.5);
}

workload polar_distance() {
  return {
      .name = "polar_distance",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e6, 1e8}),
      .inputs =
          [](const dims& d) {
            const auto r = uniform<float>({d.n}, .5, 1.5), t = uniform<float>({d.n}, -pi, pi);
            return std::vector{r, t, r, t};
          },
      .run = program_of(polar),
      .error = elementwise<4>([](double r1, double t1, double r2, double t2) {
        return std::hypot(r1 * std::cos(t1) - r2 * std::cos(t2),
                          r1 * std::sin(t1) - r2 * std::sin(t2));
      }),
      .bytes = per_element(20),
      .flops = per_element(14),
  };
}

floats exp_square(const floats& x) {
  return sn::exp(-0.5 * sn::pow(x, 2));
}
doubles exp_square_of_integers(const longs& x) {
  return sn::exp(-0.5 * sn::pow(x, 2));
}

workload exp_sq(bool integer) {
  return {
      .name = integer ? "exp_sq_i64" : "exp_sq_f32",
      .group = 'A',
      .type = integer ? "i64>f64" : "f32",
      .sizes = integer ? ladder({1e8}) : ladder({1e6, 1e8}),
      .inputs =
          [=](const dims& d) {
            return std::vector{integer ? integers({d.n}, 0, 10) : normal<float>({d.n})};
          },
      .run = integer ? program_of(exp_square_of_integers) : program_of(exp_square),
      .error = elementwise<1>([](double x) { return std::exp(-0.5 * x * x); }),
      .tolerance = integer ? 1e-12 : 1e-4,
      .bytes = per_element(integer ? 16 : 8),
      .flops = per_element(3),
  };
}

template <class T>
std::tuple<sn::array<T>, sn::array<T>> prices(const sn::array<T>& s, const sn::array<T>& k,
                                              const sn::array<T>& t) {
  const double r = 0.02, v = 0.30;
  const sn::array<T> spread = sn::sqrt(t) * v;
  const sn::array<T> d1 = (sn::log(s / k) + (r + 0.5 * v * v) * t) / spread;
  const sn::array<T> n1 = 0.5 + 0.5 * sn::erf(d1 * 0.7071067811865476);
  const sn::array<T> n2 = 0.5 + 0.5 * sn::erf((d1 - spread) * 0.7071067811865476);
  const sn::array<T> e = k * sn::exp(-r * t);
  return {s * n1 - e * n2, e * (1 - n2) - s * (1 - n1)};
}

tensors prices_by_hand(const dims&, const tensors& in) {
  const auto phi = [](double x) { return 0.5 + 0.5 * std::erf(x * 0.7071067811865476); };
  tensor call(in[0].shape), put(in[0].shape);
  for (std::size_t i = 0; i < call.v.size(); ++i) {
    const double s = in[0].v[i], k = in[1].v[i], t = in[2].v[i];
    const double spread = std::sqrt(t) * 0.30;
    const double d1 = (std::log(s / k) + (0.02 + 0.5 * 0.30 * 0.30) * t) / spread;
    const double n1 = phi(d1), n2 = phi(d1 - spread), e = k * std::exp(-0.02 * t);
    call.v[i] = s * n1 - e * n2;
    put.v[i] = e * (1 - n2) - s * (1 - n1);
  }
  return {call, put};
}

template <class T> workload black_scholes(std::string type, double tolerance) {
  return {
      .name = "black_scholes_" + type,
      .group = 'B',
      .type = type,
      .sizes = {{"1e4", {.n = 10'000}, checked | timed},
                {"1e6", {.n = 1'000'000}, timed | cpu_only},
                {"1e7", {.n = 10'000'000}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<T>({d.n}, 5, 30), uniform<T>({d.n}, 1, 100),
                               uniform<T>({d.n}, .25, 10)};
          },
      .run = program_of(prices<T>),
      .error = against(prices_by_hand),
      .tolerance = tolerance,
      .bytes = per_element(5 * sizeof(T)),
      .flops = per_element(27),
  };
}

/// For how many of 20 steps of z = z * z + c each c stays within 2.
floats escape_count(const floats& cr, const floats& ci) {
  floats zr = cr, zi = ci, count = sn::zeros_like(cr);
  for (int step = 0; step < 20; ++step) {
    const floats a = zr * zr, b = zi * zi;
    count = count + sn::astype<float>(a + b < 4);
    zi = 2 * zr * zi + ci;
    zr = a - b + cr;
  }
  return count;
}

double escape_count_by_hand(double cr, double ci) {
  double zr = cr, zi = ci, count = 0;
  for (int step = 0; step < 20; ++step) {
    const double a = zr * zr, b = zi * zi;
    count += a + b < 4;
    zi = 2 * zr * zi + ci;
    zr = a - b + cr;
  }
  return count;
}

workload mandel20() {
  return {
      .name = "mandel20",
      .group = 'B',
      .type = "f32",
      .sizes = {{"1e4", {.n = 10'000}, checked | timed},
                {"1e6", {.n = 1'000'000}, timed | cpu_only},
                {"1e7", {.n = 10'000'000}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<float>({d.n}, -2, .6), uniform<float>({d.n}, -1.2, 1.2)};
          },
      .run = traced_program_of(escape_count),
      .error = elementwise<2>(escape_count_by_hand),
      .tolerance = 5e-3,
      .bytes = per_element(12),
      .flops = per_element(200),
  };
}

doubles great_circle(const doubles& t1, const doubles& f1, const doubles& t2, const doubles& f2) {
  const doubles h = sn::pow(sn::sin((t2 - t1) * 0.5), 2) +
                    sn::cos(t1) * sn::cos(t2) * sn::pow(sn::sin((f2 - f1) * 0.5), 2);
  return 2 * sn::atan2(sn::sqrt(h), sn::sqrt(1 - h));
}

workload arc_distance() {
  return {
      .name = "npb_arc_distance",
      .group = 'D',
      .type = "f64",
      .sizes = {{"1e4", {.n = 10'000}, checked | timed},
                {"1e6", {.n = 1'000'000}, timed | cpu_only},
                {"1e7", {.n = 10'000'000}, timed | large}},
      .inputs = [](const dims& d) { return std::vector(4, uniform<double>({d.n})); },
      .run = program_of(great_circle),
      .error = elementwise<4>([](double t1, double f1, double t2, double f2) {
        const double a = std::sin((t2 - t1) / 2), b = std::sin((f2 - f1) / 2);
        const double h = a * a + std::cos(t1) * std::cos(t2) * b * b;
        return 2 * std::atan2(std::sqrt(h), std::sqrt(1 - h));
      }),
      .tolerance = 1e-11,
      .bytes = per_element(40),
      .flops = per_element(18),
  };
}

}  // namespace

std::vector<workload> special_functions() {
  return {softplus_workload(),
          gaussian_pdf(),
          polar_distance(),
          exp_sq(false),
          exp_sq(true),
          black_scholes<float>("f32", 1e-5),
          black_scholes<double>("f64", 1e-12),
          mandel20(),
          arc_distance()};
}

}  // namespace suite
