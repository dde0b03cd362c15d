#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "ir/accumulator.hpp"
#include "ir/fourier.hpp"
#include "ir/interpreter.hpp"
#include "ir/product.hpp"
#include "ir/reference.hpp"

namespace sinter::ir {
namespace {

/// Applies an epilogue, element by element.
class sums_to_values {
 public:
  sums_to_values(const routine_call& call, const matmul_form& f, dtype type)
      : e_(f.epilogue), type_(type) {
    std::size_t next = 2;
    if (e_.bias) bias_ = &call.inputs.at(next++);
    if (e_.addend) addend_ = &call.inputs.at(next++);
    if (e_.alpha) alpha_ = &call.inputs.at(next++);
    if (e_.beta) beta_ = &call.inputs.at(next++);
  }

  scalar_value operator()(scalar_value x, extent place, extent column) const {
    if (alpha_) x = two(op::multiply, at(*alpha_, 0), x);
    if (addend_) {
      const scalar_value c = at(*addend_, place);
      x = two(op::add, x, beta_ ? two(op::multiply, at(*beta_, 0), c) : c);
    }
    if (bias_) x = two(op::add, x, at(*bias_, column));
    if (e_.activation == matmul_activation::relu) x = two(op::maximum, x, number(0));
    return e_.activation == matmul_activation::gelu ? gelu(x) : x;
  }

 private:
  scalar_value two(op code, const scalar_value& a, const scalar_value& b) const {
    const scalar_value pair[] = {a, b};
    return apply(code, type_, pair);
  }
  scalar_value at(const tensor_view& t, extent place) const {
    const std::size_t size = size_of(t.type);
    scalar_value v;
    std::memcpy(v.bits,
                static_cast<const std::byte*>(t.data) + static_cast<std::size_t>(place) * size,
                size);
    return convert(v, t.type, type_);
  }
  scalar_value number(double x) const {
    scalar_value v;
    std::memcpy(v.bits, &x, sizeof x);
    return convert(v, dtype::float64, type_);
  }
  scalar_value gelu(const scalar_value& x) const {
    const scalar_value cubed = two(op::multiply, two(op::multiply, x, x), x);
    const scalar_value sum = two(op::add, x, two(op::multiply, number(0.044715), cubed));
    const scalar_value t = two(op::multiply, number(0.7978845608028654), sum);
    const scalar_value one = two(op::add, number(1), apply(op::tanh, type_, &t));
    return two(op::multiply, two(op::multiply, number(0.5), x), one);
  }

