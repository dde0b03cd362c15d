#pragma once
// Rearranged elements: repeats, diagonals, windows. All are views or one fused statement,
// and store nothing.

#include <optional>
#include <tuple>

#include <sinter/reductions.hpp>
#include <sinter/views.hpp>

namespace sinter {

struct tri_options {
  std::int64_t k = 0;  // the diagonal: > 0 above the main one
};

struct diagonal_options {
  std::int64_t offset = 0;  // > 0: above the main diagonal
  std::int64_t axis1 = 0, axis2 = 1;
};

struct rot90_options {
  std::int64_t k = 1;  // quarter turns from axis1 towards axis2
  std::int64_t axis1 = 0, axis2 = 1;
};

struct grid_options {
  enum class order { xy, ij };
  detail::worded<order> indexing = order::xy;  // xy: the first two axes exchanged, as in NumPy
  bool sparse = false;  // extent 1 along the axes of the other arrays; they broadcast
};
namespace detail {
template <> inline constexpr enum_words option_words<grid_options::order> = {"indexing", "xy, ij"};
}

struct repeat_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
};

namespace detail {

using list = std::vector<any_array>;

any_array tile(const any_array& x, const int_list& repeats, location where = location::current());
any_array repeat(const any_array& x, std::int64_t count, const repeat_options& o = {},
                 location where = location::current());
any_array repeat(const any_array& x, const any_array& counts, const repeat_options& o = {},
                 location where = location::current());
any_array rot90(const any_array& x, const rot90_options& o = {},
                location where = location::current());
any_array at_least(const any_array& x, int ndim, location where);
any_array tril(const any_array& x, const tri_options& o = {}, location where = location::current());
any_array triu(const any_array& x, const tri_options& o = {}, location where = location::current());
any_array diagonal(const any_array& x, const diagonal_options& o = {},
                   location where = location::current());
any_array diag(const any_array& x, const tri_options& o = {}, location where = location::current());
any_array diagflat(const any_array& x, const tri_options& o = {},
                   location where = location::current());
any_array trace(const any_array& x, const diagonal_options& o = {},
                location where = location::current());
any_array sliding_window_view(const any_array& x, const int_list& window,
                              const axis_list& axes = {}, location where = location::current());
any_array matrix_transpose(const any_array& x, location where);
any_array flip_axis(const any_array& x, std::int64_t axis, std::string_view op, location where);
/// Each array along an axis of its own, broadcast to the common grid.
list grid(list x, const grid_options& o, location where);
list broadcast_all(list x, location where);

template <class T> std::vector<array<T>> typed(list parts) {
  std::vector<array<T>> result;
  result.reserve(parts.size());
  for (any_array& p : parts) result.emplace_back(std::move(p));
  return result;
}

template <class... T, std::size_t... I>
std::tuple<array<T>...> typed_tuple(list parts, std::index_sequence<I...>) {
  return {array<T>(std::move(parts[I]))...};
}

}  // namespace detail

using detail::diag;
using detail::diagflat;
using detail::diagonal;
using detail::repeat;
using detail::rot90;
using detail::sliding_window_view;
using detail::tile;
using detail::trace;
using detail::tril;
using detail::triu;

/// Repeats x as a block along each axis. Throws shape_error for a negative count or more than 2^63
/// - 1 bytes. `tile(x, {2, 3})`
template <detail::expression X>
auto tile(X&& x, const int_list& repeats, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::tile(detail::to_any(std::forward<X>(x), where), repeats, where));
}

/// Repeats every element `count` times in succession, along an axis or in the flattened x. Throws
/// axis_error, value_error for a negative count. `repeat(x, 3, {.axis = 0})`
template <detail::expression X>
auto repeat(X&& x, std::int64_t count, const repeat_options& options = {},
            location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::repeat(detail::to_any(std::forward<X>(x), where), count, options, where));
}

