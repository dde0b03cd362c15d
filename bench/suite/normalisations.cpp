// Rows scaled by statistics of the whole row.

#include <algorithm>
#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

std::vector<size> row_sizes(bool short_rows = true) {
  std::vector<size> s = {{"64x256", {.rows = 64, .columns = 256}, checked | timed},
                         {"2048x2048", {.rows = 2048, .columns = 2048}, timed | cpu_only},
                         {"8192x8192", {.rows = 8192, .columns = 8192}, timed | large}};
  if (short_rows) {
    s.push_back({"16384x256", {.rows = 16384, .columns = 256}, timed | cpu_only});
    s.push_back({"65536x256", {.rows = 65536, .columns = 256}, timed | large});
  }
  s.push_back({"32x131072", {.rows = 32, .columns = 131072}, timed | cpu_only});
  s.push_back({"128x131072", {.rows = 128, .columns = 131072}, timed | large});
  return s;
}

double area(const dims& d) {
  return static_cast<double>(d.rows) * static_cast<double>(d.columns);
}

template <class T> sn::array<T> softmax(const sn::array<T>& x) {
  const sn::reduction_options rows{.axis = -1, .keepdims = true};
  const floats v = sn::astype<float>(x);
  const floats e = sn::exp(v - sn::max(v, rows));
  return sn::astype<T>(e / sn::sum(e, rows));
}

/// Softmax of a matrix's rows; leading axes count as rows.
tensors softmax_by_hand(const dims&, const tensors& in) {
  tensor out = in[0];
  const index columns = out.shape.back();
  for (index r = 0; r < out.size() / columns; ++r) {
    double* const row = out.v.data() + r * columns;
    const double most = *std::max_element(row, row + columns);
    double sum = 0;
    for (index j = 0; j < columns; ++j) sum += row[j] = std::exp(row[j] - most);
    for (index j = 0; j < columns; ++j) row[j] /= sum;
  }
  return {out};
}

template <class T> workload softmax_workload(const std::string& type, double tolerance) {
  return {
      .name = "softmax_" + type,
      .group = 'B',
      .type = type,
      .sizes = row_sizes(),
      .inputs =
          [](const dims& d) {
            return std::vector{normal<T>({d.rows, d.columns}, 0, 2)};
          },
      .run = traced_program_of(softmax<T>),
      .error = against(softmax_by_hand),
      .tolerance = tolerance,
      .bytes = [](const dims& d) { return 2.0 * sizeof(T) * area(d); },
      .flops = [](const dims& d) { return 5 * area(d); },
  };
}

workload softmax_of_four_axes() {
  const auto volume = [](const dims& d) { return static_cast<double>(d.n * d.m * d.x * d.x); };
  return {
      .name = "npb_softmax",
      .group = 'D',
      .type = "f32",
      .sizes = {{"2x2x64x64", {.n = 2, .m = 2, .x = 64}, checked},
                {"4x4x512x512", {.n = 4, .m = 4, .x = 512}, timed | cpu_only},
                {"64x16x512x512", {.n = 64, .m = 16, .x = 512}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector{uniform<float>({d.n, d.m, d.x, d.x})};
          },
      .run = program_of(softmax<float>),
      .error = against(softmax_by_hand),
      .tolerance = 1e-5,
      .bytes = [=](const dims& d) { return 8 * volume(d); },
      .flops = [=](const dims& d) { return 5 * volume(d); },
  };
}

template <class T>
sn::array<T> layernorm(const sn::array<T>& x, const sn::array<T>& gamma, const sn::array<T>& beta) {
  const sn::reduction_options rows{.axis = -1, .keepdims = true};
  const floats v = sn::astype<float>(x);
  const floats d = v - sn::mean(v, rows);
  const floats y = d / sn::sqrt(sn::mean(d * d, rows) + 1e-5);
  return sn::astype<T>(y * sn::astype<float>(gamma) + sn::astype<float>(beta));
}

tensors layernorm_by_hand(const dims& d, const tensors& in) {
  tensor out = in[0];
  const auto count = static_cast<double>(d.columns);
  for (index i = 0; i < d.rows; ++i) {
    double mean = 0, variance = 0;
    for (index j = 0; j < d.columns; ++j) mean += in[0](i, j) / count;
    for (index j = 0; j < d.columns; ++j) variance += std::pow(in[0](i, j) - mean, 2) / count;
    for (index j = 0; j < d.columns; ++j) {
      out(i, j) = (in[0](i, j) - mean) / std::sqrt(variance + 1e-5) * in[1](j) + in[2](j);
    }
  }
  return {out};
}

template <class T> workload layernorm_workload(const std::string& type, double tolerance) {
  return {
      .name = "layernorm_" + type,
      .group = 'B',
      .type = type,
      .sizes = row_sizes(),
      .inputs =
          [](const dims& d) {
            return std::vector{normal<T>({d.rows, d.columns}, .3, 2),
                               uniform<T>({d.columns}, .5, 1.5), normal<T>({d.columns})};
          },
      .run = traced_program_of(layernorm<T>),
      .error = against(layernorm_by_hand),
      .tolerance = tolerance,
      .bytes =
          [](const dims& d) {
            return 2.0 * sizeof(T) * (area(d) + static_cast<double>(d.columns));
          },
      .flops = [](const dims& d) { return 7 * area(d); },
  };
}

floats logsumexp(const floats& x) {
  const sn::reduction_options rows{.axis = -1, .keepdims = true};
  const floats most = sn::max(x, rows);
  return sn::squeeze(sn::log(sn::sum(sn::exp(x - most), rows)) + most, -1);
}

workload logsumexp_workload() {
  return {
      .name = "logsumexp",
      .group = 'B',
      .type = "f32",
      .sizes = row_sizes(false),
      .inputs =
          [](const dims& d) {
            return std::vector{normal<float>({d.rows, d.columns}, 0, 2)};
          },
      .run = program_of(logsumexp),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.rows});
        for (index i = 0; i < d.rows; ++i) {
          for (index j = 0; j < d.columns; ++j) out(i) += std::exp(in[0](i, j));
          out(i) = std::log(out(i));
        }
        return tensors{out};
      }),
      .tolerance = 1e-6,
      .bytes = [](const dims& d) { return 4 * area(d) + 4 * static_cast<double>(d.rows); },
      .flops = [](const dims& d) { return 4 * area(d); },
  };
}

}  // namespace

std::vector<workload> normalisations() {
  return {softmax_workload<float>("f32", 1e-5),
          softmax_workload<sn::bfloat16>("bf16", 1e-2),
          layernorm_workload<float>("f32", 1e-5),
          layernorm_workload<sn::bfloat16>("bf16", 1e-2),
          logsumexp_workload(),
          softmax_of_four_axes()};
}

}  // namespace suite
