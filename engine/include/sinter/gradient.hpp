#pragma once
// Numerical gradients of sampled functions.

#include <array>
#include <concepts>
#include <optional>
#include <vector>

#include <sinter/splitting.hpp>
#include <sinter/statistics.hpp>

namespace sinter {

/// The spacing of samples: one distance, or an array of their coordinates.
class gradient_spacing {
 public:
  template <class V>
    requires(std::is_arithmetic_v<V>)
  gradient_spacing(V step, location = {}) : number_(static_cast<double>(step)) {}
  template <detail::ordered X>
  gradient_spacing(X&& coordinates, location where = location::current())
      : coordinates_(detail::to_any(std::forward<X>(coordinates), where)) {}
  gradient_spacing(any_array coordinates, location = {}) : coordinates_(std::move(coordinates)) {}

  double number() const { return number_; }
  const any_array* coordinates() const { return coordinates_.valid() ? &coordinates_ : nullptr; }

 private:
  double number_ = 1;
  any_array coordinates_;
};

struct gradient_options {
  std::optional<std::int64_t> axis = {};  // none: x is a vector
  gradient_spacing spacing = 1;
  int edge_order = 1;  // of accuracy at the ends; 2: parabolas through the outer three
};

struct gradients_options {
  axis_list axis = {};  // none: all
  std::vector<gradient_spacing> spacing = {1};  // one number for all axes, or one for each
  int edge_order = 1;
};

namespace detail {

any_array gradient(const any_array& x, const gradient_options& o = {},
                   location where = location::current());
std::vector<any_array> gradients(const any_array& x, const gradients_options& o = {},
                                 location where = location::current());

template <class S>
concept spacing = std::convertible_to<S, gradient_spacing>;

}  // namespace detail

// Overloads for arrays whose dtype is known only at run time.
using detail::gradient;
using detail::gradients;

/// The slope of a vector, or along an axis: central differences inside and one-sided differences at
/// the ends, for the coordinates if they are given. dtype: a float, double for integers. Throws
/// value_error without an axis unless x is a vector, or for another `.edge_order` than 1 and 2,
/// axis_error, shape_error for fewer than two elements (`.edge_order = 2`: three) or the wrong
/// number of coordinates. `gradient(x, {.axis = 1, .spacing = 0.1})`,
/// `gradient(y, {.spacing = t, .edge_order = 2})`
template <detail::expression X>
auto gradient(X&& x, const gradient_options& options = {}, location where = location::current()) {
  return detail::mean_of<X>(
      detail::gradient(detail::to_any(std::forward<X>(x), where), options, where));
}

/// The slopes along every axis, or along the named axes, each of x's shape: NumPy's gradient
/// without an axis. Throws as `gradient`, and value_error unless there is one spacing, or one per
/// axis. `gradients(x)[0]`, `gradients(x, {.axis = {0, 2}, .spacing = {0.5, t}})`
template <detail::expression X>
auto gradients(X&& x, const gradients_options& options = {},
               location where = location::current()) {
  std::vector<detail::mean_of<X>> typed;
  const any_array all = detail::to_any(std::forward<X>(x), where);
  for (any_array& g : detail::gradients(all, options, where)) typed.emplace_back(std::move(g));
  return typed;
}

/// The same for structured bindings, of an array of rank N. `auto [down, right] = gradients<2>(x)`
template <std::size_t N, detail::expression X>
auto gradients(X&& x, const gradients_options& options = {},
               location where = location::current()) {
  return detail::exactly<N, typename detail::mean_of<X>::value_type>(
      detail::gradients(detail::to_any(std::forward<X>(x), where), options, where), "gradients",
      where);
}

/// The same with the distance between elements, or their coordinates, as an argument.
/// `gradient(x, 0.1, {.edge_order = 2})`, `gradient(y, t)`
template <detail::expression X, detail::spacing S>
auto gradient(X&& x, S&& spacing, gradient_options options = {},
              location where = location::current()) {
  options.spacing = gradient_spacing(std::forward<S>(spacing), where);
  return gradient(std::forward<X>(x), options, where);
}

/// NumPy's form for two or three axes, with one distance or coordinate array per axis. Returns the
/// slope along each axis, of x's shape. Throws as `gradients` does.
/// `auto [down, right] = gradient(x, y, 0.5)`
template <detail::expression X, detail::spacing S, detail::spacing T>
std::array<detail::mean_of<X>, 2> gradient(X&& x, S&& first, T&& second,
                                           location where = location::current()) {
  auto all = gradients(
      std::forward<X>(x),
      {.spacing = {{std::forward<S>(first), where}, {std::forward<T>(second), where}}}, where);
  return {std::move(all[0]), std::move(all[1])};
}
template <detail::expression X, detail::spacing S, detail::spacing T, detail::spacing U>
std::array<detail::mean_of<X>, 3> gradient(X&& x, S&& first, T&& second, U&& third,
                                           location where = location::current()) {
  auto all = gradients(std::forward<X>(x),
                       {.spacing = {{std::forward<S>(first), where},
                                    {std::forward<T>(second), where},
                                    {std::forward<U>(third), where}}},
                       where);
  return {std::move(all[0]), std::move(all[1]), std::move(all[2])};
}

}  // namespace sinter
