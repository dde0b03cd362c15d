// Matrix products, and the cost of the library boundary.

#include <cmath>

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

tensor multiplied(const tensor& a, const tensor& b) {
  const index n = a.shape[0];
  tensor c({n, n});
  for (index i = 0; i < n; ++i)
    for (index k = 0; k < n; ++k)
      for (index j = 0; j < n; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

floats ieee_product(const floats& a, const floats& b) {
  return sn::matmul(a, b);
}

floats product_in_tf32(const floats& a, const floats& b) {
  const auto scope = sn::precision({.matmul = sn::matmul_mode::tf32});
  return sn::matmul(a, b);
}

workload matmul(bool tf32) {
  return {
      .name = tf32 ? "matmul_tf32" : "matmul_f32",
      .group = 'A',
      .type = tf32 ? "tf32" : "f32",
      .sizes = {{"512", {.n = 512}, checked | timed},
                {"1024", {.n = 1024}, timed | cpu_only},
                {"4096", {.n = 4096}, timed | large},
                {"15000", {.n = 15000}, timed | large}},
      .inputs =
          [](const dims& d) {
            return std::vector(2, normal<float>({d.n, d.n}));
          },
      .run = tf32 ? program_of(product_in_tf32) : program_of(ieee_product),
      .error =
          against([](const dims&, const tensors& in) { return tensors{multiplied(in[0], in[1])}; }),
      .tolerance = tf32 ? 2e-3 : 1e-5,
      .bytes = [](const dims& d) { return 12 * squared(d); },
      .flops = [](const dims& d) { return 2 * cubed(d); },
      .most_runs = 3,
  };
}

/// gelu(a b + bias) + r, in float between bfloat16 arrays.
halves layer(const halves& a, const halves& b, const halves& bias, const halves& r) {
  const floats h = sn::astype<float>(sn::matmul(a, b)) + sn::astype<float>(bias);
  const auto gelu = 0.5 * h * (1 + sn::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h)));
  return sn::astype<sn::bfloat16>(gelu + sn::astype<float>(r));
}

workload gemm_epilogue() {
  return {
      .name = "gemm_epilogue",
      .group = 'B',
      .type = "bf16",
      .sizes = {{"256", {.n = 256}, checked | timed},
                {"1024", {.n = 1024}, timed | cpu_only},
                {"4096", {.n = 4096}, timed | large}},
      .inputs =
          [](const dims& d) {
            const double scale = 1 / std::sqrt(static_cast<double>(d.n));
            const auto matrix = normal<sn::bfloat16>({d.n, d.n});
            return std::vector{matrix, normal<sn::bfloat16>({d.n, d.n}, 0, scale),
                               normal<sn::bfloat16>({d.n}), matrix};
          },
      .run = program_of(layer),
      .error = against([](const dims& d, const tensors& in) {
        tensor out = multiplied(in[0], in[1]);
        for (index i = 0; i < d.n; ++i) {
          for (index j = 0; j < d.n; ++j) {
            const double h = out(i, j) + in[2](j);
            const double t = std::tanh(0.7978845608028654 * (h + 0.044715 * h * h * h));
            out(i, j) = 0.5 * h * (1 + t) + in[3](i, j);
          }
        }
        return tensors{out};
      }),
      .tolerance = 1.5e-2,
      .bytes = [](const dims& d) { return 8 * squared(d) + 2 * static_cast<double>(d.n); },
      .flops = [](const dims& d) { return 2 * cubed(d) + 12 * squared(d); },
  };
}

}  // namespace

std::vector<workload> products() {
  return {matmul(false), matmul(true), gemm_epilogue()};
}

}  // namespace suite
