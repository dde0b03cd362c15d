#pragma once
// Describes a plan step that is a map with strided operands only: their positions, recovered from
// its slots.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/passes/shape.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Where an operand's elements are: a buffer, and offset and strides in its elements.
struct sweep_place {
  std::int32_t buffer = -1;
  extent offset = 0;
  extent_list strides;  // one per axis
};

/// A kernel step, and the preceding copies that its updates start from.
struct sweep {
  std::size_t first = 0, step = 0;  // copies, if any, are the steps in between
  const kernel* code = nullptr;
  extent_list extents;
  std::vector<sweep_place> places;  // one per operand; no buffer: an index, or read by gathers
  std::vector<int> axes;            // of the kernel: the axis of `extents` that each is

  int rank() const { return static_cast<int>(extents.size()); }
};

/// How many steps write each buffer.
std::vector<int> writers_of(const plan&);

/// The sweep whose kernel is step `at`. Nothing if it reduces, loops, combines at places, stores
/// under a condition, or writes a buffer that another step writes too, or an element twice.
std::optional<sweep> sweep_of(const plan&, std::size_t at, const std::vector<int>& writers);

/// The same sweep over the axes of an array with these strides (all but the last more than one,
/// descending), only some of which it walks. Nothing if its first output does not lie so.
std::optional<sweep> spread_over(const sweep&, const extent_list& strides);

inline extent points_of(const sweep& w) { return size_of(shape_t(w.extents)); }

/// The sweep with most points.
const sweep& largest_of(std::span<const sweep>);

/// The coordinates of the element at `offset` of an array with such strides, descending; nothing if
/// the offset is not reached.
std::optional<std::vector<std::int64_t>> coordinates_of(extent offset, const extent_list& strides);

}  // namespace sinter::ir
