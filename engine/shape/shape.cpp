#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t max_rank = 32;

/// An axis of a view, and its stride in the base.
struct axis_map {
  std::int64_t extent, stride;
};

/// The axes of a view without unit axes, adjacent axes with a common stride merged.
std::vector<axis_map> collapsed(const element_map& map, shape_view shape) {
  std::vector<axis_map> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (!axes.empty() && axes.back().stride == map.strides[d] * shape[d]) {
      axes.back() = {axes.back().extent * shape[d], map.strides[d]};
    } else {
      axes.push_back({shape[d], map.strides[d]});
    }
  }
  return axes;
}

/// Row-major coordinates of a linear index.
void unravel(std::int64_t index, const std::vector<axis_map>& axes, std::int64_t* to) {
  for (std::size_t d = axes.size(); d-- > 0;) {
    to[d] = index % axes[d].extent;
    index /= axes[d].extent;
  }
}

std::string clash_text(std::span<const any_array> arrays, int axis, std::int64_t a,
                       std::int64_t b) {
  std::string text = "shapes ";
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (i > 0) text += i + 1 < arrays.size() ? ", " : " and ";
    text += text_of(arrays[i].extents());
  }
  return text + " do not broadcast: axis " + std::to_string(axis) + " is " + std::to_string(a) +
         " against " + std::to_string(b);
}

}  // namespace

std::optional<element_map> compose(const element_map& inner, shape_view shape,
                                   const element_map& outer, shape_view outer_shape) {
  element_map result;
  result.strides.assign(outer_shape.size(), 0);
  if (std::ranges::find(outer_shape, 0) != outer_shape.end()) return result;
  const auto axes = collapsed(inner, shape);
  std::vector<std::int64_t> first(axes.size()), next(axes.size()), low, high;
  unravel(outer.offset, axes, first.data());
  low = high = first;
  result.offset = inner.offset;
  for (std::size_t d = 0; d < axes.size(); ++d) result.offset += first[d] * axes[d].stride;
  // A step along an outer axis moves to known coordinates, which determine the strides if the
  // composition is affine. It is affine if no coordinate leaves its axis.
  for (std::size_t e = 0; e < outer_shape.size(); ++e) {
    if (outer_shape[e] == 1) continue;
    unravel(outer.offset + outer.strides[e], axes, next.data());
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const std::int64_t step = next[d] - first[d], reach = step * (outer_shape[e] - 1);
      (reach < 0 ? low : high)[d] += reach;
      result.strides[e] += step * axes[d].stride;
    }
  }
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (low[d] < 0 || high[d] >= axes[d].extent) return std::nullopt;
  }
  return result;
}

inline_vector<std::int64_t, 4> broadcast_shape(std::span<const any_array> arrays,
                                               std::string_view op, location where) {
  std::size_t rank = 0;
  for (const any_array& x : arrays) rank = std::max(rank, x.extents().size());
  inline_vector<std::int64_t, 4> result;
  for (std::size_t d = 0; d < rank; ++d) result.push_back(1);
  for (const any_array& x : arrays) {
    const auto s = x.extents();
    const std::size_t skipped = rank - s.size();
    for (std::size_t d = s.size(); d-- > 0;) {
      std::int64_t& extent = result[d + skipped];
      if (s[d] == extent || s[d] == 1) continue;
      if (extent != 1) {
        fail<shape_error>(error_code::shape_mismatch, op,
                          clash_text(arrays, static_cast<int>(d + skipped), extent, s[d]), where);
      }
      extent = s[d];
    }
  }
  return result;
}

std::vector<std::int64_t> dense_strides(shape_view shape) {
  std::vector<std::int64_t> strides(shape.size());
  write_dense_strides(shape, strides.data());
  return strides;
}

void write_dense_strides(shape_view shape, std::int64_t* strides) {
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<std::int64_t>(shape[d], 1);
  }
}

int normalize_axis(std::int64_t axis, int ndim, std::string_view op, location where) {
  if (axis >= -ndim && axis < ndim) return static_cast<int>(axis < 0 ? axis + ndim : axis);
  fail<axis_error>(error_code::bad_axis, op,
                   "axis " + std::to_string(axis) + " is out of range for " +
                       std::to_string(ndim) + (ndim == 1 ? " dimension" : " dimensions"),
                   where);
}

void check_shape(shape_view shape, dtype type, std::string_view op, location where) {
  const auto refuse = [&](const std::string& why) {
    fail<shape_error>(error_code::shape_mismatch, op, "shape " + text_of(shape) + why, where);
  };
  if (shape.size() > max_rank) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      std::to_string(shape.size()) + " dimensions are more than 32", where);
  }
  for (std::int64_t e : shape) {
    if (e < 0) refuse(" has a negative extent");
  }
  // Checked even if another extent is zero: strides are products of all of them.
  std::int64_t bytes = static_cast<std::int64_t>(size_of(type));
  for (std::int64_t e : shape) {
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(e, 1), &bytes)) {
      refuse(" has more than 2^63 - 1 bytes");
    }
  }
}

}  // namespace sinter::detail
