#pragma once
// Arrays put beside one another, turned and padded. Nothing is copied: a kernel that reads the
// result reads the pieces.

#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <sinter/arguments.hpp>

namespace sinter {

/// How many elements `pad` puts before and after an axis.
struct pad_width {
  std::int64_t before = 0, after = 0;
};

/// What they are: a value; the outermost element; the array's mirror image, without and with its
/// outermost element; the array again.
enum class pad_mode : std::uint8_t { constant, edge, reflect, symmetric, wrap };
namespace detail {
template <>
inline constexpr enum_words option_words<pad_mode> = {"pad_mode",
                                                      "constant, edge, reflect, symmetric, wrap"};
}

/// What `pad` puts there in the mode `constant`: one number, or those before and after each axis.
class pad_values {
 public:
  using pair = std::pair<any_number, any_number>;
  template <scalar V> pad_values(V everywhere) : everywhere_(everywhere) {}
  pad_values(any_number before, any_number after) : pairs_{{before, after}} {}  // all axes
  pad_values(std::initializer_list<pair> axes) : pairs_(axes) {}  // one pair: all axes
  pad_values(std::vector<pair> axes) : pairs_(std::move(axes)) {}

  const any_number& everywhere() const { return everywhere_; }  // where there are no pairs
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

// Arrays of one dtype are listed in braces or in a vector. Expressions, and arrays that promote to
// a common dtype, are a tuple, as in Python: `concatenate(std::tuple(a + 1, b))`. In braces, of
// which C++ deduces nothing, they need the type: `concatenate<float>({a + 1, b})`.

struct concatenate_options {
  std::optional<std::int64_t> axis = 0;  // none: the arrays are flattened first
};

/// Arrays behind one another along an axis; their other extents agree. Throws shape_error,
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

/// `concatenate` under the array API's name. Errors as for `concatenate`.
/// `concat({a, b}, {.axis = 1})`
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

/// Arrays of one shape along a new axis. Throws shape_error, axis_error. `stack({a, b}, -1)`
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

/// The same with the axis by its name: `stack({a, b}, {.axis = -1})`
template <element T>
array<T> stack(std::initializer_list<array<T>> arrays, const stack_options& o,
               location where = location::current()) {
  return stack(arrays, o.axis, where);
}
template <class L>
auto stack(const L& arrays, const stack_options& o, location where = location::current()) {
  return stack(arrays, o.axis, where);
}

/// Arrays below one another; those of one dimension are rows. Throws shape_error. `vstack({a, b})`
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
/// Arrays beside one another: along axis 1, or 0 for those of one dimension. Throws shape_error.
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
/// Arrays behind one another: along axis 2, (n,) being (1, n, 1) and (m, n) being (m, n, 1). Throws
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
/// Arrays of one dimension as columns, others beside one another. Throws shape_error.
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

/// x turned: what leaves at one end comes in at the other. Without axes the flattened array turns.
/// Several shifts go with as many axes. Throws axis_error; value_error if their numbers differ.
/// `roll(x, 1, 0)`, `roll(x, {1, -2}, {0, 1})`
template <detail::expression X>
auto roll(X&& x, const int_list& shift, const axis_list& axis = {},
          location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::roll(detail::to_any(std::forward<X>(x), where), shift, axis, where));
}

/// x with elements before and after every axis, or {before, after} axis by axis. dtype: that of x,
/// into which constants are converted: integers exactly, fractions cut off. Throws value_error
/// for a negative width, another number of them or of `.constant_values` than axes, an integer that
/// the dtype does not have, or an empty axis to repeat; dtype_error for a complex constant around
/// real numbers. Where constants of two axes meet, those of the last axis are put.
/// `pad(x, {{1, 1}, {0, 2}}, {.mode = "edge"})`, `pad(x, 2, {.constant_values = {-1, 1}})`
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
/// {before, after} of every axis. `pad(x, {2, 3})`
template <detail::expression X>
auto pad(X&& x, const pad_width& width, const pad_options& o = {},
         location where = location::current()) {
  return pad(std::forward<X>(x), std::vector<pad_width>{width}, o, where);
}

/// The mode by itself: the same as with `{.mode = mode}`, errors too. `pad(x, 2, "edge")`
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
