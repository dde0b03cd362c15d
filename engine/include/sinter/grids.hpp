#pragma once
// Arrays that are functions of their indices. All are lazy and fuse into their consumers.

#include <sinter/creation.hpp>
#include <sinter/indexing.hpp>
#include <sinter/operators.hpp>
#include <sinter/rearrange.hpp>

namespace sinter {

struct logspace_options {
  double base = 10;
  bool endpoint = true;  // whether `stop` is the last value, or excluded
};

struct vander_options {
  std::optional<std::int64_t> columns = {};  // none: the number of elements
  bool increasing = false;
};

struct ravel_options {
  detail::worded<index_mode> mode = index_mode::raise;
};

namespace detail {

template <class T>
concept real_number = element<T> && !std::same_as<T, bool> && !is_complex(dtype_of<T>);
template <class X>
concept index_array = expression<X> && is_integer(dtype_of_argument<X>);

/// An index list keeps its dtype; a mask becomes int64 positions.
template <class X>
using mesh_type = element_of<is_bool(dtype_of_argument<X>) ? dtype::int64 : dtype_of_argument<X>>;

any_array logspace(dtype type, double start, double stop, std::int64_t count,
                   const logspace_options& o, location where);
any_array geomspace(dtype type, double start, double stop, std::int64_t count, bool endpoint,
                    location where);
any_array tri(dtype type, std::int64_t rows, std::int64_t columns, std::int64_t k, location where);
any_array vander(const any_array& x, const vander_options& o = {},
                 location where = location::current());
list indices(shape_view shape, std::string_view op, location where);
list open_mesh(list x, location where);
list triangle_indices(std::int64_t rows, std::int64_t columns, std::int64_t k, bool lower,
                      location where);
list unravel_index(const any_array& index, shape_view shape, location where);
any_array ravel_multi_index(list indices, shape_view shape, const ravel_options& o, location where);

}  // namespace detail

using detail::vander;

/// The identity matrix, of shape (n, n). Throws shape_error. `identity<float>(3)`
template <element T = double>
array<T> identity(std::int64_t n, location where = location::current()) {
  return eye<T>(n, n, 0, where);
}

/// `base` raised to `count` evenly spaced powers from start to stop: shape (count,). Throws
/// value_error for a negative count. `logspace(0, 3, 4)`
template <detail::real_number T = double>
array<T> logspace(double start, double stop, std::int64_t count = 50,
                  const logspace_options& options = {}, location where = location::current()) {
  return array<T>(detail::logspace(dtype_of<T>, start, stop, count, options, where));
}

/// `count` values from start to stop in geometric progression: shape (count,). Throws value_error
/// for a negative count, an end of 0, or ends of different signs. `geomspace(1, 1000, 4)`
template <detail::real_number T = double>
array<T> geomspace(double start, double stop, std::int64_t count = 50,
                   const linspace_options& options = {}, location where = location::current()) {
  return array<T>(detail::geomspace(dtype_of<T>, start, stop, count, options.endpoint, where));
}

/// Ones on and below diagonal k, zeros above: shape (rows, columns). Throws shape_error.
/// `tri<float>(3, 4, 1)`
template <element T = double>
array<T> tri(std::int64_t rows, std::int64_t columns, std::int64_t k = 0,
             location where = location::current()) {
  return array<T>(detail::tri(dtype_of<T>, rows, columns, k, where));
}

/// The same with n rows and n columns. `tri<float>(3)`
template <element T = double> array<T> tri(std::int64_t n, location where = location::current()) {
  return tri<T>(n, n, 0, where);
}

/// The Vandermonde matrix of x: column j is x to the power columns - 1 - j, or j if increasing.
/// dtype: the promotion of x's dtype and int64. Throws shape_error unless x is a vector.
/// `vander(x, {.columns = 3})`
template <detail::expression X>
auto vander(X&& x, const vander_options& options = {}, location where = location::current()) {
  using R = element_of<promote(detail::dtype_of_argument<X>, dtype::int64)>;
  return array<R>(detail::vander(detail::to_any(std::forward<X>(x), where), options, where));
}
/// The same with NumPy's positional arguments. `vander(x, 3)`, `vander(x, 3, true)`
template <detail::expression X>
auto vander(X&& x, std::int64_t columns, bool increasing = false,
            location where = location::current()) {
  return vander(std::forward<X>(x), vander_options{columns, increasing}, where);
}

/// NumPy's open mesh: index arrays that select every combination of the listed indices. Each list
/// lies along an axis of its own; the other extents are 1. Masks stand for the positions where they
/// hold. Throws shape_error for more than one dimension, dtype_error for floats.
/// `x(ix_(rows, columns))`, `auto [r, c] = ix_(rows, columns); x(r, c)`
template <detail::expression A, detail::expression B>
auto ix_(A&& a, B&& b, location where = location::current()) {
  return detail::typed_tuple<detail::mesh_type<A>, detail::mesh_type<B>>(
      detail::open_mesh(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where)},
          where),
      std::make_index_sequence<2>());
}
template <detail::expression A, detail::expression B, detail::expression C>
auto ix_(A&& a, B&& b, C&& c, location where = location::current()) {
  return detail::typed_tuple<detail::mesh_type<A>, detail::mesh_type<B>, detail::mesh_type<C>>(
      detail::open_mesh(
          {detail::to_any(std::forward<A>(a), where), detail::to_any(std::forward<B>(b), where),
           detail::to_any(std::forward<C>(c), where)},
          where),
      std::make_index_sequence<3>());
}

