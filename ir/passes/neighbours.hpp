#pragma once
// neighbours: schedules beside the one that a kernel has, with which it computes the same bits.
//
// Why: of good schedules the fastest hangs on registers, caches and clocks, of which the passes
// know constants that were measured on one card. So hot kernels are timed with others
// (engine/evaluation/tuner.hpp). Which these are is said once, beside the passes that choose. They
// differ in what no result depends on: how elements, rows and columns are dealt out to blocks, how
// many vectors are in flight, how many blocks have to fit on a multiprocessor. In which tree
// reductions and scans combine is not among it.

#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

struct neighbour {
  std::string name;  // of one kernel no two have the same: "threads 512"
  ir::schedule schedule;
};

inline constexpr std::size_t most_neighbours = 6;

/// The likeliest first, at most `most_neighbours`. The kernel verifies with each of them, and slots
/// are the same; the number of blocks follows from the schedule (`block_count`), but where it was
/// chosen otherwise only `crowd` differs.
std::vector<neighbour> neighbours(const kernel&);

/// With this schedule in place of its own, does the kernel combine everything in the same trees?
bool same_trees(const kernel&, const schedule&);

}  // namespace sinter::ir
