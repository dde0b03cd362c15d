#pragma once
// Searching in what is sorted. Lazy: a search is log2(n) steps inside the kernel that makes the
// values and reads the places. NaN is behind all numbers, as a sort leaves it.

#include <sinter/arguments.hpp>

namespace sinter {

/// Where a value goes that is there already: in front of its equals, or behind them.
enum class search_side : std::uint8_t { left, right };
namespace detail {
template <> inline constexpr enum_words option_words<search_side> = {"search_side", "left, right"};
}

struct search_options {
  detail::worded<search_side> side = search_side::left;
  any_array sorter = {};  // positions that put the array in order, as argsort gives them
};

struct digitize_options {
  bool right = false;  // bins include their right edge, not their left one
};

struct isin_options {
  bool invert = false;         // is it none of them?
  bool assume_unique = false;  // NumPy's hint; nothing is done here that it would save
};

namespace detail {

any_array searchsorted(const any_array& sorted, const any_array& values,
                       const search_options& o = {}, location where = location::current());
any_array digitize(const any_array& x, const any_array& bins, const digitize_options& o = {},
                   location where = location::current());
any_array isin(const any_array& x, const any_array& test, const isin_options& o = {},
               location where = location::current());

}  // namespace detail

// For arrays whose dtype is known at run time only: the same functions.
using detail::digitize;
using detail::isin;
using detail::searchsorted;

/// Where each value belongs in a sorted array of one dimension, so that it stays sorted. Of the
/// shape of the values; dtype: int64. Of an array that is not sorted the places mean nothing.
/// Throws shape_error. `searchsorted(edges, x, {.side = "right"})`
template <detail::expression A, detail::expression V>
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
/// The side by itself: the same as with `{.side = side}`, errors too.
/// `searchsorted(edges, x, "right")`
template <detail::expression A, class V, detail::word_for<search_side> S>
auto searchsorted(A&& sorted, V&& values, S side, location where = location::current()) {
  return searchsorted(std::forward<A>(sorted), std::forward<V>(values),
                      search_options{.side = {side, where}}, where);
}

/// The bin that each element of x is in: i if bins[i - 1] <= x < bins[i] (with `.right`:
/// bins[i - 1] < x <= bins[i]), 0 and the number of bins for what is outside. Falling bins are
/// taken the other way round. Of the shape of x; dtype: int64. Throws shape_error; dtype_error for
/// complex numbers; value_error, when read, for bins without order. `digitize(x, bins)`
template <detail::expression X, detail::expression B>
auto digitize(X&& x, B&& bins, const digitize_options& options = {},
              location where = location::current()) {
  return array<std::int64_t>(detail::digitize(detail::to_any(std::forward<X>(x), where),
                                              detail::to_any(std::forward<B>(bins), where), options,
                                              where));
}

/// Is each element of x among those of another array? Of the shape of x; dtype: bool. NaN is not.
/// The other array is sorted. Throws value_error for a number that the dtype of x does not have.
/// `isin(x, {2, 3, 5})`, `isin(x, taken, {.invert = true})`
template <detail::expression X, detail::expression T>
auto isin(X&& x, T&& test, const isin_options& options = {}, location where = location::current()) {
  return array<bool>(detail::isin(detail::to_any(std::forward<X>(x), where),
                                  detail::to_any(std::forward<T>(test), where), options, where));
}
template <detail::expression X>
auto isin(X&& x, std::initializer_list<detail::value_of<X>> test, const isin_options& options = {},
          location where = location::current()) {
  return isin(std::forward<X>(x), array<detail::value_of<X>>(test), options, where);
}

}  // namespace sinter
