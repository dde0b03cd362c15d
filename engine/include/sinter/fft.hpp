#pragma once
// Discrete Fourier transforms, like numpy.fft: sn::fft::rfft(x, {.norm = "ortho"}).
//
// All are lazy. cuFFT transforms on the GPU and FFTW on the CPU; both are opened at the first
// transform. Scaling, conjugation, conversion and cropping are pointwise and fuse with producers
// and consumers. For n points along an axis
//
//   forward:  y[k] = f sum over j of x[j] exp(-2 pi i j k / n)
//   inverse:  x[j] = g sum over k of y[k] exp(+2 pi i j k / n)
//
// where `.norm` gives f and g: backward 1 and 1/n, ortho 1/sqrt(n) both, forward 1/n and 1.
//
// dtypes: double, integers and bool are transformed in double and give complex<double>; float and
// halves are transformed in float and give complex<float>.
//
// Every transform takes O(n log n), also for prime n.

#include <concepts>
#include <cstdint>
#include <optional>

#include <sinter/arguments.hpp>

namespace sinter::fft {

enum norm_mode : std::uint8_t { backward, ortho, forward };

struct options {
  /// Points along the axis: a longer axis is cropped, a shorter one padded with zeros at the end.
  /// Default: the axis' extent; 2 (m - 1) for real results from an axis of m.
  std::optional<std::int64_t> n = {};
  std::int64_t axis = -1;
  sinter::detail::worded<norm_mode> norm = backward;
};

struct options_2d {
  int_list s = {};  // points along the axes, -1: the extent; default: the extents
  axis_list axes = {-2, -1};
  sinter::detail::worded<norm_mode> norm = backward;
};

struct options_nd {
  int_list s = {};      // points along the axes, -1: the extent; default: the extents
  axis_list axes = {};  // default: all, or the last ones if there is `s`
  sinter::detail::worded<norm_mode> norm = backward;
};

}  // namespace sinter::fft

namespace sinter {
namespace detail {

template <>
inline constexpr enum_words option_words<fft::norm_mode> = {"norm_mode",
                                                            "backward, ortho, forward"};

constexpr dtype spectrum_of(dtype t) {
  return is_half(t) || t == dtype::float32 || t == dtype::complex64 ? dtype::complex64
                                                                    : dtype::complex128;
}
constexpr dtype signal_of(dtype t) {
  return real_of(spectrum_of(t));
}

any_array fft(const any_array& x, const fft::options& o, location where);
any_array ifft(const any_array& x, const fft::options& o, location where);
any_array rfft(const any_array& x, const fft::options& o, location where);
any_array irfft(const any_array& x, const fft::options& o, location where);
any_array hfft(const any_array& x, const fft::options& o, location where);
any_array ihfft(const any_array& x, const fft::options& o, location where);
any_array fftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where);
any_array ifftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where);
any_array rfftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where);
any_array irfftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where);
any_array fftfreq(std::int64_t n, double d, bool half, dtype type, location where);
any_array fftshift(const any_array& x, const axis_list& axes, bool inverse, location where);

template <class X>
concept real_expression = expression<X> && !is_complex(dtype_of_argument<X>);
template <class X>
concept complex_expression = expression<X> && is_complex(dtype_of_argument<X>);

template <class X> using spectrum = array<element_of<spectrum_of(dtype_of_argument<X>)>>;
template <class X> using signal = array<element_of<signal_of(dtype_of_argument<X>)>>;

}  // namespace detail