/// Repeats element i counts[i] times; a single count applies to all. Evaluates the counts. Throws
/// axis_error, dtype_error for counts that are not integers, shape_error unless there are as many
/// as elements along the axis, value_error for a negative one. `repeat(x, array<int>{2, 0, 1})`
template <detail::expression X, detail::expression C = array<std::int64_t>>
auto repeat(X&& x, C&& counts, const repeat_options& options = {},
            location where = location::current()) {
  return array<detail::value_of<X>>(detail::repeat(detail::to_any(std::forward<X>(x), where),
                                                   detail::to_any(std::forward<C>(counts), where),
                                                   options, where));
}

/// Rotates x by k quarter turns in the plane of two axes. Throws axis_error. `rot90(x, {.k = 2})`
template <detail::expression X>
auto rot90(X&& x, const rot90_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::rot90(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto rot90(X&& x, K k, location where = location::current()) {
  return rot90(std::forward<X>(x), rot90_options{.k = static_cast<std::int64_t>(k)}, where);
}

/// x in reverse order along axis 1. Throws axis_error below two dimensions. `fliplr(x)`
template <detail::expression X> auto fliplr(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::flip_axis(detail::to_any(std::forward<X>(x), where), 1, "fliplr", where));
}

/// x in reverse order along axis 0. Throws axis_error for rank 0. `flipud(x)`
template <detail::expression X> auto flipud(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::flip_axis(detail::to_any(std::forward<X>(x), where), 0, "flipud", where));
}

/// x with at least one dimension. Throws nothing. `atleast_1d(x)`
template <detail::expression X> auto atleast_1d(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::at_least(detail::to_any(std::forward<X>(x), where), 1, where));
}

/// x with at least two dimensions: (n,) becomes (1, n). Throws nothing. `atleast_2d(x)`
template <detail::expression X> auto atleast_2d(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::at_least(detail::to_any(std::forward<X>(x), where), 2, where));
}

/// x with at least three dimensions: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1). Throws
/// nothing. `atleast_3d(x)`
template <detail::expression X> auto atleast_3d(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::at_least(detail::to_any(std::forward<X>(x), where), 3, where));
}

/// The grid of one-dimensional arrays: one array per argument, each of the shape of the grid (by
/// default with the first two axes exchanged), or with `.sparse` of a shape that broadcasts to it.
/// dtypes are kept. Throws shape_error for more than one dimension. `auto [X, Y] = meshgrid(x, y)`,
/// `meshgrid(x, y, z, {.indexing = "ij"})`
template <detail::expression A, detail::expression B>
auto meshgrid(A&& a, B&& b, const grid_options& options = {},
              location where = location::current()) {
  return detail::typed_tuple<detail::value_of<A>, detail::value_of<B>>(
      detail::grid(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where)},
          options, where),
      std::make_index_sequence<2>());
}
template <detail::expression A, detail::expression B, detail::expression C>
auto meshgrid(A&& a, B&& b, C&& c, const grid_options& options = {},
              location where = location::current()) {
  return detail::typed_tuple<detail::value_of<A>, detail::value_of<B>, detail::value_of<C>>(
      detail::grid(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where),
           detail::to_any(std::forward<C>(c), where)},
          options, where),
      std::make_index_sequence<3>());
}
/// The same for any number of arrays of any dtypes: `meshgrid({x, y, z, w})`
inline detail::list meshgrid(std::vector<any_array> x, const grid_options& options = {},
                             location where = location::current()) {
  return detail::grid(std::move(x), options, where);
}

/// Broadcasts arrays against each other; dtypes are kept. Throws shape_error.
/// `auto [a, b] = broadcast_arrays(x, y)`
template <detail::expression A, detail::expression B>
auto broadcast_arrays(A&& a, B&& b, location where = location::current()) {
  return detail::typed_tuple<detail::value_of<A>, detail::value_of<B>>(
      detail::broadcast_all(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where)},
          where),
      std::make_index_sequence<2>());
}
template <detail::expression A, detail::expression B, detail::expression C>
auto broadcast_arrays(A&& a, B&& b, C&& c, location where = location::current()) {
  return detail::typed_tuple<detail::value_of<A>, detail::value_of<B>, detail::value_of<C>>(
      detail::broadcast_all(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where),
           detail::to_any(std::forward<C>(c), where)},
          where),
      std::make_index_sequence<3>());
}
/// The same for any number of arrays of any dtypes: `broadcast_arrays({x, y, z, w})`
inline detail::list broadcast_arrays(std::vector<any_array> x,
                                     location where = location::current()) {
  return detail::broadcast_all(std::move(x), where);
}

