#pragma once
// Joining, rolling and padding arrays. Nothing is copied: a kernel that reads the result reads the
// pieces.

#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/arguments.hpp>

namespace sinter {

/// The number of elements that `pad` adds before and after an axis.
struct pad_width {
  std::int64_t before = 0, after = 0;
};

/// The values that `pad` adds: a constant; the edge element; the array's mirror image, without
/// (reflect) or with (symmetric) the edge element; the periodically repeated array (wrap).
enum class pad_mode : std::uint8_t { constant, edge, reflect, symmetric, wrap };
namespace detail {
template <>
inline constexpr enum_words option_words<pad_mode> = {"pad_mode",
                                                      "constant, edge, reflect, symmetric, wrap"};
}

/// The values of the mode `constant`: one number, or one before and one after each axis.
class pad_values {
 public:
  using pair = std::pair<any_number, any_number>;
  template <scalar V> pad_values(V everywhere) : everywhere_(everywhere) {}
  pad_values(any_number before, any_number after) : pairs_{{before, after}} {}  // all axes
  pad_values(std::initializer_list<pair> axes) : pairs_(axes) {}  // one pair: all axes
  pad_values(std::vector<pair> axes) : pairs_(std::move(axes)) {}

  const any_number& everywhere() const { return everywhere_; }  // if there are no pairs
  const std::vector<pair>& pairs() const { return pairs_; }

