#include <algorithm>
#include <cmath>
#include <numeric>

#include <sinter/creation.hpp>
#include <sinter/fft.hpp>
#include <sinter/joining.hpp>
#include <sinter/linalg.hpp>
#include <sinter/operators.hpp>
#include <sinter/views.hpp>

#include "engine/evaluation/session.hpp"
#include "engine/fourier/fourier.hpp"
#include "engine/nodes/axes.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

/// The scale factor of a transform of n points.
double factor(fft::norm_mode norm, bool inverse, double n, std::string_view op, location where) {
  if (norm == fft::ortho) return 1 / std::sqrt(n);
  if (norm == fft::backward) return inverse ? 1 / n : 1;
  if (norm == fft::forward) return inverse ? 1 : 1 / n;
  fail<value_error>(error_code::bad_argument, op,
                    "norm mode " + std::to_string(static_cast<int>(norm)) +
                        " is none of backward, ortho and forward",
                    where);
}

/// The type of a transform of x. There is no complex type of halves, and a sum of more than 65,504
/// ones does not fit in a half, so halves are transformed in float. Warns once.
dtype transformed_as(const any_array& x) {
  if (is_half(x.dtype())) {
    the_session().said.say("[fft] " + std::string(name(x.dtype())) +
                           " is transformed in float32: its spectrum is complex64");
  }
  return spectrum_of(x.dtype());
}

/// Did the caller ask for transforms in half precision?
bool in_halves(const any_array& x) {
  return is_half(x.dtype()) && thread_precision().fft == fft_mode::half;
}

/// All n elements of the transform of n real numbers, from the first n / 2 + 1.
any_array whole_spectrum(const any_array& s, int axis, std::int64_t n, location where) {
  const std::int64_t mirrored = n - n / 2 - 1;
  if (mirrored == 0) return s;
  const auto d = static_cast<std::size_t>(axis);
  std::vector<std::int64_t> shape(s.extents().begin(), s.extents().end());
  element_map backwards{0, dense_strides(shape)};
  backwards.offset = mirrored * backwards.strides[d];
  backwards.strides[d] = -backwards.strides[d];
  shape[d] = mirrored;
  const any_array tail =
      make_op(ir::op::conj, {make_view(s, shape, std::move(backwards), where)}, where);
  const any_array pieces[] = {s, tail};
  return concatenate(pieces, axis, "fft", where);
}

void refuse_complex(const any_array& x, std::string_view op, location where) {
  if (!is_complex(x.dtype())) return;
  fail<dtype_error>(
      error_code::bad_dtype, op,
      "takes real numbers, not " + std::string(name(x.dtype())) + ": use fft, or real(x)", where);
}

/// The points of a transform along an axis. `from`: the caller's argument.
std::int64_t points(const any_array& x, int axis, std::optional<std::int64_t> from, bool doubled,
                    std::string_view op, location where) {
  const std::int64_t extent = x.extents()[static_cast<std::size_t>(axis)];
  const std::int64_t n = from ? *from : doubled ? 2 * (extent - 1) : extent;
  if (n >= 1) return n;
  const std::string what = "transforms at least 1 point, not " + std::to_string(n) +
                           ", along axis " + std::to_string(axis) + " of shape " +
                           text_of(x.extents());
  fail<value_error>(error_code::bad_argument, op,
                    from ? what : what + ": say how many with .n or .s", where);
}

/// The properties that distinguish the six transforms.
struct request {
  std::string_view op;
  ir::fourier_kind kind;
  bool inverse;            // for the factor, and for complex transforms
  bool conjugate = false;  // the input of complex-to-real, the output of real-to-complex
};

