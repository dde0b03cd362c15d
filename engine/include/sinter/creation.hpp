#pragma once
// Creating arrays: constants, sequences, and copies of host memory. All but the last are lazy and
// fuse into their consumers; they are stored only if they are read themselves.

#include <iterator>
#include <limits>

#include <sinter/arguments.hpp>

namespace sinter {
namespace detail {

any_array full(shape_view shape, dtype type, const scalar_word& value, std::string_view op,
               location where);
any_array arange(dtype type, std::int64_t start, std::uint64_t count, std::int64_t step,
                 location where);
any_array arange(dtype type, double start, double stop, double step, location where);
any_array linspace(dtype type, double start, double stop, std::int64_t count, bool endpoint,
                   location where);
any_array eye(dtype type, std::int64_t rows, std::int64_t columns, std::int64_t k, location where);
[[noreturn]] void throw_zero_step(location where);

/// The number of steps from start to before stop. REQUIRES: step != 0.
template <std::integral T>
constexpr std::uint64_t count_steps(T start, T stop, std::int64_t step) {
  using U = std::uint64_t;
  if (step > 0) return start < stop ? (U(stop) - U(start) - 1) / U(step) + 1 : 0;
  return start > stop ? (U(start) - U(stop) - 1) / (U(0) - U(step)) + 1 : 0;
}

/// First template parameter of overloads with deduced types, so that `f<float>(...)` means another
/// overload.
enum class deduced : bool {};

/// The type of a step: signed also for unsigned numbers, which can count down.
template <class T>
using spacing_of = std::conditional_t<std::unsigned_integral<T>, std::int64_t, T>;

template <class T>
concept countable = element<T> && std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <element T, class V>
T exactly(V value, location where) {
  T t;
  std::memcpy(&t, scalar_of<dtype_of<T>>(value, where).bits, sizeof t);
  return t;
}

}  // namespace detail

/// An array of shape `shape` filled with `value`. dtype: T, or the type of the value. Throws
/// shape_error for a negative extent. `full<float>({2, 3}, 7)`
template <element T>
array<T> full(const int_list& shape, T value, location where = location::current()) {
  return array<T>(
      detail::full(shape, dtype_of<T>, detail::scalar_of<dtype_of<T>>(value, where), "full",
                   where));
}

/// An array of zeros of shape `shape`. Throws shape_error. `zeros<float>({2, 3})`
template <element T = double>
array<T> zeros(const int_list& shape, location where = location::current()) {
  return array<T>(detail::full(shape, dtype_of<T>, {}, "zeros", where));
}
/// The same: `zeros<float>(2, 3)`
template <element T = double>
array<T> zeros(detail::extent first, detail::extent second, std::integral auto... rest) {
  return zeros<T>({first.value, second.value, std::int64_t(rest)...}, first.where);
}

/// An array of ones of shape `shape`. Throws shape_error. `ones<int>(5)`
template <element T = double>
array<T> ones(const int_list& shape, location where = location::current()) {
  return array<T>(
      detail::full(shape, dtype_of<T>, detail::scalar_of<dtype_of<T>>(1), "ones", where));
}
/// The same: `ones<float>(2, 3)`
template <element T = double>
array<T> ones(detail::extent first, detail::extent second, std::integral auto... rest) {
  return ones<T>({first.value, second.value, std::int64_t(rest)...}, first.where);
}

/// An array of shape `shape` with unspecified contents (currently zeros). Throws shape_error.
/// `empty<float>({2, 3})`
template <element T = double>
array<T> empty(const int_list& shape, location where = location::current()) {
  return array<T>(detail::full(shape, dtype_of<T>, {}, "empty", where));
}
/// The same: `empty<float>(2, 3)`
template <element T = double>
array<T> empty(detail::extent first, detail::extent second, std::integral auto... rest) {
  return empty<T>({first.value, second.value, std::int64_t(rest)...}, first.where);
}

/// An array filled with `value`, with the shape and dtype of x. Computes nothing, not even x.
/// Throws value_error for an integer that the dtype cannot represent. `full_like(x, 3)`
template <detail::expression X, scalar V>
auto full_like(X&& x, V value, location where = location::current()) {
  using T = detail::value_of<X>;
  return array<T>(detail::full(detail::to_any(std::forward<X>(x), where).extents(), dtype_of<T>,
                               detail::scalar_of<dtype_of<T>>(value, where), "full_like", where));
}

/// An array of zeros with the shape and dtype of x. Throws nothing. `zeros_like(x)`
template <detail::expression X>
auto zeros_like(X&& x, location where = location::current()) {
  return full_like(std::forward<X>(x), 0, where);
}

/// An array of ones with the shape and dtype of x. Throws nothing. `ones_like(x)`
template <detail::expression X>
auto ones_like(X&& x, location where = location::current()) {
  return full_like(std::forward<X>(x), 1, where);
}

/// `empty` with the shape and dtype of x. Throws nothing. `empty_like(x)`
template <detail::expression X>
auto empty_like(X&& x, location where = location::current()) {
  return full_like(std::forward<X>(x), 0, where);
}

/// The values start, start + step, ... in the half-open interval [start, stop): shape (ceil((stop -
/// start) / step),). Floats are computed as start + i * step in double and rounded once; unsigned
/// integers take an int64 step. Throws value_error for a step of 0, or a length that is not finite.
/// `arange(0.0, 1.0, 0.25)`, `arange<float>(2, 10)`
template <element T>
  requires(!std::same_as<T, bool> && !is_complex(dtype_of<T>))
array<T> arange(T start, T stop, detail::spacing_of<T> step = detail::spacing_of<T>(1),
                location where = location::current()) {
  if constexpr (std::integral<T>) {
    if (step == 0) detail::throw_zero_step(where);
    return array<T>(detail::arange(dtype_of<T>, static_cast<std::int64_t>(start),
                                   detail::count_steps(start, stop, step),
                                   static_cast<std::int64_t>(step), where));
  } else {
    return array<T>(detail::arange(dtype_of<T>, static_cast<double>(start),
                                   static_cast<double>(stop), static_cast<double>(step), where));
  }
}

/// The values 0, 1, ... below stop. `arange(5)`
template <element T>
  requires(!std::same_as<T, bool> && !is_complex(dtype_of<T>))
array<T> arange(T stop, location where = location::current()) {
  return arange<T>(T(0), stop, T(1), where);
}

/// The same for arguments of several types. dtype: their C++ common type; `int` and `float` give
/// `float`. Throws value_error for an integer that it cannot represent, such as a negative one
/// beside `std::size_t`. `arange(0, 1, 0.25f)`, `arange(1, n + 1)`
template <detail::deduced = detail::deduced{}, detail::countable A, detail::countable B>
  requires(!std::same_as<A, B>)
auto arange(A start, B stop, location where = location::current()) {
  using T = std::common_type_t<A, B>;
  return arange<T>(detail::exactly<T>(start, where), detail::exactly<T>(stop, where), T(1), where);
}
template <detail::deduced = detail::deduced{}, detail::countable A, detail::countable B,
          detail::countable C>
  requires(!std::same_as<A, B> || !std::same_as<A, C>)
auto arange(A start, B stop, C step, location where = location::current()) {
  using T = std::common_type_t<A, B, C>;
  return arange<T>(detail::exactly<T>(start, where), detail::exactly<T>(stop, where),
                   detail::exactly<detail::spacing_of<T>>(step, where), where);
}

struct eye_options {
  std::int64_t k = 0;  // the diagonal: > 0 above the main one, < 0 below it
};

struct linspace_options {
  bool endpoint = true;  // whether `stop` is the last value, or excluded
};

/// `count` evenly spaced values from start to stop: shape (count,). Integers are rounded down.
/// Throws value_error for a negative count. `linspace(0, 1, 11)`,
/// `linspace<float>(0, 1, 10, {.endpoint = false})`
template <element T = double>
  requires(!std::same_as<T, bool> && !is_complex(dtype_of<T>))
array<T> linspace(double start, double stop, std::int64_t count = 50,
                  const linspace_options& options = {}, location where = location::current()) {
  return array<T>(detail::linspace(dtype_of<T>, start, stop, count, options.endpoint, where));
}

/// A matrix of shape (rows, columns) with ones on diagonal k and zeros elsewhere; k > 0 is above
/// the main diagonal. Throws shape_error. `eye<float>(3, 4, 1)`
template <element T = double>
array<T> eye(std::int64_t rows, std::int64_t columns, std::int64_t k = 0,
             location where = location::current()) {
  return array<T>(detail::eye(dtype_of<T>, rows, columns, k, where));
}

template <element T = double>
array<T> eye(std::int64_t rows, std::int64_t columns, const eye_options& o,
             location where = location::current()) {
  return eye<T>(rows, columns, o.k, where);
}

/// The identity matrix, of shape (n, n). `eye<float>(3)`, `eye<float>(3, {.k = 1})`
template <element T = double>
array<T> eye(std::int64_t n, location where = location::current()) {
  return eye<T>(n, n, 0, where);
}
template <element T = double>
array<T> eye(std::int64_t n, const eye_options& o, location where = location::current()) {
  return eye<T>(n, n, o.k, where);
}

namespace detail {

template <class R>
concept host_range = !expression<R> && !std::derived_from<std::remove_cvref_t<R>, any_array> &&
                     requires(const R& r) {
                       std::begin(r);
                       std::end(r);
                     };

/// The innermost element type of nested ranges.
template <class R>
struct innermost {
  using type = R;
};
template <host_range R>
struct innermost<R>
    : innermost<std::remove_cvref_t<decltype(*std::begin(std::declval<const R&>()))>> {};
template <>
struct innermost<std::vector<bool>> {
  using type = bool;
};

template <class R, class T>
concept contiguous_range = requires(const R& r) {
  requires std::same_as<std::remove_cvref_t<decltype(*std::data(r))>, T>;
};

/// Appends the elements of nested ranges, row-major, as bytes; sets one extent of `shape` per
/// level.
template <element T, class R>
void flatten(const R& range, std::vector<unsigned char>& bytes, std::vector<std::int64_t>& shape,
             std::size_t level, location where) {
  std::int64_t count = 0;
  const bool first = shape.size() <= level;
  if (first) shape.push_back(0);
  for (const auto& x : range) {
    if constexpr (host_range<decltype(x)>) {
      flatten<T>(x, bytes, shape, level + 1, where);
    } else {
      const T value = x;
      const auto* p = reinterpret_cast<const unsigned char*>(&value);
      bytes.insert(bytes.end(), p, p + sizeof value);
    }
    ++count;
  }
  if (!first && shape[level] != count) throw_ragged(where);
  shape[level] = count;
}

}  // namespace detail

/// Copies host memory: any range, or nested ranges, of elements. The array has the shape of the
/// ranges. Throws shape_error if rows differ in length, memory_error.
/// `asarray(std::vector<float>{1, 2, 3})`
template <detail::host_range R>
auto asarray(const R& values, location where = location::current()) {
  using T = typename detail::innermost<std::remove_cvref_t<R>>::type;
  if constexpr (detail::contiguous_range<R, T>) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(std::size(values))};
    return array<T>(detail::from_host(std::data(values), dtype_of<T>, shape, where));
  } else {
    std::vector<unsigned char> bytes;
    std::vector<std::int64_t> shape;
    detail::flatten<T>(values, bytes, shape, 0, where);
    return array<T>(detail::from_host(bytes.data(), dtype_of<T>, shape, where));
  }
}

