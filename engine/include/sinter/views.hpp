#pragma once
// Views: the same elements in another order. They copy nothing, but become index maps of their
// consumers. Nested views are one map wherever possible.

#include <sinter/arguments.hpp>

namespace sinter {
namespace detail {

any_array permute(const any_array& x, shape_view axes, std::string_view op, location where);
any_array reverse_axes(const any_array& x, location where);
any_array reshape(const any_array& x, shape_view shape, location where);
any_array flip(const any_array& x, const axis_list& axes, location where);
any_array squeeze(const any_array& x, const axis_list& axes, location where);
any_array expand_dims(const any_array& x, shape_view axes, location where);
any_array broadcast_to(const any_array& x, shape_view shape, location where);
any_array swap_axes(const any_array& x, std::int64_t a, std::int64_t b, location where);
any_array move_axes(const any_array& x, shape_view from, shape_view to, location where);

}  // namespace detail

/// x with its axes permuted: axis i of the result is axis axes[i] of x; by default reversed. Throws
/// axis_error unless `axes` is a permutation. `transpose(x, {1, 0, 2})`
template <detail::expression X>
auto transpose(X&& x, const axis_list& axes = {}, location where = location::current()) {
  const any_array a = detail::to_any(std::forward<X>(x), where);
  return array<detail::value_of<X>>(axes.all()
                                        ? detail::reverse_axes(a, where)
                                        : detail::permute(a, axes.values(), "transpose", where));
}

/// x with its axes permuted: axis i of the result is axis axes[i] of x. Throws axis_error unless
/// `axes` is a permutation. `permute_dims(x, {2, 0, 1})`
template <detail::expression X>
auto permute_dims(X&& x, const int_list& axes, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::permute(detail::to_any(std::forward<X>(x), where), axes, "permute_dims", where));
}

/// The same elements, row-major, in another shape, where one extent may be -1. Throws shape_error
/// if the number of elements differs. `reshape(x, {3, -1})`
template <detail::expression X>
auto reshape(X&& x, const int_list& shape, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::reshape(detail::to_any(std::forward<X>(x), where), shape, where));
}

/// The same with extents as arguments: `reshape(x, 3, -1)`
template <detail::array_like X>
auto reshape(X&& x, detail::extent first, detail::extent second, std::integral auto... rest) {
  return reshape(std::forward<X>(x), int_list{first.value, second.value, std::int64_t(rest)...},
                 first.where);
}

/// The same elements, row-major, in one dimension. Throws nothing. `ravel(x)`
template <detail::expression X>
auto ravel(X&& x, location where = location::current()) {
  return reshape(std::forward<X>(x), {-1}, where);
}

/// x in reverse order along some axes, by default all. Throws axis_error. `flip(x, 0)`
template <detail::expression X>
auto flip(X&& x, const axis_list& axes = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::flip(detail::to_any(std::forward<X>(x), where), axes, where));
}

/// x without axes of extent 1: the given ones, by default all. Throws axis_error, and shape_error
/// for an axis of another extent. `squeeze(x, 0)`
template <detail::expression X>
auto squeeze(X&& x, const axis_list& axes = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::squeeze(detail::to_any(std::forward<X>(x), where), axes, where));
}

/// x with new axes of extent 1 at these positions in the result. Throws axis_error.
/// `expand_dims(x, {0, -1})`
template <detail::expression X>
auto expand_dims(X&& x, const int_list& axes, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::expand_dims(detail::to_any(std::forward<X>(x), where), axes, where));
}

/// x broadcast to a shape: repeated along new leading axes and along axes of extent 1. Throws
/// shape_error. `broadcast_to(x, {4, 3})`
template <detail::expression X>
auto broadcast_to(X&& x, const int_list& shape, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::broadcast_to(detail::to_any(std::forward<X>(x), where), shape, where));
}

/// x with two axes exchanged. Throws axis_error. `swapaxes(x, 0, -1)`
template <detail::expression X>
auto swapaxes(X&& x, std::int64_t a, std::int64_t b, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::swap_axes(detail::to_any(std::forward<X>(x), where), a, b, where));
}

/// x with axes moved: axis from[i] becomes axis to[i]; the other axes keep their order. Throws
/// axis_error. `moveaxis(x, 0, -1)`
template <detail::expression X>
auto moveaxis(X&& x, const int_list& from, const int_list& to,
              location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::move_axes(detail::to_any(std::forward<X>(x), where), from, to, where));
}

// Overloads for arrays whose dtype is known only at run time.
inline any_array transpose(const any_array& x, const axis_list& axes = {},
                           location where = location::current()) {
  return axes.all() ? detail::reverse_axes(x, where)
                    : detail::permute(x, axes.values(), "transpose", where);
}
inline any_array permute_dims(const any_array& x, const int_list& axes,
                              location where = location::current()) {
  return detail::permute(x, axes, "permute_dims", where);
}
inline any_array reshape(const any_array& x, const int_list& shape,
                         location where = location::current()) {
  return detail::reshape(x, shape, where);
}
inline any_array ravel(const any_array& x, location where = location::current()) {
  return detail::reshape(x, int_list(-1), where);
}
inline any_array flip(const any_array& x, const axis_list& axes = {},
                      location where = location::current()) {
  return detail::flip(x, axes, where);
}
inline any_array squeeze(const any_array& x, const axis_list& axes = {},
                         location where = location::current()) {
  return detail::squeeze(x, axes, where);
}
inline any_array expand_dims(const any_array& x, const int_list& axes,
                             location where = location::current()) {
  return detail::expand_dims(x, axes, where);
}
inline any_array broadcast_to(const any_array& x, const int_list& shape,
                              location where = location::current()) {
  return detail::broadcast_to(x, shape, where);
}
inline any_array swapaxes(const any_array& x, std::int64_t a, std::int64_t b,
                          location where = location::current()) {
  return detail::swap_axes(x, a, b, where);
}
inline any_array moveaxis(const any_array& x, const int_list& from, const int_list& to,
                          location where = location::current()) {
  return detail::move_axes(x, from, to, where);
}

/// x itself: values never change, so a copy would protect nothing. Throws nothing. `copy(x)`
template <detail::expression X>
auto copy(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(detail::to_any(std::forward<X>(x), where), where);
}

}  // namespace sinter
