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
/// The elements of x where a mask of its leading axes holds.
any_array chosen_by(const any_array& x, const any_array& mask, location where);
/// Are arrays of one shape, and masks that hold at the same places, as far as how these were
/// recorded says so?
bool same_choice(const any_array& a, const any_array& a_mask, const any_array& b,
                 const any_array& b_mask);
/// x with values, of its shape and type, or code(x, values), where the mask holds.
any_array put_where(const any_array& x, const any_array& mask, ir::op code,
                    const any_array& values, location where);

/// Is every array of an expression what a mask chooses, and nothing else?
template <class E>
inline constexpr bool all_masked = false;
template <class V>
inline constexpr bool all_masked<weak_scalar<V>> = true;
template <element T>
inline constexpr bool all_masked<masked<T>> = true;
template <ir::op O, class... A>
inline constexpr bool all_masked<expr<O, A...>> = (all_masked<A> && ...);
template <dtype To, class A>
inline constexpr bool all_masked<cast_expr<To, A>> = all_masked<A>;

/// Of such: do all masks hold at the same places as `mask`, of arrays of the shape of x?
template <class V>
bool chooses(const weak_scalar<V>&, const any_array&, const any_array&) { return true; }
template <element T>
bool chooses(const masked<T>& m, const any_array& x, const any_array& mask) {
  return m.chooses(x, mask);
}
template <dtype To, class A>
bool chooses(const cast_expr<To, A>& e, const any_array& x, const any_array& mask) {
  return chooses(e.a, x, mask);
}
template <ir::op O, class... A>
bool chooses(const expr<O, A...>& e, const any_array& x, const any_array& mask) {
  return std::apply([&](const auto&... a) { return (chooses(a, x, mask) && ...); }, e.args);
}

/// What it comes to over all elements, chosen or not.
template <class E>
any_array record_unchosen(E e, location where) {
  any_array arrays[E::arrays > 0 ? E::arrays : 1];
  scalar_word scalars[E::scalars > 0 ? E::scalars : 1];
  operand_sink sink{arrays, scalars, where, true};
  e.template collect<E::compute>(sink);
  return record(statement_of<E>::info, arrays, scalars, where);
}

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

/// x(mask) of a named array: the elements where it holds, and something to assign to. What is read
/// evaluates, as the mask decides the shape; assigning does not.
template <element T>
class masked : public detail::readable<masked<T>, T>,
               public detail::changed_in_place<masked<T>> {
 public:
  using sinter_expression = void;
  static constexpr int arrays = 1, scalars = 0, ops = 0, code = 1;
  static constexpr bool weak = false;
  static constexpr sinter::dtype value = dtype_of<T>, compute = compute_of(value);

  using outer_slice = typename sliced<T>::outer_slice;
  masked(array<T>& owner, any_array mask, location where, outer_slice of = {})
      : owner_(&owner),
        x_(owner),
        mask_(std::move(mask)),
        of_(std::move(of)),
        where_(where) {}
  masked(const masked&) = default;

  /// The value broadcasts to the shape of what is chosen, or has an element for each that is.
  /// Throws shape_error, for another number of elements when the array is read.
  template <class V>
  V&& operator=(V&& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(detail::value_as<value>(v, where_));
    return std::forward<V>(v);
  }
  const masked& operator=(const masked& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(v.chosen(where_));
    return v;
  }

  /// Does the mask of this hold where another does, of an array of the shape of x?
  bool chooses(const any_array& x, const any_array& mask) const {
    return detail::same_choice(x_, mask_, x, mask);
  }

  any_array chosen(location where) const { return detail::chosen_by(x_, mask_, where); }
  operator array<T>() const { return array<T>(chosen(where_), where_); }

  template <sinter::dtype>
  static constexpr int emit(auto& b) { return b.convert(b.array(value), value, compute); }
  template <sinter::dtype>
  void collect(detail::operand_sink& s) { *s.arrays++ = s.unchosen ? x_ : chosen(where_); }

 private:
  friend detail::changed_in_place<masked>;
  /// `x(m) = f(x(m))` is a selection of f of all of x: how many the mask chooses is not asked.
  /// False: that is not what v is.
  template <ir::op O, class V>
  bool write_whole(const V& v) {
    if constexpr (detail::all_masked<V>) {
      if constexpr (V::arrays > 0) {
        if (!detail::chooses(v, x_, mask_)) return false;
        detail::check_assigned<V::value, value>();
        const any_array all = detail::astype(detail::record_unchosen(v, where_), value, where_);
        const any_array x = std::move(x_);
        *owner_ = array<T>(detail::put_where(x, mask_, O, all, where_), where_);
        if (of_) of_->put_back();
        return true;
      }
    }
    return false;
  }
  template <ir::op O, class V>
  void combine(V&& v) {
    detail::check_in_place<detail::meeting<O, T, V>, value>();
    if constexpr (detail::stays<O, T, V>) {
      if (!write_whole<O>(v)) write<O>(detail::value_as<value>(v, where_));
    } else {  // in the type that both promote to
      write<ir::op::cast>(detail::value_as<value>(
          detail::apply<O>(this->to_array(where_), std::forward<V>(v)), where_));
    }
  }
  template <ir::op O>
  void write(const any_array& v) {
    index_item item(mask_, where_);
    const any_array x = std::move(x_);
    *owner_ = array<T>(detail::write_at(x, {&item, 1}, O, false, v, where_), where_);
    if (of_) of_->put_back();
  }
  array<T>* owner_;
  array<T> x_;
  any_array mask_;
  outer_slice of_;  // whose value is the owner, if it is a slice itself
  location where_;
};

namespace detail {

template <element T>
any_array record_expression(masked<T>&& m, location where) { return m.chosen(where); }

}  // namespace detail

template <element T>
template <detail::mask_expression M>
masked<T> array<T>::operator()(M&& mask, location where) & {
  return masked<T>(*this, mask.to_array(where), where);
}

template <element T>
template <detail::mask_expression M>
masked<T> sliced<T>::operator()(M&& mask, location where) && {
  const outer_slice of = taken(where);
  return masked<T>(of->value, mask.to_array(where), where, of);
}

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
