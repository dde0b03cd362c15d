// Reductions along rows and along columns.

#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

template <int Axis> floats sum_along(const floats& x) {
  return sn::sum(x, {.axis = Axis});
}

template <int Axis> workload sums() {
  const auto n = [](const dims& d) { return static_cast<double>(d.n); };
  return {
      .name = Axis == 1 ? "sum_rows" : "sum_cols",
      .group = 'B',
      .type = "f32",
      .sizes = {{"256^2", {.n = 256}, checked | timed},
                {"3000^2", {.n = 3000}, timed | cpu_only},
                {"8192^2", {.n = 8192}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<float>({d.n, d.n})};
          },
      .run = program_of(sum_along<Axis>),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.n});
        for (index i = 0; i < d.n; ++i)
          for (index j = 0; j < d.n; ++j) out(Axis == 1 ? i : j) += in[0](i, j);
        return tensors{out};
      }),
      .bytes = [=](const dims& d) { return 4 * n(d) * n(d) + 4 * n(d); },
      .flops = [=](const dims& d) { return n(d) * n(d); },
  };
}

doubles product(const doubles& a) {
  return sn::prod(a, {.axis = 0});
}

workload colprod() {
  const auto plane = [](const dims& d) { return static_cast<double>(d.y * d.y); };
  return {
      .name = "colprod",
      .group = 'A',
      .type = "f64",
      .sizes = {{"64x32x32", {.y = 32, .z = 64}, checked | timed},
                {"512x128x128", {.y = 128, .z = 512}, timed | cpu_only},
                {"4096x512x512", {.y = 512, .z = 4096}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<double>({d.z, d.y, d.y}, .999, 1.001)};
          },
      .run = program_of(product),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.y, d.y}, 1);
        for (index k = 0; k < d.z; ++k)
          for (index i = 0; i < d.y; ++i)
            for (index j = 0; j < d.y; ++j) out(i, j) *= in[0](k, i, j);
        return tensors{out};
      }),
      .tolerance = 1e-11,
      .bytes = [=](const dims& d) { return 8 * static_cast<double>(d.z + 1) * plane(d); },
      .flops = [=](const dims& d) { return static_cast<double>(d.z) * plane(d); },
  };
}

std::tuple<floats, floats, floats> statistics(const floats& x) {
  return {sn::sum(x, {.axis = 0}), sn::mean(x, {.axis = 0}), sn::stddev(x, {.axis = 0})};
}

tensors statistics_by_hand(const dims& d, const tensors& in) {
  tensor sum({d.n}), mean({d.n}), deviation({d.n});
  const auto count = static_cast<double>(d.m);
  for (index j = 0; j < d.n; ++j) {
    for (index i = 0; i < d.m; ++i) sum(j) += in[0](i, j);
    mean(j) = sum(j) / count;
    for (index i = 0; i < d.m; ++i) deviation(j) += std::pow(in[0](i, j) - mean(j), 2);
    deviation(j) = std::sqrt(deviation(j) / count);
  }
  return {sum, mean, deviation};
}

workload colstats() {
  const auto area = [](const dims& d) { return static_cast<double>(d.n * d.m); };
  return {
      .name = "colstats",
      .group = 'B',
      .type = "f32",
      .sizes = {{"1000x128", {.n = 128, .m = 1000}, checked | timed},
                {"1e5x128", {.n = 128, .m = 100'000}, timed | cpu_only},
                {"1e6x128", {.n = 128, .m = 1'000'000}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{normal<float>({d.m, d.n}, 1, 2)};
          },
      .run = traced_program_of(statistics),
      .error = against(statistics_by_hand),
      .bytes = [=](const dims& d) { return 4 * area(d) + 12 * static_cast<double>(d.n); },
      .flops = [=](const dims& d) { return 6 * area(d); },
  };
}

}  // namespace

std::vector<workload> axis_reductions() {
  return {colprod(), sums<1>(), sums<0>(), colstats()};
}

}  // namespace suite
