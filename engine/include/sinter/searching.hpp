#pragma once
// Searches in sorted arrays. Lazy: a search takes log2(n) steps inside the kernel that produces the
// values and consumes the positions. NaN sorts after all numbers.

#include <sinter/arguments.hpp>

namespace sinter {

/// The insertion position among equal elements: before them (left) or after them (right).
enum class search_side : std::uint8_t { left, right };
namespace detail {
template <> inline constexpr enum_words option_words<search_side> = {"search_side", "left, right"};
}

struct search_options {
  detail::worded<search_side> side = search_side::left;
  any_array sorter = {};  // positions that sort the array, as argsort gives them
};

struct digitize_options {
  bool right = false;  // bins include their right edge, not their left one
};

struct isin_options {
  bool invert = false;         // inverts the answer
  bool assume_unique = false;  // NumPy's hint; has no effect here
};

namespace detail {

any_array searchsorted(const any_array& sorted, const any_array& values,
                       const search_options& o = {}, location where = location::current());
any_array digitize(const any_array& x, const any_array& bins, const digitize_options& o = {},
                   location where = location::current());
any_array isin(const any_array& x, const any_array& test, const isin_options& o = {},
               location where = location::current());

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::digitize;
using detail::isin;
using detail::searchsorted;

/// The positions at which to insert the values into a sorted one-dimensional array so that it stays
/// sorted. Shape: that of the values; dtype: int64. For an unsorted array the positions are
/// meaningless. Throws shape_error. `searchsorted(edges, x, {.side = "right"})`,
/// `searchsorted(edges, {2, 5})`
template <detail::expression A, detail::expression V = detail::list_beside<A>>
auto searchsorted(A&& sorted, V&& values, const search_options& options = {},
                  location where = location::current()) {
  return array<std::int64_t>(detail::searchsorted(detail::to_any(std::forward<A>(sorted), where),
                                                  detail::to_any(std::forward<V>(values), where),
                                                  options, where));
}
template <detail::expression A, scalar V>
auto searchsorted(A&& sorted, V value, const search_options& options = {},
                  location where = location::current()) {
  constexpr dtype type = promote_weak(detail::dtype_of_argument<A>, kind_of(dtype_of<V>));
  const any_array v = detail::from_scalar(detail::scalar_of<type>(value, where), type, where);
  return array<std::int64_t>(
      detail::searchsorted(detail::to_any(std::forward<A>(sorted), where), v, options, where));
}
/// The side as a plain argument, as with `{.side = side}`; the errors are the same.
/// `searchsorted(edges, x, "right")`
template <detail::expression A, class V = detail::list_beside<A>, detail::word_for<search_side> S>
auto searchsorted(A&& sorted, V&& values, S side, location where = location::current()) {
  return searchsorted(std::forward<A>(sorted), std::forward<V>(values),
                      search_options{.side = {side, where}}, where);
}

/// The index of the bin of each element of x: i if bins[i - 1] <= x < bins[i] (with `.right`:
/// bins[i - 1] < x <= bins[i]), and 0 or the number of bins outside. Decreasing bins are searched
/// in reverse. Shape: that of x; dtype: int64. Throws shape_error; dtype_error for complex numbers;
/// value_error, when read, for bins that are not monotonic. `digitize(x, bins)`
template <detail::expression X, detail::expression B = detail::list_beside<X>>
auto digitize(X&& x, B&& bins, const digitize_options& options = {},
              location where = location::current()) {
  return array<std::int64_t>(detail::digitize(detail::to_any(std::forward<X>(x), where),
                                              detail::to_any(std::forward<B>(bins), where), options,
                                              where));
}

/// Whether each element of x occurs in another array, which is sorted for the search; NaN never
/// does. Shape: that of x; dtype: bool. Throws value_error for a number that the dtype of x cannot
/// represent. `isin(x, {2, 3, 5})`, `isin(x, taken, {.invert = true})`
template <detail::expression X, detail::expression T>
auto isin(X&& x, T&& test, const isin_options& options = {}, location where = location::current()) {
  return array<bool>(detail::isin(detail::to_any(std::forward<X>(x), where),
                                  detail::to_any(std::forward<T>(test), where), options, where));
}
template <detail::expression X, scalar V>
auto isin(X&& x, V test, const isin_options& options = {}, location where = location::current()) {
  constexpr dtype type = promote_weak(detail::dtype_of_argument<X>, kind_of(dtype_of<V>));
  const any_array t = detail::from_scalar(detail::scalar_of<type>(test, where), type, where);
  return array<bool>(detail::isin(detail::to_any(std::forward<X>(x), where), t, options, where));
}
template <detail::expression X>
auto isin(X&& x, std::initializer_list<detail::value_of<X>> test, const isin_options& options = {},
          location where = location::current()) {
  return isin(std::forward<X>(x), array<detail::value_of<X>>(test), options, where);
}

}  // namespace sinter
