#pragma once
// NumPy's functions that change an array: as statements, they take a named one. What they record is
// lazy, and done in place where the array's memory is not needed any more. Indices out of range are
// an index_error when the array is read.

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

/// Elements of the flattened x at `indices`, of any shape, become the values, which are repeated as
/// often as it takes. Of indices that are equal the last one counts. Throws dtype_error for indices
/// that are no integers. `put(x, {0, -1}, 5)`
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

/// What take_along_axis reads, written: the element at indices[i] along the axis, other coordinates
/// being the same, becomes values[i]. Indices broadcast to x along the other axes, values to the
/// indices. Throws shape_error, axis_error, dtype_error. `put_along_axis(x, argmax(x, 1), 0, 1)`
template <element T, detail::expression I, class V>
void put_along_axis(array<T>& x, I&& indices, V&& values, std::int64_t axis = -1,
                    location where = location::current()) {
  x = array<T>(detail::put_along_axis(x, detail::to_any(std::forward<I>(indices), where),
                                      detail::value_as<dtype_of<T>>(values, where), axis, where),
               where);
}

/// The elements where a mask of x's shape holds become the values in their order, repeated as often
/// as it takes. Throws shape_error, value_error for no values. `place(x, x < 0, {1, 2})`
template <element T, detail::expression M, class V>
void place(array<T>& x, M&& mask, V&& values, location where = location::current()) {
  x = array<T>(detail::place(x, detail::to_any(std::forward<M>(mask), where),
                             detail::value_as<dtype_of<T>>(values, where), where),
               where);
}

/// The element number n where a mask of x's shape holds becomes values[n], which are repeated up to
/// x's size. Throws shape_error, value_error for no values. `putmask(x, x < 0, -x)`
template <element T, detail::expression M, class V>
void putmask(array<T>& x, M&& mask, V&& values, location where = location::current()) {
  x = array<T>(detail::putmask(x, detail::to_any(std::forward<M>(mask), where),
                               detail::value_as<dtype_of<T>>(values, where), where),
               where);
}

struct fill_diagonal_options {
  bool wrap = false;  // of a tall matrix: it begins again after each square
};

/// The main diagonal becomes the values, repeated as often as it takes: of two axes, or of more of
/// one extent. Throws shape_error otherwise. `fill_diagonal(x, 1)`
template <element T, class V>
void fill_diagonal(array<T>& x, V&& values, const fill_diagonal_options& o = {},
                   location where = location::current()) {
  x = array<T>(
      detail::fill_diagonal(x, detail::value_as<dtype_of<T>>(values, where), o.wrap, where), where);
}

}  // namespace sinter
