#pragma once
// array<T>, the typed handle.

#include <memory>

#include <sinter/readable.hpp>

namespace sinter {

/// x(indices) of a named array: a view that can be assigned to. `x(s) = e` changes x alone; other
/// handles to the same value keep it. Only the call expression itself can be assigned to.
template <element T>
class sliced;
/// The elements of an array that a mask selects; `masked` can also be assigned to:
/// <sinter/masks.hpp>.
template <element T>
class chosen;
template <element T>
class masked;

namespace detail {

/// The arrays along a new first axis.
any_array stacked(std::initializer_list<any_array> parts);
template <class X>
concept part_of_stack = expression<X> || scalar<std::remove_cvref_t<X>>;

template <element T>
any_array record_expression(chosen<T>&& m, location where);
template <element T>
any_array record_expression(masked<T>&& m, location where);
template <class M>
concept mask_expression =
    expression<M> && std::same_as<typename std::remove_cvref_t<M>::value_type, bool>;
template <class I>
concept plain_index =
    std::integral<std::remove_cvref_t<I>> || std::same_as<std::remove_cvref_t<I>, slice> ||
    std::same_as<std::remove_cvref_t<I>, newaxis_t> ||
    std::same_as<std::remove_cvref_t<I>, ellipsis_t>;
/// Exactly one mask, the other indices being integers and slices.
template <class... I>
concept mask_among = (int{mask_expression<I>} + ...) == 1 &&
                     ((mask_expression<I> || plain_index<I>) && ...);
template <element T>
struct slice_of_slice;
/// The items, if any is an index array or a mask; null otherwise.
std::shared_ptr<const std::vector<index_item>> kept_items(index_list items);

/// x(...) += v and the other compound assignments, for any type with a `combine`.
template <class Self>
struct changed_in_place {
  template <class V>
  void operator+=(V&& v) && { with<op::add>(std::forward<V>(v)); }
  template <class V>
  void operator-=(V&& v) && { with<op::subtract>(std::forward<V>(v)); }
  template <class V>
  void operator*=(V&& v) && { with<op::multiply>(std::forward<V>(v)); }
  template <class V>
  void operator/=(V&& v) && { with<op::divide>(std::forward<V>(v)); }
  template <class V>
  void operator%=(V&& v) && { with<op::remainder>(std::forward<V>(v)); }
  template <class V>
  void operator&=(V&& v) && { with<op::bitwise_and>(std::forward<V>(v)); }
  template <class V>
  void operator|=(V&& v) && { with<op::bitwise_or>(std::forward<V>(v)); }
  template <class V>
  void operator^=(V&& v) && { with<op::bitwise_xor>(std::forward<V>(v)); }
  template <class V>
  void operator<<=(V&& v) && { with<op::bitwise_left_shift>(std::forward<V>(v)); }
  template <class V>
  void operator>>=(V&& v) && { with<op::bitwise_right_shift>(std::forward<V>(v)); }

 private:
  template <ir::op O, class V>
  void with(V&& v) { static_cast<Self&>(*this).template combine<O>(std::forward<V>(v)); }
};

}  // namespace detail

/// An array of T with dynamic rank and shape.
template <element T>
class array : public any_array, public detail::readable<array<T>, T> {
 public:
  using sinter_expression = void;
  using value_type = T;

