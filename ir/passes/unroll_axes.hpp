#pragma once
// unroll_axes: the places along short axes become values of their own.
//
// Why: the lanes of a vector go along a long axis, and of rows of 3 or 10 elements that is across
// them: what a lane reads stands apart from its neighbour's, element by element. Written out, all
// places of a row are read together, whole vectors of memory as it lies (operand::apart), a
// condition on the place in a row is known, and what is the same along a row is computed once.

#include <optional>
#include <span>

#include "ir/passes/body.hpp"

namespace sinter::ir {

/// What is read and computed at a point, in additions.
std::int64_t cost_of(const body&);

/// A body over the axes that are left.
struct unrolled {
  body whole;
  std::int64_t cost = 0;
  shape_t domain;
  std::vector<bool> reduced;
};

/// `b` with every place along `axes` (ascending) written out, reductions along them in order.
/// Nothing where that cannot be: loops, scans (whose bits are those of a walk), stores under
/// conditions or at indices that combine nothing, accesses that are unravelled, places of an
/// extremum or halves that are combined along other axes as well, or too many instructions. The
/// extents of the axes become conditions of the plan.
std::optional<unrolled> unroll_axes(const body& b, const shape_t& domain,
                                    const std::vector<bool>& reduced,
                                    std::span<const std::size_t> axes);

/// The most places of an axis that is shared.
inline constexpr std::int64_t most_shared_places = 16;

/// The same along a kept axis of up to so many places, or along two, if that saves much of what is
/// computed: what bodies do to each other has three components and one distance, and of a join each
/// place is of one piece. Not along rows that are picked by indices.
std::optional<unrolled> share_axis(const body& b, const shape_t& domain,
                                   const std::vector<bool>& reduced, target on);

/// Does a body read where it lies, but under conditions?
bool reads_under_conditions(const body&);

/// A CPU walks along rows of so many elements that are read under conditions. Lanes across rows,
/// each place written out, were up to seven times as slow (two cores of an EPYC, rolls of 200 x 200
/// rows, us: of 8 floats 310 and 250, of 16 2,420 and 550, of 8 bytes 940 and 220, of 16 1,900 and
/// 270; an edge around 14 floats 1,060 and 550) and compiled for 70 to 300 ms for each length. Of
/// less they are faster: of 4 doubles 90 and 300.
inline constexpr std::int64_t least_walked_row = 8;

/// The same along a kept axis of up to so many places by which alone the body chooses what it
/// reads: of a join of equal parts nothing is asked any more.
std::optional<unrolled> part_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced);

/// The same along a reduced axis beside others, by which alone the body chooses what it reads:
/// lanes and steps then go along the others (a matrix of 1,024 x 2,048 unpacked from bytes of two
/// values, times a vector, two cores of an EPYC: 7.9 ms, 0.6 so).
std::optional<unrolled> part_sum(const body& b, const shape_t& domain,
                                 const std::vector<bool>& reduced);

/// The same along a kept axis of up to eight places that one array of a map has innermost and
/// another has not: channels of pixels, which become planes, or come from planes. A tile that goes
/// through shared memory has three rows there, or two. And of pixels of few bytes that are read
/// otherwise than they are stored: by itself a channel is a store of a byte.
std::optional<unrolled> deal_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced, target on);

}  // namespace sinter::ir
