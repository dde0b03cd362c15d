#pragma once
// Arrays taken apart along an axis: parts, slices, and loops over the first axis. All are views.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include <sinter/rearrange.hpp>

namespace sinter {

/// Where an array is cut: into a number of parts, or before each of these indices.
struct split_points {
  template <detail::axis_number N>
  split_points(N count) : values(static_cast<std::int64_t>(count)), even(true) {}
  split_points(std::initializer_list<std::int64_t> indices) : values(indices) {}
  split_points(const int_list& indices) : values(indices) {}
  template <detail::list_of_integers L>
  split_points(const L& indices) : values(indices) {}

  int_list values;
  bool even = false;  // a number of parts
};

struct split_options {
  [[no_unique_address]] detail::by_name named = detail::by_name(0);
  std::int64_t axis = 0;
};

namespace detail {

list split(const any_array& x, const split_points& at, std::int64_t axis, std::string_view op,
           location where);
list unstack(const any_array& x, std::int64_t axis = 0, location where = location::current());
/// x, evaluated unless a function is being traced: what a loop over its slices reads. Throws
/// shape_error for rank 0.
any_array iterated(const any_array& x, location where);
[[noreturn]] void throw_other_count(std::size_t expected, std::size_t count, std::string_view op,
                                    location where);

/// The parts as a std::array, for structured bindings.
template <std::size_t N, element T>
std::array<array<T>, N> exactly(list parts, std::string_view op, location where) {
  if (parts.size() != N) throw_other_count(N, parts.size(), op, where);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<array<T>, N>{array<T>(std::move(parts[I]))...};
  }(std::make_index_sequence<N>());
}

}  // namespace detail

using detail::unstack;

/// Splits x along an axis into equal parts, or before each of these indices. Throws axis_error,
/// shape_error if a number of parts does not divide the extent, value_error for fewer than one
/// part. `split(x, 3)`, `split(x, {2, 5}, 1)`, `split(x, 2, {.axis = 1})`
template <detail::expression X>
auto split(X&& x, const split_points& at, const split_options& options = {},
           location where = location::current()) {
  return detail::typed<detail::value_of<X>>(
      detail::split(detail::to_any(std::forward<X>(x), where), at, options.axis, "split", where));
}
template <detail::expression X>
auto split(X&& x, const split_points& at, detail::axis_number auto axis,
           location where = location::current()) {
  return split(std::forward<X>(x), at, split_options{.axis = axis}, where);
}
/// The same for structured bindings, into N equal parts. `auto [a, b] = split<2>(x)`
template <std::size_t N, detail::expression X>
auto split(X&& x, std::int64_t axis = 0, location where = location::current()) {
  const any_array a = detail::to_any(std::forward<X>(x), where);
  return detail::exactly<N, detail::value_of<X>>(detail::split(a, N, axis, "split", where), "split",
                                                 where);
}

/// `split` into parts of which the first ones may be longer by one. Throws axis_error, and
/// value_error for fewer than one part. `array_split(x, 3)`
template <detail::expression X>
auto array_split(X&& x, const split_points& at, const split_options& options = {},
                 location where = location::current()) {
  return detail::typed<detail::value_of<X>>(detail::split(
      detail::to_any(std::forward<X>(x), where), at, options.axis, "array_split", where));
}
template <detail::expression X>
auto array_split(X&& x, const split_points& at, detail::axis_number auto axis,
                 location where = location::current()) {
  return array_split(std::forward<X>(x), at, split_options{.axis = axis}, where);
}

/// Splits x along axis 0. Throws as `split` does. `vsplit(x, 2)`
template <detail::expression X>
auto vsplit(X&& x, const split_points& at, location where = location::current()) {
  return split(std::forward<X>(x), at, {}, where);
}

/// Splits x along axis 1, a vector along axis 0. Throws as `split` does. `hsplit(x, {1, 4})`
template <detail::expression X>
auto hsplit(X&& x, const split_points& at, location where = location::current()) {
  const array<detail::value_of<X>> a(detail::to_any(std::forward<X>(x), where));
  return split(a, at, split_options{.axis = a.ndim() > 1 ? 1 : 0}, where);
}

/// Splits x along axis 2. Throws as `split` does. `dsplit(x, {1, 3})`
template <detail::expression X>
auto dsplit(X&& x, const split_points& at, location where = location::current()) {
  return split(std::forward<X>(x), at, split_options{.axis = 2}, where);
}

/// The slices of x along an axis, without that axis. Throws axis_error. `unstack(x, 1)`,
/// `unstack(x, {.axis = 1})`
template <detail::expression X>
auto unstack(X&& x, const split_options& options = {}, location where = location::current()) {
  return detail::typed<detail::value_of<X>>(
      detail::unstack(detail::to_any(std::forward<X>(x), where), options.axis, where));
}
template <detail::expression X>
auto unstack(X&& x, detail::axis_number auto axis, location where = location::current()) {
  return unstack(std::forward<X>(x), split_options{.axis = axis}, where);
}
/// The same for structured bindings, of an axis of extent N. `auto [x, y, z] = unstack<3>(p, 1)`
template <std::size_t N, detail::expression X>
auto unstack(X&& x, std::int64_t axis = 0, location where = location::current()) {
  const any_array a = detail::to_any(std::forward<X>(x), where);
  return detail::exactly<N, detail::value_of<X>>(detail::unstack(a, axis, where), "unstack", where);
}

// `for (auto row : x)` goes over the slices of the first axis, which are values of their own:
// assigning to one leaves x unchanged. x is evaluated first, except in a function that is being
// traced. Throws shape_error for rank 0. Elements that the host reads one by one come faster from
// `x.to_host()`.

namespace detail {

/// A position in a loop over the first axis.
template <element T>
class slice_iterator {
 public:
  using value_type = array<T>;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;

  slice_iterator() = default;
  slice_iterator(array<T> x, std::int64_t at) : x_(std::move(x)), at_(at) {}

  array<T> operator*() const { return x_(at_); }
  slice_iterator& operator++() {
    ++at_;
    return *this;
  }
  slice_iterator operator++(int) {
    slice_iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const slice_iterator& a, const slice_iterator& b) {
    return a.at_ == b.at_;
  }

 private:
  array<T> x_;
  std::int64_t at_ = 0;
};

template <expression X>
auto begin(const X& x) {
  const location where{};
  return slice_iterator<value_of<X>>(array<value_of<X>>(iterated(to_any(x, where), where)), 0);
}
template <expression X>
auto end(const X& x) {
  const auto shape = x.shape();
  return slice_iterator<value_of<X>>({}, shape.empty() ? 0 : shape[0]);
}

}  // namespace detail

}  // namespace sinter
