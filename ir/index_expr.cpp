#include "ir/index_expr.hpp"

#include <algorithm>

namespace sinter::ir {

std::vector<extent> dense_strides(const shape_t& shape) {
  std::vector<extent> s(shape.size());
  extent n = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    s[i] = n;
    n *= shape[i];
  }
  return s;
}

index_expr dense(const shape_t& domain) {
  index_expr e;
  e.strides = dense_strides(domain);
  return e;
}

bool same_access(const index_expr& a, const index_expr& b) {
  if (a.offset != b.offset || !a.affine() || !b.affine()) return false;
  const std::size_t n = std::max(a.strides.size(), b.strides.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

namespace {

struct layout {
  shape_t shape;
  index_map map;
};

/// Drops unit axes and merges axes that the map walks as one.
layout merged(const shape_t& shape, const index_map& map) {
  layout l;
  l.map.offset = map.offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const extent s = map.strides[i];
    if (!l.shape.empty() && l.map.strides.back() == s * shape[i]) {
      l.shape.back() *= shape[i];
      l.map.strides.back() = s;
    } else {
      l.shape.push_back(shape[i]);
      l.map.strides.push_back(s);
    }
  }
  return l;
}

/// The coordinates of a row-major index.
shape_t unravel(extent linear, const shape_t& shape) {
  shape_t c(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    c[i] = linear % shape[i];
    linear /= shape[i];
  }
  return c;
}

extent dot(const shape_t& a, const std::vector<extent>& b) {
  extent sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The affine composition, if no coordinate of `l.shape` carries anywhere in the domain.
std::optional<index_expr> affine(const index_expr& e, const shape_t& domain, const layout& l) {
  const shape_t start = unravel(e.offset, l.shape);
  shape_t low = start, high = start;
  index_expr out;
  out.offset = l.map.offset + dot(start, l.map.strides);
  out.strides.assign(e.strides.size(), 0);
  for (std::size_t d = 0; d < e.strides.size(); ++d) {
    const extent s = e.strides[d];
    if (s == 0 || domain[d] <= 1) continue;
    shape_t step = unravel(s < 0 ? -s : s, l.shape);
    for (std::size_t j = 0; j < step.size(); ++j) {
      if (s < 0) step[j] = -step[j];
      const extent reach = step[j] * (domain[d] - 1);
      (reach < 0 ? low : high)[j] += reach;
    }
    out.strides[d] = dot(step, l.map.strides);
  }
  for (std::size_t j = 0; j < l.shape.size(); ++j) {
    if (low[j] < 0 || high[j] >= l.shape[j]) return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<index_expr> compose(const index_expr& e, const shape_t& domain, const shape_t& shape,
                                  const index_map& map) {
  const layout l = merged(shape, map);
  if (l.shape.empty()) {  // one element
    index_expr out;
    out.offset = map.offset;
    return out;
  }
  // Nothing is read of an empty array; the index must move, or a kernel would read once for all.
  if (size_of(shape) == 0) return dense(domain);
  if (l.shape.size() == 1) {  // the view is affine in the linear index itself
    index_expr out = e;
    extent& offset = e.affine() ? out.offset : out.outer.offset;
    auto& strides = e.affine() ? out.strides : out.outer.strides;
    offset = l.map.offset + offset * l.map.strides[0];
    for (extent& s : strides) s *= l.map.strides[0];
    return out;
  }
  if (!e.affine()) return std::nullopt;
  if (auto out = affine(e, domain, l)) return out;
  index_expr out = e;
  out.extents = l.shape;
  out.outer = l.map;
  return out;
}

}  // namespace sinter::ir
