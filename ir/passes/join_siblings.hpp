#pragma once
// join_siblings: groups that reduce the same rows of the same array become one.
//
// Why: the backward walk of fuse puts a reduction into the group of who reads it, so `sum(x)`,
// `mean(x)` and `stddev(x)` end in the groups of their epilogues, and each would read x again. That
// groups differ in their epilogues alone is known only when all of them are.

#include <vector>

#include "ir/passes/fuse.hpp"
#include "ir/passes/pricing.hpp"

namespace sinter::ir {

/// What fuse knows of a group beside what it stores.
struct group_notes {
  std::vector<node_id> reductions;  // that it makes
  std::size_t bytes = 0;            // of one result of each
  int ops = 0;
};

/// May the reductions of one kernel that walks `domain` come to so much, in bytes a lane? A GPU's
/// columns combine each in shared memory of its own, 256 lanes of them in the 48 KiB that a block
/// may always have; and of short walks more than a few only take long to compile, in the square of
/// their number (a convolution pixel by pixel, 100 of them, on a CPU: 1250 ms -> 270).
bool may_reduce(std::size_t bytes, const shape_t& domain);

/// What reduction n adds to that.
std::size_t reduced_bytes(const graph&, node_id n);

/// Does one of `others`, reductions of group c, read an array that reduction n reads, in the same
/// order? Sums of a square's rows and of its columns do not. REQUIRES: n fits the group's domain.
bool walks_alike(const graph&, const pricing&, const group& c, node_id n,
                 const std::vector<node_id>& others);

/// `waits` has no cycles, before and after. `op_limit`: of a kernel.
void join_siblings(fusion&, group_waits& waits, std::vector<group_notes> notes, const graph&,
                   const pricing&, int op_limit);

}  // namespace sinter::ir
