#pragma once
// What a mask chooses: x(mask), and x(mask, 1) where it stands beside integers and slices.
//
// How many elements that is only the mask's values say: whoever reads what is chosen waits for
// them, once. Nobody waits for what is written, where it is one value, or computed from what the
// same mask chooses of arrays of that shape: that is a selection, `x(m) = y(m) * 2` is
// `x = where(m, y * 2, x)`.

#include <memory>
#include <optional>
#include <vector>

#include <sinter/scatter.hpp>

namespace sinter {
namespace detail {

/// The elements of x where a mask of its leading axes holds.
any_array chosen_by(const any_array& x, const any_array& mask, location where);
/// Throws index_error for a mask of other axes than x's first.
void check_mask(const any_array& x, const any_array& mask, location where);
/// Are arrays of one shape, and masks that hold at the same places, as far as how these were
/// recorded says so?
bool same_choice(const any_array& a, const any_array& a_mask, const any_array& b,
                 const any_array& b_mask);
/// x with values, of its shape and type, or code(x, values), where the mask holds.
any_array put_where(const any_array& x, const any_array& mask, ir::op code,
                    const any_array& values, location where);

/// What x(items) with one mask among integers and slices chooses from: x under the items, as if
/// the mask were slices, and the mask over all of that.
struct mask_view {
  any_array view, mask;
};
/// Nothing if the items are others, or do not fit.
std::optional<mask_view> mask_view_of(const any_array& x, std::span<const index_item> items,
                                      location where);

}  // namespace detail

/// x(mask), x(mask, 1) of an array: an expression of the elements where the mask holds, in their
/// order.
template <element T>
class chosen : public detail::readable<chosen<T>, T> {
 public:
  using sinter_expression = void;
  static constexpr int arrays = 1, scalars = 0, ops = 0, code = 1;
  static constexpr bool weak = false;
  static constexpr sinter::dtype value = dtype_of<T>, compute = compute_of(value);

  chosen(any_array x, any_array mask, location where)
      : x_(std::move(x)), from_{x_, mask}, items_{index_item(std::move(mask), where)},
        where_(where) {}
  /// One mask among the items.
  chosen(any_array x, std::vector<index_item> items, location where)
      : x_(std::move(x)), items_(std::move(items)), where_(where) {
    if (auto from = detail::mask_view_of(x_, items_, where)) from_ = std::move(*from);
  }

  /// Does the mask of this hold where another does, of an array of the shape of x?
  bool chooses(const any_array& x, const any_array& mask) const {
    return from_.view.valid() && detail::same_choice(from_.view, from_.mask, x, mask);
  }

  any_array elements(location where) const {
    const any_array known = memo_->get();
    if (known.valid()) return known;
    return memo_->keep(items_.size() == 1 ? detail::chosen_by(x_, from_.mask, where)
                                          : detail::index(x_, items_));
  }
  operator array<T>() const { return array<T>(elements(where_), where_); }

  template <sinter::dtype>
  static constexpr int emit(auto& b) { return b.convert(b.array(value), value, compute); }
  template <sinter::dtype>
  void collect(detail::operand_sink& s) {
    *s.arrays++ = s.unchosen ? from_.view : elements(where_);
  }

 protected:
  any_array x_;
  detail::mask_view from_;  // none: the items do not fit
  std::vector<index_item> items_;
  location where_;

