#include <algorithm>
#include <cmath>
#include <numeric>

#include <sinter/convolution.hpp>
#include <sinter/views.hpp>

#include "engine/evaluation/session.hpp"
#include "engine/nodes/axes.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

/// The smallest length of at least n whose transform is fast: 2^a 3^b 5^c 7^d.
std::int64_t fast_length(std::int64_t n) {
  std::int64_t best = 1;
  while (best < n) best *= 2;
  for (std::int64_t seven = 1; seven < best; seven *= 7) {
    for (std::int64_t five = seven; five < best; five *= 5) {
      for (std::int64_t three = five; three < best; three *= 3) {
        std::int64_t length = three;
        while (length < n) length *= 2;
        best = std::min(best, length);
      }
    }
  }
  return best;
}

// Measured on two cores of an AMD EPYC (Zen 5) by bench/fft: sums over windows reach this fraction
// of the machine's nominal float additions per second, transforms (by convention 5 n log2 n
// operations) this one, plus a start-up time of this many launches.
constexpr double direct_efficiency = 0.25;
constexpr double transform_efficiency = 0.06;
constexpr double transform_launches = 12;

/// Are sums over `length` windows of `window` elements faster than three transforms?
bool direct_is_faster(std::int64_t length, std::int64_t window, std::int64_t points, bool complex) {
  const ir::machine& m = the_session().current().machine;
  const double n = static_cast<double>(fast_length(points));
  const double sums = 2.0 * static_cast<double>(length) * static_cast<double>(window);
  const double butterflies = 3 * 5 * n * std::log2(n + 1) / (complex ? 1 : 2);
  const double direct = (complex ? 4 : 1) * sums / (m.arithmetic * direct_efficiency);
  const double moved = 12 * n * (complex ? 16 : 8) / m.bandwidth;
  const double transformed = std::max(butterflies / (m.arithmetic * transform_efficiency), moved);
  return direct <= transformed + transform_launches * m.launch;
}

/// A vector of `count` elements: x from `first` on, zeros outside of x.
any_array window_of(const any_array& x, std::int64_t first, std::int64_t count, location where) {
  const std::int64_t n = x.extents()[0];
  if (first >= 0 && first + count <= n) return make_view(x, {&count, 1}, {first, {1}}, where);
  const any_array zeros =
      make_broadcast(make_scalar({}, x.dtype(), where), {&count, 1}, "convolve", where);
  const std::int64_t begin = std::max<std::int64_t>(first, 0);
  const std::int64_t kept = std::min(n, first + count) - begin;
  const any_array piece = make_view(x, {&kept, 1}, {begin, {1}}, where);
  return make_update(zeros, {begin - first, {1}}, piece, where);
}

/// Elements [first, first + count) of the full convolution, by sums. v is the shorter.
any_array sums(const any_array& a, const any_array& v, std::int64_t first, std::int64_t count,
               dtype type, location where) {
  const std::int64_t m = v.extents()[0];
  const dtype inside = compute_of(type);
  const any_array x = window_of(make_cast(a, inside, where), first - (m - 1), count + m - 1, where);
  const any_array w = make_cast(v, inside, where);
  // Long results are summed across rows, long windows along them: the longer axis comes last.
  const bool columns = count >= m;
  const extents shape = columns ? extents{m, count} : extents{count, m};
  const any_array windows = make_view(x, shape, {0, {1, 1}}, where);
  const any_array weights =
      make_view(w, shape, {m - 1, columns ? extents{-1, 0} : extents{0, -1}}, where);
  const bool logical = is_bool(type);
  const any_array terms =
      make_op(logical ? ir::op::logical_and : ir::op::multiply, {windows, weights}, where);
  const any_array sum = make_reduce(terms, logical ? ir::op::logical_or : ir::op::add, false,
                                    {columns ? 0 : 1}, where);
  return make_cast(sum, type, where);
}