/// The same with the shape given. Throws shape_error if the number of elements differs.
/// `asarray(std::span<const float>(p, 6), {2, 3})`
template <detail::host_range R>
auto asarray(const R& values, const int_list& shape, location where = location::current()) {
  using T = typename detail::innermost<std::remove_cvref_t<R>>::type;
  static_assert(element<std::remove_cvref_t<decltype(*std::begin(values))>> ||
                std::same_as<R, std::vector<bool>>);
  detail::check_count(static_cast<std::size_t>(std::size(values)), shape, where);
  if constexpr (detail::contiguous_range<R, T>) {
    return array<T>(detail::from_host(std::data(values), dtype_of<T>, shape, where));
  } else {
    std::vector<unsigned char> bytes;
    std::vector<std::int64_t> flat;
    detail::flatten<T>(values, bytes, flat, 0, where);
    return array<T>(detail::from_host(bytes.data(), dtype_of<T>, shape, where));
  }
}

/// An array from nested lists, as in NumPy: `asarray({1, 2, 3})`,
/// `asarray({{1.0, 2.0}, {3.0, 4.0}})`. Throws shape_error if rows differ in length.
template <scalar V>
array<V> asarray(std::initializer_list<V> values, location where = location::current()) {
  return array<V>(values, where);
}
template <scalar V>
array<V> asarray(std::initializer_list<std::initializer_list<V>> rows,
                 location where = location::current()) {
  return array<V>(rows, where);
}

/// An array of one value, of shape (). `asarray(2.5f)`
template <scalar V>
auto asarray(V value, location where = location::current()) {
  return full<V>({}, value, where);
}

/// x itself; an expression is recorded.
template <detail::expression X>
auto asarray(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(detail::to_any(std::forward<X>(x), where), where);
}

}  // namespace sinter
