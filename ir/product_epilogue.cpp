#include "ir/graph_builder.hpp"
#include "ir/product.hpp"

namespace sinter::ir {
namespace {

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
node_id gelu(graph_builder& b, node_id x) {
  const dtype type = b.out[x].type;
  const auto times = [&](node_id p, node_id q) { return b.apply(op::multiply, {p, q}); };
  const node_id cubed = times(times(x, x), x);
  const node_id sum = b.apply(op::add, {x, times(b.scalar(type, 0.044715), cubed)});
  const node_id t = b.apply(op::tanh, {times(b.scalar(type, 0.7978845608028654), sum)});
  return times(times(b.scalar(type, 0.5), x), b.apply(op::add, {b.scalar(type, 1), t}));
}

}  // namespace

graph epilogue_graph(const matmul_form& f, dtype type, dtype stored) {
  const dtype computed = compute_of(type);
  const shape_t shape{f.batch * f.m, f.n}, row{f.n};
  graph_builder b;
  const matmul_epilogue& e = f.epilogue;
  node_id x = b.source(computed, shape);
  const node_id bias = e.bias ? b.source(stored, row) : -1;
  const node_id addend = e.addend ? b.source(stored, shape) : -1;
  const node_id alpha = e.alpha ? b.scalar(computed, 1) : -1;
  const node_id beta = e.beta ? b.scalar(computed, 1) : -1;
  if (e.alpha) x = b.apply(op::multiply, {alpha, x});
  if (e.addend) {
    const node_id wide = b.cast(addend, computed);
    x = b.apply(op::add, {x, e.beta ? b.apply(op::multiply, {beta, wide}) : wide});
  }
  if (e.bias) {
    const node_id wide = b.cast(bias, computed);
    x = b.apply(op::add, {x, b.view(wide, shape, {extent(0), extent(1)})});
  }
  if (e.activation == matmul_activation::relu) {
    x = b.apply(op::maximum, {x, b.scalar(computed, 0)});
  }
  if (e.activation == matmul_activation::gelu) x = gelu(b, x);
  b.out.outputs = {b.cast(x, stored)};
  return std::move(b.out);
}

}  // namespace sinter::ir