 private:
  any_number everywhere_ = 0;
  std::vector<pair> pairs_;
};

struct pad_options {
  detail::worded<pad_mode> mode = pad_mode::constant;
  pad_values constant_values = 0;  // one, {before, after}, or such a pair for each axis
};

namespace detail {

enum class stack_kind : std::uint8_t { rows, flat, depth, columns };

any_array concatenate(std::span<const any_array> pieces, std::optional<std::int64_t> axis,
                      std::string_view op, location where);
any_array stack(std::span<const any_array> pieces, std::int64_t axis, location where);
any_array stack_rows(std::span<const any_array> pieces, stack_kind kind, location where);
any_array roll(const any_array& x, shape_view shifts, const axis_list& axes, location where);
any_array roll_by(const any_array& x, const any_array& shift, const axis_list& axes,
                  location where);
any_array pad(const any_array& x, const std::vector<pad_width>& widths, const pad_options& o = {},
              location where = location::current());

/// Arrays of one element type: {a, b, c} or a vector.
template <element T> class pieces {
 public:
  pieces(std::initializer_list<array<T>> list) : all_(list.begin(), list.end()) {}
  pieces(const std::vector<array<T>>& list) : all_(list.begin(), list.end()) {}
  template <class... X>
  pieces(const std::tuple<X...>& list, location where) {
    std::apply(
        [&](const auto&... x) {
          (all_.push_back(detail::astype(x.to_array(where), dtype_of<T>, where)), ...);
        },
        list);
  }
  operator std::span<const any_array>() const { return all_; }

 private:
  std::vector<any_array> all_;
};

template <class... X>
using pieces_of = pieces<element_of<promoted_arguments<X...>()>>;
template <class... X>
using joined_array = array<element_of<promoted_arguments<X...>()>>;

}  // namespace detail

// Arrays of one dtype are listed in braces or in a vector. Expressions, and arrays with a common
// promoted dtype, go into a tuple, as in Python: `concatenate(std::tuple(a + 1, b))`. In braces,
// from which C++ deduces no type, they need an explicit one: `concatenate<float>({a + 1, b})`.

struct concatenate_options {
  std::optional<std::int64_t> axis = 0;  // none: the arrays are flattened first
};

/// Joins arrays along an existing axis; their other extents must agree. Throws shape_error,
/// axis_error; value_error for no arrays. `concatenate({a, b}, {.axis = 1})`
template <element T>
array<T> concatenate(std::initializer_list<array<T>> arrays, const concatenate_options& o = {},
                     location where = location::current()) {
  return array<T>(detail::concatenate(detail::pieces<T>(arrays), o.axis, "concatenate", where));
}
template <element T>
array<T> concatenate(const std::vector<array<T>>& arrays, const concatenate_options& o = {},
                     location where = location::current()) {
  return array<T>(detail::concatenate(detail::pieces<T>(arrays), o.axis, "concatenate", where));
}
template <detail::expression... X>
auto concatenate(const std::tuple<X...>& arrays, const concatenate_options& o = {},
                 location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(detail::concatenate(all, o.axis, "concatenate", where));
}

/// The array API's name of `concatenate`, with the same errors. `concat({a, b}, {.axis = 1})`
template <element T>
array<T> concat(std::initializer_list<array<T>> arrays, const concatenate_options& options = {},
                location where = location::current()) {
  return concatenate(arrays, options, where);
}
template <element T>
array<T> concat(const std::vector<array<T>>& arrays, const concatenate_options& options = {},
                location where = location::current()) {
  return concatenate(arrays, options, where);
}

template <detail::expression... X>
auto concat(const std::tuple<X...>& arrays, const concatenate_options& options = {},
            location where = location::current()) {
  return concatenate(arrays, options, where);
}

struct stack_options {
  std::int64_t axis = 0;  // the new one, in the result
};

/// Joins arrays of one shape along a new axis. Throws shape_error, axis_error. `stack({a, b}, -1)`
template <element T>
array<T> stack(std::initializer_list<array<T>> arrays, std::int64_t axis = 0,
               location where = location::current()) {
  return array<T>(detail::stack(detail::pieces<T>(arrays), axis, where));
}
template <element T>
array<T> stack(const std::vector<array<T>>& arrays, std::int64_t axis = 0,
               location where = location::current()) {
  return array<T>(detail::stack(detail::pieces<T>(arrays), axis, where));
}
template <detail::expression... X>
auto stack(const std::tuple<X...>& arrays, std::int64_t axis = 0,
           location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(detail::stack(all, axis, where));
}

/// The same with a named axis: `stack({a, b}, {.axis = -1})`
template <element T>
array<T> stack(std::initializer_list<array<T>> arrays, const stack_options& o,
               location where = location::current()) {
  return stack(arrays, o.axis, where);
}
template <class L>
auto stack(const L& arrays, const stack_options& o, location where = location::current()) {
  return stack(arrays, o.axis, where);
}

/// Joins arrays along axis 0; one-dimensional arrays are rows. Throws shape_error. `vstack({a, b})`
template <element T>
array<T> vstack(std::initializer_list<array<T>> arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::rows, where));
}
template <element T>
array<T> vstack(const std::vector<array<T>>& arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::rows, where));
}
template <detail::expression... X>
auto vstack(const std::tuple<X...>& arrays, location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(
      detail::stack_rows(all, detail::stack_kind::rows, where));
}
/// Joins arrays along axis 1, one-dimensional ones along axis 0. Throws shape_error.
/// `hstack({a, b})`
template <element T>
array<T> hstack(std::initializer_list<array<T>> arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::flat, where));
}
template <element T>
array<T> hstack(const std::vector<array<T>>& arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::flat, where));
}
template <detail::expression... X>
auto hstack(const std::tuple<X...>& arrays, location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(
      detail::stack_rows(all, detail::stack_kind::flat, where));
}
/// Joins arrays along axis 2; (n,) becomes (1, n, 1) and (m, n) becomes (m, n, 1). Throws
/// shape_error. `dstack({a, b})`
template <element T>
array<T> dstack(std::initializer_list<array<T>> arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::depth, where));
}
template <element T>
array<T> dstack(const std::vector<array<T>>& arrays, location where = location::current()) {
  return array<T>(detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::depth, where));
}
template <detail::expression... X>
auto dstack(const std::tuple<X...>& arrays, location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(
      detail::stack_rows(all, detail::stack_kind::depth, where));
}
/// Joins arrays along axis 1; one-dimensional arrays are columns. Throws shape_error.
/// `column_stack({x, y})`
template <element T>
array<T> column_stack(std::initializer_list<array<T>> arrays,
                      location where = location::current()) {
  return array<T>(
      detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::columns, where));
}
template <element T>
array<T> column_stack(const std::vector<array<T>>& arrays, location where = location::current()) {
  return array<T>(
      detail::stack_rows(detail::pieces<T>(arrays), detail::stack_kind::columns, where));
}
template <detail::expression... X>
auto column_stack(const std::tuple<X...>& arrays, location where = location::current()) {
  const detail::pieces_of<X...> all(arrays, where);
  return detail::joined_array<X...>(
      detail::stack_rows(all, detail::stack_kind::columns, where));
}