namespace fft {

/// The transform along one axis: complex, n points. Throws axis_error; value_error for n < 1, or
/// for an empty axis without `.n`. `fft(x, {.n = 1024, .axis = 0})`
template <sinter::detail::expression X>
auto fft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::fft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array fft(const any_array& x, const options& o = {},
                     location where = location::current()) {
  return sinter::detail::fft(x, o, where);
}

/// The inverse of `fft`: complex, n points. Throws as `fft` does. `ifft(fft(x))`
template <sinter::detail::expression X>
auto ifft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::ifft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array ifft(const any_array& x, const options& o = {},
                      location where = location::current()) {
  return sinter::detail::ifft(x, o, where);
}

/// The first n / 2 + 1 elements of the transform of real x; symmetry determines the others. Throws
/// as `fft` does, and dtype_error for complex x. `rfft(x)`
template <sinter::detail::real_expression X>
auto rfft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::rfft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array rfft(const any_array& x, const options& o = {},
                      location where = location::current()) {
  return sinter::detail::rfft(x, o, where);
}

/// The inverse of `rfft`: real, n points, by default 2 (m - 1) for m elements; set `.n` for an odd
/// number. The imaginary parts of elements 0 and n / 2 are ignored. Throws as `fft` does.
/// `irfft(y, {.n = 15})`
template <sinter::detail::expression X>
auto irfft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::signal<X>(
      sinter::detail::irfft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array irfft(const any_array& x, const options& o = {},
                       location where = location::current()) {
  return sinter::detail::irfft(x, o, where);
}

/// The transform of a signal with Hermitian symmetry, given by its first n / 2 + 1 elements: real,
/// n points, by default 2 (m - 1) for m elements. Throws as `fft` does. `hfft(x)`
template <sinter::detail::expression X>
auto hfft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::signal<X>(
      sinter::detail::hfft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array hfft(const any_array& x, const options& o = {},
                      location where = location::current()) {
  return sinter::detail::hfft(x, o, where);
}

/// The inverse of `hfft`: complex, n / 2 + 1 elements for n points. Throws as `rfft` does.
/// `ihfft(y)`
template <sinter::detail::real_expression X>
auto ihfft(X&& x, const options& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::ihfft(sinter::detail::to_any(std::forward<X>(x), where), o, where));
}
inline any_array ihfft(const any_array& x, const options& o = {},
                       location where = location::current()) {
  return sinter::detail::ihfft(x, o, where);
}

// Deleted because complex input would lose the parts that symmetry makes real.
template <sinter::detail::complex_expression X>
void rfft(X&&, const options& = {}, location = {}) = delete;
template <sinter::detail::complex_expression X>
void ihfft(X&&, const options& = {}, location = {}) = delete;

/// The transform over several axes, scaled by the factor of each. An axis given twice is
/// transformed twice. Throws axis_error; value_error as `fft` does, or if `.s` does not have one
/// number per axis. `fftn(x, {.axes = {0, 2}})`
template <sinter::detail::expression X>
auto fftn(X&& x, const options_nd& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::fftn(sinter::detail::to_any(std::forward<X>(x), where), o, "fftn", where));
}
inline any_array fftn(const any_array& x, const options_nd& o = {},
                      location where = location::current()) {
  return sinter::detail::fftn(x, o, "fftn", where);
}

/// The inverse of `fftn`. Throws as `fftn` does. `ifftn(y, {.s = {16, 16}})`
template <sinter::detail::expression X>
auto ifftn(X&& x, const options_nd& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::ifftn(sinter::detail::to_any(std::forward<X>(x), where), o, "ifftn", where));
}
inline any_array ifftn(const any_array& x, const options_nd& o = {},
                       location where = location::current()) {
  return sinter::detail::ifftn(x, o, "ifftn", where);
}

/// The transform of real x over several axes, with `rfft` along the last of them. Throws as `fftn`
/// does, axis_error for no axes, dtype_error for complex x. `rfftn(x)`
template <sinter::detail::real_expression X>
auto rfftn(X&& x, const options_nd& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(
      sinter::detail::rfftn(sinter::detail::to_any(std::forward<X>(x), where), o, "rfftn", where));
}
inline any_array rfftn(const any_array& x, const options_nd& o = {},
                       location where = location::current()) {
  return sinter::detail::rfftn(x, o, "rfftn", where);
}
template <sinter::detail::complex_expression X>
void rfftn(X&&, const options_nd& = {}, location = {}) = delete;

/// The inverse of `rfftn`: real. The last of the axes has 2 (m - 1) points unless `.s` gives
/// another number. Throws as `rfftn` does. `irfftn(y, {.s = {8, 15}})`
template <sinter::detail::expression X>
auto irfftn(X&& x, const options_nd& o = {}, location where = location::current()) {
  return sinter::detail::signal<X>(sinter::detail::irfftn(
      sinter::detail::to_any(std::forward<X>(x), where), o, "irfftn", where));
}
inline any_array irfftn(const any_array& x, const options_nd& o = {},
                        location where = location::current()) {
  return sinter::detail::irfftn(x, o, "irfftn", where);
}