struct triangle_options {
  std::int64_t k = 0;                        // the diagonal: > 0 above the main one
  std::optional<std::int64_t> columns = {};  // none: as many as rows
};

/// The coordinates of the elements that `tril` keeps in a matrix of n rows: rows and columns,
/// int64. Throws shape_error. `auto [row, column] = tril_indices(3); x(row, column)`
inline std::array<array<std::int64_t>, 2> tril_indices(std::int64_t n,
                                                       const triangle_options& options = {},
                                                       location where = location::current()) {
  return detail::by_axis<2>(
      detail::triangle_indices(n, options.columns.value_or(n), options.k, true, where));
}

/// The same with NumPy's k and m as plain arguments: `tril_indices(3, -1)`, `tril_indices(3, 0, 4)`
template <detail::axis_number K>
std::array<array<std::int64_t>, 2> tril_indices(std::int64_t n, K k,
                                                std::optional<std::int64_t> columns = {},
                                                location where = location::current()) {
  return tril_indices(n, triangle_options{static_cast<std::int64_t>(k), columns}, where);
}

/// The same for the elements that `triu` keeps; the errors are the same.
/// `triu_indices(3, {.k = 1})`
inline std::array<array<std::int64_t>, 2> triu_indices(std::int64_t n,
                                                       const triangle_options& options = {},
                                                       location where = location::current()) {
  return detail::by_axis<2>(
      detail::triangle_indices(n, options.columns.value_or(n), options.k, false, where));
}

/// The same with NumPy's k and m as plain arguments: `triu_indices(3, 1)`, `triu_indices(3, 0, 4)`
template <detail::axis_number K>
std::array<array<std::int64_t>, 2> triu_indices(std::int64_t n, K k,
                                                std::optional<std::int64_t> columns = {},
                                                location where = location::current()) {
  return triu_indices(n, triangle_options{static_cast<std::int64_t>(k), columns}, where);
}

/// For each axis of a shape, an array of that shape with the index along the axis. dtype: int64.
/// Throws shape_error. `auto ij = indices({2, 3}); ij[0] + 10 * ij[1]`
inline std::vector<array<std::int64_t>> indices(const int_list& shape,
                                                location where = location::current()) {
  return detail::typed<std::int64_t>(detail::indices(shape, "indices", where));
}
/// The same for a shape of static rank, for structured bindings. Throws shape_error for another
/// rank. `auto [i, j] = indices<2>({2, 3})`
template <std::size_t Rank>
std::array<array<std::int64_t>, Rank> indices(const int_list& shape,
                                              location where = location::current()) {
  detail::check_rank(shape, Rank, "indices", where);
  return detail::by_axis<Rank>(detail::indices(shape, "indices", where));
}

/// Calls f with one array<int64> of indices per axis, and returns its result. Throws shape_error.
/// `fromfunction([](auto i, auto j) { return i + j; }, {3, 3})`
template <class F>
auto fromfunction(F&& f, const int_list& shape, location where = location::current()) {
  const auto i = detail::typed<std::int64_t>(detail::indices(shape, "fromfunction", where));
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(i[I]...).to_array(where);
  };
  using ints = const array<std::int64_t>&;
  if constexpr (std::invocable<F, ints>)
    return call(std::make_index_sequence<1>());
  else if constexpr (std::invocable<F, ints, ints>)
    return call(std::make_index_sequence<2>());
  else if constexpr (std::invocable<F, ints, ints, ints>) {
    return call(std::make_index_sequence<3>());
  } else {
    return call(std::make_index_sequence<4>());
  }
}

/// Converts flat row-major indices to coordinates: one int64 array per axis, each of the shape of
/// `index`. Throws shape_error; an index out of range throws index_error when the result is read.
/// `auto rc = unravel_index(argmax(x), {3, 4})`
template <detail::index_array X>
auto unravel_index(X&& index, const int_list& shape, location where = location::current()) {
  return detail::typed<std::int64_t>(
      detail::unravel_index(detail::to_any(std::forward<X>(index), where), shape, where));
}
/// The same for a shape of static rank, for structured bindings. Throws shape_error for another
/// rank. `auto [row, column] = unravel_index<2>(argmax(x), {3, 4})`
template <std::size_t Rank, detail::index_array X>
std::array<array<std::int64_t>, Rank> unravel_index(X&& index, const int_list& shape,
                                                    location where = location::current()) {
  detail::check_rank(shape, Rank, "unravel_index", where);
  return detail::by_axis<Rank>(
      detail::unravel_index(detail::to_any(std::forward<X>(index), where), shape, where));
}

/// Converts coordinates, one array per axis, to flat row-major indices. Coordinates out of range
/// wrap, are clipped, or (by default) throw index_error when the result is read. dtype: int64.
/// Throws shape_error, dtype_error for coordinates that are not integers.
/// `ravel_multi_index({i, j}, {3, 4})`
inline array<std::int64_t> ravel_multi_index(std::vector<any_array> indices, const int_list& shape,
                                             const ravel_options& options = {},
                                             location where = location::current()) {
  return array<std::int64_t>(detail::ravel_multi_index(std::move(indices), shape, options, where));
}
template <std::integral I>
array<std::int64_t> ravel_multi_index(const std::vector<array<I>>& indices, const int_list& shape,
                                      const ravel_options& options = {},
                                      location where = location::current()) {
  return ravel_multi_index(std::vector<any_array>(indices.begin(), indices.end()), shape, options,
                           where);
}

}  // namespace sinter
