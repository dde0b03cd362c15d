// Products, their epilogues, and products of an array with itself.
#include <cstring>

#include "ir/index_expr.hpp"
#include "ir/reference.hpp"
#include "tests/fuzz/generator.hpp"

namespace sinter::fuzz {
namespace {

using ir::extent;
using ir::op;
using ir::shape_t;

constexpr dtype product_types[] = {dtype::float32,   dtype::float64,    dtype::float16,
                                   dtype::complex64, dtype::complex128, dtype::bfloat16};
constexpr extent sides[] = {1, 2, 3, 4, 5, 8, 7, 16, 17, 33, 64, 0};

}  // namespace

ir::node_id generator::product() {
  const std::uint32_t which = c_.below(10);
  return which < 3 ? matmul() : which < 7 ? layer() : gram();
}

ir::node_id generator::multiplied(ir::node_id left, ir::node_id right) {
  ir::node n;
  n.kind = ir::node_kind::call;
  n.routine = "matmul";
  n.type = at(left).type;
  n.shape = at(left).shape;
  n.shape[n.shape.size() - 1] = at(right).shape[n.shape.size() - 1];
  n.inputs = {left, right};
  return add(std::move(n), true);
}

ir::node_id generator::matmul() {
  const dtype type = c_.pick(product_types);
  shape_t a;
  for (std::uint32_t batch = c_.chance(30) ? 1 + c_.below(2) : 0; batch > 0; --batch) {
    a.push_back(1 + c_.below(4));
  }
  shape_t b = a;
  const extent m = c_.pick(sides), k = c_.pick(sides), columns = c_.pick(sides);
  a.insert(a.end(), {m, k});
  b.insert(b.end(), {k, columns});
  const ir::node_id left = conform(pick_array(), type, a);
  return multiplied(left, conform(pick_array(), type, b));
}

ir::node_id generator::number(dtype type, double value) {
  ir::scalar_value v;
  std::memcpy(v.bits, &value, sizeof value);
  v = ir::convert(v, dtype::float64, type);
  ir::node n;
  n.kind = ir::node_kind::scalar;
  n.type = type;
  n.value[0] = v.bits[0];
  n.value[1] = v.bits[1];
  return add(std::move(n), false);
}

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as programs usually write it.
ir::node_id generator::gelu(ir::node_id x) {
  const dtype type = at(x).type;
  const ir::node_id cube = apply(op::multiply, {apply(op::multiply, {x, x}), x});
  const ir::node_id sum = apply(op::add, {x, apply(op::multiply, {cube, number(type, 0.044715)})});
  const ir::node_id t =
      apply(op::tanh, {apply(op::multiply, {sum, number(type, 0.7978845608028654)})});
  const ir::node_id half = apply(op::multiply, {x, number(type, 0.5)});
  return apply(op::multiply, {half, apply(op::add, {t, number(type, 1)})});
}

/// A product, optionally with a scale, a bias, an addend and an activation.
ir::node_id generator::layer() {
  ir::node_id x = matmul();
  const dtype stored = at(x).type, type = compute_of(stored);
  const shape_t shape = at(x).shape;
  if (c_.chance(80)) x = cast(x, type);
  if (c_.chance(40)) x = apply(op::multiply, {x, scalar(at(x).type)});
  if (c_.chance(40)) {
    const ir::node_id base = conform(pick_array(), stored, shape);
    const ir::node_id other = cast(base, at(x).type);
    x = apply(op::add,
              {x, c_.chance(50) ? apply(op::multiply, {other, scalar(at(x).type)}) : other});
  }
  if (c_.chance(60)) {
    const ir::node_id bias = source(stored, {shape.back()});
    x = apply(op::add, {x, cast(conform(bias, stored, shape), at(x).type)});
  }
  if (!is_complex(type) && !is_half(at(x).type)) {
    const std::uint32_t which = c_.below(4);
    if (which == 0) x = apply(op::maximum, {x, number(type, 0)});
    if (which == 1) x = gelu(x);
  }
  return c_.chance(80) ? cast(x, stored) : x;
}

/// x^T x, x x^T, and their conjugates.
ir::node_id generator::gram() {
  const dtype type = c_.pick(product_types);
  const shape_t shape = {c_.pick(sides), c_.pick(sides)}, turned = {shape[1], shape[0]};
  const ir::node_id x = conform(pick_array(), type, shape);
  ir::node_id across = view_of(x, turned, {0, {1, shape[1]}});
  if (is_complex(type) && c_.chance(50)) across = apply(op::conj, {across});
  const ir::node_id p = c_.chance(50) ? multiplied(across, x) : multiplied(x, across);
  return c_.chance(50) ? map(p) : p;
}

}  // namespace sinter::fuzz
