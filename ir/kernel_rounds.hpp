#pragma once
// Rounds: kernels that the blocks of one launch run one after the other, repeatedly.
//
// Why: a kernel of few elements takes a GPU 0.9 us as a graph node, and a loop whose condition the
// host reads takes 9 us per round, most of it waiting. Persistent blocks that synchronise between
// parts need neither. They are those of one cluster, or a single one, so that all are resident.
//
// A part is a kernel as it would be launched alone: its blocks are distributed over the existing
// ones, for a map also its threads. All blocks finish a part, and see what it wrote, before any
// begins the next. After a part listed in `tests` a byte in memory is read: zero ends the loop.
//
// Slots: per part its own and its number of blocks; then the addresses of the bytes, test by test;
// the number of rounds; and, if there are tests, where to store, as a 32-bit word, how many bytes
// were not zero.

#include <cstdint>
#include <span>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

inline bool is_rounds(const kernel& k) { return k.rounds; }

/// Can a launch of this kernel be a part of rounds, or several if it is a shared one? Not if its
/// blocks, or a map's threads, synchronise with each other.
bool can_be_in_rounds(const kernel&);

/// The kernel with a fixed number of threads: no longer elastic.
kernel with_threads(const kernel&, int threads);

/// A part, the number of blocks it would have, and the instructions of one thread.
struct part_of_rounds {
  const kernel* code = nullptr;
  std::int64_t blocks = 0;
  std::int64_t instructions = 0;
};
part_of_rounds part_of(const kernel&, std::int64_t blocks, const std::uint64_t* slots);

/// Threads per block, and blocks; threads 0 if separate kernels would be as fast, in rounds with so
/// many tests.
struct rounds_shape {
  int threads = 0;
  int blocks = 1;
  bool operator==(const rounds_shape&) const = default;
};
rounds_shape shape_of_rounds(std::span<const part_of_rounds>, std::size_t tests, int most_blocks);

/// How many turns the blocks need for a part.
std::int64_t turns_in_rounds(const part_of_rounds&, rounds_shape);

/// Makes the kernel. `tests`: numbers of parts, ascending. REQUIRES: can_be_in_rounds(*part), not
/// elastic, without parts of its own.
kernel make_rounds(std::span<const part_of_rounds>, std::vector<int> tests, rounds_shape);

/// Throws ir::verify_error.
void verify_rounds(const kernel&);

/// Block 0 does all the work. REQUIRES: is_rounds(k).
void run_rounds(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
                std::int64_t block_end);

}  // namespace sinter::ir
