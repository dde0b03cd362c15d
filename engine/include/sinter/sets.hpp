#pragma once
// Arrays as sets. The number of distinct elements determines the shape, so these functions
// evaluate. Results are sorted and one-dimensional (except `unique` along an axis); -0 and 0 are
// one element, which is 0.

#include <optional>

#include <sinter/arguments.hpp>

namespace sinter {

struct unique_options {
  bool equal_nan = true;                  // all NaN are one element
  std::optional<std::int64_t> axis = {};  // none: elements are compared; else slices along it
};

struct set_options {
  bool assume_unique = false;  // no element occurs twice in either array
};

/// The distinct elements; the index of the first occurrence of each; for each element of the array,
/// its index in `values`, in the array's shape; the number of occurrences of each.
template <class T> struct unique_result {
  array<T> values;
  array<std::int64_t> indices, inverse_indices, counts;
};
template <class T> struct unique_counts_result {
  array<T> values;
  array<std::int64_t> counts;
};
template <class T> struct unique_inverse_result {
  array<T> values;
  array<std::int64_t> inverse_indices;
};

/// The common elements, and the index of the first occurrence of each in either flattened array.
template <class T> struct intersect1d_result {
  array<T> values;
  array<std::int64_t> a_indices, b_indices;
};

namespace detail {

struct unique_parts {
  any_array values, indices, inverse_indices, counts;
};
struct unique_wanted {
  bool indices = false, inverse_indices = false, counts = false;
};

/// Results that are not wanted hold no array.
unique_parts unique(const any_array& x, const unique_options& o, unique_wanted, std::string_view op,
                    location where);
any_array union1d(const any_array& a, const any_array& b, location where = location::current());
any_array intersect1d(const any_array& a, const any_array& b, const set_options& o = {},
                      location where = location::current());
/// {values, indices into a, indices into b}
std::vector<any_array> intersect1d_indices(const any_array& a, const any_array& b,
                                           const set_options& o = {},
                                           location where = location::current());
any_array setdiff1d(const any_array& a, const any_array& b, const set_options& o = {},
                    location where = location::current());
any_array setxor1d(const any_array& a, const any_array& b, const set_options& o = {},
                   location where = location::current());

template <class A, class B>
using common_of = array<element_of<promote(dtype_of_argument<A>, dtype_of_argument<B>)>>;

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::intersect1d;
using detail::intersect1d_indices;
using detail::setdiff1d;
using detail::setxor1d;
using detail::union1d;

inline any_array unique(const any_array& x, const unique_options& options = {},
                        location where = location::current()) {
  return detail::unique(x, options, {}, "unique", where).values;
}

/// The distinct elements of x, sorted. Along an axis: the distinct slices, in lexicographic order,
/// in x's shape except for that axis. With `.equal_nan`, slices with NaN may be equal, which NumPy
/// documents but does not do. Throws axis_error. Slices take one sort per 8 bytes of their size.
/// `unique(x)`, `unique(rows, {.axis = 0})`
template <detail::expression X>
auto unique(X&& x, const unique_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::unique(detail::to_any(std::forward<X>(x), where), options, {}, "unique", where)
          .values);
}

/// The array API's `unique`, where each NaN is a distinct element. Throws memory_error,
/// device_error, because it evaluates. `unique_values(x)`
template <detail::expression X> auto unique_values(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::unique(detail::to_any(std::forward<X>(x), where), {false}, {}, "unique_values", where)
          .values);
}

/// The distinct elements of x, sorted, and the number of occurrences of each; each NaN is a
/// distinct element. Throws as `unique_values` does. `auto [values, counts] = unique_counts(x)`
template <detail::expression X> auto unique_counts(X&& x, location where = location::current()) {
  auto r = detail::unique(detail::to_any(std::forward<X>(x), where), {false}, {.counts = true},
                          "unique_counts", where);
  using T = detail::value_of<X>;
  return unique_counts_result<T>{array<T>(std::move(r.values)),
                                 array<std::int64_t>(std::move(r.counts))};
}

