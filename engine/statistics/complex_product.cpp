#include "engine/statistics/complex_product.hpp"

#include <algorithm>

#include <sinter/views.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

/// Up to this many factors are one expression; more are split over walkers with a stride, some 64
/// factors each.
constexpr std::int64_t few_factors = 16, steps_of_walker = 64;

/// (..., n), with the axes of the product merged at the end.
any_array rows_of(const any_array& x, const std::vector<int>& axes, location where) {
  extents order, shape;
  for (int d = 0; d < x.ndim(); ++d) {
    if (std::ranges::find(axes, d) != axes.end()) continue;
    order.push_back(d);
    shape.push_back(x.shape(d));
  }
  order.insert(order.end(), axes.begin(), axes.end());
  shape.push_back(count_along(x, axes));
  return make_reshape(permute(x, order, "prod", where), shape, where);
}

any_array part(const any_array& x, std::int64_t first, std::int64_t count, location where) {
  return cut(x, static_cast<std::size_t>(x.ndim()) - 1, first, count, where);
}

/// The further elements of each of `width` walkers.
any_array further(shape_view shape, std::int64_t n, location where) {
  const std::int64_t width = shape.back();
  const auto number = [&](std::int64_t v) {
    return term{make_scalar({{static_cast<std::uint64_t>(v), 0}}, dtype::int64, where), where};
  };
  const term place{coordinates(shape, shape.size() - 1, where), where};
  return select(place < number(n % width), number(n / width), number(n / width - 1)).x;
}

/// (..., n) -> (..., width), n > width: each is the product of every width-th element.
any_array walked(const any_array& x, std::int64_t width, location where) {
  extents shape = extents_of(x);
  const std::int64_t n = std::exchange(shape.back(), width);
  const dtype t = x.dtype();
  // Operands: the product so far, the round, the number of rounds, and the next element.
  ir::program program{{t, dtype::int64, dtype::int64, t},
                      {{ir::op::multiply, t, t, {0, 3, -1}},
                       {ir::op::less, dtype::int64, dtype::bool_, {1, 2, -1}}}};
  ir::loop loop;
  loop.carries = 1;
  loop.condition = 5;
  loop.results = {4};
  const extents strides = dense_strides(x.extents());
  loop.maps.push_back({width, {strides.begin(), strides.end()}});
  loop.along = {width};
  loop.by = {1};
  return make_loop(std::move(program), std::move(loop),
                   {part(x, 0, width, where), further(shape, n, where), x}, shape,
                   {{0, {t, shape}}}, where)[0];
}

any_array product(const any_array& a, const any_array& b, location where) {
  return make_op(ir::op::multiply, {a, b}, where);
}

}  // namespace

any_array complex_product(const any_array& from, const std::vector<int>& axes, location where) {
  any_array x = rows_of(from, axes, where), rest;
  std::int64_t n = x.shape(-1);
  for (; n > 2 * few_factors; n = x.shape(-1)) {
    x = walked(x, std::max(few_factors, n / steps_of_walker), where);
  }
  for (; n > 1; n /= 2) {
    if (n % 2) {
      const any_array last = part(x, n - 1, 1, where);
      rest = rest.valid() ? product(rest, last, where) : last;
    }
    x = product(part(x, 0, n / 2, where), part(x, n / 2, n / 2, where), where);
  }
  if (rest.valid()) x = product(x, rest, where);
  extents shape = extents_of(x);
  shape.pop_back();
  return make_reshape(x, shape, where);
}

}  // namespace sinter::detail
