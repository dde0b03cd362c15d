// Products of matrices.
#include <algorithm>
#include <atomic>
#include <cstdio>

#include "engine/calls.hpp"
#include "engine/elements.hpp"
#include "ir/product.hpp"
#include "runtime/blas.hpp"

namespace sinter::detail {
namespace {

/// Said once a mode: a product is exact where the device knows nothing faster.
void say_missing(const call_site& c, ir::matmul_mode mode) {
  static std::atomic<unsigned> said{0};
  constexpr const char* names[] = {"IEEE", "TF32", "bfloat16", "float16"};
  const unsigned bit = 1u << static_cast<unsigned>(mode);
  if (said.fetch_or(bit) & bit) return;
  std::fprintf(stderr, "sinter: [matmul] %s has no %s products: they stay IEEE\n",
               c.device.properties().name.c_str(), names[static_cast<int>(mode)]);
}

runtime::gemm_operand operand(const ir::matmul_operand& x, const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data) + static_cast<std::size_t>(x.offset) * size,
          std::max<std::int64_t>(x.leading, 1), x.batch, x.transpose, x.conjugate};
}

/// a @ b, read as ir/product.hpp says; the result is dense.
void matmul(const call_site& c) {
  const dtype type = c.input_type(0), result = c.output_type(0);
  const ir::matmul_form f =
      ir::matmul_form_of(c.input_shape(0), c.input_shape(1), c.step.attributes);
  runtime::gemm_call g;
  g.type = element_type(type);
  g.m = f.m;
  g.n = f.n;
  g.k = f.k;
  g.batch = f.batch;
  g.a = operand(f.a, c.inputs[0], size_of(type));
  g.b = operand(f.b, c.inputs[1], size_of(type));
  g.c = c.outputs[0];
  g.c_leading = std::max<std::int64_t>(g.n, 1);
  g.c_batch_stride = g.m * g.n;
  g.wide_result = type != result;
  runtime::blas& blas = c.device.linear_algebra();
  const bool single = real_of(type) == dtype::float32;
  if (f.mode != ir::matmul_mode::ieee && single) {
    g.mode = static_cast<runtime::compute_mode>(f.mode);
    if (!blas.has(g.mode)) {
      say_missing(c, f.mode);
      g.mode = runtime::compute_mode::ieee;
    }
  }
  blas.gemm(g);
}

constexpr call_row rows[] = {{"matmul", matmul}};

}  // namespace

std::span<const call_row> product_calls() {
  return rows;
}

}  // namespace sinter::detail
