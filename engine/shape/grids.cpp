#include <cmath>

#include <sinter/grids.hpp>

#include "engine/control/traced_loop.hpp"
#include "engine/evaluation/checks.hpp"
#include "engine/indexing/gather.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

term integer(std::int64_t value, location where) {
  return {make_scalar({{static_cast<std::uint64_t>(value), 0}}, dtype::int64, where), where};
}

any_array in_type(term t, dtype type) {
  if (is_integer(type)) t = apply(ir::op::trunc, {t});
  return rounded(t, type);
}

term as_index(const any_array& x, std::string_view op, location where) {
  if (!is_integer(checked(x, op, where).type)) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      "indices are " + std::string(name(x.dtype())) + ", not integers", where);
  }
  return {make_cast(x, dtype::int64, where), where};
}

/// A coordinate brought into [0, extent) as `mode` says. `fault` collects the words of out-of-range
/// coordinates, 0 for none; `which` numbers this coordinate among `coordinates`.
term held(const term& i, std::int64_t extent, index_mode mode, std::size_t which,
          std::size_t coordinates, term& fault) {
  const term n = integer(extent, i.where), zero = integer(0, i.where);
  if (mode == index_mode::wrap) return apply(ir::op::remainder, {i, n});
  if (mode == index_mode::clip) {
    return apply(ir::op::clip, {i, zero, integer(std::max<std::int64_t>(extent - 1, 0), i.where)});
  }
  // Numbered from 1, because a word must not be 0 and an out-of-range index may be 0.
  const term word{word_of(i.x, which + 1, coordinates + 1, i.where), i.where};
  fault = select(fault == 0, select(zero <= i && i < n, zero, word), fault);
  return i;
}

[[noreturn]] void raise_linear(std::span<const std::int32_t> status, const check& c) {
  fail<index_error>(error_code::index_out_of_range, c.op,
                    "index " + std::to_string((read_word(status) - 1) / 2) +
                        " is out of range for shape " +
                        text_of(shape_view(c.shape).first(static_cast<std::size_t>(c.size))),
                    c.where);
}

/// Reading any of `results` raises the greatest fault word. REQUIRES: the caller recorded them.
void refuse_faults(const list& results, const term& fault, shape_view shape, std::string_view op,
                   decltype(check::raise) raise) {
  const location where = fault.where;
  const term words{make_cast(fault.x, dtype::uint64, where), where};
  const term most = reduce_kept(words, ir::op::maximum, reduced_axes(words.x, {}, op, where));
  const auto c = std::make_shared<check>();
  c->status = where_live(most.x, where);
  c->raise = raise;
  c->op = op;
  c->where = where;
  c->size = static_cast<std::int64_t>(shape.size());
  c->shape.assign(shape.begin(), shape.end());
  for (std::int64_t axis = -1; axis < c->size; ++axis) c->shape.push_back(axis);
  for (const any_array& x : results) attach(x, c);
}

}  // namespace

any_array logspace(dtype type, double start, double stop, std::int64_t count,
                   const logspace_options& o, location where) {
  if (count < 0) {
    fail<value_error>(error_code::bad_argument, "logspace",
                      "a count of " + std::to_string(count) + " is negative", where);
  }
  const term powers{linspace(dtype::float64, start, stop, count, o.endpoint, where), where};
  return in_type(apply(ir::op::pow, {number(o.base, dtype::float64, where), powers}), type);
}

any_array geomspace(dtype type, double start, double stop, std::int64_t count, bool endpoint,
                    location where) {
  const auto refuse = [&](const std::string& why) {
    fail<value_error>(error_code::bad_argument, "geomspace", why, where);
  };
  if (count < 0) refuse("a count of " + std::to_string(count) + " is negative");
  if (start == 0 || stop == 0) refuse("no multiple of 0 is another number");
  if ((start < 0) != (stop < 0)) refuse("start and stop have different signs");
  const double sign = start < 0 ? -1 : 1, first = std::log10(start * sign);
  const term powers{
      linspace(dtype::float64, 0, std::log10(stop * sign) - first, count, endpoint, where), where};
  const term ten = number(10, dtype::float64, where);
  term t = apply(ir::op::pow, {ten, powers}) * start;
  // The ends must be exact.
  const std::int64_t shape[] = {count};
  const term i{make_iota(shape, where), where};
  t = select(i == 0, number(start, dtype::float64, where), t);
  if (endpoint && count > 1) {
    t = select(i == integer(count - 1, where), number(stop, dtype::float64, where), t);
  }
  return in_type(t, type);
}