any_array transform(const any_array& given, const request& r, const fft::options& o,
                    location where) {
  checked(given, r.op, where);
  const int axis = normalize_axis(o.axis, given.ndim(), r.op, where);
  const bool from_real = r.kind == ir::fourier_kind::real_to_complex;
  const bool to_real = r.kind == ir::fourier_kind::complex_to_real;
  if (from_real) refuse_complex(given, r.op, where);
  const std::int64_t n = points(given, axis, o.n, to_real, r.op, where);
  const double f = factor(o.norm, r.inverse, static_cast<double>(n), r.op, where);
  const bool halves = !to_real && in_halves(given);
  const dtype type = halves ? spectrum_of(given.dtype()) : transformed_as(given);
  any_array x = halves ? given : make_cast(given, from_real ? real_of(type) : type, where);
  x = fit(x, axis, to_real ? n / 2 + 1 : n, where);
  if (r.conjugate && to_real) x = make_op(ir::op::conj, {x}, where);
  if (from_real) {
    x = transform_from_real(x, {axis}, axis, where);
  } else if (to_real) {
    x = transform_to_real(x, axis, n, where);
  } else if (halves) {
    x = whole_spectrum(transform_from_real(x, {axis}, axis, where), axis, n, where);
    if (r.inverse) x = make_op(ir::op::conj, {x}, where);
  } else {
    x = transform_complex(x, {axis}, r.inverse, where);
  }
  if (r.conjugate && from_real) x = make_op(ir::op::conj, {x}, where);
  return scaled(x, f, where);
}

/// Axes and points of a transform over several axes.
struct request_nd {
  std::string_view op;
  std::vector<int> axes;  // in the caller's order
  std::vector<std::int64_t> n;
  double factor = 1;
};

std::vector<int> chosen_axes(const any_array& x, const fft::options_nd& o, std::string_view op,
                             location where) {
  std::vector<int> axes;
  const auto given = o.axes.values();
  if (!o.axes.all()) {
    for (std::int64_t a : given) axes.push_back(normalize_axis(a, x.ndim(), op, where));
    if (!o.s.empty() && o.s.size() != axes.size()) {
      fail<value_error>(error_code::bad_argument, op,
                        std::to_string(o.s.size()) + " numbers of points for " +
                            std::to_string(axes.size()) + " axes",
                        where);
    }
    return axes;
  }
  const int count = o.s.empty() ? x.ndim() : static_cast<int>(o.s.size());
  if (count > x.ndim()) {
    fail<value_error>(
        error_code::bad_argument, op,
        std::to_string(count) + " numbers of points for shape " + text_of(x.extents()), where);
  }
  axes.resize(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), x.ndim() - count);
  return axes;
}

/// `doubled`: is the last axis stored with half its points?
request_nd resolve(const any_array& x, const fft::options_nd& o, bool inverse, bool real,
                   bool doubled, std::string_view op, location where) {
  checked(x, op, where);
  request_nd r{op, chosen_axes(x, o, op, where), {}};
  if (real && r.axes.empty()) {
    fail<axis_error>(error_code::bad_axis, op, "needs at least one axis", where);
  }
  for (std::size_t i = 0; i < r.axes.size(); ++i) {
    const bool last = i + 1 == r.axes.size();
    std::optional<std::int64_t> n;
    if (!o.s.empty()) n = o.s[i] == -1 ? x.extents()[static_cast<std::size_t>(r.axes[i])] : o.s[i];
    r.n.push_back(points(x, r.axes[i], n, last && doubled, op, where));
    r.factor *= factor(o.norm, inverse, static_cast<double>(r.n.back()), op, where);
  }
  return r;
}

bool distinct(std::vector<int> axes) {
  std::ranges::sort(axes);
  return std::ranges::adjacent_find(axes) == axes.end();
}

/// Transforms the complex axes [0, count): all at once, or, if an axis is repeated, one after
/// another from last to first.
any_array complex_axes(any_array x, const request_nd& r, std::size_t count, bool inverse,
                       location where) {
  const std::vector<int> axes(r.axes.begin(), r.axes.begin() + static_cast<std::ptrdiff_t>(count));
  if (distinct(axes)) {
    for (std::size_t i = 0; i < count; ++i) x = fit(x, axes[i], r.n[i], where);
    return transform_complex(x, axes, inverse, where);
  }
  for (std::size_t i = count; i-- > 0;) {
    x = transform_complex(fit(x, axes[i], r.n[i], where), {axes[i]}, inverse, where);
  }
  return x;
}

any_array transform_nd(const any_array& given, const fft::options_nd& o, bool inverse,
                       std::string_view op, location where) {
  const request_nd r = resolve(given, o, inverse, false, false, op, where);
  const any_array x = make_cast(given, transformed_as(given), where);
  return scaled(complex_axes(x, r, r.axes.size(), inverse, where), r.factor, where);
}

