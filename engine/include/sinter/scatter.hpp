#pragma once
// Writing to elements selected by indices and masks. There are two ways:
//
//   x(rows, columns) = v;  x(rows) += v;  x(x < 0) = 0;    statements that change x, NumPy's
//   y = x.at(rows).add(v);                                 a new array, JAX's; x stays
//
// Indices are those of x(...): integers, slices, newaxis and ellipsis beside integer arrays, which
// broadcast together, and masks. Both ways are lazy, and update in place where x's old memory is no
// longer needed. Values broadcast to the shape of the selection.
//
// Several indices may address the same element. For assignments the last value in row-major order
// wins. x(rows) += v adds only the last of an element's values, as in NumPy; at(rows).add(v) adds
// them all. Float sums have the same bits in every run and for any number of threads. A CPU adds
// the values in order, in double (in float if the array is over four times as large as the values).
// A GPU adds integers, exactly but for one rounding; for many rows of 16 elements and more it adds
// the values of an element in order, in double, in separate pieces of 64 values.

#include <sinter/operators.hpp>

namespace sinter {
namespace detail {

/// x with the values stored (`code` cast) at the items, or combined with the elements there: all
/// values of an element (`every`), or only the last.
any_array write_at(const any_array& x, std::span<const index_item> items, ir::op code, bool every,
                   const any_array& values, location where);

template <dtype D, class V>
any_array value_as(V&& v, location where) {
  if constexpr (scalar<std::remove_cvref_t<V>>) {
    return detail::from_scalar(scalar_of<D>(v, where), D, where);
  } else {
    check_assigned<dtype_of<typename std::remove_cvref_t<V>::value_type>, D>();
    return detail::astype(v.to_array(where), D, where);
  }
}

/// The dtype of an op on an array of T and this operand.
template <ir::op O, element T, class V>
inline constexpr dtype meeting =
    decltype(apply<O>(std::declval<array<T>>(), std::declval<V>()))::value;
/// Whether elements can be combined with this operand in place.
template <ir::op O, element T, class V>
inline constexpr bool stays =
    meeting<O, T, V> == dtype_of<T> && (O == ir::op::add || O == ir::op::subtract ||
                                        O == ir::op::multiply || O == ir::op::divide);

}  // namespace detail

/// The return type of x.at(indices), see above. Each function throws shape_error if the values do
/// not broadcast to the selection, index_error for bad indices; those out of range throw when the
/// value is read.
template <element T>
class places_of_array {
 public:
  places_of_array(array<T> x, std::vector<index_item> items, location where)
      : x_(std::move(x)), items_(std::move(items)), where_(where) {}

  /// x with the selected elements replaced by the values. `x.at(rows, 0).set(1)`
  template <class V>
  array<T> set(V&& v) const { return write<ir::op::cast>(v); }
  /// x with the values added; for bool: or. `counts.at(digits).add(1)`
  template <class V>
  array<T> add(V&& v) const { return write<ir::op::add>(v); }
  /// x with the values subtracted. `x.at(rows).subtract(step * gradient)`
  template <class V>
  array<T> subtract(V&& v) const {
    static_assert(!std::same_as<T, bool>, "bool has no difference: use set with x ^ v");
    return write<ir::op::subtract>(v);
  }
  /// x multiplied by the values; for bool: and. `x.at(sn::_, columns).multiply(-1)`
  template <class V>
  array<T> multiply(V&& v) const { return write<ir::op::multiply>(v); }
  /// x divided by the values, that is, by their product. `x.at(rows).divide(norms)`
  template <class V>
  array<T> divide(V&& v) const {
    static_assert(is_inexact(dtype_of<T>), "a quotient of integers is no integer: astype<float>");
    return write<ir::op::divide>(v);
  }
  /// The minimum of x and the values; NaN if any is NaN, and -0 counts as 0. `x.at(rows).min(v)`
  template <class V>
  array<T> min(V&& v) const { return extremum<ir::op::minimum>(v); }
  /// The maximum of x and the values; NaN if any is NaN, and -0 counts as 0.
  /// `best.at(group).max(score)`
  template <class V>
  array<T> max(V&& v) const { return extremum<ir::op::maximum>(v); }
  /// The selected elements themselves: x(indices). `x.at(rows).get()`
  array<T> get() const {
    return array<T>(detail::index(x_, items_), where_);
  }

 private:
  template <ir::op O, class V>
  array<T> write(V&& v) const {
    if constexpr (O != ir::op::cast) {
      detail::check_in_place<detail::meeting<O, T, V>, dtype_of<T>>();
    }
    return array<T>(
        detail::write_at(x_, items_, O, true, detail::value_as<dtype_of<T>>(v, where_), where_),
        where_);
  }
  template <ir::op O, class V>
  array<T> extremum(V&& v) const {
    static_assert(!is_complex(dtype_of<T>), "complex numbers have no order");
    return write<O>(v);
  }

  array<T> x_;
  std::vector<index_item> items_;
  location where_;
};

template <element T>
template <ir::op O, class V>
void sliced<T>::combine(V&& v) {
  detail::check_in_place<detail::meeting<O, T, V>, dtype_of<T>>();
  if constexpr (detail::stays<O, T, V>) {
    if (items_) return write<O>(detail::value_as<dtype_of<T>>(v, where_));
  }
  store(detail::apply<O>(static_cast<array<T>&>(*this), std::forward<V>(v)));
}

template <element T>
template <ir::op O>
void sliced<T>::write(const any_array& v) {
  static_cast<any_array&>(*this) = any_array();
  *owner_ = array<T>(detail::write_at(*owner_, *items_, O, false, v, where_), where_);
  if (of_) of_->put_back();
}

}  // namespace sinter
