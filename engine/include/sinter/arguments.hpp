#pragma once
// Argument types of functions over whole arrays: any array-like, and axes.

#include <sinter/array.hpp>
#include <sinter/words.hpp>

namespace sinter {

/// One or more axes as an argument; by default all of them. Negative axes count from the end.
class axis_list {
 public:
  axis_list() = default;
  axis_list(std::initializer_list<std::int64_t> v) : all_(false), values_(v) {}
  axis_list(std::vector<std::int64_t> v) : all_(false), values_(std::move(v)) {}
  axis_list(int_list v) : all_(false), values_(std::move(v)) {}
  template <std::integral I>
  axis_list(I v) : all_(false), values_(v) {}
  bool all() const { return all_; }
  shape_view values() const { return values_; }

 private:
  bool all_ = true;
  int_list values_;
};

/// A scalar argument of any type, stored as written; it is converted to the array's dtype later.
class any_number {
 public:
  template <scalar V>
  any_number(V value) : type_(dtype_of<V>), value_(detail::scalar_of<dtype_of<V>>(value)) {}
  dtype type() const { return type_; }
  const detail::scalar_word& value() const { return value_; }

 private:
  dtype type_;
  detail::scalar_word value_;
};

namespace detail {

/// First member of options that can only be named: braces of plain numbers then mean a list of axes
/// instead. Takes no storage.
class by_name {
 public:
  explicit constexpr by_name(int) {}
};

template <class T>
concept axis_number = std::integral<T> && !std::same_as<T, bool>;

/// One axis, or a list of axes that already has a type.
template <class T>
concept axes = axis_number<T> || std::same_as<T, axis_list> ||
               std::same_as<T, std::vector<std::int64_t>>;

/// An array whose dtype is known at compile time or only at run time.
template <class X>
concept array_like = expression<X> || std::derived_from<std::remove_cvref_t<X>, any_array>;

/// The array behind an argument; an expression is recorded as one statement.
template <expression X>
any_array to_any(X&& x, location where) {
  using E = std::remove_cvref_t<X>;
  if constexpr (std::derived_from<E, any_array>) {
    return std::forward<X>(x);
  } else {
    return record_expression(E(std::forward<X>(x)), where);
  }
}

template <class X>
using value_of = typename std::remove_cvref_t<X>::value_type;

/// The dtype of a typed argument, with which functions for some dtypes only are selected at compile
/// time.
template <class X>
inline constexpr dtype dtype_of_argument = dtype_of<value_of<X>>;

/// The dtype to which the arguments promote.
template <class... X>
constexpr dtype promoted_arguments() {
  dtype t = dtype::bool_;
  ((t = promote(t, dtype_of_argument<X>)), ...);
  return t;
}

}  // namespace detail
}  // namespace sinter
