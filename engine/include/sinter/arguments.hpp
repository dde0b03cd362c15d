#pragma once
// What functions over whole arrays take: any array-like, and axes.

#include <sinter/array.hpp>
#include <sinter/words.hpp>

namespace sinter {

/// Axes as an argument: one, several, or (by default) all of them. Negative ones count from the
/// end.
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

/// A number of any type as an argument, as it was written: it becomes one of an array's dtype.
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

/// First among options that are given by name alone: braces of numbers are something else, a list
/// of axes. Takes no room.
class by_name {
 public:
  explicit constexpr by_name(int) {}
};

template <class T>
concept axis_number = std::integral<T> && !std::same_as<T, bool>;

/// One axis, or a list that has a name already.
template <class T>
concept axes = axis_number<T> || std::same_as<T, axis_list> ||
               std::same_as<T, std::vector<std::int64_t>>;

/// Of a dtype that is known now, or at run time.
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

/// The dtypes that have only some functions are told apart at compile time for typed arguments.
template <class X>
inline constexpr dtype dtype_of_argument = dtype_of<value_of<X>>;

/// The dtype that arguments meet in.
template <class... X>
constexpr dtype promoted_arguments() {
  dtype t = dtype::bool_;
  ((t = promote(t, dtype_of_argument<X>)), ...);
  return t;
}

}  // namespace detail
}  // namespace sinter