  array() = default;
  /// Records an expression of the same element type.
  template <detail::expression E>
    requires(!std::derived_from<std::remove_cvref_t<E>, any_array> &&
             std::same_as<typename std::remove_cvref_t<E>::value_type, T>)
  array(E&& e, location where = location::current())
      : any_array(detail::record_expression(std::remove_cvref_t<E>(std::forward<E>(e)), where)) {}
  /// Records an expression of another type if T holds all its values (`can_cast`): floats as
  /// doubles, bools as numbers, real numbers as complex ones. Lossy conversions need an explicit
  /// `astype`.
  template <detail::expression E>
    requires(!std::same_as<typename std::remove_cvref_t<E>::value_type, T> &&
             can_cast(dtype_of<typename std::remove_cvref_t<E>::value_type>, dtype_of<T>))
  array(E&& e, location where = location::current())
      : any_array(detail::astype(e.to_array(where), dtype_of<T>, where)) {}
  /// A single number, of rank 0; implicit if its kind is T's or a lower one:
  /// `array<double> total = 0`. Throws value_error for an integer that T cannot represent.
  template <scalar S>
    requires(is_complex(dtype_of<T>) || !is_complex(dtype_of<S>))
  explicit(!detail::of_kind(dtype_of<S>, dtype_of<T>))
      array(S value, location where = location::current())
      : any_array(detail::from_scalar(detail::scalar_of<dtype_of<T>>(value, where), dtype_of<T>,
                                      where)) {}
  array(const array& other) = default;
  array(array&& other) = default;
  array(const array& other, location) : array(other) {}
  // Only for named handles: an assignment to the temporary f(x) would be lost with the statement.
  array& operator=(const array&) & = default;
  array& operator=(array&&) & = default;
  // Deleted because the result would have rank 0 whatever x was: write x(_) = v to fill x, or x =
  // array<T>(v) for a number.
  template <scalar S>
  array& operator=(S) = delete;

  /// A typed handle to an array of dtype T. Throws dtype_error for another dtype. Restricted to
  /// any_array itself, or it would be ambiguous with the copy constructor for a `const sliced<T>&`.
  template <std::same_as<any_array> A>
  explicit array(A x, location where = location::current())
      : any_array(detail::with_dtype(std::move(x), dtype_of<T>, where)) {}

  /// Copies `values`, row-major. Throws shape_error if the sizes differ.
  array(std::span<const T> values, int_list shape, location where = location::current())
      : any_array(detail::from_host(values.data(), dtype_of<T>,
                                    checked(values.size(), shape, where), where)) {}
  array(const std::vector<T>& values, location where = location::current())
    requires(!std::same_as<T, bool>)
      : array(std::span<const T>(values), {static_cast<std::int64_t>(values.size())}, where) {}
  /// Stacks arrays, expressions and numbers, as `stack` does. Throws shape_error unless all have
  /// one shape. `array<double> slope = {v, -x}`
  template <detail::part_of_stack A, detail::part_of_stack B, detail::part_of_stack... X>
    requires(detail::expression<A> || detail::expression<B> || (detail::expression<X> || ...))
  array(A&& a, B&& b, X&&... x)
      : array(detail::stacked({array(std::forward<A>(a)), array(std::forward<B>(b)),
                               array(std::forward<X>(x))...})) {}
  // A template, so that a list whose elements could be lists or numbers is a list of lists: {{0.5}}
  // is a matrix, and so is {{1, 2}, {3, 4}} of complex numbers.
  template <class = void>
  array(std::initializer_list<T> values, location where = location::current())
      : array(std::span<const T>(values.begin(), values.size()),
              {static_cast<std::int64_t>(values.size())}, where) {}
  array(std::initializer_list<std::initializer_list<T>> rows,
        location where = location::current());
  array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes,
        location where = location::current());

  /// The elements in host memory, row-major without gaps, valid while this array keeps its value.
  /// They must not be written. Evaluates. Throws device_error if they are on a GPU; use `to("cpu")`
  /// first.
  const T* data(location where = location::current()) const {
    return static_cast<const T*>(detail::host_pointer(*this, where));
  }
  /// The elements on any device, ready for work that is queued on `stream` from now on (a CUstream;
  /// 1 is CUDA's default stream).
  const T* device_pointer(std::uintptr_t stream = 1,
                          location where = location::current()) const {
    return static_cast<const T*>(detail::device_pointer(*this, stream, where));
  }

