// Products of matrices.
#include "engine/calls.hpp"
#include "engine/elements.hpp"
#include "runtime/blas.hpp"

namespace sinter::detail {
namespace {

/// [batch..., m, k] @ [batch..., k, n], all dense.
void matmul(const call_site& c) {
  const ir::shape_t &a = c.input_shape(0), &b = c.input_shape(1);
  runtime::gemm_call g;
  g.type = element_type(c.output_type(0));
  g.m = a[a.size() - 2];
  g.k = a[a.size() - 1];
  g.n = b[b.size() - 1];
  for (std::size_t i = 0; i + 2 < a.size(); ++i) g.batch *= a[i];
  g.a = {c.inputs[0], std::max<std::int64_t>(g.k, 1), g.m * g.k};
  g.b = {c.inputs[1], std::max<std::int64_t>(g.n, 1), g.k * g.n};
  g.c = c.outputs[0];
  g.c_leading = std::max<std::int64_t>(g.n, 1);
  g.c_batch_stride = g.m * g.n;
  c.device.linear_algebra().gemm(g);
}

constexpr call_row rows[] = {{"matmul", matmul}};

}  // namespace

std::span<const call_row> product_calls() {
  return rows;
}

}  // namespace sinter::detail
