#pragma once
// unroll_axes: turns the positions along short axes into separate values.
//
// Why: the lanes of a vector run along a long axis, and for rows of 3 or 10 elements that is across
// the rows: neighbouring lanes read elements a row apart. Unrolled, all positions of a row are read
// together by whole contiguous vectors (operand::apart), conditions on the position are known, and
// what is the same along a row is computed once.

#include <optional>
#include <span>

#include "ir/passes/body.hpp"

namespace sinter::ir {

/// What is read and computed at a point, in additions.
std::int64_t cost_of(const body&);

/// A body over the remaining axes.
struct unrolled {
  body whole;
  std::int64_t cost = 0;
  shape_t domain;
  std::vector<bool> reduced;
};

/// `b` with every position along `axes` (ascending) unrolled, reductions along them in order.
/// Nothing if that is impossible: loops, scans (whose bits are those of a walk), stores under
/// conditions or at indices other than extrema at one element, unravelled accesses, arg reductions
/// or halves combined along other axes as well, or too many instructions. The extents of the axes
/// become conditions of the plan.
std::optional<unrolled> unroll_axes(const body& b, const shape_t& domain,
                                    const std::vector<bool>& reduced,
                                    std::span<const std::size_t> axes);

/// The longest axis that is shared.
inline constexpr std::int64_t most_shared_places = 16;

/// The same along a kept axis of up to that length, or along two, if that saves much of the
/// computation: the forces of an n-body problem have three components and one distance, and each
/// position of a join belongs to one piece. Not along gathered rows.
std::optional<unrolled> share_axis(const body& b, const shape_t& domain,
                                   const std::vector<bool>& reduced, target on);

/// Does a body read in place, but under conditions?
bool reads_under_conditions(const body&);

/// From this row length on a CPU walks along rows that are read under conditions. Lanes across
/// rows, with each position unrolled, were up to seven times as slow (two cores of an EPYC, rolls
/// of 200 x 200 rows, us: of 8 floats 310 and 250, of 16 2,420 and 550, of 8 bytes 940 and 220, of
/// 16 1,900 and 270; an edge around 14 floats 1,060 and 550) and compiled for 70 to 300 ms per
/// length. Shorter rows are faster unrolled: of 4 doubles 90 and 300.
inline constexpr std::int64_t least_walked_row = 8;

/// The same along a kept axis of up to that length that alone decides the conditions the body reads
/// under: a join of equal parts then selects nothing any more.
std::optional<unrolled> part_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced);

/// The same along one of several reduced axes that alone decides those conditions: lanes and steps
/// then run along the others (a matrix of 1,024 x 2,048 unpacked from bytes of two values, times a
/// vector, two cores of an EPYC: 7.9 ms, 0.6 so).
std::optional<unrolled> part_sum(const body& b, const shape_t& domain,
                                 const std::vector<bool>& reduced);

/// The same along a kept axis of up to eight positions that is innermost in one array of a map and
/// not in another: interleaved channels of pixels that become planes, or come from planes, of which
/// a shared-memory tile would have only two or three rows. Also for pixels of few bytes read in
/// another order than they are stored: a channel alone is a store of one byte.
std::optional<unrolled> deal_axis(const body& b, const shape_t& domain,
                                  const std::vector<bool>& reduced, target on);

}  // namespace sinter::ir
