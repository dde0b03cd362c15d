#include <sinter/rearrange.hpp>

#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

void require_matrix(const any_array& x, std::string_view op, location where) {
  if (checked(x, op, where).shape.size() >= 2) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    "shape " + text_of(x.extents()) + " has no two axes", where);
}

[[noreturn]] void refuse_count(std::string_view op, const std::string& why, location where) {
  fail<value_error>(error_code::bad_argument, op, why, where);
}

/// The elements where column - row compares with k; zeros elsewhere.
any_array triangle(const any_array& x, std::int64_t k, bool lower, std::string_view op,
                   location where) {
  require_matrix(x, op, where);
  const extents matrix(x.extents().end() - 2, x.extents().end());
  const term row{coordinates(matrix, 0, where), where},
      column{coordinates(matrix, 1, where), where};
  const term edge = row + static_cast<double>(k), inside = lower ? column <= edge : edge <= column;
  const term t = as_term(x, op, where);
  const term mask{make_broadcast(inside.x, x.extents(), op, where), where};
  return rounded(select(mask, t, number(0, t.type(), where)), x.dtype());
}

}  // namespace

any_array tile(const any_array& x, const int_list& repeats, location where) {
  checked(x, "tile", where);
  const std::size_t rank = std::max(x.extents().size(), repeats.size());
  extents blocks(rank, 1), own(rank, 1), pairs, unit, result;
  std::ranges::copy(x.extents(), own.end() - static_cast<std::ptrdiff_t>(x.extents().size()));
  std::ranges::copy(repeats, blocks.end() - static_cast<std::ptrdiff_t>(repeats.size()));
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t extent = 0;
    if (blocks[d] < 0) refuse_count("tile", "a negative count of repeats", where);
    if (__builtin_mul_overflow(blocks[d], own[d], &extent)) {
      refuse_count("tile", "more elements than an int64 counts", where);
    }
    pairs.insert(pairs.end(), {blocks[d], own[d]});
    unit.insert(unit.end(), {1, own[d]});
    result.push_back(extent);
  }
  check_shape(result, x.dtype(), "tile", where);
  check_shape(pairs, x.dtype(), "tile", where);
  const any_array spread = make_broadcast(make_reshape(x, unit, where), pairs, "tile", where);
  return make_reshape(spread, result, where);
}

any_array rot90(const any_array& x, const rot90_options& o, location where) {
  checked(x, "rot90", where);
  const std::int64_t both[] = {o.axis1, o.axis2};
  const auto axes = distinct_axes(both, x.ndim(), "rot90", where);
  const std::int64_t turns = ((o.k % 4) + 4) % 4;
  if (turns == 0) return x;
  if (turns == 2) return detail::flip(x, axis_list({axes[0], axes[1]}), where);
  if (turns == 1)
    return swap_axes(detail::flip(x, axis_list(axes[1]), where), axes[0], axes[1], where);
  return detail::flip(swap_axes(x, axes[0], axes[1], where), axis_list(axes[1]), where);
}

any_array flip_axis(const any_array& x, std::int64_t axis, std::string_view op, location where) {
  checked(x, op, where);
  return detail::flip(x, axis_list(normalize_axis(axis, x.ndim(), op, where)), where);
}

any_array at_least(const any_array& x, int ndim, location where) {
  checked(x, "atleast", where);
  extents shape = extents_of(x);
  if (ndim == 3 && shape.size() == 1) shape.insert(shape.begin(), 1);
  if (ndim == 3 && shape.size() == 2) shape.push_back(1);
  while (static_cast<int>(shape.size()) < ndim) shape.insert(shape.begin(), 1);
  return make_reshape(x, shape, where);
}

list grid(list x, const grid_options& o, location where) {
  extents shape;
  for (const any_array& a : x) {
    if (checked(a, "meshgrid", where).shape.size() > 1) {
      fail<shape_error>(error_code::shape_mismatch, "meshgrid",
                        "shape " + text_of(a.extents()) + " has more than one dimension", where);
    }
    shape.push_back(a.size());
  }
  const bool exchanged = o.indexing == grid_options::order::xy && x.size() > 1;
  if (exchanged) std::swap(shape[0], shape[1]);
  check_shape(shape, dtype::complex128, "meshgrid", where);
  for (std::size_t i = 0; i < x.size(); ++i) {
    element_map map;
    map.strides.assign(shape.size(), 0);
    const std::size_t own = exchanged && i < 2 ? 1 - i : i;
    map.strides[own] = 1;
    extents thin(shape.size(), 1);
    thin[own] = shape[own];
    const any_array line = make_reshape(x[i], extents{x[i].size()}, where);
    x[i] = o.sparse ? make_reshape(line, thin, where)
                    : make_view(line, shape, std::move(map), where);
  }
  return x;
}

list broadcast_all(list x, location where) {
  for (const any_array& a : x) checked(a, "broadcast_arrays", where);
  const auto shape = broadcast_shape(x, "broadcast_arrays", where);
  for (any_array& a : x) a = make_broadcast(a, shape, "broadcast_arrays", where);
  return x;
}

