#pragma once
// Index expressions: how a kernel's domain coordinates reach the elements of an array.
//
// Views compose here, at planning time. What stays affine is free in a kernel; what does not (a
// reshape of a transpose) keeps one unravelling step, and a second one is refused.

#include <optional>

#include "ir/graph.hpp"

namespace sinter::ir {

/// linear = offset + sum of coordinate[d] * strides[d] over the domain axes (missing strides are
/// 0). If `extents` is not empty that is a row-major index over `extents`, and the element is
/// outer.offset + sum of its coordinates * outer.strides.
struct index_expr {
  extent offset = 0;
  std::vector<extent> strides;
  shape_t extents;
  index_map outer;
  /// Below a pad, for an array that is walked along axes of the domain: per array axis the
  /// coordinate that `offset` stands for, its step, and the domain axis that moves it (-1: none).
  /// Coordinates may lie outside the array, where nothing is read. Empty: the map is inside
  /// everywhere.
  shape_t start, pace;
  std::vector<int> axes;
  bool affine() const { return extents.empty(); }
  extent stride(std::size_t axis) const {
    return axis < strides.size() ? strides[axis] : extent(0);
  }
  bool operator==(const index_expr&) const = default;
};

/// The row-major identity on a domain.
index_expr dense(const shape_t& domain);

/// Row-major strides of a shape.
std::vector<extent> dense_strides(const shape_t& shape);

/// Are both affine, and the same map? Missing strides are zeros.
bool same_access(const index_expr& a, const index_expr& b);

/// Do the two never reach the same element over the domain? False if that cannot be shown: for maps
/// with different strides only the ranges are compared.
bool never_meet(const index_expr& a, const index_expr& b, const shape_t& domain);

/// `e`, which gives row-major indices into an array of shape `shape`, followed by a view `map` of
/// that shape onto another array. Nothing if the result would take two unravelling steps: a view of
/// unravelled coordinates is affine in them only if none of them carries. Exact: checked over the
/// whole domain.
std::optional<index_expr> compose(const index_expr& e, const shape_t& domain, const shape_t& shape,
                                  const index_map& map);

/// The same for what `n` (a view, a pad or a gather) reads.
std::optional<index_expr> compose(const index_expr& e, const shape_t& domain, const graph& g,
                                  const node& n);

}  // namespace sinter::ir
