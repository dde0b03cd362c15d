#pragma once
// NumPy's smaller tools: differences, polynomials, windows, choices. All are lazy and composed of
// functions of the other headers, so they fuse like those.

#include <memory>
#include <optional>
#include <vector>

#include <sinter/creation.hpp>
#include <sinter/joining.hpp>
#include <sinter/operators.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/scatter.hpp>
#include <sinter/statistics.hpp>

namespace sinter {

namespace detail {

any_array round_to(const any_array& x, int decimals, location where);
any_array gcd(const any_array& a, const any_array& b, location where);
any_array lcm(const any_array& a, const any_array& b, location where);
any_array i0(const any_array& x, location where = location::current());
any_array kaiser(dtype type, std::int64_t count, double beta, location where);

template <class A, class B>
inline constexpr dtype integers_of =
    decltype(sinter::bitwise_or(std::declval<A>(), std::declval<B>()))::value;

any_array ediff1d(const any_array& x, location where = location::current());
any_array polyval(const any_array& p, const any_array& x, location where = location::current());
any_array sinc(const any_array& x, location where = location::current());
any_array heaviside(const any_array& x, const any_array& at_zero,
                    location where = location::current());
any_array logaddexp2(const any_array& a, const any_array& b,
                     location where = location::current());
any_array is_infinity(const any_array& x, bool positive, location where);
any_array select(const std::vector<array<bool>>& conditions, std::span<const any_array> choices,
                 const any_array& otherwise, location where);
any_array choose(const any_array& index, std::span<const any_array> choices, dtype type,
                 location where);
enum class window : std::uint8_t { bartlett, blackman, hamming, hanning };
any_array make_window(window kind, dtype type, std::int64_t count, location where);

template <class A, class B>
using promoted_array = array<element_of<promote(dtype_of_argument<A>, dtype_of_argument<B>)>>;
template <class A, class B>
using inexact_array =
    array<element_of<inexact_of(promote(dtype_of_argument<A>, dtype_of_argument<B>))>>;
/// An array recorded once for all its uses; a number unchanged.
template <class A> auto kept(A&& a, location where) {
  if constexpr (expression<A>) return array<value_of<A>>(to_any(std::forward<A>(a), where));
  else return a;
}

/// The value of a piecewise function on an interval: a number, or a function of x. (std::function
/// would cost every user of the library 20 MB of compiler memory.)
template <element T> class piece {
 public:
  template <scalar V>
  piece(V value)
      : piece([v = static_cast<T>(value)](const array<T>& x) {
          return sinter::full<T>(x.shape(), v);
        }) {}
  template <std::invocable<const array<T>&> F>
  piece(F f) : f_(std::make_shared<function_of<F>>(std::move(f))) {}
  array<T> operator()(const array<T>& x) const { return f_->call(x); }

 private:
  struct function {
    virtual ~function() = default;
    virtual array<T> call(const array<T>&) const = 0;
  };
  template <class F> struct function_of final : function {
    explicit function_of(F given) : f(std::move(given)) {}
    array<T> call(const array<T>& x) const override { return array<T>(f(x)); }
    F f;
  };

  std::shared_ptr<const function> f_;
};
any_array piecewise(const any_array& x, std::span<const any_array> conditions,
                    std::span<const any_array> pieces, location where);

/// The common promoted dtype of arrays, expressions and (weak) numbers.
template <class... X>
inline constexpr dtype meeting_of =
    promoted<ir::op::add, decltype(as_operand(std::declval<const X&>()))...>();

template <dtype D, class V>
auto selected(const std::vector<array<bool>>& conditions, std::span<const any_array> choices,
              const V& otherwise, location where) {
  return array<element_of<D>>(
      detail::select(conditions, choices, value_as<D>(otherwise, where), where));
}

template <class T>
concept real_float = element<T> && is_real(dtype_of<T>);

}  // namespace detail

using detail::ediff1d;
using detail::heaviside;
using detail::logaddexp2;
using detail::polyval;
using detail::sinc;

/// Appends b to a along an axis; by default both are flattened. Throws shape_error, axis_error.
/// `append(a, b, {.axis = 0})`
template <element T>
array<T> append(const array<T>& a, const array<T>& b,
                const concatenate_options& options = {.axis = std::nullopt},
                location where = location::current()) {
  return concatenate({a, b}, options, where);
}
/// The same for expressions, numbers and two dtypes, which promote: `append(a, b + 1)`
template <detail::expression A, detail::operand B>
auto append(A&& a, B&& b, const concatenate_options& options = {.axis = std::nullopt},
            location where = location::current()) {
  using T = element_of<detail::meeting_of<std::remove_cvref_t<A>, std::remove_cvref_t<B>>>;
  const array<T> one(detail::value_as<dtype_of<T>>(std::forward<A>(a), where));
  const array<T> other(detail::value_as<dtype_of<T>>(std::forward<B>(b), where));
  return concatenate({one, other}, options, where);
}

/// Rounds x to `decimals` digits after the decimal point; negative ones round to tens, hundreds and
/// so on. Halves round to even as in NumPy: by a product, a rounding and a quotient. dtype: that of
/// x. Throws nothing. `round(x, 2)`
template <detail::expression X>
auto round(X&& x, int decimals, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::round_to(detail::to_any(std::forward<X>(x), where), decimals, where));
}

