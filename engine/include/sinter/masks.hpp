#pragma once
// Selection by a mask: x(mask), and x(mask, 1) beside integers and slices.
//
// Only the mask's values determine how many elements are selected, so reading a selection waits for
// them, once. An assignment does not wait if the value is a single one, or is computed from
// elements that the same mask selects from arrays of that shape. Such an assignment is an
// elementwise selection: `x(m) = y(m) * 2` is `x = where(m, y * 2, x)`.

#include <memory>
#include <vector>

#include <sinter/scatter.hpp>

namespace sinter {
namespace detail {

/// The elements of x where a mask of its leading axes holds.
any_array chosen_by(const any_array& x, const any_array& mask, location where);
/// Throws index_error unless the mask's axes match x's leading axes.
void check_mask(const any_array& x, const any_array& mask, location where);
/// x with values (or code(x, values)), of its shape and type, where the mask holds.
any_array put_where(const any_array& x, const any_array& mask, ir::op code,
                    const any_array& values, location where);

/// The operands of the selection in x(items) with one mask among integers and slices: x under the
/// items, as if the mask were full slices, and the mask broadcast to it.
struct mask_view {
  any_array view, mask;  // no arrays if the items are of other kinds or do not fit
};
mask_view mask_view_of(const any_array& x, std::span<const index_item> items, location where);

/// x(items) with a mask among the items, of any element type.
struct choice {
  choice(any_array x, any_array mask, location where);
  choice(any_array x, std::initializer_list<index_item> items, location where);

  /// Selected once, however many copies of this are operands.
  any_array elements() const;
  /// Whether the other mask holds at the same places, for an array of the shape of x.
  bool same(const any_array& x, const any_array& mask) const;
  /// x with values (or code(x, values)), of the shape and type of `from.view`, where the mask
  /// holds.
  any_array with_whole(ir::op code, const any_array& values) const;
  /// x with the values (or code(x, values)) in the selected places, in order.
  any_array with(ir::op code, const any_array& values) const;

  any_array x;
  mask_view from;
  std::vector<index_item> items;
  location where;

 private:
  std::shared_ptr<void> memo_;  // an operand_memo
};

}  // namespace detail

/// x(mask) or x(mask, 1) of an array: an expression whose value is the selected elements, in order.
template <element T>
class chosen : public detail::readable<chosen<T>, T> {
 public:
  using sinter_expression = void;
  static constexpr int arrays = 1, scalars = 0, ops = 0, code = 1;
  static constexpr bool weak = false;
  static constexpr sinter::dtype value = dtype_of<T>, compute = compute_of(value);

  explicit chosen(detail::choice of) : of_(std::move(of)) {}

  const detail::choice& what() const { return of_; }
  operator array<T>() const { return array<T>(of_.elements(), of_.where); }

  template <sinter::dtype>
  static constexpr int emit(auto& b) { return b.convert(b.array(value), value, compute); }
  template <sinter::dtype>
  void collect(detail::operand_sink& s) {
    *s.arrays++ = s.unchosen ? of_.from.view : of_.elements();
  }

 protected:
  detail::choice of_;
};

namespace detail {

/// Whether every array of an expression is a selection by a mask.
template <class E>
inline constexpr bool all_chosen = false;
template <class V>
inline constexpr bool all_chosen<weak_scalar<V>> = true;
template <element T>
inline constexpr bool all_chosen<chosen<T>> = true;
template <element T>
inline constexpr bool all_chosen<masked<T>> = true;
template <ir::op O, class... A>
inline constexpr bool all_chosen<expr<O, A...>> = (all_chosen<A> && ...);
template <dtype To, class A>
inline constexpr bool all_chosen<cast_expr<To, A>> = all_chosen<A>;

/// Whether all masks of such an expression hold at the same places as `mask`, for arrays of the
/// shape of x.
template <class V>
bool chooses(const weak_scalar<V>&, const any_array&, const any_array&) { return true; }
template <element T>
bool chooses(const chosen<T>& m, const any_array& x, const any_array& mask) {
  return m.what().same(x, mask);
}
template <dtype To, class A>
bool chooses(const cast_expr<To, A>& e, const any_array& x, const any_array& mask) {
  return chooses(e.a, x, mask);
}
template <ir::op O, class... A>
bool chooses(const expr<O, A...>& e, const any_array& x, const any_array& mask) {
  return std::apply([&](const auto&... a) { return (chooses(a, x, mask) && ...); }, e.args);
}

/// Records the expression over all elements, selected or not.
template <class E>
any_array record_unchosen(E e, location where) {
  any_array arrays[E::arrays > 0 ? E::arrays : 1];
  scalar_word scalars[E::scalars > 0 ? E::scalars : 1];
  operand_sink sink{arrays, scalars, where, true};
  e.template collect<E::compute>(sink);
  return record(statement_of<E>::info, arrays, scalars, where);
}

}  // namespace detail

/// The same for a named array: it can also be assigned to.
template <element T>
class masked : public chosen<T>, public detail::changed_in_place<masked<T>> {
 public:
  using chosen<T>::value;
  using outer_slice = typename sliced<T>::outer_slice;
  masked(array<T>& owner, detail::choice of, outer_slice slice = {})
      : chosen<T>(std::move(of)), owner_(&owner), slice_(std::move(slice)) {}
  masked(const masked&) = default;

