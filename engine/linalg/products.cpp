#include <sinter/products.hpp>

#include "engine/linalg/contraction.hpp"

namespace sinter::detail {
namespace {

[[noreturn]] void refuse(std::string_view op, const any_array& a, const any_array& b,
                         const std::string& why, location where) {
  fail<shape_error>(error_code::shape_mismatch, op,
                    "shapes " + text_of(a.extents()) + " and " + text_of(b.extents()) + " " + why,
                    where);
}

/// Throws unless axis i of a and axis j of b have equal extents.
void require_aligned(std::string_view op, const any_array& a, std::size_t i, const any_array& b,
                     std::size_t j, location where) {
  if (a.extents()[i] == b.extents()[j]) return;
  refuse(op, a, b,
         "do not align: axis " + std::to_string(i) + " is " + std::to_string(a.extents()[i]) +
             ", axis " + std::to_string(j) + " is " + std::to_string(b.extents()[j]),
         where);
}

label_list numbered(std::size_t count, int first) {
  label_list labels;
  labels.fill(count, [&](std::size_t i) { return first + static_cast<int>(i); });
  return labels;
}

constexpr int second_operand = 100;  // offset of the labels of b's axes that are not summed

/// Contracts axis of_a[i] of a with axis of_b[i] of b.
any_array sum_over(const any_array& a, const label_list& of_a, const any_array& b,
                   const label_list& of_b, std::string_view op, location where) {
  const dtype type = common_type(a, b, op, where);
  labelled x{a, numbered(a.extents().size(), 0)},
      y{b, numbered(b.extents().size(), second_operand)};
  label_list result;
  for (int l : x.labels) {
    if (std::ranges::find(of_a, l) == of_a.end()) result.push_back(l);
  }
  for (int l : y.labels) {
    if (std::ranges::find(of_b, l - second_operand) == of_b.end()) result.push_back(l);
  }
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto j = static_cast<std::size_t>(of_b[i]);
    require_aligned(op, a, static_cast<std::size_t>(of_a[i]), b, j, where);
    y.labels[j] = of_a[i];
  }
  extents shape;
  for (int l : result) {
    const bool first = l < second_operand;
    shape.push_back((first ? a : b).extents()[static_cast<std::size_t>(l % second_operand)]);
  }
  check_shape(shape, type, op, where);
  return contract(std::move(x), std::move(y), result, type, where);
}

any_array flat(const any_array& x, location where) {
  return make_reshape(x, extents{x.size()}, where);
}

any_array conjugated(const any_array& x, location where) {
  return is_complex(x.dtype()) ? make_op(ir::op::conj, {x}, where) : x;
}

/// Labels that align the axes of broadcast operands at their ends: the last axis has label 0.
label_list from_the_end(std::size_t count) {
  label_list labels = numbered(count, 0);
  std::ranges::reverse(labels);
  return labels;
}

/// Broadcasts the axes before the last `kept` of both; throws if they do not.
label_list batch_labels(const any_array& a, std::size_t kept_a, const any_array& b,
                        std::size_t kept_b, std::string_view op, location where) {
  const std::size_t na = a.extents().size(), nb = b.extents().size();
  if (na < kept_a || nb < kept_b) refuse(op, a, b, "have too few axes", where);
  const auto front = [&](const any_array& x, std::size_t n) {
    return make_iota(x.extents().first(n), where);
  };
  const any_array fronts[] = {front(a, na - kept_a), front(b, nb - kept_b)};
  try {
    return from_the_end(broadcast_shape(fronts, op, where).size());
  } catch (const shape_error&) {
    refuse(op, a, b, "do not broadcast in front", where);
  }
}

/// The labels (batch..., kept) of an operand.
labelled with_batch(const any_array& x, label_list kept) {
  labelled t{x, from_the_end(x.extents().size() - kept.size())};
  t.labels.insert(t.labels.end(), kept.begin(), kept.end());
  return t;
}

/// Component c of the vectors along the last axis, without that axis.
term component(const any_array& x, std::int64_t c, location where) {
  extents shape = extents_of(x);
  const std::size_t last = shape.size() - 1;
  shape.pop_back();
  return as_term(make_reshape(cut(x, last, c, 1, where), shape, where), "cross", where);
}

/// a, b and c stacked along a new last axis.
term stacked(const term& a, const term& b, const term& c, shape_view shape) {
  const auto spread = [&](const term& t) {
    extents s = extents_of(t.x);
    s.push_back(1);
    return term{make_reshape(t.x, s, t.where), t.where};
  };
  const term i{coordinates(shape, shape.size() - 1, a.where), a.where};
  const auto place = [&](std::int64_t n) { return term{make_place(n, a.where), a.where}; };
  return select(i == place(0), spread(a), select(i == place(1), spread(b), spread(c)));
}

}  // namespace