/// `fftn` over two axes, the last two by default. Throws as `fftn` does. `fft2(image)`
template <sinter::detail::expression X>
auto fft2(X&& x, const options_2d& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(sinter::detail::fftn(
      sinter::detail::to_any(std::forward<X>(x), where), {o.s, o.axes, o.norm}, "fft2", where));
}
inline any_array fft2(const any_array& x, const options_2d& o = {},
                      location where = location::current()) {
  return sinter::detail::fftn(x, {o.s, o.axes, o.norm}, "fft2", where);
}

/// `ifftn` over two axes, the last two by default. Throws as `fftn` does. `ifft2(y)`
template <sinter::detail::expression X>
auto ifft2(X&& x, const options_2d& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(sinter::detail::ifftn(
      sinter::detail::to_any(std::forward<X>(x), where), {o.s, o.axes, o.norm}, "ifft2", where));
}
inline any_array ifft2(const any_array& x, const options_2d& o = {},
                       location where = location::current()) {
  return sinter::detail::ifftn(x, {o.s, o.axes, o.norm}, "ifft2", where);
}

/// `rfftn` over two axes, the last two by default. Throws as `rfftn` does. `rfft2(image)`
template <sinter::detail::real_expression X>
auto rfft2(X&& x, const options_2d& o = {}, location where = location::current()) {
  return sinter::detail::spectrum<X>(sinter::detail::rfftn(
      sinter::detail::to_any(std::forward<X>(x), where), {o.s, o.axes, o.norm}, "rfft2", where));
}
inline any_array rfft2(const any_array& x, const options_2d& o = {},
                       location where = location::current()) {
  return sinter::detail::rfftn(x, {o.s, o.axes, o.norm}, "rfft2", where);
}
template <sinter::detail::complex_expression X>
void rfft2(X&&, const options_2d& = {}, location = {}) = delete;

/// `irfftn` over two axes, the last two by default. Throws as `rfftn` does.
/// `irfft2(y, {.s = {8, 15}})`
template <sinter::detail::expression X>
auto irfft2(X&& x, const options_2d& o = {}, location where = location::current()) {
  return sinter::detail::signal<X>(sinter::detail::irfftn(
      sinter::detail::to_any(std::forward<X>(x), where), {o.s, o.axes, o.norm}, "irfft2", where));
}
inline any_array irfft2(const any_array& x, const options_2d& o = {},
                        location where = location::current()) {
  return sinter::detail::irfftn(x, {o.s, o.axes, o.norm}, "irfft2", where);
}

/// The frequencies of the elements of an n-point `fft` of samples at a distance of `d`, in cycles
/// per unit of d: 0, 1, ..., -2, -1, divided by n d. Throws value_error for n < 1.
/// `fftfreq(8, 0.1)`, `fftfreq<float>(8)`
template <std::floating_point T = double>
array<T> fftfreq(std::int64_t n, double d = 1, location where = location::current()) {
  return array<T>(sinter::detail::fftfreq(n, d, false, dtype_of<T>, where));
}

/// The frequencies of the n / 2 + 1 elements of `rfft`: 0, 1, ..., divided by n d. Throws
/// value_error for n < 1. `rfftfreq(8, 0.1)`
template <std::floating_point T = double>
array<T> rfftfreq(std::int64_t n, double d = 1, location where = location::current()) {
  return array<T>(sinter::detail::fftfreq(n, d, true, dtype_of<T>, where));
}

/// x with the element of frequency 0 moved to the middle of the axes, by default of all. Throws
/// axis_error. `fftshift(fft(x))`
template <sinter::detail::expression X>
auto fftshift(X&& x, const axis_list& axes = {}, location where = location::current()) {
  return array<sinter::detail::value_of<X>>(sinter::detail::fftshift(
      sinter::detail::to_any(std::forward<X>(x), where), axes, false, where));
}
inline any_array fftshift(const any_array& x, const axis_list& axes = {},
                          location where = location::current()) {
  return sinter::detail::fftshift(x, axes, false, where);
}

/// The inverse of `fftshift`; the two differ for odd extents. Throws as `fftshift` does.
/// `ifftshift(fftshift(x))`
template <sinter::detail::expression X>
auto ifftshift(X&& x, const axis_list& axes = {}, location where = location::current()) {
  return array<sinter::detail::value_of<X>>(sinter::detail::fftshift(
      sinter::detail::to_any(std::forward<X>(x), where), axes, true, where));
}
inline any_array ifftshift(const any_array& x, const axis_list& axes = {},
                           location where = location::current()) {
  return sinter::detail::fftshift(x, axes, true, where);
}

}  // namespace fft
}  // namespace sinter
