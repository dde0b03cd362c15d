#include <cstring>
#include <stdexcept>

#include "ir/accumulator.hpp"
#include "ir/interpreter.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

struct matmul_sizes {
  extent batch = 1, m = 0, n = 0, k = 0;
};

matmul_sizes sizes_of(const tensor_view& a, const tensor_view& b) {
  const std::size_t rank = a.shape.size();
  bool fits = rank >= 2 && b.shape.size() == rank && a.type == b.type;
  matmul_sizes s;
  for (std::size_t i = 0; fits && i + 2 < rank; ++i) {
    fits = a.shape[i] == b.shape[i];
    s.batch *= a.shape[i];
  }
  if (!fits || a.shape[rank - 1] != b.shape[rank - 2]) {
    throw std::invalid_argument("matmul: the operands do not fit");
  }
  s.m = a.shape[rank - 2];
  s.k = a.shape[rank - 1];
  s.n = b.shape[rank - 1];
  return s;
}

/// Half types multiply and add in float32, and round once at the end.
void matmul(const routine_call& call) {
  const tensor_view &a = call.inputs.at(0), &b = call.inputs.at(1);
  const matmul_sizes s = sizes_of(a, b);
  const dtype stored = a.type, type = compute_of(stored);
  const std::size_t width = size_of(stored);
  const auto element = [&](const tensor_view& t, extent i) {
    scalar_value v;
    std::memcpy(v.bits, static_cast<const std::byte*>(t.data) + static_cast<std::size_t>(i) * width,
                width);
    return convert(v, stored, type);
  };
  std::byte* to = call.outputs.at(0)->data.data();
  for (extent row = 0; row < s.batch * s.m; ++row) {
    const extent batch = row / s.m;
    for (extent column = 0; column < s.n; ++column, to += width) {
      detail::accumulator sum(op::add, type, false);
      for (extent k = 0; k < s.k; ++k) {
        const scalar_value pair[] = {element(a, row * s.k + k),
                                     element(b, (batch * s.k + k) * s.n + column)};
        const scalar_value product = apply(op::multiply, type, pair);
        sum.add(product.bits, 1);
      }
      std::memcpy(to, convert(sum.result(), type, stored).bits, width);
    }
  }
}

struct routine_row {
  std::string_view name;
  routine_function function;
};
constexpr routine_row routines[] = {{"matmul", matmul}};

}  // namespace

routine_function find_routine(std::string_view name) {
  for (const routine_row& r : routines) {
    if (r.name == name) return r.function;
  }
  return nullptr;
}

}  // namespace sinter::ir