/// NumPy's other name of `round`. `around(x, 2)`
template <detail::expression X>
auto around(X&& x, int decimals = 0, location where = location::current()) {
  return sinter::round(std::forward<X>(x), decimals, where);
}

struct angle_options {
  bool deg = false;  // degrees, not radians
};

/// The argument of complex numbers, in radians or degrees. Throws nothing.
/// `angle(z, {.deg = true})`
template <detail::expression X>
auto angle(X&& x, const angle_options& options, location where = location::current()) {
  const auto radians = angle(std::forward<X>(x)).to_array(where);
  return options.deg ? degrees(radians).to_array(where) : radians;
}

/// The greatest common divisor, nonnegative; 0 for 0 and 0. By Euclid's algorithm, in one kernel.
/// dtype: the promotion of both, integers. Throws shape_error. `gcd(a, b)`
template <detail::operand A, detail::operand B>
  requires(detail::expression<A> || detail::expression<B>)
auto gcd(A&& a, B&& b, location where = location::current()) {
  constexpr dtype t = detail::integers_of<A, B>;
  return array<element_of<t>>(
      detail::gcd(detail::value_as<t>(a, where), detail::value_as<t>(b, where), where));
}

/// The least common multiple, nonnegative; 0 if either is 0. Throws shape_error. `lcm(a, b)`
template <detail::operand A, detail::operand B>
  requires(detail::expression<A> || detail::expression<B>)
auto lcm(A&& a, B&& b, location where = location::current()) {
  constexpr dtype t = detail::integers_of<A, B>;
  return array<element_of<t>>(
      detail::lcm(detail::value_as<t>(a, where), detail::value_as<t>(b, where), where));
}

/// The modified Bessel function of order 0, computed as in NumPy (Clenshaw, 1962). dtype: double.
/// Throws dtype_error for complex numbers. `i0(x)`
template <detail::ordered X>
auto i0(X&& x, location where = location::current()) {
  return array<double>(detail::i0(detail::to_any(std::forward<X>(x), where), where));
}

/// The differences of neighbours in the flattened x. Throws nothing. `ediff1d(x)`
template <detail::expression X>
auto ediff1d(X&& x, location where = location::current()) {
  return array<detail::value_of<X>>(
      detail::ediff1d(detail::to_any(std::forward<X>(x), where), where));
}

/// The value at x of the polynomial with coefficients p, highest power first: the shape of x.
/// dtype: the promotion of both. Throws shape_error unless p is a vector.
/// `polyval({1, 0, -2}, x)`
template <detail::expression X, detail::expression P = detail::list_beside<X>>
auto polyval(P&& p, X&& x, location where = location::current()) {
  return detail::promoted_array<P, X>(detail::polyval(detail::to_any(std::forward<P>(p), where),
                                                      detail::to_any(std::forward<X>(x), where),
                                                      where));
}

/// The same at a single point: shape (). `double(polyval(p, 2.0))`
template <detail::expression P, scalar S>
auto polyval(P&& p, S x, location where = location::current()) {
  return polyval(std::forward<P>(p), detail::list_beside<P>(x), where);
}

/// sin(pi x) / (pi x), and 1 at 0. dtype: a float, double for integers. Throws nothing. `sinc(x)`
template <detail::ordered X>
auto sinc(X&& x, location where = location::current()) {
  return detail::mean_of<X>(detail::sinc(detail::to_any(std::forward<X>(x), where), where));
}

