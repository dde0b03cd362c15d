#pragma once
// How sweeps lie upon each other in a stack: where the domain of each begins in the coordinates
// they share, what each reads of those before it and how far from its own points, and so how much
// further than a block's box each has to be computed.

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
/// several places, brought into a tile in front of it.
struct swept_array {
  std::size_t sweep = 0, operand = 0;
  axis_places origin;      // where the array begins, in the coordinates of the stack
  axis_places begins;      // where the sweep's domain is, in the coordinates of the array
  extent_list strides;
  extent_list shape;       // of the array
  std::int32_t base = -1;  // buffer that holds what stands around the domain; -1: nothing does
  std::int32_t over = -1;  // its base, in the stack, whose tile it is put into; -1: none
  bool staged = false;
};

/// A sweep reads, `shift` from each of its points, an array of the stack.
struct swept_read {
  std::size_t sweep = 0;
  std::int32_t operand = -1;  // -1: around its domain, what the array `of` that it writes keeps
  std::int32_t of = -1;
  std::int32_t array = -1;    // buffer
  std::vector<int> shift;
};

struct stack_layout {
  std::vector<axis_places> origins;            // a sweep each
  std::map<std::int32_t, swept_array> arrays;  // by buffer
  std::vector<swept_read> reads;
  std::vector<margins> beyond;                 // a sweep each
  std::map<std::int32_t, margins> staged;      // by buffer: how far around the box
  std::vector<int> box;
};

/// What an array that is written in part starts from; and `early`, the same or, where that is
/// written at the same elements itself, what that one starts from.
struct update_base {
  std::int32_t base = -1, early = -1;
};
using update_bases = std::map<std::int32_t, update_base>;

/// Nothing where sweeps read in another order than others write, or far from their own points.
/// `holds`: what comes into a tile stays there, for those that keep some of it around their domain.
/// REQUIRES: all sweeps have one rank.
std::optional<stack_layout> lay_out(const plan&, std::span<const sweep>, const update_bases&,
                                    bool holds, const machine&);

/// Where all domains lie, and the arrays around them.
struct stack_bounds {
  axis_places corner;
  extent_list sides;
};
stack_bounds bounds_of(std::span<const sweep>, const stack_layout&);

}  // namespace sinter::ir
