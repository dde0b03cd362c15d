#include "engine/fourier/fourier.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <sinter/fft.hpp>
#include <sinter/joining.hpp>
#include <sinter/views.hpp>

#include "engine/evaluation/session.hpp"

namespace sinter::detail {
namespace {

using extents = std::vector<std::int64_t>;

extents shape_of(const any_array& x) {
  return {x.extents().begin(), x.extents().end()};
}

std::int64_t product(const extents& shape, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= shape[d];
  return n;
}

/// The most axes of one library call.
constexpr int most_axes = 3;
/// On a GPU each block of strided transforms is a launch; with more blocks than this a transposing
/// copy is cheaper.
constexpr std::int64_t most_blocks = 8;

/// Adjacent axes [first, last).
struct axis_run {
  std::size_t first;
  std::size_t last;
};

ir::fourier_attributes whole(ir::fourier_kind kind, bool inverse, std::int64_t n) {
  ir::fourier_attributes a;
  a.kind = kind;
  a.inverse = inverse;
  a.length = n;
  return a;
}

/// One call over adjacent axes.
any_array call(const any_array& x, ir::fourier_attributes a, axis_run run, dtype type,
               location where) {
  a.first = run.first;
  a.last = run.last;
  extents result = shape_of(x);
  result[run.last - 1] = a.from_real() ? a.length / 2 + 1 : a.length;
  return make_call("fft", {x}, type, result, where, a.pack());
}

/// The axes of x, permuted so that `run` comes last.
std::vector<std::int64_t> run_last(std::size_t ndim, axis_run run) {
  std::vector<std::int64_t> order;
  for (std::size_t d = 0; d < ndim; ++d) {
    if (d < run.first || d >= run.last) order.push_back(static_cast<std::int64_t>(d));
  }
  for (std::size_t d = run.first; d < run.last; ++d) {
    order.push_back(static_cast<std::int64_t>(d));
  }
  return order;
}

any_array undone(const any_array& x, const std::vector<std::int64_t>& order, location where) {
  std::vector<std::int64_t> back(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) {
    back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
  }
  return permute(x, back, "fft", where);
}

/// A call that moves its axes last if that layout is faster or the only one supported.
any_array call_where_it_is_best(const any_array& x, axis_run run, const ir::fourier_attributes& a,
                                dtype type, location where) {
  const extents shape = shape_of(x);
  const std::int64_t blocks = product(shape, 0, run.first);
  const bool strided = product(shape, run.last, shape.size()) > 1;
  const bool real = a.kind != ir::fourier_kind::complex;
  const bool costly = on_gpu() && blocks > (real ? 1 : most_blocks);
  const bool halves = a.halves != ir::half_transform::none;  // supported only for dense rows
  if (!strided || !(costly || halves)) return call(x, a, run, type, where);
  const auto order = run_last(shape.size(), run);
  const std::size_t count = run.last - run.first;
  const axis_run last{shape.size() - count, shape.size()};
  return undone(call(permute(x, order, "fft", where), a, last, type, where), order, where);
}

/// Splits ascending axes into runs of at most three; an axis of extent 1 between two is skipped.
std::vector<axis_run> runs_of(const any_array& x, const std::vector<int>& axes) {
  std::vector<axis_run> runs;
  int count = 0;
  for (int axis : axes) {
    const auto d = static_cast<std::size_t>(axis);
    const bool joins =
        !runs.empty() && count < most_axes && product(shape_of(x), runs.back().last, d) == 1;
    if (joins) {
      runs.back().last = d + 1;
      ++count;
    } else {
      runs.push_back({d, d + 1});
      count = 1;
    }
  }
  return runs;
}

void drop_unit_axes(const any_array& x, std::vector<int>& axes) {
  std::erase_if(axes, [&](int a) { return x.extents()[static_cast<std::size_t>(a)] == 1; });
  std::ranges::sort(axes);
}

}  // namespace

any_array fit(const any_array& x, int axis, std::int64_t count, location where) {
  extents shape = shape_of(x);
  std::int64_t& extent = shape[static_cast<std::size_t>(axis)];
  if (extent == count) return x;
  if (extent < count) {
    std::vector<pad_width> widths(shape.size());
    widths[static_cast<std::size_t>(axis)].after = count - extent;
    return pad(x, widths, {}, where);
  }
  extent = count;
  return make_view(x, shape, {0, dense_strides(x.extents())}, where);
}

any_array scaled(const any_array& x, double factor, location where) {
  if (factor == 1) return x;
  scalar_word w{};
  const bool narrow = real_of(x.dtype()) == dtype::float32;
  w.bits[0] = narrow ? std::bit_cast<std::uint32_t>(static_cast<float>(factor))
                     : std::bit_cast<std::uint64_t>(factor);
  const any_array f = make_scalar(w, x.dtype(), where);
  return make_op(ir::op::multiply, {x, make_broadcast(f, x.extents(), "fft", where)}, where);
}

any_array transform_complex(const any_array& x, std::vector<int> axes, bool inverse,
                            location where) {
  drop_unit_axes(x, axes);
  any_array y = x;
  for (const axis_run& run : runs_of(x, axes)) {
    const std::int64_t n = x.extents()[run.last - 1];
    y = call_where_it_is_best(y, run, whole(ir::fourier_kind::complex, inverse, n), x.dtype(),
                              where);
  }
  return y;
}

any_array transform_from_real(const any_array& x, std::vector<int> axes, int halved,
                              location where) {
  const dtype type = spectrum_of(x.dtype());
  const std::int64_t n = x.extents()[static_cast<std::size_t>(halved)];
  std::erase(axes, halved);
  drop_unit_axes(x, axes);
  if (n == 1) return transform_complex(make_cast(x, type, where), axes, false, where);
  // The adjacent axes before the halved one are part of the same call.
  const auto last = static_cast<std::size_t>(halved);
  axis_run run{last, last + 1};
  for (int count = 1; count < most_axes && !axes.empty() && axes.back() < halved; ++count) {
    const auto before = static_cast<std::size_t>(axes.back());
    if (product(shape_of(x), before + 1, run.first) != 1) break;
    run.first = before;
    axes.pop_back();
  }
  ir::fourier_attributes a = whole(ir::fourier_kind::real_to_complex, false, n);
  if (is_half(x.dtype())) a.halves = ir::half_transform::asked;
  const any_array y = call_where_it_is_best(x, run, a, type, where);
  return transform_complex(y, axes, false, where);
}

any_array transform_to_real(const any_array& x, int axis, std::int64_t n, location where) {
  if (n == 1) return make_op(ir::op::real, {x}, where);
  const auto d = static_cast<std::size_t>(axis);
  return call_where_it_is_best(x, {d, d + 1}, whole(ir::fourier_kind::complex_to_real, true, n),
                               real_of(x.dtype()), where);
}

}  // namespace sinter::detail
