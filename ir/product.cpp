#include "ir/product.hpp"

#include <algorithm>

namespace sinter::ir {
namespace {

void write(std::vector<std::int64_t>& to, const matmul_operand& x) {
  to.insert(to.end(), {x.offset, x.leading, x.batch, x.transpose, x.conjugate});
}

matmul_operand read(const std::int64_t* from) {
  return {from[0], from[1], from[2], from[3] != 0, from[4] != 0};
}

}  // namespace

std::vector<std::int64_t> attributes_of(const matmul_form& f) {
  std::vector<std::int64_t> out{static_cast<std::int64_t>(f.mode), f.m, f.n, f.k, f.batch};
  write(out, f.a);
  write(out, f.b);
  return out;
}

matmul_form matmul_form_of(const shape_t& a, const shape_t& b,
                           const std::vector<std::int64_t>& attributes) {
  matmul_form f;
  if (!attributes.empty()) f.mode = static_cast<matmul_mode>(attributes[0]);
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

}  // namespace sinter::ir