/// x rolled up by `by` along an axis.
any_array rolled(const any_array& x, std::size_t axis, std::int64_t by, location where) {
  const std::int64_t n = x.extents()[axis];
  if (n < 2 || x.size() == 0) return x;
  std::vector<std::int64_t> shape(x.extents().begin(), x.extents().end());
  if (2 * by == n) {  // swaps two halves: a view
    std::vector<std::int64_t> halves = shape;
    halves[axis] = 2;
    halves.insert(halves.begin() + static_cast<std::ptrdiff_t>(axis) + 1, by);
    const axis_list which(static_cast<std::int64_t>(axis));
    return make_reshape(detail::flip(make_reshape(x, halves, where), which, where), shape, where);
  }
  return roll(x, {&by, 1}, static_cast<std::int64_t>(axis), where);
}

}  // namespace

any_array fft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"fft", ir::fourier_kind::complex, false}, o, where);
}
any_array ifft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"ifft", ir::fourier_kind::complex, true}, o, where);
}
any_array rfft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"rfft", ir::fourier_kind::real_to_complex, false}, o, where);
}
any_array irfft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"irfft", ir::fourier_kind::complex_to_real, true}, o, where);
}
// A forward transform is the library's inverse of the conjugate, and vice versa.
any_array hfft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"hfft", ir::fourier_kind::complex_to_real, false, true}, o, where);
}
any_array ihfft(const any_array& x, const fft::options& o, location where) {
  return transform(x, {"ihfft", ir::fourier_kind::real_to_complex, true, true}, o, where);
}

any_array fftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where) {
  return transform_nd(x, o, false, op, where);
}
any_array ifftn(const any_array& x, const fft::options_nd& o, std::string_view op, location where) {
  return transform_nd(x, o, true, op, where);
}

any_array rfftn(const any_array& given, const fft::options_nd& o, std::string_view op,
                location where) {
  checked(given, op, where);
  refuse_complex(given, op, where);
  const request_nd r = resolve(given, o, false, true, false, op, where);
  const std::size_t others = r.axes.size() - 1;
  any_array x = in_halves(given) ? given : make_cast(given, signal_of(given.dtype()), where);
  x = fit(x, r.axes.back(), r.n.back(), where);
  if (distinct(r.axes)) {
    for (std::size_t i = 0; i < others; ++i) x = fit(x, r.axes[i], r.n[i], where);
    return scaled(transform_from_real(x, r.axes, r.axes.back(), where), r.factor, where);
  }
  x = transform_from_real(x, {r.axes.back()}, r.axes.back(), where);
  return scaled(complex_axes(x, r, others, false, where), r.factor, where);
}

any_array irfftn(const any_array& given, const fft::options_nd& o, std::string_view op,
                 location where) {
  const request_nd r = resolve(given, o, true, true, true, op, where);
  any_array x = make_cast(given, transformed_as(given), where);
  // Cropped before the other axes are transformed, which saves transforms.
  const std::int64_t n = r.n.back();
  x = fit(x, r.axes.back(), n / 2 + 1, where);
  x = complex_axes(x, r, r.axes.size() - 1, true, where);
  x = fit(x, r.axes.back(), n / 2 + 1, where);
  return scaled(transform_to_real(x, r.axes.back(), n, where), r.factor, where);
}

any_array fftfreq(std::int64_t n, double d, bool half, dtype type, location where) {
  if (n < 1) {
    fail<value_error>(error_code::bad_argument, half ? "rfftfreq" : "fftfreq",
                      "needs at least 1 point, not " + std::to_string(n), where);
  }
  const double step = 1 / (static_cast<double>(n) * d);
  const array<std::int64_t> i = arange<std::int64_t>(half ? n / 2 + 1 : n, where);
  const array<std::int64_t> at = half ? i : sinter::where(i < (n + 1) / 2, i, i - n);
  return make_cast(array<double>(astype<double>(at) * step), type, where);
}

any_array fftshift(const any_array& x, const axis_list& axes, bool inverse, location where) {
  const std::string_view op = inverse ? "ifftshift" : "fftshift";
  checked(x, op, where);
  std::vector<std::int64_t> all(static_cast<std::size_t>(x.ndim()));
  std::iota(all.begin(), all.end(), 0);
  any_array result = x;
  for (std::int64_t a : axes.all() ? shape_view(all) : axes.values()) {
    const auto axis = static_cast<std::size_t>(normalize_axis(a, x.ndim(), op, where));
    const std::int64_t n = x.extents()[axis];
    result = rolled(result, axis, inverse ? n - n / 2 : n / 2, where);
  }
  return result;
}

}  // namespace sinter::detail