  const matmul_epilogue e_;
  const dtype type_;
  const tensor_view *bias_ = nullptr, *addend_ = nullptr, *alpha_ = nullptr, *beta_ = nullptr;
};

/// Half types are multiplied and added in float32, and rounded once at the end; bytes in int32.
void multiply(const routine_call& call, bool triangle) {
  const tensor_view &a = call.inputs.at(0), &b = call.inputs.at(1);
  tensor& out = *call.outputs.at(0);
  const matmul_form f = matmul_form_of(a.shape, b.shape, call.attributes);
  const dtype type = summed_in(a.type);
  const std::size_t width = size_of(out.type);
  const auto element = [&](const tensor_view& t, const matmul_operand& x, extent batch, extent i,
                           extent j) {
    if (x.transpose) std::swap(i, j);
    const extent place = x.offset + batch * x.batch + i * x.leading + j;
    const std::size_t size = size_of(t.type);
    scalar_value v;
    std::memcpy(v.bits,
                static_cast<const std::byte*>(t.data) + static_cast<std::size_t>(place) * size,
                size);
    v = convert(v, t.type, type);
    return x.conjugate && is_complex(type) ? apply(op::conj, type, &v) : v;
  };
  const sums_to_values finish(call, f, type);
  std::byte* to = out.data.data();
  for (extent row = 0; row < f.batch * f.m; ++row) {
    const extent batch = row / f.m, i = row % f.m;
    for (extent column = 0; column < f.n; ++column, to += width) {
      detail::accumulator sum(op::add, type, false);
      for (extent k = 0; k < f.k; ++k) {
        const scalar_value pair[] = {element(a, f.a, batch, i, k),
                                     element(b, f.b, batch, k, column)};
        const scalar_value product = apply(op::multiply, type, pair);
        sum.add(product.bits, 1);
      }
      if (triangle && column > i) continue;  // zeros, which nothing may read
      const scalar_value stored = finish(sum.result(), row * f.n + column, column);
      std::memcpy(to, convert(stored, type, out.type).bits, width);
    }
  }
}

std::uint64_t key_at(const tensor_view& t, extent i) {
  std::uint64_t key = 0;
  const std::size_t size = size_of(t.type);
  std::memcpy(&key, static_cast<const std::byte*>(t.data) + static_cast<std::size_t>(i) * size,
              size);
  return key;
}

void set_integer(tensor& t, extent i, std::uint64_t value) {
  const std::size_t size = size_of(t.type);
  std::memcpy(t.data.data() + static_cast<std::size_t>(i) * size, &value, size);
}

/// Sorts unsigned keys along the last axis, and their positions in the rows, or only the first of
/// these; equal keys keep their order.
void sort(const routine_call& call) {
  const tensor_view& keys = call.inputs.at(0);
  const extent length = keys.shape[keys.shape.size() - 1];
  const extent rows = length == 0 ? extent(0) : size_of(keys.shape) / length;
  tensor* sorted = call.outputs.at(0);
  tensor* at = call.outputs.size() > 1 ? call.outputs[1] : nullptr;
  if (!sorted && !at) return;
  const shape_t& made = (sorted ? sorted : at)->shape;
  const extent wanted = made[made.size() - 1];
  std::vector<extent> places(static_cast<std::size_t>(length));
  for (extent row = 0; row < rows; ++row) {
    const extent start = row * length;
    std::iota(places.begin(), places.end(), extent(0));
    std::ranges::stable_sort(places, [&](extent a, extent b) {
      return key_at(keys, start + a) < key_at(keys, start + b);
    });
    for (extent i = 0; i < wanted; ++i) {
      const extent from = places[static_cast<std::size_t>(i)];
      if (sorted) set_integer(*sorted, row * wanted + i, key_at(keys, start + from));
      if (at) set_integer(*at, row * wanted + i, static_cast<std::uint64_t>(from));
    }
  }
}

/// Selects the unsigned keys that a sort along the last axis would put at the places that the
/// second input lists.
void select(const routine_call& call) {
  const tensor_view &keys = call.inputs.at(0), &places = call.inputs.at(1);
  const extent length = keys.shape[keys.shape.size() - 1];
  const extent wanted = places.shape[places.shape.size() - 1];
  tensor* found = call.outputs.at(0);
  if (!found || size_of(places.shape) == 0) return;
  std::vector<std::uint64_t> row(static_cast<std::size_t>(length));
  for (extent i = 0; i < size_of(places.shape); ++i) {
    if (i % wanted == 0) {
      for (extent k = 0; k < length; ++k) {
        row[static_cast<std::size_t>(k)] = key_at(keys, i / wanted * length + k);
      }
      std::ranges::sort(row);
    }
    set_integer(*found, i, row.at(key_at(places, i)));
  }
}

void matmul(const routine_call& call) {
  multiply(call, false);
}
void syrk(const routine_call& call) {
  multiply(call, true);
}

void give(const routine_call& call) {
  const tensor_view& x = call.inputs.at(0);
  tensor* out = call.outputs.at(0);
  if (out && !out->data.empty()) std::memcpy(out->data.data(), x.data, out->data.size());
}

struct routine_row {
  std::string_view name;
  routine_function function;
};
constexpr routine_row routines[] = {
    {"matmul", matmul}, {"syrk", syrk}, {"fft", fourier_routine},
    {"sort", sort},     {"select", select}, {barrier, give}};

}  // namespace

routine_function find_routine(std::string_view name) {
  for (const routine_row& r : routines) {
    if (r.name == name) return r.function;
  }
  return nullptr;
}

}  // namespace sinter::ir