/// The full convolution along some axes, by transforms; at least in float.
any_array by_transforms(const any_array& a, const any_array& v, const std::vector<int>& axes,
                        dtype type, location where) {
  fft::options_nd o;
  extents s, chosen, full;
  for (int axis : axes) {
    const auto d = static_cast<std::size_t>(axis);
    full.push_back(a.extents()[d] + v.extents()[d] - 1);
    s.push_back(fast_length(full.back()));
    chosen.push_back(axis);
  }
  o.s = int_list(s);
  o.axes = axis_list(chosen);
  const bool complex = is_complex(type);
  const auto forward = complex ? fftn : rfftn;
  const auto inverse = complex ? ifftn : irfftn;
  const any_array x = forward(make_cast(a, type, where), o, "fftconvolve", where);
  const any_array y = forward(make_cast(v, type, where), o, "fftconvolve", where);
  const any_array both[] = {x, y};
  const auto shape = broadcast_shape(both, "fftconvolve", where);
  const any_array product = make_op(ir::op::multiply,
                                    {make_broadcast(x, shape, "fftconvolve", where),
                                     make_broadcast(y, shape, "fftconvolve", where)},
                                    where);
  any_array result = inverse(product, o, "fftconvolve", where);
  extents cropped(result.extents().begin(), result.extents().end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    cropped[static_cast<std::size_t>(axes[i])] = full[i];
  }
  return make_view(result, cropped, {0, dense_strides(result.extents())}, where);
}

any_array as_vector(const any_array& x, std::string_view op, location where) {
  const std::size_t ndim = checked(x, op, where).shape.size();
  if (ndim > 1) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      "takes vectors, not shape " + text_of(x.extents()) + ": use fftconvolve",
                      where);
  }
  if (x.size() == 0) fail<value_error>(error_code::bad_argument, op, "an operand is empty", where);
  const std::int64_t one[] = {1};
  return ndim == 0 ? make_reshape(x, one, where) : x;
}

bool use_direct(convolve_method method, dtype type, std::int64_t count, std::int64_t window,
                std::int64_t points, std::string_view op, location where) {
  if (is_inexact(type)) {
    if (method != convolve_method::automatic) return method == convolve_method::direct;
    return direct_is_faster(count, window, points, is_complex(type));
  }
  if (method == convolve_method::fft) {
    fail<dtype_error>(error_code::bad_dtype, op,
                      std::string(name(type)) +
                          " numbers would be rounded by transforms: convert them, or let them be "
                          "summed",
                      where);
  }
  return true;
}

/// `same_from`: where the part that mode `same` returns begins in the full convolution.
any_array convolved(const any_array& a, const any_array& v, convolve_mode mode,
                    convolve_method method, std::int64_t same_from, std::string_view op,
                    location where) {
  const std::int64_t n = a.extents()[0], m = v.extents()[0];
  const std::int64_t longer = std::max(n, m), shorter = std::min(n, m);
  const bool full = mode == convolve_mode::full, same = mode == convolve_mode::same;
  const std::int64_t first = full ? 0 : same ? same_from : shorter - 1;
  const std::int64_t count = full ? n + m - 1 : same ? longer : longer - shorter + 1;
  const dtype type = promote(a.dtype(), v.dtype());
  const std::int64_t result[] = {count};
  check_shape(result, type, op, where);
  if (use_direct(method, type, count, shorter, n + m - 1, op, where)) {
    return n >= m ? sums(a, v, first, count, type, where) : sums(v, a, first, count, type, where);
  }
  const any_array whole = by_transforms(a, v, {0}, transformed_type(type), where);
  return make_cast(make_view(whole, result, {first, {1}}, where), type, where);
}

