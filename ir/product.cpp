#include "ir/product.hpp"

#include <algorithm>
#include <bit>

namespace sinter::ir {
namespace {

void write(extent_list& to, const matmul_operand& x) {
  for (const extent e : {x.offset, x.leading, x.batch, extent(x.transpose), extent(x.conjugate)}) {
    to.push_back(e);
  }
}

matmul_operand read(const extent* from) {
  return {from[0], from[1], from[2], from[3] != 0, from[4] != 0};
}

/// The first attribute: the mode, one bit per input of the epilogue, the activation.
constexpr int mode_bits = 8, input_bits = 4;

std::int64_t coded(const matmul_form& f) {
  const matmul_epilogue& e = f.epilogue;
  const int inputs = int{e.bias} | int{e.addend} << 1 | int{e.alpha} << 2 | int{e.beta} << 3;
  return static_cast<int>(f.mode) | inputs << mode_bits |
         static_cast<int>(e.activation) << (mode_bits + input_bits);
}

void read_word(std::int64_t word, matmul_form& f) {
  f.mode = static_cast<matmul_mode>(word & ((1 << mode_bits) - 1));
  const std::int64_t inputs = word >> mode_bits;
  f.epilogue = {(inputs & 1) != 0, (inputs & 2) != 0, (inputs & 4) != 0, (inputs & 8) != 0,
                static_cast<matmul_activation>(inputs >> input_bits)};
}

}  // namespace

std::vector<std::int64_t> dense_attributes_of(const matmul_form& f) {
  return {coded(f)};
}

bool says_nothing_but_mode(const extent_list& attributes) {
  if (attributes.empty()) return true;
  matmul_form f;
  read_word(attributes[0], f);
  return attributes.size() == 1 && !f.epilogue.any();
}

extent_list attributes_of(const matmul_form& f) {
  extent_list out;
  for (const extent e : {extent(coded(f)), f.m, f.n, f.k, f.batch}) out.push_back(e);
  write(out, f.a);
  write(out, f.b);
  return out;
}

matmul_form matmul_form_of(const shape_t& a, const shape_t& b,
                           const extent_list& attributes) {
  matmul_form f;
  if (!attributes.empty()) read_word(attributes[0], f);
  if (attributes.size() >= 15) {
    f.m = attributes[1];
    f.n = attributes[2];
    f.k = attributes[3];
    f.batch = attributes[4];
    f.a = read(&attributes[5]);
    f.b = read(&attributes[10]);
    return f;
  }
  f.m = a[a.size() - 2];
  f.k = a[a.size() - 1];
  f.n = b[b.size() - 1];
  for (std::size_t i = 0; i + 2 < a.size(); ++i) f.batch *= a[i];
  f.a = {0, std::max<extent>(f.k, 1), f.m * f.k, false, false};
  f.b = {0, std::max<extent>(f.n, 1), f.k * f.n, false, false};
  return f;
}

extent reach_of(const matmul_operand& x, extent rows, extent columns, extent batch) {
  if (rows == 0 || columns == 0 || batch == 0) return 0;
  if (x.transpose) std::swap(rows, columns);
  return x.offset + (batch - 1) * x.batch + (rows - 1) * x.leading + columns;
}

activation_constant activation_constant_of(dtype type, std::uint64_t bits) {
  constexpr double numbers[] = {0, 0.5, 1, 0.79788456080286535588, 0.044715};  // sqrt(2 / pi)
  for (int i = 0; i < 5; ++i) {
    const bool same =
        type == dtype::float32
            ? bits == std::bit_cast<std::uint32_t>(static_cast<float>(numbers[i]))
            : type == dtype::float64 && bits == std::bit_cast<std::uint64_t>(numbers[i]);
    if (same) return static_cast<activation_constant>(i + 1);
  }
  return activation_constant::other;
}

}  // namespace sinter::ir
