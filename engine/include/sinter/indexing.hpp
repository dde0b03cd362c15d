#pragma once
// Selection of elements by index arrays of any integer type. A negative index counts from the end.
// An index out of range throws index_error when the value (or anything computed from it) is read;
// nothing waits for the check before. See also x(rows, columns).

#include <optional>

#include <sinter/arguments.hpp>

namespace sinter {

/// Handling of an index out of range: raise an error; wrap modulo the extent; clip to the nearest
/// valid index, where negative ones become 0.
enum class index_mode : std::uint8_t { raise, wrap, clip };
namespace detail {
template <>
inline constexpr enum_words option_words<index_mode> = {"index_mode", "raise, wrap, clip"};
}

struct take_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
  detail::worded<index_mode> mode = index_mode::raise;
};

namespace detail {

any_array take(const any_array& x, const any_array& indices, const take_options& o = {},
               location where = location::current());
any_array take_along_axis(const any_array& x, const any_array& indices, std::int64_t axis,
                          location where = location::current());

std::vector<any_array> nonzero(const any_array& x, location where);
any_array argwhere(const any_array& x, location where);
any_array extract(const any_array& mask, const any_array& x, location where);
any_array compress(const any_array& mask, const any_array& x, std::optional<std::int64_t> axis,
                   location where);

/// One index array per axis, for a static number of axes.
template <std::size_t Rank>
std::array<array<std::int64_t>, Rank> by_axis(std::vector<any_array> parts) {
  std::array<array<std::int64_t>, Rank> out;
  for (std::size_t i = 0; i < Rank; ++i) out[i] = array<std::int64_t>(std::move(parts[i]));
  return out;
}

}  // namespace detail

/// The elements of x at `indices` along an axis; the shape of the indices replaces that axis.
/// Throws axis_error; dtype_error for indices that are not integers; index_error, when read.
/// `take(x, {2, 0}, {.axis = 1})`
template <detail::expression X, detail::expression I>
auto take(X&& x, I&& indices, const take_options& o = {}, location where = location::current()) {
  return array<detail::value_of<X>>(detail::take(detail::to_any(std::forward<X>(x), where),
                                                 detail::to_any(std::forward<I>(indices), where), o,
                                                 where));
}
template <detail::expression X>
auto take(X&& x, std::initializer_list<std::int64_t> indices, const take_options& o = {},
          location where = location::current()) {
  return take(std::forward<X>(x), array<std::int64_t>(indices), o, where);
}
/// A single index removes the axis. `take(x, 1)`, `take(x, -1, {.axis = 0})`
template <detail::expression X, std::integral I>
auto take(X&& x, I index, const take_options& o = {}, location where = location::current()) {
  return take(std::forward<X>(x), array<std::int64_t>(index), o, where);
}

/// Applies the results of argsort and argmax: element i of the result along the axis is element
/// indices[i] of x, all other coordinates being equal. The other axes broadcast. Throws
/// shape_error, axis_error, dtype_error; index_error, when read.
/// `take_along_axis(x, argsort(x, 1), 1)`
template <detail::expression X, detail::expression I>
auto take_along_axis(X&& x, I&& indices, std::int64_t axis = -1,
                     location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::take_along_axis(detail::to_any(std::forward<X>(x), where),
                              detail::to_any(std::forward<I>(indices), where), axis, where));
}

// Selection by masks. The number of selected elements determines the shape, so these functions
// evaluate; the kernel that computes the elements writes them directly to their places. To replace
// elements no selection is needed: `x = where(x > 0, x, 0)`.

/// The coordinates of the nonzero elements, in row-major order: one int64 array per axis. Throws
/// shape_error for rank 0. `x(nonzero(x)[0])`
template <detail::expression X>
std::vector<array<std::int64_t>> nonzero(X&& x, location where = location::current()) {
  std::vector<array<std::int64_t>> out;
  for (any_array& a : detail::nonzero(detail::to_any(std::forward<X>(x), where), where)) {
    out.emplace_back(std::move(a));
  }
  return out;
}

/// The same for an array of static rank, for structured bindings. Throws shape_error for another
/// rank. `auto [row, column] = nonzero<2>(x)`
template <std::size_t Rank, detail::expression X>
std::array<array<std::int64_t>, Rank> nonzero(X&& x, location where = location::current()) {
  const any_array a = detail::to_any(std::forward<X>(x), where);
  detail::check_rank(a.extents(), Rank, "nonzero", where);
  return detail::by_axis<Rank>(detail::nonzero(a, where));
}

/// NumPy's `where` of a condition alone: the same as `nonzero`, errors too. `where(x > 1)[0]`,
/// `where<2>(x > 1)`
template <detail::expression X>
std::vector<array<std::int64_t>> where(X&& x, location here = location::current()) {
  return nonzero(std::forward<X>(x), here);
}
template <std::size_t Rank, detail::expression X>
std::array<array<std::int64_t>, Rank> where(X&& x, location here = location::current()) {
  return nonzero<Rank>(std::forward<X>(x), here);
}

/// The indices of the nonzero elements of the flattened x. dtype: int64. Throws memory_error,
/// device_error, because it evaluates. `flatnonzero(x > 1)`
template <detail::expression X>
array<std::int64_t> flatnonzero(X&& x, location where = location::current()) {
  const any_array flat = detail::reshape(detail::to_any(std::forward<X>(x), where),
                                         int_list{-1}, where);
  return array<std::int64_t>(std::move(detail::nonzero(flat, where)[0]));
}

/// The coordinates of the nonzero elements as rows: shape (count, ndim), int64. Throws shape_error
/// for rank 0. `argwhere(x > 1)`
template <detail::expression X>
array<std::int64_t> argwhere(X&& x, location where = location::current()) {
  return array<std::int64_t>(detail::argwhere(detail::to_any(std::forward<X>(x), where), where));
}

/// The elements of the flattened x where the flattened mask is nonzero. Throws shape_error if the
/// sizes differ. `extract(x > 0, x)`
template <detail::expression M, detail::expression X>
auto extract(M&& mask, X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::extract(detail::to_any(std::forward<M>(mask), where),
                      detail::to_any(std::forward<X>(x), where), where));
}

struct compress_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
};

/// The slices of x along an axis where a one-dimensional mask is nonzero; a short mask excludes the
/// remaining slices. Throws shape_error, axis_error. `compress(row_is_good, x, {.axis = 0})`
template <detail::expression M, detail::expression X>
auto compress(M&& mask, X&& x, const compress_options& o = {},
              location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::compress(detail::to_any(std::forward<M>(mask), where),
                       detail::to_any(std::forward<X>(x), where), o.axis, where));
}

}  // namespace sinter
