#pragma once
// What a step of a plan does to its arrays, if it is a map whose elements all stand where a few
// strides say: the places of its operands, read back from its slots.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/passes/shape.hpp"
#include "ir/plan.hpp"

namespace sinter::ir {

/// Where an operand's elements are: a buffer, and in elements of it.
struct sweep_place {
  std::int32_t buffer = -1;
  extent offset = 0;
  extent_list strides;  // an axis each
};

/// A kernel step, and the copies before it that its updates start from.
struct sweep {
  std::size_t first = 0, step = 0;  // copies, if any, are the steps in between
  const kernel* code = nullptr;
  extent_list extents;
  std::vector<sweep_place> places;  // an operand each; no buffer: an index, or read by gathers
  std::vector<int> axes;            // of the kernel: which of the extents' each is

  int rank() const { return static_cast<int>(extents.size()); }
};

/// How many steps write each buffer.
std::vector<int> writers_of(const plan&);

/// The sweep that step `at` is the kernel of. Nothing where it reduces, loops, combines at places,
/// stores under a condition, writes what another step writes too, or an element twice.
std::optional<sweep> sweep_of(const plan&, std::size_t at, const std::vector<int>& writers);

/// The same sweep over the axes of an array with these strides (all but the last more than one, in
/// descending order), of which it walks some only. Nothing where its first output does not lie so.
std::optional<sweep> spread_over(const sweep&, const extent_list& strides);

inline extent points_of(const sweep& w) { return size_of(shape_t(w.extents)); }

/// The one of most points.
const sweep& largest_of(std::span<const sweep>);

/// The coordinates of the element at `offset` of an array with such strides, in descending order;
/// nothing where they do not lead there.
std::optional<std::vector<std::int64_t>> coordinates_of(extent offset, const extent_list& strides);

}  // namespace sinter::ir
