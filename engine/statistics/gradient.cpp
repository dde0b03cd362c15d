#include <sinter/gradient.hpp>

#include "engine/nodes/term.hpp"
#include "engine/shape/join.hpp"

namespace sinter::detail {
namespace {

/// Slopes of f along an axis of n elements. Second order inside (Fornberg, 1988), the requested
/// order at the ends, as in NumPy.
struct slopes {
  term f;
  std::size_t axis;
  std::int64_t n;
  location where;

  term part(const term& t, std::int64_t first, std::int64_t count) const {
    return {cut(t.x, axis, first, count, where), where};
  }
  term at(std::int64_t i) const { return part(f, i, 1); }

  any_array joined(const term& first, const term& last, const term* inside) const {
    std::vector<any_array> pieces{first.x, last.x};
    if (inside) pieces.insert(pieces.begin() + 1, inside->x);
    return join(pieces, axis, "gradient", where);
  }

  /// Equal steps, first differences at the ends: the ends are repeated, so that one formula serves
  /// all.
  any_array even(const term& h) const {
    const any_array wide = join({at(0).x, f.x, at(n - 1).x}, axis, "gradient", where);
    const term ahead{cut(wide, axis, 2, n, where), where};
    const term behind{cut(wide, axis, 0, n, where), where};
    const term i{coordinates(f.x.extents(), axis, where), where};
    const term is_end = i == 0 || i == static_cast<double>(n - 1);
    return ((ahead - behind) / select(is_end, h, h * 2)).x;
  }

  /// Parabolas through the outermost three points.
  any_array even_parabolas(const term& h) const {
    const term first = number(-1.5, h.type(), where) / h * at(0) +
                       number(2, h.type(), where) / h * at(1) -
                       number(0.5, h.type(), where) / h * at(2);
    const term last = number(0.5, h.type(), where) / h * at(n - 3) -
                      number(2, h.type(), where) / h * at(n - 2) +
                      number(1.5, h.type(), where) / h * at(n - 1);
    const term inside = (part(f, 2, n - 2) - part(f, 0, n - 2)) / (h * 2);
    return joined(first, last, &inside);
  }

  /// Steps d, n - 1 of them along the axis.
  any_array uneven(const term& d, bool parabolas) const {
    const auto step = [&](std::int64_t i) { return part(d, i, 1); };
    const term first = parabolas ? beginning(step(0), step(1)) : (at(1) - at(0)) / step(0);
    const term last =
        parabolas ? end(step(n - 3), step(n - 2)) : (at(n - 1) - at(n - 2)) / step(n - 2);
    if (n == 2) return joined(first, last, nullptr);
    const term p = part(d, 0, n - 2), q = part(d, 1, n - 2), both = p + q;
    const term inside = (q - p) / (p * q) * part(f, 1, n - 2) + p / (q * both) * part(f, 2, n - 2) -
                        q / (p * both) * part(f, 0, n - 2);
    return joined(first, last, &inside);
  }
  term beginning(const term& p, const term& q) const {
    return (p + q) / (p * q) * at(1) - (p * 2 + q) / (p * (p + q)) * at(0) -
           p / (q * (p + q)) * at(2);
  }
  term end(const term& p, const term& q) const {
    return q / (p * (p + q)) * at(n - 3) - (q + p) / (p * q) * at(n - 2) +
           (q * 2 + p) / (q * (p + q)) * at(n - 1);
  }
};

/// The coordinate differences along an axis of x.
term distances(const any_array& given, const any_array& x, std::size_t axis, location where) {
  const std::int64_t n = x.extents()[axis];
  if (given.ndim() != 1 || given.size() != n) {
    fail<shape_error>(error_code::shape_mismatch, "gradient",
                      "coordinates of shape " + text_of(given.extents()) + " for axis " +
                          std::to_string(axis) + " of shape " + text_of(x.extents()),
                      where);
  }
  const term c{make_cast(given, compute_of(mean_type(given.dtype())), where), where};
  const term d{(term{cut(c.x, 0, 1, n - 1, where), where} -
                term{cut(c.x, 0, 0, n - 1, where), where})
                   .x,
               where};
  extents along(x.extents().size(), 1);
  along[axis] = n - 1;
  return {make_reshape(d.x, along, where), where};
}

any_array gradient_along(const any_array& x, std::int64_t axis_given,
                         const gradient_spacing& spacing, int edge_order, location where) {
  const dtype type = mean_type(x.dtype());
  const auto axis =
      static_cast<std::size_t>(normalize_axis(axis_given, x.ndim(), "gradient", where));
  const std::int64_t n = x.extents()[axis];
  if (edge_order != 1 && edge_order != 2) {
    fail<value_error>(error_code::bad_argument, "gradient",
                      "edge_order " + std::to_string(edge_order) + " is neither 1 nor 2", where);
  }
  if (n < edge_order + 1) {
    fail<shape_error>(error_code::shape_mismatch, "gradient",
                      "axis " + std::to_string(axis) + " of shape " + text_of(x.extents()) +
                          " has fewer than " + std::to_string(edge_order + 1) + " elements",
                      where);
  }
  const slopes s{{make_cast(x, compute_of(type), where), where}, axis, n, where};
  const bool parabolas = edge_order == 2;
  const any_array* const given = spacing.coordinates();
  if (given && given->ndim() > 0) {
    const any_array sloped = s.uneven(distances(*given, x, axis, where), parabolas);
    return make_cast(sloped, type, where);
  }
  const term h = given ? term{make_cast(*given, s.f.type(), where), where}
                       : number(spacing.number(), s.f.type(), where);
  return rounded({parabolas ? s.even_parabolas(h) : s.even(h), where}, type);
}

}  // namespace

any_array gradient(const any_array& x, const gradient_options& o, location where) {
  checked(x, "gradient", where);
  if (!o.axis && x.ndim() != 1) {
    fail<value_error>(error_code::bad_argument, "gradient",
                      "shape " + text_of(x.extents()) +
                          " needs an axis: {.axis = 0}; gradients(x) gives those along all axes",
                      where);
  }
  return gradient_along(x, o.axis.value_or(0), o.spacing, o.edge_order, where);
}

std::vector<any_array> gradients(const any_array& x, const gradients_options& o, location where) {
  checked(x, "gradients", where);
  std::vector<std::int64_t> axes;
  if (o.axis.all()) {
    for (int d = 0; d < x.ndim(); ++d) axes.push_back(d);
  } else {
    const auto named = distinct_axes(o.axis.values(), x.ndim(), "gradients", where);
    axes.assign(named.begin(), named.end());
  }
  const bool one = o.spacing.size() == 1 && !o.spacing[0].coordinates();
  if (!one && o.spacing.size() != axes.size()) {
    fail<value_error>(error_code::bad_argument, "gradients",
                      std::to_string(o.spacing.size()) + " spacings for " +
                          std::to_string(axes.size()) + " axes",
                      where);
  }
  std::vector<any_array> all;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    all.push_back(gradient_along(x, axes[i], o.spacing[one ? 0 : i], o.edge_order, where));
  }
  return all;
}

}  // namespace sinter::detail