  /// The value broadcasts to the shape of the selection, or has one element per selected element.
  /// Throws shape_error; for the wrong number of elements when the array is read.
  template <class V>
  V&& operator=(V&& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(detail::value_as<value>(v, of_.where));
    return std::forward<V>(v);
  }
  void operator=(std::initializer_list<T> v) && {
    write<ir::op::cast>(array<T>(v, of_.where));
  }
  const masked& operator=(const masked& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(v.of_.elements());
    return v;
  }

 private:
  friend detail::changed_in_place<masked>;
  using chosen<T>::of_;

  /// Records `x(m) = f(x(m))` as a selection from f of the whole x, which does not need the mask's
  /// count. Returns false if v does not have that form.
  template <ir::op O, class V>
  bool write_whole(const V& v) {
    if constexpr (detail::all_chosen<V>) {
      if constexpr (V::arrays > 0) {
        if (!of_.from.view.valid() || !detail::chooses(v, of_.from.view, of_.from.mask)) {
          return false;
        }
        detail::check_assigned<V::value, value>();
        put(of_.with_whole(
            O, detail::astype(detail::record_unchosen(v, of_.where), value, of_.where)));
        return true;
      }
    }
    return false;
  }
  template <ir::op O, class V>
  void combine(V&& v) {
    detail::check_in_place<detail::meeting<O, T, V>, value>();
    if constexpr (detail::stays<O, T, V>) {
      if (!write_whole<O>(v)) write<O>(detail::value_as<value>(v, of_.where));
    } else {  // in the common promoted type
      write<ir::op::cast>(detail::value_as<value>(
          detail::apply<O>(this->to_array(of_.where), std::forward<V>(v)), of_.where));
    }
  }
  template <ir::op O>
  void write(const any_array& v) {
    put(of_.with(O, v));
  }
  /// Releases all other references to x's old value, so that it may be updated in place.
  void put(any_array made) {
    of_.from = {};
    of_.x = {};
    *owner_ = array<T>(std::move(made), of_.where);
    if (slice_) slice_->put_back();
  }

  array<T>* owner_;
  outer_slice slice_;  // set if the owner is itself the value of a slice
};

namespace detail {

template <element T>
any_array record_expression(chosen<T>&& m, location) { return m.what().elements(); }
template <element T>
any_array record_expression(masked<T>&& m, location) { return m.what().elements(); }

}  // namespace detail

template <element T>
template <detail::mask_expression M>
masked<T> array<T>::operator()(M&& mask, location where) & {
  return masked<T>(*this, detail::choice(*this, mask.to_array(where), where));
}

template <element T>
template <detail::mask_expression M>
chosen<T> array<T>::operator()(M&& mask, location where) const& {
  any_array holds = mask.to_array(where);
  detail::check_mask(*this, holds, where);
  return chosen<T>(detail::choice(*this, std::move(holds), where));
}

template <element T>
template <class I, class J>
  requires detail::mask_among<I, J>
masked<T> array<T>::operator()(I&& i, J&& j, location where) & {
  return masked<T>(*this,
                   detail::choice(*this, {index_item(i, where), index_item(j, where)}, where));
}

template <element T>
template <class I, class J, class K>
  requires detail::mask_among<I, J, K>
masked<T> array<T>::operator()(I&& i, J&& j, K&& k, location where) & {
  return masked<T>(
      *this, detail::choice(
                 *this, {index_item(i, where), index_item(j, where), index_item(k, where)}, where));
}

template <element T>
template <detail::mask_expression M>
masked<T> sliced<T>::operator()(M&& mask, location where) && {
  const outer_slice of = taken(where);
  return masked<T>(of->value, detail::choice(of->value, mask.to_array(where), where), of);
}

}  // namespace sinter