  using any_array::dtype;
  using any_array::ndim;
  using any_array::shape;
  using any_array::size;
  using detail::readable<array<T>, T>::operator();
  /// On a named array: a view that can also be assigned to.
  sliced<T> operator()(index_arg i0, index_arg i1 = no_index, index_arg i2 = no_index,
                       index_arg i3 = no_index, index_arg i4 = no_index, index_arg i5 = no_index,
                       index_arg i6 = no_index, index_arg i7 = no_index) & {
    const index_item* const items[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
    return sliced<T>(*this, detail::index(*this, items), detail::kept_items(items), i0.where);
  }
  /// All indices in one tuple: `x(ix_(rows, columns)) = 0`.
  template <class... I>
  sliced<T> operator()(const std::tuple<I...>& indices, location where = location::current()) & {
    return std::apply([&](const I&... i) { return (*this)(index_item(i, where)...); }, indices);
  }
  template <detail::expression I, std::size_t N>
  sliced<T> operator()(const std::array<I, N>& indices, location where = location::current()) & {
    return std::apply([&](const auto&... i) { return (*this)(index_item(i, where)...); }, indices);
  }
  template <detail::expression I>
  sliced<T> operator()(const std::vector<I>& indices, location where = location::current()) & {
    const auto at = [&](std::size_t k) { return detail::index_of(indices, k, where); };
    return (*this)(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  }
  /// A mask alone: the selected elements as a vector in row-major order, which can be assigned to.
  template <detail::mask_expression M>
  masked<T> operator()(M&& mask, location where = location::current()) &;
  template <detail::mask_expression M>
  chosen<T> operator()(M&& mask, location where = location::current()) const&;
  /// A mask beside integers and slices. Assignments that are selections need no count of the mask.
  template <class I, class J>
    requires detail::mask_among<I, J>
  masked<T> operator()(I&& i, J&& j, location where = location::current()) &;
  template <class I, class J, class K>
    requires detail::mask_among<I, J, K>
  masked<T> operator()(I&& i, J&& j, K&& k, location where = location::current()) &;

 private:
  static shape_view checked(std::size_t count, const int_list& shape, location where);
};
/// A slice of a named array: an array that can be assigned to, as a whole or in part:
/// `x(slice(2, 7)) = 0`, `x(0)(mask) = 1`. Values are converted as by `astype`, except that complex
/// values need a complex array. The result of x(s) += v must be of x's kind or a lower one (NumPy's
/// same_kind). Throws value_error for an assignment to a part of x(indices), which is a copy.
template <element T>
class sliced : public array<T>, public detail::changed_in_place<sliced<T>> {
 public:
  using item_list = std::shared_ptr<const std::vector<index_item>>;
  using outer_slice = std::shared_ptr<detail::slice_of_slice<T>>;
  sliced(array<T>& owner, any_array view, item_list items, location where, outer_slice of = {})
      : array<T>(std::move(view), where),
        owner_(&owner),
        items_(std::move(items)),
        of_(std::move(of)),
        where_(where) {}
  sliced(const sliced&) = default;
  sliced(sliced&&) = default;
  using array<T>::operator();
  sliced operator()(index_arg i0, index_arg i1 = no_index, index_arg i2 = no_index,
                    index_arg i3 = no_index, index_arg i4 = no_index, index_arg i5 = no_index,
                    index_arg i6 = no_index, index_arg i7 = no_index) &&;
  template <detail::mask_expression M>
  masked<T> operator()(M&& mask, location where = location::current()) &&;
  /// Broadcasts the value to the shape of the view and returns the value, so that `x(0) = x(1) = v`
  /// assigns v to both. Throws shape_error.
  template <class V>
  V&& operator=(V&& value) && {
    store(value);
    return std::forward<V>(value);
  }
  /// NumPy's list: `m(0) = {1, 2, 3}`
  void operator=(std::initializer_list<T> values) && { store(array<T>(values, where_)); }
  const sliced& operator=(const sliced& value) && {
    store(static_cast<const array<T>&>(value));
    return value;
  }

 private:
  friend detail::changed_in_place<sliced>;
  template <class V>
  void store(const V& value) {
    any_array v;
    if constexpr (scalar<V>) {
      v = detail::from_scalar(detail::scalar_of<dtype_of<T>>(value, where_), dtype_of<T>, where_);
    } else if constexpr (!detail::expression<V>) {  // its dtype is known at run time
      v = detail::assigned(value, dtype_of<T>, where_);
    } else {
      detail::check_assigned<dtype_of<typename V::value_type>, dtype_of<T>>();
      v = detail::astype(value.to_array(where_), dtype_of<T>, where_);
    }
    if (items_) return write<ir::op::cast>(v);
    const any_array view = std::move(static_cast<any_array&>(*this));
    *owner_ = array<T>(detail::assign(*owner_, view, v, where_), where_);
    if (of_) of_->put_back();
  }
  template <ir::op O, class V>
  void combine(V&& v);
  template <ir::op O>
  void write(const any_array& v);
  outer_slice taken(location where);

  array<T>* owner_;
  item_list items_;  // null for a view
  outer_slice of_;   // set if the owner is itself the value of a slice
  location where_;
};

namespace detail {

[[noreturn]] void throw_part_of_copy(location where);

/// A slice whose parts are assigned to: its value is changed first, and then written back.
template <element T>
struct slice_of_slice {
  array<T> value;
  sliced<T> slice;
  bool copies;
  location where;

  void put_back() {
    if (copies) throw_part_of_copy(where);
    std::move(slice) = value;
  }
};

}  // namespace detail

template <element T>
auto sliced<T>::taken(location where) -> outer_slice {
  const array<T> value(static_cast<const array<T>&>(*this));
  any_array& view = *this;
  const bool copies = items_ != nullptr;
  sliced whole(*owner_, std::move(view), std::move(items_), where_, std::move(of_));
  return std::make_shared<detail::slice_of_slice<T>>(
      detail::slice_of_slice<T>{value, std::move(whole), copies, where});
}

template <element T>
sliced<T> sliced<T>::operator()(index_arg i0, index_arg i1, index_arg i2, index_arg i3,
                                index_arg i4, index_arg i5, index_arg i6, index_arg i7) && {
  const index_item* const items[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
  const outer_slice of = taken(i0.where);
  return sliced(of->value, detail::index(of->value, items), detail::kept_items(items), i0.where,
                of);
}

namespace detail {

void check_count(std::size_t count, shape_view shape, location where);
[[noreturn]] void throw_ragged(location where);

}  // namespace detail

template <element T>
shape_view array<T>::checked(std::size_t count, const int_list& shape, location where) {
  detail::check_count(count, shape, where);
  return shape;
}

template <element T>
array<T>::array(std::initializer_list<std::initializer_list<T>> rows, location where) {
  std::vector<unsigned char> flat;
  const auto n = rows.size() ? rows.begin()->size() : 0;
  for (const auto& r : rows) {
    if (r.size() != n) detail::throw_ragged(where);
    const auto* bytes = reinterpret_cast<const unsigned char*>(r.begin());
    flat.insert(flat.end(), bytes, bytes + r.size() * sizeof(T));
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(rows.size()),
                                static_cast<std::int64_t>(n)};
  any_array::operator=(detail::from_host(flat.data(), dtype_of<T>, shape, where));
}

template <element T>
array<T>::array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes,
                location where) {
  std::vector<unsigned char> flat;
  const auto n = planes.size() ? planes.begin()->size() : 0;
  const auto m = n ? planes.begin()->begin()->size() : 0;
  for (const auto& p : planes) {
    if (p.size() != n) detail::throw_ragged(where);
    for (const auto& r : p) {
      if (r.size() != m) detail::throw_ragged(where);
      const auto* bytes = reinterpret_cast<const unsigned char*>(r.begin());
      flat.insert(flat.end(), bytes, bytes + r.size() * sizeof(T));
    }
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(planes.size()),
                                static_cast<std::int64_t>(n), static_cast<std::int64_t>(m)};
  any_array::operator=(detail::from_host(flat.data(), dtype_of<T>, shape, where));
}

template <detail::expression E>
array(E&&) -> array<typename std::remove_cvref_t<E>::value_type>;
template <scalar S>
array(S) -> array<S>;

}  // namespace sinter
