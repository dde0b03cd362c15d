// Products of matrices.
#include <algorithm>
#include <bit>

#include "engine/calls/calls.hpp"
#include "engine/evaluation/finish_product.hpp"
#include "engine/nodes/elements.hpp"
#include "ir/product.hpp"
#include "runtime/blas.hpp"

namespace sinter::detail {
namespace {

/// Warns once that a product is computed exactly, because the device has no faster mode.
void say_missing(const call_site& c, ir::matmul_mode mode) {
  constexpr const char* names[] = {"IEEE", "TF32", "bfloat16", "float16"};
  c.said.say("[matmul] " + c.device.properties().name + " has no " + names[static_cast<int>(mode)] +
             " products: they stay IEEE");
}

runtime::gemm_operand operand(const ir::matmul_operand& x, const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data) + static_cast<std::size_t>(x.offset) * size,
          std::max<std::int64_t>(x.leading, 1), x.batch, x.transpose, x.conjugate};
}

std::complex<double> number(const std::uint64_t* words, dtype type) {
  const auto single = [&](int shift) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(words[0] >> shift));
  };
  switch (type) {
    case dtype::float64:
      return std::bit_cast<double>(words[0]);
    case dtype::complex64:
      return {single(0), single(32)};
    case dtype::complex128:
      return {std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1])};
    default:
      return single(0);
  }
}

/// The epilogue's arrays follow the operands; its numbers are among the scalars.
runtime::gemm_epilogue epilogue(const call_site& c, const ir::matmul_epilogue& e) {
  runtime::gemm_epilogue out;
  std::size_t input = 2, scalar = 0;
  const dtype type = compute_of(c.input_type(0));
  if (e.bias) out.bias = c.inputs[input++];
  if (e.addend) out.addend = c.inputs[input++];
  if (e.alpha) out.alpha = number(&c.scalars[2 * scalar++], type);
  if (e.beta) out.beta = number(&c.scalars[2 * scalar++], type);
  out.act = static_cast<runtime::activation>(e.activation);
  return out;
}

/// For an epilogue that the library lacks: the library computes the sums and a kernel applies the
/// rest, with the same roundings.
void multiply_and_finish(const call_site& c, const ir::matmul_form& f, runtime::gemm_call g) {
  const dtype type = c.input_type(0);
  const std::int64_t what[] = {static_cast<std::int64_t>(type), g.m, g.n, g.k};
  c.said.say(what, [&] {
    return "[matmul] the library has no product of " + std::string(name(type)) + " (" +
           std::to_string(g.m) + ", " + std::to_string(g.k) + ") and (" + std::to_string(g.k) +
           ", " + std::to_string(g.n) +
           ") with what follows it: it is a product and one more kernel";
  });
  const auto count = static_cast<std::size_t>(g.batch * g.m * g.n);
  const auto sums = c.device.allocate(count * size_of(compute_of(type)));
  g.c = sums->data();
  g.wide_result = is_half(type);
  g.epilogue = {};
  c.device.linear_algebra().gemm(g);
  finish_product(c, f, sums->data());
}

/// a @ b with the operands described by ir/product.hpp; the result is dense.
void product(const call_site& c, bool lower_only) {
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
  g.epilogue = epilogue(c, f.epilogue);
  g.lower_only = lower_only;
  runtime::blas& blas = c.device.linear_algebra();
  const bool single = real_of(type) == dtype::float32;
  if (f.mode != ir::matmul_mode::ieee && single) {
    g.mode = static_cast<runtime::compute_mode>(f.mode);
    if (!blas.has(g.mode)) {
      say_missing(c, f.mode);
      g.mode = runtime::compute_mode::ieee;
    }
  }
  if (!blas.gemm(g)) multiply_and_finish(c, f, g);
}

void matmul(const call_site& c) {
  product(c, false);
}
/// Computes only the elements on and below the diagonal.
void syrk(const call_site& c) {
  product(c, true);
}

constexpr call_row product_rows[] = {{"matmul", matmul, true}, {"syrk", syrk, true}};

}  // namespace

std::span<const call_row> product_calls() {
  return product_rows;
}

}  // namespace sinter::detail
