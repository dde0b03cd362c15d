// Reductions to one number.

#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

template <class F> judge total(F f) {
  return against([f](const dims&, const tensors& in) {
    tensor out(std::vector<index>{});
    out.v[0] = f(in[0].v);
    return tensors{out};
  });
}

double sum_of(const std::vector<double>& x, int power = 1) {
  double s = 0;
  for (const double v : x) s += power == 2 ? v * v : v;
  return s;
}

floats norm(const floats& x) {
  return sn::linalg::norm(x);
}

workload norm_workload() {
  return {
      .name = "norm",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e8}),
      .inputs = [](const dims& d) { return std::vector{normal<float>({d.n})}; },
      .run = program_of(norm),
      .error = total([](const auto& x) { return std::sqrt(sum_of(x, 2)); }),
      .bytes = per_element(4),
      .flops = per_element(2),
  };
}

floats sum_all(const floats& x) {
  return sn::sum(x);
}

workload sum_workload() {
  return {
      .name = "sum_all",
      .group = 'B',
      .type = "f32",
      .sizes = ladder({1e6, 1e8}),
      .inputs = [](const dims& d) { return std::vector{uniform<float>({d.n})}; },
      .run = program_of(sum_all),
      .error = total([](const auto& x) { return sum_of(x); }),
      .bytes = per_element(4),
      .flops = per_element(1),
  };
}

/// Both sums in one pass.
floats variance(const floats& x) {
  const auto n = static_cast<double>(x.size());
  return sn::sum(x * x) / n - sn::pow(sn::sum(x) / n, 2);
}

workload var_flat() {
  return {
      .name = "var_flat",
      .group = 'B',
      .type = "f32",
      .sizes = ladder({1e8}),
      .inputs = [](const dims& d) { return std::vector{normal<float>({d.n}, .2, 1)}; },
      .run = program_of(variance),
      .error = total([](const auto& x) {
        const auto n = static_cast<double>(x.size());
        return sum_of(x, 2) / n - std::pow(sum_of(x) / n, 2);
      }),
      .bytes = per_element(4),
      .flops = per_element(3),
  };
}

doubles trace_added(const doubles& a) {
  const auto diagonal = sn::ravel(a)(sn::slice(0, sn::slice::unset, a.shape(0) + 1));
  return a + sn::sum(sn::tanh(diagonal));
}

workload go_fast() {
  return {
      .name = "npb_go_fast",
      .group = 'D',
      .type = "f64",
      .sizes = {{"200^2", {.n = 200}, checked | timed},
                {"2500^2", {.n = 2500}, timed | cpu_only},
                {"12500^2", {.n = 12500}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<double>({d.n, d.n})};
          },
      .run = program_of(trace_added),
      .error = against([](const dims& d, const tensors& in) {
        double trace = 0;
        for (index i = 0; i < d.n; ++i) trace += std::tanh(in[0](i, i));
        tensor out = in[0];
        for (double& x : out.v) x += trace;
        return tensors{out};
      }),
      .tolerance = 1e-13,
      .bytes = [](const dims& d) { return 16.0 * static_cast<double>(d.n * d.n); },
      .flops = [](const dims& d) { return static_cast<double>(d.n * d.n + 2 * d.n); },
  };
}

}  // namespace

std::vector<workload> full_reductions() {
  return {norm_workload(), sum_workload(), var_flat(), go_fast()};
}

}  // namespace suite
