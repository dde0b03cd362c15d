#pragma once
// neighbours: schedules near a kernel's own with which it computes the same bits.
//
// Why: which of several good schedules is fastest depends on registers, caches and clocks, of which
// the passes only know constants measured on one card. So hot kernels are timed with alternatives
// (engine/evaluation/tuner.hpp), and this header defines them, next to the passes that choose. They
// differ only in what no result depends on: how elements, rows and columns are assigned to blocks,
// how many vectors are in flight, how many blocks must fit on a multiprocessor. The reduction and
// scan trees never differ.

#include <string>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

struct neighbour {
  std::string name;  // unique per kernel: "threads 512"
  ir::schedule schedule;
};

inline constexpr std::size_t most_neighbours = 6;

/// The most promising first, at most `most_neighbours`. The kernel verifies with each of them and
/// has the same slots; the number of blocks follows from the schedule (`block_count`), but if it
/// was chosen otherwise only `crowd` differs.
std::vector<neighbour> neighbours(const kernel&);

/// With this schedule instead of its own, does the kernel combine everything in the same trees?
bool same_trees(const kernel&, const schedule&);

}  // namespace sinter::ir
