#pragma once
// Convolution and correlation: by direct sums over windows, in one kernel, or by Fourier
// transforms.
//
// The two methods round differently. A direct sum of m products of floats has an error of up to m
// roundings of its largest terms. A transform has an error of log n roundings of the largest
// results, in every result: small results beside large ones have fewer digits. An infinity or NaN
// affects only the results of its windows in direct sums, but all results of transforms. `.method`
// chooses; the default is the method estimated to be faster. Integers and bool are always summed
// directly, exactly.

#include <sinter/fft.hpp>

namespace sinter {

/// Which part of the result is returned: all positions where the operands overlap (full), the first
/// operand's extent from its middle (same), or only the positions where the shorter operand is
/// covered completely (valid).
enum class convolve_mode : std::uint8_t { full, same, valid };
enum class convolve_method : std::uint8_t { automatic, direct, fft };
namespace detail {
template <>
inline constexpr enum_words option_words<convolve_mode> = {"convolve_mode", "full, same, valid"};
template <>
inline constexpr enum_words option_words<convolve_method> = {"convolve_method",
                                                             "auto, direct, fft"};
}  // namespace detail

struct convolve_options {
  detail::worded<convolve_mode> mode = convolve_mode::full;
  detail::worded<convolve_method> method = convolve_method::automatic;
};

struct correlate_options {
  detail::worded<convolve_mode> mode = convolve_mode::valid;
  detail::worded<convolve_method> method = convolve_method::automatic;
};

struct fftconvolve_options {
  detail::worded<convolve_mode> mode = convolve_mode::full;
  axis_list axes = {};
};

namespace detail {

constexpr dtype transformed_type(dtype t) {
  return is_complex(t) ? spectrum_of(t) : signal_of(t);
}

any_array convolve(const any_array& a, const any_array& v, const convolve_options& o = {},
                   location where = location::current());
any_array correlate(const any_array& a, const any_array& v, const correlate_options& o = {},
                    location where = location::current());
any_array fftconvolve(const any_array& a, const any_array& v, const fftconvolve_options& o = {},
                      location where = location::current());

}  // namespace detail

using detail::convolve;
using detail::correlate;
using detail::fftconvolve;

/// The convolution, the sum over j of a[k - j] v[j], of vectors of n and m elements: n + m - 1
/// elements (full), max(n, m) (same), or max - min + 1 (valid). dtype: the promotion of both.
/// Throws shape_error for more than one dimension, value_error for an empty operand, dtype_error
/// for integers with `.method = fft`. `convolve(signal, taps, {.mode = "same"})`,
/// `convolve(signal, {1, 2, 1})`
template <detail::expression A, detail::expression V = detail::list_beside<A>>
auto convolve(A&& a, V&& v, const convolve_options& o = {}, location where = location::current()) {
  using R = element_of<promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<V>)>;
  return array<R>(detail::convolve(detail::to_any(std::forward<A>(a), where),
                                   detail::to_any(std::forward<V>(v), where), o, where));
}

/// The cross-correlation, the sum over j of a[k + j] conj(v[j]), of vectors of n and m elements; by
/// default the max - min + 1 positions where the shorter one is covered (valid). dtype and errors
/// as for `convolve`. `correlate(signal, pattern)`
template <detail::expression A, detail::expression V = detail::list_beside<A>>
auto correlate(A&& a, V&& v, const correlate_options& o = {},
               location where = location::current()) {
  using R = element_of<promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<V>)>;
  return array<R>(detail::correlate(detail::to_any(std::forward<A>(a), where),
                                    detail::to_any(std::forward<V>(v), where), o, where));
}

/// SciPy's convolution by transforms along several axes, by default all. a and v have as many axes;
/// the remaining axes broadcast. `same` has a's extents; `valid` needs one operand to be the larger
/// along every axis. dtype: double for integers and bool, float for halves, else the promotion of
/// both. Throws shape_error, axis_error, value_error. `fftconvolve(image, blur, {.mode = "same"})`
template <detail::expression A, detail::expression V = detail::list_beside<A>>
auto fftconvolve(A&& a, V&& v, const fftconvolve_options& o = {},
                 location where = location::current()) {
  constexpr dtype t = promote(detail::dtype_of_argument<A>, detail::dtype_of_argument<V>);
  using R = element_of<detail::transformed_type(t)>;
  return array<R>(detail::fftconvolve(detail::to_any(std::forward<A>(a), where),
                                      detail::to_any(std::forward<V>(v), where), o, where));
}

/// The mode as a plain argument, as with `{.mode = mode}`; the errors are the same.
/// `convolve(a, v, "same")`
template <detail::expression A, detail::expression V = detail::list_beside<A>,
          detail::word_for<convolve_mode> M>
auto convolve(A&& a, V&& v, M mode, location where = location::current()) {
  return convolve(std::forward<A>(a), std::forward<V>(v), convolve_options{.mode = {mode, where}},
                  where);
}
template <detail::expression A, detail::expression V = detail::list_beside<A>,
          detail::word_for<convolve_mode> M>
auto correlate(A&& a, V&& v, M mode, location where = location::current()) {
  return correlate(std::forward<A>(a), std::forward<V>(v), correlate_options{.mode = {mode, where}},
                   where);
}
template <detail::expression A, detail::expression V = detail::list_beside<A>,
          detail::word_for<convolve_mode> M>
auto fftconvolve(A&& a, V&& v, M mode, location where = location::current()) {
  return fftconvolve(std::forward<A>(a), std::forward<V>(v),
                     fftconvolve_options{.mode = {mode, where}}, where);
}

}  // namespace sinter