/// `same` of SciPy has a's extents, `valid` needs one operand to be the larger.
any_array cut(const any_array& full, const any_array& a, const any_array& v,
              const std::vector<int>& axes, convolve_mode mode, location where) {
  if (mode == convolve_mode::full) return full;
  const auto larger = [&](const any_array& x, const any_array& y) {
    return std::ranges::all_of(axes, [&](int d) {
      return x.extents()[static_cast<std::size_t>(d)] >= y.extents()[static_cast<std::size_t>(d)];
    });
  };
  if (mode == convolve_mode::valid && !larger(a, v) && !larger(v, a)) {
    fail<value_error>(error_code::bad_argument, "fftconvolve",
                      "neither of shapes " + text_of(a.extents()) + " and " + text_of(v.extents()) +
                          " is the larger along every axis: valid has no meaning",
                      where);
  }
  extents shape(full.extents().begin(), full.extents().end());
  const extents strides = dense_strides(shape);
  std::int64_t offset = 0;
  for (int axis : axes) {
    const auto d = static_cast<std::size_t>(axis);
    const std::int64_t whole = shape[d], p = a.extents()[d], q = v.extents()[d];
    shape[d] = mode == convolve_mode::same ? p : std::max(p, q) - std::min(p, q) + 1;
    offset += (whole - shape[d]) / 2 * strides[d];
  }
  return make_view(full, shape, {offset, strides}, where);
}

std::vector<int> chosen_axes(const any_array& a, const any_array& v, const axis_list& axes,
                             location where) {
  const int ndim = a.ndim();
  std::vector<int> chosen(static_cast<std::size_t>(ndim));
  std::iota(chosen.begin(), chosen.end(), 0);
  if (!axes.all()) chosen = distinct_axes(axes.values(), ndim, "fftconvolve", where);
  std::ranges::sort(chosen);
  bool fits = v.ndim() == ndim;
  for (std::size_t d = 0; fits && d < static_cast<std::size_t>(ndim); ++d) {
    const std::int64_t p = a.extents()[d], q = v.extents()[d];
    fits = p == q || p == 1 || q == 1 ||
           std::ranges::find(chosen, static_cast<int>(d)) != chosen.end();
  }
  if (!fits) {
    fail<shape_error>(error_code::shape_mismatch, "fftconvolve",
                      "shapes " + text_of(a.extents()) + " and " + text_of(v.extents()) +
                          " do not fit along the axes that are not convolved",
                      where);
  }
  return chosen;
}

}  // namespace

any_array convolve(const any_array& a, const any_array& v, const convolve_options& o,
                   location where) {
  const any_array x = as_vector(a, "convolve", where), y = as_vector(v, "convolve", where);
  const std::int64_t shorter = std::min(x.extents()[0], y.extents()[0]);
  return convolved(x, y, o.mode, o.method, (shorter - 1) / 2, "convolve", where);
}

any_array correlate(const any_array& a, const any_array& v, const correlate_options& o,
                    location where) {
  const any_array x = as_vector(a, "correlate", where);
  any_array y = as_vector(v, "correlate", where);
  if (is_complex(y.dtype())) y = make_op(ir::op::conj, {y}, where);
  const std::int64_t n = x.extents()[0], m = y.extents()[0];
  const std::int64_t same_from = n >= m ? (m - 1) / 2 : n / 2;
  return convolved(x, detail::flip(y, axis_list(), where), o.mode, o.method, same_from, "correlate",
                   where);
}

any_array fftconvolve(const any_array& a, const any_array& v, const fftconvolve_options& o,
                      location where) {
  checked(a, "fftconvolve", where);
  checked(v, "fftconvolve", where);
  const std::vector<int> axes = chosen_axes(a, v, o.axes, where);
  const dtype type = transformed_type(promote(a.dtype(), v.dtype()));
  for (const any_array& x : {a, v}) {
    if (x.size() > 0) continue;
    fail<value_error>(error_code::bad_argument, "fftconvolve",
                      "shape " + text_of(x.extents()) + " is empty", where);
  }
  if (axes.empty()) {
    const any_array both[] = {a, v};
    const auto shape = broadcast_shape(both, "fftconvolve", where);
    return make_op(ir::op::multiply,
                   {make_broadcast(make_cast(a, type, where), shape, "fftconvolve", where),
                    make_broadcast(make_cast(v, type, where), shape, "fftconvolve", where)},
                   where);
  }
  return cut(by_transforms(a, v, axes, type, where), a, v, axes, o.mode, where);
}

}  // namespace sinter::detail
