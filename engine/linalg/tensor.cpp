// Equations between tensors, solved as matrices with the axes merged.

#include <algorithm>

#include "engine/linalg/support.hpp"
#include "engine/nodes/report.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {

any_array tensorsolve(const any_array& a, const any_array& b, location where) {
  const routine r{"tensorsolve", where};
  checked(a, r.name, where);
  checked(b, r.name, where);
  const shape_view shape = a.extents();
  const auto given = static_cast<std::size_t>(b.ndim());
  if (shape.size() < given || product_of(shape.first(given)) != b.size() ||
      product_of(shape.subspan(given)) != b.size()) {
    r.refuse_shape(a, "has not as many unknowns behind the axes of " + text_of(b.extents()) +
                          " as equations");
  }
  const std::int64_t n = b.size();
  const any_array x = solve(r.reshape(a, {n, n}), r.reshape(b, {n}), where);
  const shape_view unknowns = shape.subspan(given);
  return r.reshape(x, {unknowns.begin(), unknowns.end()});
}

any_array tensorinv(const any_array& a, std::int64_t ind, location where) {
  const routine r{"tensorinv", where};
  checked(a, r.name, where);
  const shape_view shape = a.extents();
  if (ind < 1) {
    fail<value_error>(error_code::bad_argument, r.name,
                      "ind is " + std::to_string(ind) + ": there is no axis in front", where);
  }
  const auto first = std::min(static_cast<std::size_t>(ind), shape.size());
  const std::int64_t rows = product_of(shape.first(first)),
                     columns = product_of(shape.subspan(first));
  if (rows != columns) {
    r.refuse_shape(a, "is not square: " + std::to_string(rows) + " elements in front of " +
                          std::to_string(columns));
  }
  extents turned(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end());
  turned.insert(turned.end(), shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(first));
  return r.reshape(inv(r.reshape(a, {rows, columns}), where), turned);
}

}  // namespace sinter::detail