/// Rolls x: elements shifted beyond the last position reappear at the first. Without axes the
/// flattened array is rolled. Several shifts need as many axes. Throws axis_error; value_error if
/// the numbers differ. `roll(x, 1, 0)`, `roll(x, {1, -2}, {0, 1})`
template <detail::expression X>
auto roll(X&& x, const int_list& shift, const axis_list& axis = {},
          location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::roll(detail::to_any(std::forward<X>(x), where), shift, axis, where));
}
/// Rolls x by an integer array of rank 0, such as the counter of a loop, along one axis or
/// flattened. Throws axis_error; shape_error and dtype_error for another shift. `roll(x, i, 0)`
template <detail::expression X, detail::expression S>
auto roll(X&& x, const S& shift, const axis_list& axis = {},
          location where = location::current()) {
  return array<detail::value_of<X>>(detail::roll_by(detail::to_any(std::forward<X>(x), where),
                                                    shift.to_array(where), axis, where));
}

/// Pads every axis of x: by one width, or by {before, after} per axis. dtype: that of x, to which
/// constants are converted: integers exactly, fractions truncated. Where constants of two axes
/// meet, those of the last axis win. Throws value_error for a negative width, for widths or
/// `.constant_values` of another number than the axes, for an integer that the dtype cannot
/// represent, and for repeating an empty axis; dtype_error for a complex constant around real
/// numbers. `pad(x, {{1, 1}, {0, 2}}, {.mode = "edge"})`, `pad(x, 2, {.constant_values = {-1, 1}})`
template <detail::expression X>
auto pad(X&& x, const std::vector<pad_width>& widths, const pad_options& o = {},
         location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::pad(detail::to_any(std::forward<X>(x), where), widths, o, where));
}
template <detail::expression X>
auto pad(X&& x, std::int64_t width, const pad_options& o = {},
         location where = location::current()) {
  return pad(std::forward<X>(x), std::vector<pad_width>{{width, width}}, o, where);
}
/// The same with one {before, after} for every axis. `pad(x, {2, 3})`
template <detail::expression X>
auto pad(X&& x, const pad_width& width, const pad_options& o = {},
         location where = location::current()) {
  return pad(std::forward<X>(x), std::vector<pad_width>{width}, o, where);
}

/// The mode as a plain argument, as with `{.mode = mode}`; the errors are the same.
/// `pad(x, 2, "edge")`
template <detail::expression X, detail::word_for<pad_mode> M>
auto pad(X&& x, const std::vector<pad_width>& widths, M mode, pad_options o = {},
         location where = location::current()) {
  o.mode = {mode, where};
  return pad(std::forward<X>(x), widths, o, where);
}
template <detail::expression X, detail::word_for<pad_mode> M>
auto pad(X&& x, std::int64_t width, M mode, pad_options o = {},
         location where = location::current()) {
  o.mode = {mode, where};
  return pad(std::forward<X>(x), width, o, where);
}
template <detail::expression X, detail::word_for<pad_mode> M>
auto pad(X&& x, const pad_width& width, M mode, pad_options o = {},
         location where = location::current()) {
  o.mode = {mode, where};
  return pad(std::forward<X>(x), width, o, where);
}

}  // namespace sinter
