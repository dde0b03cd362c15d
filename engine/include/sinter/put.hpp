#pragma once
// NumPy's functions that modify an array, as statements on a named array. They are lazy, and update
// in place where the array's old memory is no longer needed. Indices out of range throw index_error
// when the array is read.

#include <sinter/indexing.hpp>
#include <sinter/scatter.hpp>

namespace sinter {

struct put_options {
  detail::worded<index_mode> mode = index_mode::raise;
};

namespace detail {

any_array put(const any_array& x, const any_array& indices, const any_array& values,
              index_mode mode, location where);
any_array put_along_axis(const any_array& x, const any_array& indices, const any_array& values,
                         std::int64_t axis, location where);
any_array place(const any_array& x, const any_array& mask, const any_array& values,
                location where);
any_array putmask(const any_array& x, const any_array& mask, const any_array& values,
                  location where);
any_array fill_diagonal(const any_array& x, const any_array& values, bool wrap, location where);

}  // namespace detail

/// Replaces the elements of the flattened x at `indices`, of any shape, by the values, which repeat
/// as often as needed. For equal indices the last value wins. Throws dtype_error for indices that
/// are not integers. `put(x, {0, -1}, 5)`
template <element T, detail::expression I, class V>
void put(array<T>& x, I&& indices, V&& values, const put_options& o = {},
         location where = location::current()) {
  x = array<T>(detail::put(x, detail::to_any(std::forward<I>(indices), where),
                           detail::value_as<dtype_of<T>>(values, where), o.mode, where),
               where);
}
template <element T, class V>
void put(array<T>& x, std::initializer_list<std::int64_t> indices, V&& values,
         const put_options& o = {}, location where = location::current()) {
  put(x, array<std::int64_t>(indices), std::forward<V>(values), o, where);
}

/// The write counterpart of take_along_axis: replaces the element at indices[i] along the axis, all
/// other coordinates being equal, by values[i]. Indices broadcast to x along the other axes, values
/// broadcast to the indices. Throws shape_error, axis_error, dtype_error.
/// `put_along_axis(x, argmax(x, 1), 0, 1)`
template <element T, detail::expression I, class V>
void put_along_axis(array<T>& x, I&& indices, V&& values, std::int64_t axis = -1,
                    location where = location::current()) {
  x = array<T>(detail::put_along_axis(x, detail::to_any(std::forward<I>(indices), where),
                                      detail::value_as<dtype_of<T>>(values, where), axis, where),
               where);
}

/// Replaces the elements where a mask of x's shape holds by the values in order, repeated as often
/// as needed. Throws shape_error, value_error for no values. `place(x, x < 0, {1, 2})`
template <element T, detail::expression M, class V>
void place(array<T>& x, M&& mask, V&& values, location where = location::current()) {
  x = array<T>(detail::place(x, detail::to_any(std::forward<M>(mask), where),
                             detail::value_as<dtype_of<T>>(values, where), where),
               where);
}

/// Replaces element n, where a mask of x's shape holds, by values[n]; the values are repeated up to
/// x's size. Throws shape_error, value_error for no values. `putmask(x, x < 0, -x)`
template <element T, detail::expression M, class V>
void putmask(array<T>& x, M&& mask, V&& values, location where = location::current()) {
  x = array<T>(detail::putmask(x, detail::to_any(std::forward<M>(mask), where),
                               detail::value_as<dtype_of<T>>(values, where), where),
               where);
}

struct fill_diagonal_options {
  bool wrap = false;  // in a tall matrix, restarts after each square
};

/// Replaces the main diagonal by the values, repeated as often as needed. x has two axes, or more
/// axes of equal extent. Throws shape_error otherwise, value_error for no values.
/// `fill_diagonal(x, 1)`
template <element T, class V>
void fill_diagonal(array<T>& x, V&& values, const fill_diagonal_options& o = {},
                   location where = location::current()) {
  x = array<T>(
      detail::fill_diagonal(x, detail::value_as<dtype_of<T>>(values, where), o.wrap, where), where);
}

}  // namespace sinter