/// The distinct elements of x, sorted, and the index in them of each element of x:
/// `take(values, inverse_indices)` is x. Each NaN is a distinct element. Throws as `unique_values`
/// does. `auto [values, at] = unique_inverse(x)`
template <detail::expression X> auto unique_inverse(X&& x, location where = location::current()) {
  auto r = detail::unique(detail::to_any(std::forward<X>(x), where), {false},
                          {.inverse_indices = true}, "unique_inverse", where);
  using T = detail::value_of<X>;
  return unique_inverse_result<T>{array<T>(std::move(r.values)),
                                  array<std::int64_t>(std::move(r.inverse_indices))};
}

/// All results of `unique`: `unique_all(x, {.equal_nan = true})` is NumPy's with every flag; in the
/// array API's, the default, each NaN is a distinct element. Along an axis the indices refer to
/// slices and are one-dimensional. Throws axis_error.
/// `auto [values, first, at, counts] = unique_all(x, {.axis = 0})`
template <detail::expression X>
auto unique_all(X&& x, const unique_options& options = {.equal_nan = false},
                location where = location::current()) {
  auto r = detail::unique(detail::to_any(std::forward<X>(x), where), options, {true, true, true},
                          "unique_all", where);
  using T = detail::value_of<X>;
  return unique_result<T>{array<T>(std::move(r.values)), array<std::int64_t>(std::move(r.indices)),
                          array<std::int64_t>(std::move(r.inverse_indices)),
                          array<std::int64_t>(std::move(r.counts))};
}

/// The union of both arrays. dtype: the promotion of both. Throws as `unique_values` does.
/// `union1d(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto union1d(A&& a, B&& b, location where = location::current()) {
  return detail::common_of<A, B>(detail::union1d(detail::to_any(std::forward<A>(a), where),
                                                 detail::to_any(std::forward<B>(b), where), where));
}

/// The intersection of both arrays; NaN is in neither. dtype: the promotion of both. Throws as
/// `unique_values` does. `intersect1d(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto intersect1d(A&& a, B&& b, const set_options& options = {},
                 location where = location::current()) {
  return detail::common_of<A, B>(detail::intersect1d(detail::to_any(std::forward<A>(a), where),
                                                     detail::to_any(std::forward<B>(b), where),
                                                     options, where));
}

/// The same with the indices of the elements in a and in b: NumPy's `intersect1d` with
/// `return_indices`. Throws as `unique_values` does.
/// `auto [values, in_a, in_b] = intersect1d_indices(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto intersect1d_indices(A&& a, B&& b, const set_options& options = {},
                         location where = location::current()) {
  std::vector<any_array> r =
      detail::intersect1d_indices(detail::to_any(std::forward<A>(a), where),
                                  detail::to_any(std::forward<B>(b), where), options, where);
  using T = element_of<promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<B>)>;
  return intersect1d_result<T>{array<T>(std::move(r[0])), array<std::int64_t>(std::move(r[1])),
                               array<std::int64_t>(std::move(r[2]))};
}

/// The elements of a that are not in b; with `.assume_unique` in a's order. dtype: that of a.
/// Throws as `unique_values` does. `setdiff1d(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto setdiff1d(A&& a, B&& b, const set_options& options = {},
               location where = location::current()) {
  return array<detail::value_of<A>>(detail::setdiff1d(detail::to_any(std::forward<A>(a), where),
                                                      detail::to_any(std::forward<B>(b), where),
                                                      options, where));
}

/// The elements that are in exactly one of the arrays. dtype: the promotion of both. Throws as
/// `unique_values` does. `setxor1d(a, b)`
template <detail::expression A, detail::expression B = detail::list_beside<A>>
auto setxor1d(A&& a, B&& b, const set_options& options = {}, location where = location::current()) {
  return detail::common_of<A, B>(detail::setxor1d(detail::to_any(std::forward<A>(a), where),
                                                  detail::to_any(std::forward<B>(b), where),
                                                  options, where));
}

}  // namespace sinter
