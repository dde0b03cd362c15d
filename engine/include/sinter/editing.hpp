#pragma once
// Arrays with elements deleted, inserted, or repeated to fill another shape. They are gathers and
// joins of existing elements, and store nothing.

#include <optional>

#include <sinter/scatter.hpp>

namespace sinter {

struct edit_options {
  std::optional<std::int64_t> axis = {};  // none: over the flattened array
};

namespace detail {

any_array delete_(const any_array& x, const int_list& indices, const edit_options& o = {},
                  location where = location::current());
any_array delete_slice(const any_array& x, const slice& indices, const edit_options& o,
                       location where);
template <std::same_as<slice> S>  // a template, so that {3} is a list
any_array delete_(const any_array& x, S indices, const edit_options& o = {},
                  location where = location::current()) {
  return delete_slice(x, indices, o, where);
}
any_array insert(const any_array& x, std::int64_t index, const any_array& values,
                 const edit_options& o = {}, location where = location::current());
any_array insert(const any_array& x, const int_list& indices, const any_array& values,
                 const edit_options& o = {}, location where = location::current());
any_array resize(const any_array& x, const int_list& shape, location where = location::current());

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::delete_;
using detail::insert;
using detail::resize;

/// NumPy's `delete` (a keyword in C++): x without the slices at these indices of an axis. Throws
/// axis_error, index_error. `delete_(x, {0, -1}, {.axis = 1})`
template <detail::expression X>
auto delete_(X&& x, const int_list& indices, const edit_options& options = {},
             location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::delete_(detail::to_any(std::forward<X>(x), where), indices, options, where));
}

template <detail::expression X, std::same_as<slice> S>
auto delete_(X&& x, S indices, const edit_options& options = {},
             location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::delete_slice(detail::to_any(std::forward<X>(x), where), indices, options, where));
}

/// x with values inserted before an index of an axis. The values are a number, or an array that
/// broadcasts to the new slice or to several slices. dtype: that of x. Throws axis_error,
/// index_error, shape_error. `insert(x, 1, 0)`, `insert(x, 2, row, {.axis = 0})`
template <detail::expression X, class V>
auto insert(X&& x, std::int64_t index, V&& values, const edit_options& options = {},
            location where = location::current()) {
  using T = detail::value_of<X>;
  return array<T>(detail::insert(detail::to_any(std::forward<X>(x), where), index,
                                 detail::value_as<dtype_of<T>>(values, where), options, where));
}

/// The same before several indices, which refer to the original x. The values broadcast to one
/// slice per index. `insert(x, {0, 2, 2}, array<int>{7, 8, 9})`
template <detail::expression X, class V>
auto insert(X&& x, const int_list& indices, V&& values, const edit_options& options = {},
            location where = location::current()) {
  using T = detail::value_of<X>;
  return array<T>(detail::insert(detail::to_any(std::forward<X>(x), where), indices,
                                 detail::value_as<dtype_of<T>>(values, where), options, where));
}

/// The elements of x in another shape, repeated as often as needed to fill it; zeros if x is empty.
/// Throws shape_error for a negative extent. `resize(x, {2, 4})`
template <detail::expression X>
auto resize(X&& x, const int_list& shape, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::resize(detail::to_any(std::forward<X>(x), where), shape, where));
}

}  // namespace sinter
