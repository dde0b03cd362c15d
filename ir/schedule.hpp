#pragma once
// How a kernel does its work: every choice that changes code but not results.

#include <cstdint>

namespace sinter::ir {

enum class target : std::uint8_t { cpu, gpu };

/// Which axis the lanes of a vector, and neighbouring GPU threads, run along.
enum class lane_axis : std::uint8_t { kept, reduced };

/// schedule::tile of a CPU map that one block walks alone, without contention at any element.
inline constexpr std::int64_t whole_domain = std::int64_t{1} << 62;

struct schedule {
  ir::target target = target::cpu;
  int vector = 1;        // elements of the innermost lane axis that one access covers
  int unroll = 1;        // vectors in flight
  int threads = 0;       // GPU: threads per block
  int crowd = 0;         // GPU: blocks that must fit on a multiprocessor at once; 0: one
  int row_threads = 0;   // GPU reduction: threads that share a row, a power of two; a block has
                         // threads / row_threads row groups. Or, if `resident`, all of the block's:
                         // whole warps
  lane_axis lanes = lane_axis::kept;
  bool split = false;    // reduction: the reduced range is cut into chunks, each giving a partial
                         // result; a store of one goes to out[row * splits + chunk], a store of an
                         // inner value where its access says
  std::int64_t tile = 0; // map: elements per block (GPU: threads * vector * unroll, times the
                         // number of tiles a block walks if it is `held`)
  int tile_rows = 0;     // GPU map: the sides of a rectangular tile, powers of two; 0: none
  int tile_columns = 0;
  int planes = 1;        // GPU map of tiles of three axes or more, nothing turned: rectangles in
                         // adjacent planes that a block does in sequence, so that what it reads of
                         // the neighbouring planes is still cached
  bool flat = false;     // map of two axes or more, without tiles: vectors cross the ends of rows.
                         // Outputs and whole inputs are contiguous over the domain
  int row_lanes = 0;     // flat: a vector crosses at most one row end, at a multiple of this many
                         // lanes, and operands picked along rows are aligned by as many; 0: rows
                         // may be shorter than a vector
  int turn_vector = 1;   // elements of a turned operand that one access covers
  int lead = -1;         // GPU map of tiles, or a reduction that is resident, with vectors that are
                         // filled: an operand with step `one` along the last axis; the vectors of a
                         // row begin where its memory is aligned, up to vector - 1 elements before
                         // the row
  int early = -1;        // with a lead: how many elements before a row its vectors begin, in all
                         // rows; -1: it varies
  int rows = 1;          // reduction: rows per block
  int cluster = 1;       // GPU reduction with reduced lanes, not split, no scans: adjacent blocks
                         // that share a row, a power of two up to 32; row_threads is then all of a
                         // block's threads, whole warps
  bool resident = false;  // GPU reduction with reduced lanes, not split: a row has at most cluster
                          // * row_threads * vector * unroll elements; what walks before the last
                          // read of them is loaded once and stays in registers
  bool elastic = false;   // resident, one reduced axis, a row per block: `threads` is the maximum;
                          // a launch has as few whole warps as hold its rows (`threads_of`)
  int filled = 0;         // resident, one reduced axis: this many vectors of every thread are in
                          // range. A thread without a row computes the first row's, so with several
                          // row groups there are no gathers, and no conditional or indexed stores
  int ahead = 0;          // resident, one kept and one reduced axis: threads of half of the blocks
                          // that run at once; who begins a row prefetches to the L2 the one that
                          // lies as many rows ahead as these threads hold. 0: nobody prefetches
  int staged = 0;         // GPU reduction or scan, one kept axis, one reduced along which lanes
                          // run, a thread per row, not split: the row length; rows of staged
                          // operands, which are adjacent, go through shared memory
  int abreast = 0;        // CPU reduction of one axis that lanes run along, not split, no scans:
                          // `vector` rows of at most this many elements are walked side by side,
                          // one row per lane of the results
  int whole_row = 0;      // CPU map of two axes or more, without loops, not flat, not in pieces:
                          // the exact length of the last axis, which one vector holds; rows are
                          // done one by one, and a tile is whole rows
  bool pieces = false;    // without loops or scans: in a map, a CPU walks a run in pieces within
                          // which no edge changes (see ir/kernel_pieces.hpp); a GPU thread tests
                          // once per vector in which none does (see ir/kernel_choices.hpp)
  bool quick = false;     // GPU: quotients and roots have no tests, and a vector in which one was
                          // not of ordinary size is recomputed (see ir/kernel_quick.hpp)
  std::int64_t held = 0;  // GPU map, not tiled: the number of elements its stores combine at (add,
                          // maximum or minimum of 4 or 8 bytes), at most, accumulated in a block's
                          // shared memory first; 0: in memory
  bool packs = false;     // GPU, a chained scan: the elements of `packed_store` are collected in
                          // shared memory first, and stored as whole runs
  bool operator==(const schedule&) const = default;
};

}  // namespace sinter::ir