any_array tri(dtype type, std::int64_t rows, std::int64_t columns, std::int64_t k, location where) {
  const std::int64_t shape[] = {rows, columns};
  check_shape(shape, type, "tri", where);
  const term row{coordinates(shape, 0, where), where}, column{coordinates(shape, 1, where), where};
  return rounded(column - row <= integer(k, where), type);
}

any_array vander(const any_array& x, const vander_options& o, location where) {
  if (checked(x, "vander", where).shape.size() != 1) {
    fail<shape_error>(error_code::shape_mismatch, "vander",
                      "shape " + text_of(x.extents()) + " is no vector's", where);
  }
  const std::int64_t columns = o.columns.value_or(x.size());
  const extents shape = {x.size(), columns};
  check_shape(shape, x.dtype(), "vander", where);
  const dtype type = promote(x.dtype(), dtype::int64);
  const term t = as_term(make_reshape(make_cast(x, type, where), extents{x.size(), 1}, where),
                         "vander", where);
  term j{coordinates(shape, 1, where), where};
  if (!o.increasing) j = integer(columns - 1, where) - j;
  const term exponent{make_cast(j.x, t.type(), where), where};
  return rounded(apply(ir::op::pow, {t, exponent}), type);
}

list indices(shape_view shape, std::string_view op, location where) {
  check_shape(shape, dtype::int64, op, where);
  list result;
  for (std::size_t d = 0; d < shape.size(); ++d) result.push_back(coordinates(shape, d, where));
  return result;
}

list open_mesh(list x, location where) {
  const std::size_t rank = x.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const dtype type = checked(x[axis], "ix_", where).type;
    if (x[axis].ndim() != 1) {
      fail<shape_error>(error_code::shape_mismatch, "ix_",
                        "indices of shape " + text_of(x[axis].extents()) + " are no vector", where);
    }
    if (is_inexact(type)) {
      fail<dtype_error>(error_code::bad_dtype, "ix_",
                        "indices are integers or masks, not " + std::string(name(type)), where);
    }
    if (is_bool(type)) x[axis] = nonzero(x[axis], where)[0];
    extents shape(rank, 1);
    shape[axis] = x[axis].size();
    x[axis] = make_reshape(x[axis], shape, where);
  }
  return x;
}

list triangle_indices(std::int64_t rows, std::int64_t columns, std::int64_t k, bool lower,
                      location where) {
  const any_array kept = tri(dtype::bool_, rows, columns, lower ? k : k - 1, where);
  return nonzero(lower ? kept : make_op(ir::op::logical_not, {kept}, where), where);
}

list unravel_index(const any_array& index, shape_view shape, location where) {
  check_shape(shape, dtype::int64, "unravel_index", where);
  term fault = integer(0, where);
  const term i = held(as_index(index, "unravel_index", where), product_of(shape),
                      index_mode::raise, 0, 1, fault);
  const auto strides = dense_strides(shape);
  list result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const term skipped = apply(ir::op::floor_divide, {i, integer(strides[d], where)});
    result.push_back(apply(ir::op::remainder, {skipped, integer(shape[d], where)}).x);
  }
  refuse_faults(result, fault, shape, "unravel_index", raise_linear);
  return result;
}

any_array ravel_multi_index(list indices, shape_view shape, const ravel_options& o,
                            location where) {
  check_shape(shape, dtype::int64, "ravel_multi_index", where);
  if (indices.size() != shape.size()) {
    fail<shape_error>(error_code::shape_mismatch, "ravel_multi_index",
                      std::to_string(indices.size()) + " index arrays for shape " + text_of(shape),
                      where);
  }
  const auto strides = dense_strides(shape);
  term sum = integer(0, where), fault = sum;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const term i = as_index(indices[d], "ravel_multi_index", where);
    sum = sum + held(i, shape[d], o.mode, d, shape.size(), fault) * integer(strides[d], where);
  }
  if (o.mode == index_mode::raise && !shape.empty()) {
    refuse_faults({sum.x}, fault, shape, "ravel_multi_index", raise_range);
  }
  return sum.x;
}

}  // namespace sinter::detail
