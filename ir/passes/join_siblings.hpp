#pragma once
// join_siblings: merges groups that reduce the same rows of the same array.
//
// Why: the backward walk of fuse puts a reduction into the group that reads it, so `sum(x)`,
// `mean(x)` and `stddev(x)` end up in the groups of their epilogues, and each would read x again.
// Only when all groups are known is it clear that they differ in their epilogues alone.

#include <vector>

#include "ir/passes/fuse.hpp"
#include "ir/passes/pricing.hpp"

namespace sinter::ir {

/// What fuse records about a group besides what it stores.
struct group_notes {
  std::vector<node_id> reductions;  // reductions it computes
  std::size_t bytes = 0;            // of one result of each
  int ops = 0;
};

/// May the reductions of a kernel that walks `domain` have accumulators of this many bytes per
/// lane? On a GPU each column reduction combines in its own shared memory, 256 lanes of them in the
/// 48 KiB a block may always have. For short walks more than a few only cost compile time,
/// quadratic in their number (a convolution pixel by pixel, 100 reductions, on a CPU: 1250 ms ->
/// 270).
bool may_reduce(std::size_t bytes, const shape_t& domain);

/// The bytes per lane that reduction n adds.
std::size_t reduced_bytes(const graph&, node_id n);

/// Does one of `others`, reductions of group c, read an array that reduction n reads, in the same
/// order? Row sums and column sums of a square matrix do not. REQUIRES: n fits the group's domain.
bool walks_alike(const graph&, const pricing&, const group& c, node_id n,
                 const std::vector<node_id>& others);

/// `waits` is acyclic before and after. `op_limit`: ops a kernel may hold.
void join_siblings(fusion&, group_waits& waits, std::vector<group_notes> notes, const graph&,
                   const pricing&, int op_limit);

}  // namespace sinter::ir