/// The step function: 0 for x < 0, 1 for x > 0, `at_zero` for x = 0; NaN stays NaN. dtype: the
/// promotion of both, a float. Throws shape_error. `heaviside(x, asarray(0.5f))`
template <detail::ordered X, detail::ordered H>
auto heaviside(X&& x, H&& at_zero, location where = location::current()) {
  return detail::inexact_array<X, H>(
      detail::heaviside(detail::to_any(std::forward<X>(x), where),
                        detail::to_any(std::forward<H>(at_zero), where), where));
}

template <detail::ordered X, class V>
  requires(std::is_arithmetic_v<V>)
auto heaviside(X&& x, V at_zero, location where = location::current()) {
  using T = element_of<inexact_of(detail::dtype_of_argument<X>)>;
  return heaviside(std::forward<X>(x), full({}, static_cast<T>(at_zero)), where);
}

/// log2(2^a + 2^b) without intermediate overflow. dtype: the promotion of both, a float. Throws
/// shape_error. `logaddexp2(a, b)`
template <detail::ordered A, detail::ordered B>
auto logaddexp2(A&& a, B&& b, location where = location::current()) {
  return detail::inexact_array<A, B>(
      detail::logaddexp2(detail::to_any(std::forward<A>(a), where),
                         detail::to_any(std::forward<B>(b), where), where));
}

/// Whether each element is +infinity. dtype: bool. Throws nothing. `isposinf(x)`
template <detail::ordered X>
auto isposinf(X&& x, location where = location::current()) {
  return array<bool>(detail::is_infinity(detail::to_any(std::forward<X>(x), where), true, where));
}

/// Whether each element is -infinity. dtype: bool. Throws nothing. `isneginf(x)`
template <detail::ordered X>
auto isneginf(X&& x, location where = location::current()) {
  return array<bool>(detail::is_infinity(detail::to_any(std::forward<X>(x), where), false, where));
}

/// Picks for each element the first choice whose condition holds, else `otherwise` (an array or a
/// number, by default 0); all broadcast. dtype: the promotion of the choices and `otherwise`.
/// Throws shape_error, value_error unless there are as many choices as conditions.
/// `select({x < 0, x > 1}, {y, x}, 0)`
template <element T, detail::operand D = bool>
auto select(const std::vector<array<bool>>& conditions, const std::vector<array<T>>& choices,
            const D& otherwise = D(), location where = location::current()) {
  const std::vector<any_array> all(choices.begin(), choices.end());
  return detail::selected<detail::meeting_of<array<T>, D>>(conditions, all, otherwise, where);
}
template <element T, detail::operand D = bool>
auto select(const std::vector<array<bool>>& conditions, std::initializer_list<array<T>> choices,
            const D& otherwise = D(), location where = location::current()) {
  return select(conditions, std::vector(choices), otherwise, where);
}
/// The same for numbers only, with their C++ common type: `select({x < 0, x > 1}, {1, 4}, 0)`
template <scalar V, scalar D = V>
auto select(const std::vector<array<bool>>& conditions, std::initializer_list<V> choices,
            D otherwise = D(), location where = location::current()) {
  using T = std::common_type_t<V, D>;
  std::vector<any_array> all;
  for (const V v : choices) all.push_back(detail::value_as<dtype_of<T>>(v, where));
  return detail::selected<dtype_of<T>>(conditions, all, otherwise, where);
}
/// The same for expressions and numbers: `select({x < 0, x > 1}, std::tuple(-x, y, 1), 0)`
template <detail::operand... X, detail::operand D = bool>
  requires(detail::expression<X> || ...)
auto select(const std::vector<array<bool>>& conditions, const std::tuple<X...>& choices,
            const D& otherwise = D(), location where = location::current()) {
  constexpr dtype t = detail::meeting_of<X..., D>;
  const auto list = [&](const X&... x) {
    return std::vector<any_array>{detail::value_as<t>(x, where)...};
  };
  return detail::selected<t>(conditions, std::apply(list, choices), otherwise, where);
}

/// The piecewise function of x: where a condition holds, the number or function of x that belongs
/// to it (the last one if several hold); elsewhere a further piece, or 0. Functions are applied to
/// all of x. dtype: that of x. Throws shape_error, value_error unless there are as many pieces as
/// conditions, or one more. `piecewise(x, {x < 0, x >= 0}, {-1, [](auto v) { return v * v; }})`
template <detail::expression X>
auto piecewise(X&& x, const std::vector<array<bool>>& conditions,
               const std::vector<detail::piece<detail::value_of<X>>>& pieces,
               location where = location::current()) {
  using T = detail::value_of<X>;
  const array<T> all(detail::to_any(std::forward<X>(x), where));
  std::vector<any_array> values;
  for (const auto& p : pieces) values.push_back(p(all));
  const std::vector<any_array> c(conditions.begin(), conditions.end());
  return array<T>(detail::piecewise(all, c, values, where));
}