any_array tril(const any_array& x, const tri_options& o, location where) {
  return triangle(x, o.k, true, "tril", where);
}

any_array triu(const any_array& x, const tri_options& o, location where) {
  return triangle(x, o.k, false, "triu", where);
}

any_array diagonal(const any_array& x, const diagonal_options& o, location where) {
  require_matrix(x, "diagonal", where);
  const std::int64_t both[] = {o.axis1, o.axis2};
  const auto axes = distinct_axes(both, x.ndim(), "diagonal", where);
  const auto a = static_cast<std::size_t>(axes[0]), b = static_cast<std::size_t>(axes[1]);
  const auto from = x.extents();
  const auto strides = dense_strides(from);
  const std::int64_t down = o.offset < 0 ? -o.offset : 0, right = o.offset > 0 ? o.offset : 0;
  extents shape;
  element_map map;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (d == a || d == b) continue;
    shape.push_back(from[d]);
    map.strides.push_back(strides[d]);
  }
  shape.push_back(std::max<std::int64_t>(std::min(from[a] - down, from[b] - right), 0));
  map.strides.push_back(shape.back() > 1 ? strides[a] + strides[b] : 0);
  if (product_of(shape) > 0) map.offset = down * strides[a] + right * strides[b];
  return make_view(x, shape, std::move(map), where);
}

any_array diag(const any_array& x, const tri_options& o, location where) {
  const std::size_t rank = checked(x, "diag", where).shape.size();
  if (rank == 2) return diagonal(x, {.offset = o.k}, where);
  if (rank == 1) return diagflat(x, o, where);
  fail<shape_error>(error_code::shape_mismatch, "diag",
                    "shape " + text_of(x.extents()) + " is neither a vector's nor a matrix's",
                    where);
}

any_array diagflat(const any_array& x, const tri_options& o, location where) {
  const std::int64_t count = checked(x, "diagflat", where).size();
  const std::int64_t away = o.k < 0 ? -o.k : o.k;
  const extents inner = {count, count}, outer = {count + away, count + away};
  check_shape(outer, x.dtype(), "diagflat", where);
  const term row{coordinates(inner, 0, where), where}, column{coordinates(inner, 1, where), where};
  const any_array spread =
      make_view(make_reshape(x, extents{count}, where), inner, {0, {0, 1}}, where);
  const term t = as_term(spread, "diagflat", where);
  const any_array block = rounded(select(row == column, t, number(0, t.type(), where)), x.dtype());
  if (away == 0) return block;
  const any_array none =
      make_broadcast(make_scalar({}, x.dtype(), where), outer, "diagflat", where);
  if (count == 0) return none;
  const std::int64_t first = o.k < 0 ? away * outer[1] : away;
  return make_update(none, {first, dense_strides(outer)}, block, where);
}

any_array trace(const any_array& x, const diagonal_options& o, location where) {
  require_matrix(x, "trace", where);
  return sum(diagonal(x, o, where), {.axis = -1}, where);
}

any_array sliding_window_view(const any_array& x, const int_list& window, const axis_list& axes,
                              location where) {
  constexpr std::string_view op = "sliding_window_view";
  checked(x, op, where);
  std::vector<int> slid(x.extents().size());
  std::iota(slid.begin(), slid.end(), 0);
  if (!axes.all()) {
    slid.clear();
    for (std::int64_t a : axes.values()) slid.push_back(normalize_axis(a, x.ndim(), op, where));
  }
  if (slid.size() != window.size()) {
    fail<shape_error>(
        error_code::shape_mismatch, op,
        "a window " + text_of(window) + " for " + std::to_string(slid.size()) + " axes", where);
  }
  extents shape = extents_of(x);
  element_map map{0, dense_strides(shape)};
  for (std::size_t i = 0; i < slid.size(); ++i) {
    const auto d = static_cast<std::size_t>(slid[i]);
    if (window[i] < 0 || window[i] > shape[d]) {
      fail<shape_error>(
          error_code::shape_mismatch, op,
          "a window " + text_of(window) + " does not fit shape " + text_of(x.extents()), where);
    }
    shape[d] -= window[i] - 1;
    shape.push_back(window[i]);
    map.strides.push_back(map.strides[d]);
  }
  check_shape(shape, x.dtype(), op, where);
  if (product_of(shape) == 0) map.strides.assign(shape.size(), 0);
  return make_view(x, shape, std::move(map), where);
}

any_array matrix_transpose(const any_array& x, location where) {
  require_matrix(x, "matrix_transpose", where);
  return swap_axes(x, -1, -2, where);
}

}  // namespace sinter::detail

namespace sinter {

std::vector<std::int64_t> broadcast_shapes(const std::vector<int_list>& shapes, location where) {
  std::vector<any_array> arrays;
  for (const int_list& s : shapes) {
    detail::check_shape(s, dtype::int64, "broadcast_shapes", where);
    arrays.push_back(detail::make_iota(s, where));
  }
  const auto shape = detail::broadcast_shape(arrays, "broadcast_shapes", where);
  return {shape.begin(), shape.end()};
}

}  // namespace sinter
