#pragma once
// Overloads for braces where NumPy has a tuple or a list: several axes, and arrays that are
// expressions or of several dtypes.
//
// Options start with a named-only member (`by_name`), or `sum(x, {0, 1})` would mean axis 0 with
// `keepdims`. C++ deduces no type from `{x, 2 * x}`.

#include <initializer_list>

#include <sinter/axis_number.hpp>
#include <sinter/grids.hpp>
#include <sinter/numerics.hpp>

namespace sinter {
namespace detail {

/// One of several axes: any integer type except bool.
class axis_in_braces {
 public:
  template <axis_number I> constexpr axis_in_braces(I axis) : value_(axis), given_(true) {}
  static constexpr axis_in_braces none() { return axis_in_braces(nullptr); }
  std::int64_t value() const { return value_; }
  bool given() const { return given_; }

 private:
  explicit constexpr axis_in_braces(std::nullptr_t) {}
  std::int64_t value_ = 0;
  bool given_ = false;
};

/// Up to eight axes. An aggregate, because GCC 12 takes `{.axis = 1}` for a list if the class has a
/// constructor.
struct axes_in_braces {
  axis_in_braces a, b = axis_in_braces::none(), c = axis_in_braces::none(),
                    d = axis_in_braces::none(), e = axis_in_braces::none(),
                    f = axis_in_braces::none(), g = axis_in_braces::none(),
                    h = axis_in_braces::none();

  axis_list list() const {
    std::vector<std::int64_t> axes;
    for (const axis_in_braces& one : {a, b, c, d, e, f, g, h}) {
      if (one.given()) axes.push_back(one.value());
    }
    return axes;
  }
};

/// One array among others, of any dtype, or an expression.
class array_in_braces {
 public:
  template <array_like X>
  array_in_braces(X&& x, location where = location::current())
      : value_(arrays_only(std::forward<X>(x), where)) {}
  const any_array& value() const { return value_; }

 private:
  template <class X> static any_array arrays_only(X&& x, location where) {
    if constexpr (expression<X>)
      return to_any(std::forward<X>(x), where);
    else
      return std::forward<X>(x);
  }
  any_array value_;
};
using arrays_in_braces = std::initializer_list<array_in_braces>;

/// The result of joining arrays in braces: it converts to an array of the type it is assigned to.
class joined : public any_array {
 public:
  joined(any_array x, location where) : any_array(std::move(x)), where_(where) {}
  /// Throws dtype_error if the arrays promote to another dtype.
  template <element T> operator array<T>() const {
    return array<T>(static_cast<const any_array&>(*this), where_);
  }