any_array dot(const any_array& a, const any_array& b, location where) {
  const dtype type = common_type(a, b, "dot", where);
  if (a.ndim() == 0 || b.ndim() == 0) {
    const labelled x{a, numbered(a.extents().size(), 0)}, y{b, numbered(b.extents().size(), 0)};
    return contract(x, y, a.ndim() == 0 ? y.labels : x.labels, type, where);
  }
  return sum_over(a, {a.ndim() - 1}, b, {std::max(b.ndim() - 2, 0)}, "dot", where);
}

any_array vdot(const any_array& a, const any_array& b, location where) {
  common_type(a, b, "vdot", where);
  if (a.size() != b.size()) refuse("vdot", a, b, "have different numbers of elements", where);
  return sum_over(conjugated(flat(a, where), where), {0}, flat(b, where), {0}, "vdot", where);
}

any_array vecdot(const any_array& a, const any_array& b, const vecdot_options& o, location where) {
  const dtype type = common_type(a, b, "vecdot", where);
  const std::int64_t last[] = {-1};
  const auto ending = [&](const any_array& x) {
    const std::int64_t axis[] = {normalize_axis(o.axis, x.ndim(), "vecdot", where)};
    return move_axes(x, axis, last, where);
  };
  const any_array x = ending(a), y = ending(b);
  require_aligned("vecdot", x, x.extents().size() - 1, y, y.extents().size() - 1, where);
  const auto batch = batch_labels(x, 1, y, 1, "vecdot", where);
  return contract(with_batch(conjugated(x, where), {second_operand}),
                  with_batch(y, {second_operand}), batch, type, where);
}

any_array inner(const any_array& a, const any_array& b, location where) {
  common_type(a, b, "inner", where);
  if (a.ndim() == 0 || b.ndim() == 0) return dot(a, b, where);
  return sum_over(a, {a.ndim() - 1}, b, {b.ndim() - 1}, "inner", where);
}

any_array outer(const any_array& a, const any_array& b, location where) {
  common_type(a, b, "outer", where);
  return sum_over(flat(a, where), {}, flat(b, where), {}, "outer", where);
}

any_array kron(const any_array& a, const any_array& b, location where) {
  const dtype type = common_type(a, b, "kron", where);
  const std::size_t na = a.extents().size(), nb = b.extents().size(), rank = std::max(na, nb);
  labelled x{a, {}}, y{b, {}};
  label_list order;
  extents shape;
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t extent = 1;
    if (d + na >= rank) {
      order.push_back(static_cast<int>(d));
      x.labels.push_back(order.back());
      extent = a.extents()[d + na - rank];
    }
    if (d + nb >= rank) {
      order.push_back(static_cast<int>(d) + second_operand);
      y.labels.push_back(order.back());
      const std::int64_t e = b.extents()[d + nb - rank];
      if (__builtin_mul_overflow(extent, e, &extent)) refuse("kron", a, b, "are too large", where);
    }
    shape.push_back(extent);
  }
  check_shape(shape, type, "kron", where);
  return make_reshape(contract(x, y, order, type, where), shape, where);
}

