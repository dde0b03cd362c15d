#pragma once
// Lays out the sweeps of a stack: where the domain of each begins in shared coordinates, which
// earlier arrays each reads and how far from its own points, and so how far beyond a block's box
// (the halo) each must be computed.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/machine.hpp"
#include "ir/passes/sweep.hpp"

namespace sinter::ir {

using axis_places = std::vector<std::int64_t>;

/// An array that a sweep writes, whole or in part; or, staged, one in memory that a sweep reads at
/// several offsets, brought into a tile before it.
struct swept_array {
  std::size_t sweep = 0, operand = 0;
  axis_places origin;      // where the array begins, in coordinates of the stack
  axis_places begins;      // where the sweep's domain begins, in coordinates of the array
  extent_list strides;
  extent_list shape;       // of the array
  std::int32_t base = -1;  // buffer with the elements around the domain; -1: none
  std::int32_t over = -1;  // its base in the stack, whose tile it overwrites; -1: none
  bool staged = false;
};

/// A sweep reads, `shift` from each of its points, an array of the stack.
struct swept_read {
  std::size_t sweep = 0;
  std::int32_t operand = -1;  // -1: the surroundings of its domain, kept from array `of`
  std::int32_t of = -1;
  std::int32_t array = -1;    // buffer
  std::vector<int> shift;
};

struct stack_layout {
  std::vector<axis_places> origins;            // one per sweep
  std::map<std::int32_t, swept_array> arrays;  // by buffer
  std::vector<swept_read> reads;
  std::vector<margins> beyond;                 // one per sweep
  std::map<std::int32_t, margins> staged;      // by buffer: the halo around the box
  std::vector<int> box;
};

/// The base of an array that is written in part; and `early`, the same or, if the base itself was
/// written at the same elements, that one's base.
struct update_base {
  std::int32_t base = -1, early = -1;
};
using update_bases = std::map<std::int32_t, update_base>;

/// Nothing if sweeps read in another order than others write, or far from their own points.
/// `holds`: what is brought into a tile stays there for sweeps that keep some of it around their
/// domain. REQUIRES: all sweeps have one rank.
std::optional<stack_layout> lay_out(const plan&, std::span<const sweep>, const update_bases&,
                                    bool holds, const machine&);

/// The bounding box of all domains and of the arrays around them.
struct stack_bounds {
  axis_places corner;
  extent_list sides;
};
stack_bounds bounds_of(std::span<const sweep>, const stack_layout&);

}  // namespace sinter::ir