 private:
  location where_;
};

// Beside an array or an expression it takes their type: `x * c + concatenate({-b, a}) * s`.
template <expression X> auto operator+(X&& x, const joined& j) {
  return std::forward<X>(x) + list_beside<X>(j);
}
template <expression X> auto operator+(const joined& j, X&& x) {
  return list_beside<X>(j) + std::forward<X>(x);
}
template <expression X> auto operator-(X&& x, const joined& j) {
  return std::forward<X>(x) - list_beside<X>(j);
}
template <expression X> auto operator-(const joined& j, X&& x) {
  return list_beside<X>(j) - std::forward<X>(x);
}
template <expression X> auto operator*(X&& x, const joined& j) {
  return std::forward<X>(x) * list_beside<X>(j);
}
template <expression X> auto operator*(const joined& j, X&& x) {
  return list_beside<X>(j) * std::forward<X>(x);
}
template <expression X> auto operator/(X&& x, const joined& j) {
  return std::forward<X>(x) / list_beside<X>(j);
}
template <expression X> auto operator/(const joined& j, X&& x) {
  return list_beside<X>(j) / std::forward<X>(x);
}

}  // namespace detail

// ---- axes

/// Reduces along these axes, as with `{.axis = {...}}`; the errors are the same. `sum(x, {0, -1})`
template <detail::array_like X>
auto sum(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return sum(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto prod(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return prod(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto max(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return max(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto min(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return min(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto amax(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return amax(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto amin(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return amin(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto any(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return any(std::forward<X>(x), masked_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto all(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return all(std::forward<X>(x), masked_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto mean(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return mean(std::forward<X>(x), masked_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto count_nonzero(X&& x, const detail::axes_in_braces& axes,
                   location where = location::current()) {
  return count_nonzero(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto median(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return median(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanmedian(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanmedian(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nansum(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nansum(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanprod(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanprod(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanmax(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanmax(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanmin(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanmin(std::forward<X>(x), fold_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanmean(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanmean(std::forward<X>(x), masked_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto ptp(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return ptp(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto logsumexp(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return logsumexp(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto average(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return average(std::forward<X>(x), reduction_options{.axis = axes.list()}, where);
}

/// Variances along these axes, as with `{.axis = {...}}`; the errors are the same.
/// `stddev(x, {0, 1})`
template <detail::array_like X>
auto var(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return var(std::forward<X>(x), variance_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto stddev(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return stddev(std::forward<X>(x), variance_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanvar(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanvar(std::forward<X>(x), variance_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto nanstd(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return nanstd(std::forward<X>(x), variance_options{.axis = axes.list()}, where);
}

/// Softmax over these axes, as with `{.axis = {...}}`; the errors are the same.
/// `softmax(x, {-2, -1})`
template <detail::array_like X>
auto softmax(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return softmax(std::forward<X>(x), axes_options{.axis = axes.list()}, where);
}
template <detail::array_like X>
auto log_softmax(X&& x, const detail::axes_in_braces& axes, location where = location::current()) {
  return log_softmax(std::forward<X>(x), axes_options{.axis = axes.list()}, where);
}

// ---- arrays

// The common dtype is known only when the statement runs. The result therefore becomes an array
// where it is assigned to one, `array<float> y = concatenate({x, 2 * x})`, or where it is added to,
// subtracted from, multiplied or divided by one; if that array has another dtype, dtype_error is
// thrown. A tuple keeps the type: `concatenate(std::tuple(x, 2 * x)) + 1`.

/// Joins arrays along an existing axis. Throws as `concatenate` of arrays does.
detail::joined concatenate(detail::arrays_in_braces arrays, const concatenate_options& o = {},
                           location where = location::current());
detail::joined concatenate(detail::arrays_in_braces arrays, detail::axis_number auto axis,
                           location where = location::current()) {
  return concatenate(arrays, concatenate_options{.axis = axis}, where);
}
/// The same under the array API's name.
inline detail::joined concat(detail::arrays_in_braces arrays, const concatenate_options& o = {},
                             location where = location::current()) {
  return concatenate(arrays, o, where);
}
/// Joins arrays of one shape along a new axis. Throws as `stack` of arrays does.
detail::joined stack(detail::arrays_in_braces arrays, std::int64_t axis = 0,
                     location where = location::current());
detail::joined stack(detail::arrays_in_braces arrays, const stack_options& o,
                     location where = location::current());
/// Joins arrays along axis 0, along axis 1, along axis 2, and as columns. Throw as the functions of
/// arrays do.
detail::joined vstack(detail::arrays_in_braces arrays, location where = location::current());
detail::joined hstack(detail::arrays_in_braces arrays, location where = location::current());
detail::joined dstack(detail::arrays_in_braces arrays, location where = location::current());
detail::joined column_stack(detail::arrays_in_braces arrays, location where = location::current());

/// Sorts indirectly by several keys, the last one being the primary key. Throws as `lexsort` of
/// arrays does. `lexsort({-score, name})`
array<std::int64_t> lexsort(detail::arrays_in_braces keys, std::int64_t axis = -1,
                            location where = location::current());
/// The flat row-major indices of coordinates. Throws as `ravel_multi_index` of arrays does.
/// `ravel_multi_index({i, j + 1}, {3, 4})`
array<std::int64_t> ravel_multi_index(detail::arrays_in_braces indices, const int_list& shape,
                                      const ravel_options& options = {},
                                      location where = location::current());
namespace detail {
joined choose(const any_array& index, arrays_in_braces choices, location where);
}
/// Picks for each element the choice with the number `index`. Throws as `choose` of arrays does.
/// `choose(i, {a, 2 * a})`
template <detail::expression I>
detail::joined choose(I&& index, detail::arrays_in_braces choices,
                      location where = location::current()) {
  return detail::choose(detail::to_any(std::forward<I>(index), where), choices, where);
}

namespace detail {
/// `weak`: `otherwise` is a number; it takes the choices' dtype unless its kind is a higher one.
joined select(const std::vector<array<bool>>& conditions, arrays_in_braces choices,
              any_array otherwise, bool weak, location where);
}
/// Picks for each element the first choice whose condition holds, else `otherwise`. Throws as
/// `select` of arrays does. `select({x < 0, x > 1}, {x, 2 * x}, 0)`
template <std::same_as<void> NoType = void, detail::operand D = bool>
detail::joined select(const std::vector<array<bool>>& conditions, detail::arrays_in_braces choices,
                      const D& otherwise = D(), location where = location::current()) {
  if constexpr (detail::array_like<D>) {
    return detail::select(conditions, choices, detail::array_in_braces(otherwise, where).value(),
                          false, where);
  } else {
    return detail::select(conditions, choices, detail::value_as<dtype_of<D>>(otherwise, where),
                          true, where);
  }
}

}  // namespace sinter