any_array matvec(const any_array& a, const any_array& b, location where) {
  const dtype type = common_type(a, b, "matvec", where);
  auto result = batch_labels(a, 2, b, 1, "matvec", where);
  require_aligned("matvec", a, a.extents().size() - 1, b, b.extents().size() - 1, where);
  result.push_back(second_operand);
  return contract(with_batch(a, {second_operand, second_operand + 1}),
                  with_batch(b, {second_operand + 1}), result, type, where);
}

any_array vecmat(const any_array& a, const any_array& b, location where) {
  const dtype type = common_type(a, b, "vecmat", where);
  auto result = batch_labels(a, 1, b, 2, "vecmat", where);
  require_aligned("vecmat", a, a.extents().size() - 1, b, b.extents().size() - 2, where);
  result.push_back(second_operand + 1);
  return contract(with_batch(conjugated(a, where), {second_operand}),
                  with_batch(b, {second_operand, second_operand + 1}), result, type, where);
}

any_array cross(const any_array& a, const any_array& b, const cross_options& o, location where) {
  const dtype type = common_type(a, b, "cross", where);
  const std::int64_t last[] = {-1};
  const auto ending = [&](const any_array& x) {
    const std::int64_t axis[] = {normalize_axis(o.axis, x.ndim(), "cross", where)};
    return move_axes(x, axis, last, where);
  };
  const any_array x = ending(a), y = ending(b);
  const std::int64_t nx = x.extents().back(), ny = y.extents().back();
  if (nx < 2 || nx > 3 || ny < 2 || ny > 3) refuse("cross", a, b, "are no vectors of 3", where);
  const any_array fronts[] = {make_reshape(cut(x, x.extents().size() - 1, 0, 1, where),
                                           x.extents().first(x.extents().size() - 1), where),
                              make_reshape(cut(y, y.extents().size() - 1, 0, 1, where),
                                           y.extents().first(y.extents().size() - 1), where)};
  const auto front = broadcast_shape(fronts, "cross", where);
  const auto part = [&](const any_array& v, std::int64_t c) {
    if (c >= v.extents().back()) return number(0, compute_of(v.dtype()), where);
    return component(v, c, where);
  };
  const term x0 = part(x, 0), x1 = part(x, 1), y0 = part(y, 0), y1 = part(y, 1);
  if (nx == 2 && ny == 2) return rounded(x0 * y1 - x1 * y0, type);
  const term x2 = part(x, 2), y2 = part(y, 2);
  extents shape(front.begin(), front.end());
  shape.push_back(3);
  const any_array result = rounded(stacked(x1, x2, x0, shape) * stacked(y2, y0, y1, shape) -
                                       stacked(x2, x0, x1, shape) * stacked(y1, y2, y0, shape),
                                   type);
  const std::int64_t to[] = {normalize_axis(o.axis, result.ndim(), "cross", where)};
  return move_axes(result, last, to, where);
}

any_array tensordot(const any_array& a, const any_array& b, const tensordot_axes& axes,
                    location where) {
  common_type(a, b, "tensordot", where);
  label_list of_a, of_b;
  if (axes.count >= 0) {
    if (axes.count > std::min(a.ndim(), b.ndim())) {
      refuse("tensordot", a, b, "have no " + std::to_string(axes.count) + " axes to sum over",
             where);
    }
    of_a = numbered(static_cast<std::size_t>(axes.count), a.ndim() - static_cast<int>(axes.count));
    of_b = numbered(static_cast<std::size_t>(axes.count), 0);
  } else {
    of_a = distinct_axes(axes.a, a.ndim(), "tensordot", where);
    of_b = distinct_axes(axes.b, b.ndim(), "tensordot", where);
    if (of_a.size() != of_b.size()) {
      refuse("tensordot", a, b,
             "get " + std::to_string(of_a.size()) + " and " + std::to_string(of_b.size()) +
                 " axes to sum over",
             where);
    }
  }
  return sum_over(a, of_a, b, of_b, "tensordot", where);
}

}  // namespace sinter::detail