/// The shape that arrays of these shapes broadcast to. Throws shape_error.
/// `broadcast_shapes({{3, 1}, {4}})`
std::vector<std::int64_t> broadcast_shapes(const std::vector<int_list>& shapes,
                                           location where = location::current());

/// The lower triangles of the last two axes, with zeros above diagonal k. Throws shape_error below
/// two dimensions. `tril(x, {.k = -1})`
template <detail::expression X>
auto tril(X&& x, const tri_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::tril(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto tril(X&& x, K k, location where = location::current()) {
  return tril(std::forward<X>(x), tri_options{.k = static_cast<std::int64_t>(k)}, where);
}

/// The upper triangles of the last two axes, with zeros below diagonal k. Throws shape_error below
/// two dimensions. `triu(x, {.k = 1})`
template <detail::expression X>
auto triu(X&& x, const tri_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::triu(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto triu(X&& x, K k, location where = location::current()) {
  return triu(std::forward<X>(x), tri_options{.k = static_cast<std::int64_t>(k)}, where);
}

/// The diagonals of two axes, as the last axis; a view. Throws axis_error, shape_error below two
/// dimensions. `diagonal(x, {.offset = 1})`, `diagonal(x, 0, 1, 2)`
template <detail::expression X>
auto diagonal(X&& x, const diagonal_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::diagonal(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto diagonal(X&& x, K offset, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
              location where = location::current()) {
  const diagonal_options options{static_cast<std::int64_t>(offset), axis1, axis2};
  return diagonal(std::forward<X>(x), options, where);
}

/// Diagonal k of a matrix; for a vector, the matrix with the vector on diagonal k. Throws
/// shape_error for other ranks. `diag(x, {.k = 1})`
template <detail::expression X>
auto diag(X&& x, const tri_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::diag(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto diag(X&& x, K k, location where = location::current()) {
  return diag(std::forward<X>(x), tri_options{.k = static_cast<std::int64_t>(k)}, where);
}

/// The matrix with the flattened x on diagonal k. Throws nothing. `diagflat(x)`
template <detail::expression X>
auto diagflat(X&& x, const tri_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::diagflat(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto diagflat(X&& x, K k, location where = location::current()) {
  return diagflat(std::forward<X>(x), tri_options{.k = static_cast<std::int64_t>(k)}, where);
}

/// The sum of the diagonals of two axes. dtype: int64 or uint64 for integers and bool, else that of
/// x. Throws axis_error, shape_error below two dimensions. `trace(x)`, `trace(x, 0, 1, 2)`
template <detail::expression X>
auto trace(X&& x, const diagonal_options& options = {}, location where = location::current()) {
  using R = element_of<detail::sum_type(detail::dtype_of_argument<X>)>;
  return array<R>(detail::trace(detail::to_any(std::forward<X>(x), where), options, where));
}
template <detail::expression X, std::integral K>
auto trace(X&& x, K offset, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
           location where = location::current()) {
  const diagonal_options options{static_cast<std::int64_t>(offset), axis1, axis2};
  return trace(std::forward<X>(x), options, where);
}

/// The sliding windows of x: axis i has one position per window, and the elements of the window are
/// a new axis at the end; a view. Throws shape_error for a window that does not fit, axis_error.
/// `sliding_window_view(x, 3)`, `sliding_window_view(x, {3, 3}, {0, 1})`
template <detail::expression X>
auto sliding_window_view(X&& x, const int_list& window, const axis_list& axes = {},
                         location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::sliding_window_view(detail::to_any(std::forward<X>(x), where), window, axes, where));
}

inline any_array matrix_transpose(const any_array& x, location where = location::current()) {
  return detail::matrix_transpose(x, where);
}

/// x with its last two axes exchanged. Throws shape_error below two dimensions.
/// `matrix_transpose(x)`
template <detail::expression X> auto matrix_transpose(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::matrix_transpose(detail::to_any(std::forward<X>(x), where), where));
}

}  // namespace sinter