/// `pow` in double, or in complex128. Throws shape_error. `float_power(array<int>{2, 3}, -1)`
template <detail::operand A, detail::operand B>
  requires(detail::expression<A> || detail::expression<B>)
auto float_power(A&& a, B&& b, location where = location::current()) {
  const auto wide = [&](auto&& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    if constexpr (detail::expression<V>) {
      using W = element_of<promote(dtype_of<typename V::value_type>, dtype::float64)>;
      return array<W>(detail::astype(v.to_array(where), dtype_of<W>, where));
    } else if constexpr (is_complex(dtype_of<V>)) {
      return std::complex<double>(v);
    } else {
      return static_cast<double>(v);
    }
  };
  return pow(wide(std::forward<A>(a)), wide(std::forward<B>(b))).to_array(where);
}

/// Picks for each element the choice with the number `index`, counted from 0; all broadcast. An
/// index out of range takes the nearest choice (NumPy's mode "clip"). Throws shape_error,
/// value_error for no choices. `choose(i, {a, b, c})`
template <detail::expression I, element T>
array<T> choose(I&& index, std::initializer_list<array<T>> choices,
                location where = location::current()) {
  const std::vector<any_array> v(choices.begin(), choices.end());
  return array<T>(
      detail::choose(detail::to_any(std::forward<I>(index), where), v, dtype_of<T>, where));
}

template <detail::expression I, element T>
array<T> choose(I&& index, const std::vector<array<T>>& choices,
                location where = location::current()) {
  const std::vector<any_array> v(choices.begin(), choices.end());
  return array<T>(
      detail::choose(detail::to_any(std::forward<I>(index), where), v, dtype_of<T>, where));
}

/// The fractional and the integral part of x, both with its sign. Throws nothing.
/// `auto [fraction, whole] = modf(x)`
template <detail::ordered X>
auto modf(X&& x, location where = location::current()) {
  using T = element_of<inexact_of(detail::dtype_of_argument<X>)>;
  const array<T> a(detail::astype(detail::to_any(std::forward<X>(x), where), dtype_of<T>, where));
  const array<T> whole(trunc(a), where);
  return std::pair(array<T>(copysign(sinter::where(isinf(a), 0, a - whole), a), where),
                   whole);
}

/// `floor_divide` and `remainder` together; either operand may be a number. Throws shape_error.
/// `auto [quotient, rest] = divmod(a, b)`
template <detail::operand A, detail::operand B>
  requires(detail::expression<A> || detail::expression<B>)
auto divmod(A&& a, B&& b, location where = location::current()) {
  const auto x = detail::kept(std::forward<A>(a), where);
  const auto y = detail::kept(std::forward<B>(b), where);
  const auto q = floor_divide(x, y);
  const auto r = remainder(x, y);
  return std::pair(q.to_array(where), r.to_array(where));
}

/// Window functions of `count` points: shape (count,). Throws value_error for a negative count.
/// `hamming<float>(256)`
template <detail::real_float T = double>
array<T> hamming(std::int64_t count, location where = location::current()) {
  return array<T>(detail::make_window(detail::window::hamming, dtype_of<T>, count, where));
}
template <detail::real_float T = double>
array<T> hanning(std::int64_t count, location where = location::current()) {
  return array<T>(detail::make_window(detail::window::hanning, dtype_of<T>, count, where));
}
template <detail::real_float T = double>
array<T> blackman(std::int64_t count, location where = location::current()) {
  return array<T>(detail::make_window(detail::window::blackman, dtype_of<T>, count, where));
}
template <detail::real_float T = double>
array<T> bartlett(std::int64_t count, location where = location::current()) {
  return array<T>(detail::make_window(detail::window::bartlett, dtype_of<T>, count, where));
}

/// The Kaiser window: a rectangle for beta = 0, steeper for larger beta. Throws as the others.
/// `kaiser<float>(256, 14)`
template <detail::real_float T = double>
array<T> kaiser(std::int64_t count, double beta, location where = location::current()) {
  return array<T>(detail::kaiser(dtype_of<T>, count, beta, where));
}

}  // namespace sinter
