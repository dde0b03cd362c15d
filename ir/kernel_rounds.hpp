#pragma once
// Rounds: kernels that the blocks of one launch do one after the other, over and over.
//
// Why: a kernel of few elements takes a GPU 0.9 us where it is one of a graph, and a loop whose
// condition the host reads 9 us a round, most of it waiting. Blocks that stay, and wait for each
// other between parts, need neither. They are those of one cluster, or one alone, so that all run
// at once.
//
// A part is a kernel as it would be launched by itself: its blocks are shared out to those there
// are, a map's threads likewise. All blocks have done a part before any begins the next one, and
// see what it wrote. Behind a part that is in `tests` a byte in memory is looked at: zero ends it.
//
// Slots: part by part its own and how many blocks it would have; then the addresses of the bytes,
// test by test; how many rounds there are; and, if there are tests, where to put, as a 32-bit word,
// how many bytes were not zero.

#include <cstdint>
#include <span>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

inline bool is_rounds(const kernel& k) { return k.rounds; }

/// May a launch of this kernel be a part of rounds, or several, if it is a shared one? Not if its
/// blocks wait for each other, or a map's threads do.
bool can_be_in_rounds(const kernel&);

/// The kernel as it is when it is launched with so many threads: not elastic any more.
kernel with_threads(const kernel&, int threads);

/// A part, how many blocks it would have, and what a thread of them does, in instructions.
struct part_of_rounds {
  const kernel* code = nullptr;
  std::int64_t blocks = 0;
  std::int64_t instructions = 0;
};
part_of_rounds part_of(const kernel&, std::int64_t blocks, const std::uint64_t* slots);

/// The threads of a block, and blocks: 0 where kernels of their own would be as fast, in rounds
/// that look at so many bytes.
struct rounds_shape {
  int threads = 0;
  int blocks = 1;
  bool operator==(const rounds_shape&) const = default;
};
rounds_shape shape_of_rounds(std::span<const part_of_rounds>, std::size_t tests, int most_blocks);

/// How many times the blocks go over a part.
std::int64_t turns_in_rounds(const part_of_rounds&, rounds_shape);

/// Their kernel. `tests`: numbers of parts, ascending. REQUIRES: can_be_in_rounds(*part), not
/// elastic, without parts of its own.
kernel make_rounds(std::span<const part_of_rounds>, std::vector<int> tests, rounds_shape);

/// Throws ir::verify_error.
void verify_rounds(const kernel&);

/// Block 0 does it all, others nothing. REQUIRES: is_rounds(k).
void run_rounds(const kernel& k, const std::uint64_t* slots, std::int64_t block_begin,
                std::int64_t block_end);

}  // namespace sinter::ir