 private:
  // Shared by copies: each of them is the same elements, however often one is an operand.
  std::shared_ptr<const detail::operand_memo> memo_ =
      std::make_shared<const detail::operand_memo>();
};

namespace detail {

/// Is every array of an expression what a mask chooses, and nothing else?
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

/// Of such: do all masks hold at the same places as `mask`, of arrays of the shape of x?
template <class V>
bool chooses(const weak_scalar<V>&, const any_array&, const any_array&) { return true; }
template <element T>
bool chooses(const chosen<T>& m, const any_array& x, const any_array& mask) {
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

}  // namespace detail

/// The same of a named array that can be changed: something to assign to.
template <element T>
class masked : public chosen<T>, public detail::changed_in_place<masked<T>> {
 public:
  using chosen<T>::value;
  using outer_slice = typename sliced<T>::outer_slice;
  masked(array<T>& owner, any_array mask, location where, outer_slice of = {})
      : chosen<T>(owner, std::move(mask), where), owner_(&owner), of_(std::move(of)) {}
  masked(array<T>& owner, std::vector<index_item> items, location where)
      : chosen<T>(owner, std::move(items), where), owner_(&owner) {}
  masked(const masked&) = default;

  /// The value broadcasts to the shape of what is chosen, or has an element for each that is.
  /// Throws shape_error, for another number of elements when the array is read.
  template <class V>
  V&& operator=(V&& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(detail::value_as<value>(v, where_));
    return std::forward<V>(v);
  }
  const masked& operator=(const masked& v) && {
    if (!write_whole<ir::op::cast>(v)) write<ir::op::cast>(v.elements(where_));
    return v;
  }

 private:
  friend detail::changed_in_place<masked>;
  using chosen<T>::x_;
  using chosen<T>::from_;
  using chosen<T>::items_;
  using chosen<T>::where_;

  /// `x(m) = f(x(m))` is a selection of f of all of x: how many the mask chooses is not asked.
  /// False: that is not what v is.
  template <ir::op O, class V>
  bool write_whole(const V& v) {
    if constexpr (detail::all_chosen<V>) {
      if constexpr (V::arrays > 0) {
        if (!from_.view.valid() || !detail::chooses(v, from_.view, from_.mask)) return false;
        detail::check_assigned<V::value, value>();
        const any_array all = detail::astype(detail::record_unchosen(v, where_), value, where_);
        any_array made = detail::put_where(from_.view, from_.mask, O, all, where_);
        if (items_.size() > 1) made = detail::assign(x_, from_.view, made, where_);
        put(std::move(made));
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
    put(detail::write_at(x_, items_, O, false, v, where_));
  }
  /// Nothing else here holds on to what x was: it may be changed where it is.
  void put(any_array made) {
    from_ = {};
    x_ = {};
    *owner_ = array<T>(std::move(made), where_);
    if (of_) of_->put_back();
  }

  array<T>* owner_;
  outer_slice of_;  // whose value is the owner, if it is a slice itself
};

namespace detail {

template <element T>
any_array record_expression(chosen<T>&& m, location where) { return m.elements(where); }
template <element T>
any_array record_expression(masked<T>&& m, location where) { return m.elements(where); }

}  // namespace detail

template <element T>
template <detail::mask_expression M>
masked<T> array<T>::operator()(M&& mask, location where) & {
  return masked<T>(*this, mask.to_array(where), where);
}

template <element T>
template <detail::mask_expression M>
chosen<T> array<T>::operator()(M&& mask, location where) const& {
  any_array holds = mask.to_array(where);
  detail::check_mask(*this, holds, where);
  return chosen<T>(*this, std::move(holds), where);
}

template <element T>
template <class I, class J>
  requires detail::mask_among<I, J>
masked<T> array<T>::operator()(I&& i, J&& j, location where) & {
  return masked<T>(*this, {index_item(i, where), index_item(j, where)}, where);
}

template <element T>
template <class I, class J, class K>
  requires detail::mask_among<I, J, K>
masked<T> array<T>::operator()(I&& i, J&& j, K&& k, location where) & {
  return masked<T>(*this, {index_item(i, where), index_item(j, where), index_item(k, where)},
                   where);
}

template <element T>
template <detail::mask_expression M>
masked<T> sliced<T>::operator()(M&& mask, location where) && {
  const outer_slice of = taken(where);
  return masked<T>(of->value, mask.to_array(where), where, of);
}

}  // namespace sinter
