#pragma once
// Writing to elements that indices and masks choose. There are two ways:
//
//   x(rows, columns) = v;  x(rows) += v;  x(x < 0) = 0;    statements that change x, NumPy's
//   y = x.at(rows).add(v);                                 a new array, JAX's; x stays
//
// Indices are what x(...) takes: integers, slices, newaxis and ellipsis beside arrays of integers,
// which broadcast together, and masks. Both are lazy, and done in place where x's memory is not
// needed any more. Values broadcast to the shape of what is chosen.
//
// Several indices may name one place. Of values that are put there the last one stays, in row-major
// order. x(rows) += v adds to a place once, as in NumPy: the last of its values. at(rows).add(v)
// adds them all. Sums of floats are the same bits in every run and for any number of threads: a CPU
// adds the elements in order, in double (in float where the array is over four times as large as
// the values); a GPU adds integers, exactly but for one rounding, and of many rows of 16 elements
// and more those of a place in their order, in double, pieces of 64 of them by themselves.

#include <sinter/operators.hpp>

namespace sinter {
namespace detail {

/// x with values put where the items say (`code` cast), or combined with what is there: all of them
/// (`every`), or of those with one place the last.
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

/// The dtype of an op on an array of T and this.
template <ir::op O, element T, class V>
inline constexpr dtype meeting =
    decltype(apply<O>(std::declval<array<T>>(), std::declval<V>()))::value;
/// Can elements be combined with this where they are?
template <ir::op O, element T, class V>
inline constexpr bool stays =
    meeting<O, T, V> == dtype_of<T> && (O == ir::op::add || O == ir::op::subtract ||
                                        O == ir::op::multiply || O == ir::op::divide);

}  // namespace detail

/// x.at(indices): see above. Each function throws shape_error if the values do not broadcast to
/// what is chosen, index_error for bad indices; those out of range when the value is read.
template <element T>
class places_of_array {
 public:
  places_of_array(array<T> x, std::vector<index_item> items, location where)
      : x_(std::move(x)), items_(std::move(items)), where_(where) {}

  /// x with the values there. `x.at(rows, 0).set(1)`
  template <class V>
  array<T> set(V&& v) const { return write<ir::op::cast>(v); }
  /// x with the values added; bool: or. `counts.at(digits).add(1)`
  template <class V>
  array<T> add(V&& v) const { return write<ir::op::add>(v); }
  /// x with the values subtracted. `x.at(rows).subtract(step * gradient)`
  template <class V>
  array<T> subtract(V&& v) const {
    static_assert(!std::same_as<T, bool>, "bool has no difference: use set with x ^ v");
    return write<ir::op::subtract>(v);
  }
  /// x multiplied by the values; bool: and. `x.at(sn::_, columns).multiply(-1)`
  template <class V>
  array<T> multiply(V&& v) const { return write<ir::op::multiply>(v); }
  /// x divided by the values, that is by their product. `x.at(rows).divide(norms)`
  template <class V>
  array<T> divide(V&& v) const {
    static_assert(is_inexact(dtype_of<T>), "a quotient of integers is no integer: astype<float>");
    return write<ir::op::divide>(v);
  }
  /// The least of x and the values; NaN if one is, and -0 counts as 0. `x.at(rows).min(v)`
  template <class V>
  array<T> min(V&& v) const { return extremum<ir::op::minimum>(v); }
  /// The greatest of x and the values, likewise. `best.at(group).max(score)`
  template <class V>
  array<T> max(V&& v) const { return extremum<ir::op::maximum>(v); }
  /// The elements themselves: x(indices). `x.at(rows).get()`
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
