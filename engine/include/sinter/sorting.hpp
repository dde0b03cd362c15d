#pragma once
// Sorting. Lazy: the kernel that produces the values also makes their sort keys, and the result
// fuses with its consumers. CUB sorts the keys on a GPU and Highway's vqsort on a CPU, with the
// same bits.
//
// NaN is last in either order; -0 equals 0. Complex numbers are ordered by real, then by imaginary
// part, those with NaN in the imaginary part before those with NaN in the real part, as in NumPy. A
// negative `.axis` counts from the end; std::nullopt flattens first. All throw axis_error for an
// axis out of range, which for rank 0 is any axis. A sort reads and writes the data a few times on
// a GPU (once for rows of up to 16384 elements, 8192 with keys of 8 bytes), and takes n log n on a
// CPU.

#include <optional>
#include <vector>

#include <sinter/arguments.hpp>

namespace sinter {

struct sort_options {
  std::optional<std::int64_t> axis = -1;
  bool descending = false;
  bool stable = false;  // zeros of either sign keep their order; positions are always stable
};

struct partition_options {
  std::optional<std::int64_t> axis = -1;
};

struct topk_options {
  std::optional<std::int64_t> axis = -1;
  bool largest = true;
};

/// The first elements of a sort, and their positions.
template <class T> struct topk_result {
  array<T> values;
  array<std::int64_t> indices;
};

namespace detail {

any_array sort(const any_array& x, const sort_options& o = {},
               location where = location::current());
any_array argsort(const any_array& x, const sort_options& o = {},
                  location where = location::current());
any_array lexsort_keys(const std::vector<any_array>& keys, std::int64_t axis, location where);
any_array lexsort_rows(const any_array& keys, std::int64_t axis, location where);
any_array partition(const any_array& x, const int_list& kth, const partition_options& o = {},
                    location where = location::current());
any_array argpartition(const any_array& x, const int_list& kth, const partition_options& o = {},
                       location where = location::current());
/// Returns {values, indices}.
std::pair<any_array, any_array> topk(const any_array& x, std::int64_t k, const topk_options& o = {},
                                     location where = location::current());

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::argpartition;
using detail::argsort;
using detail::partition;
using detail::sort;
using detail::topk;

/// The elements sorted along an axis. Zeros are sorted by sign (-0 first) unless `.stable` is set,
/// which doubles the cost for floats. `sort(x, {.axis = 0, .descending = true})`
template <detail::expression X>
auto sort(X&& x, const sort_options& options = {}, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::sort(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The positions of the elements in sorted order: `take_along_axis(x, argsort(x))` is sorted.
/// Stable: equal elements keep their order. dtype: int64. `argsort(x, {.axis = 0})`
template <detail::expression X>
auto argsort(X&& x, const sort_options& options = {}, location where = location::current()) {
  return array<std::int64_t>(
      detail::argsort(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The elements sorted along the last axis, as complex numbers. dtype: complex64 for complex64
/// and integers of 8 and 16 bits, else complex128. Throws axis_error for rank 0.
/// `sort_complex(roots(p))`
template <detail::expression X> auto sort_complex(X&& x, location where = location::current()) {
  constexpr dtype t = detail::dtype_of_argument<X>;
  using C = std::conditional_t<(is_integer(t) && size_of(t) < 4) || t == dtype::complex64,
                               std::complex<float>, std::complex<double>>;
  const any_array given = detail::to_any(std::forward<X>(x), where);
  return array<C>(detail::sort(detail::astype(given, dtype_of<C>, where), {}, where));
}

/// The positions in sorted order by several keys, the last one being the primary key:
/// `lexsort({first_name, last_name})`. Stable. The keys have one shape and any dtypes. Throws
/// value_error for no keys, shape_error.
inline array<std::int64_t> lexsort(const std::vector<any_array>& keys, std::int64_t axis = -1,
                                   location where = location::current()) {
  return array<std::int64_t>(detail::lexsort_keys(keys, axis, where));
}
template <element T>
array<std::int64_t> lexsort(const std::vector<array<T>>& keys, std::int64_t axis = -1,
                            location where = location::current()) {
  return lexsort(std::vector<any_array>(keys.begin(), keys.end()), axis, where);
}
/// The same with the rows of an array as keys. `lexsort(stack({a, b}))`
template <detail::expression X>
auto lexsort(X&& keys, std::int64_t axis = -1, location where = location::current()) {
  return array<std::int64_t>(
      detail::lexsort_rows(detail::to_any(std::forward<X>(keys), where), axis, where));
}
/// The same for a dtype known only at run time, such as that of arrays joined in braces:
/// `lexsort(stack({a, b + 1}))`
template <std::derived_from<any_array> X>
  requires(!detail::expression<X>)
array<std::int64_t> lexsort(const X& keys, std::int64_t axis = -1,
                            location where = location::current()) {
  return array<std::int64_t>(detail::lexsort_rows(keys, axis, where));
}

/// The elements with those at the positions `kth` where a sort puts them, smaller ones before and
/// greater ones after. All elements are in fact sorted, so that devices agree. Throws value_error
/// for a position out of range. `partition(x, 10)`
template <detail::expression X>
auto partition(X&& x, const int_list& kth, const partition_options& options = {},
               location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::partition(detail::to_any(std::forward<X>(x), where), kth, options, where));
}

/// The positions of the elements of `partition`. dtype: int64. `argpartition(x, 10)`
template <detail::expression X>
auto argpartition(X&& x, const int_list& kth, const partition_options& options = {},
                  location where = location::current()) {
  return array<std::int64_t>(
      detail::argpartition(detail::to_any(std::forward<X>(x), where), kth, options, where));
}

/// The k largest (or smallest) elements along an axis, in order, and their positions; of equal
/// elements the first. Throws value_error for a k out of range.
/// `auto [best, where] = topk(score, 10)`
template <detail::expression X>
auto topk(X&& x, std::int64_t k, const topk_options& options = {},
          location where = location::current()) {
  auto [values, indices] =
      detail::topk(detail::to_any(std::forward<X>(x), where), k, options, where);
  return topk_result<detail::value_of<X>>{array<detail::value_of<X>>(std::move(values)),
                                          array<std::int64_t>(std::move(indices))};
}

}  // namespace sinter
