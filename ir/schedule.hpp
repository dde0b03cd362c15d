#pragma once
// How a kernel does its work: every choice that changes code, none that changes what is computed.

#include <cstdint>

namespace sinter::ir {

enum class target : std::uint8_t { cpu, gpu };

/// Which axis the lanes of a vector, and neighbouring GPU threads, run along.
enum class lane_axis : std::uint8_t { kept, reduced };

/// schedule::tile of a CPU map that one block walks alone: nobody meets it at any place.
inline constexpr std::int64_t whole_domain = std::int64_t{1} << 62;

struct schedule {
  ir::target target = target::cpu;
  int vector = 1;        // elements of the innermost lane axis that one access covers
  int unroll = 1;        // vectors in flight
  int threads = 0;       // GPU: threads per block
  int crowd = 0;         // GPU: blocks that have to fit on a multiprocessor at once; 0: one
  int row_threads = 0;   // GPU reduction: threads that share a row, a power of two; a block has
                         // threads / row_threads row groups. Or, if `resident`, all of the block's:
                         // whole warps
  lane_axis lanes = lane_axis::kept;
  bool split = false;    // reduction: the reduced range is cut in chunks, each giving a partial
                         // result; a store of one goes to out[row * splits + chunk], a store of
                         // an inner value where its access says
  std::int64_t tile = 0; // map: elements per block (GPU: threads * vector * unroll, times as many
                         // tiles as a block walks if it is `held`)
  int tile_rows = 0;     // GPU map: the sides of a rectangular tile, powers of two; 0: none
  int tile_columns = 0;
  int planes = 1;        // GPU map of tiles of three axes or more, nothing turned: how many
                         // rectangles one above the other a block does, so that what it reads of
                         // the planes beside one is near when it comes to them
  bool flat = false;     // map of two axes or more, without tiles: vectors go on over the ends of
                         // rows. Outputs and whole inputs are runs of the domain's elements
  int row_lanes = 0;     // flat: a vector meets the end of one row at most, at a multiple of so
                         // many lanes, and what is picked along rows is aligned by as many;
                         // 0: rows may be shorter than a vector
  int turn_vector = 1;   // elements of a turned operand that one access covers
  int lead = -1;         // GPU map of tiles, or a reduction that is resident, with vectors that are
                         // filled: an operand with step `one` along the last axis; the vectors of
                         // a row begin where its memory is aligned, the first up to vector - 1
                         // elements before the row
  int early = -1;        // of the lead: the elements by which these begin before a row, the same
                         // in all rows; -1: not the same
  int rows = 1;          // reduction: rows per block
  int cluster = 1;       // GPU reduction with reduced lanes, not split, no scans: neighbouring
                         // blocks that share a row, a power of two up to 32; row_threads is then
                         // all of a block's threads, whole warps
  bool resident = false;  // GPU reduction with reduced lanes, not split: a row has at most
                          // cluster * row_threads * vector * unroll elements; what a walk before
                          // the last reads of them is loaded once and stays in registers
  bool elastic = false;   // resident, one reduced axis, a row a block: `threads` are the most there
                          // are; a launch has as few whole warps as hold its rows (`threads_of`)
  int filled = 0;         // resident, one reduced axis: so many of the vectors of every thread are
                          // in range. A thread without a row computes the first row's, so with
                          // several row groups no gather or store stands alone
  int staged = 0;         // GPU reduction or scan, one kept axis, one reduced along which lanes
                          // run, a thread a row, not split: rows have so many elements, and those
                          // of staged operands, one behind the other, go through shared memory
  int abreast = 0;        // CPU reduction of one axis that lanes run along, not split, no scans: of
                          // rows of at most so many elements `vector` are walked side by side, and
                          // what they come to has a row a lane
  int whole_row = 0;      // CPU map of two axes or more, without loops, not flat, not in pieces:
                          // the last axis has exactly so many elements, which one vector holds;
                          // rows are done one by one, and a tile is whole rows
  bool pieces = false;    // without loops or scans: of a map a CPU walks a run in pieces within
                          // which no edge changes (see ir/kernel_pieces.hpp); a GPU's thread asks
                          // once for a vector in which none does (see ir/kernel_choices.hpp)
  bool quick = false;     // GPU: quotients and roots have no tests, and a vector in which one
                          // was not of ordinary size is computed again (see ir/kernel_quick.hpp)
  std::int64_t held = 0;  // GPU map, not tiled: what its stores combine (add,
                          // maximum or minimum of integers of 4 or 8 bytes) at places, of which
                          // there are so many at most, meets in a block's shared memory first; 0:
                          // in memory
  bool packs = false;     // GPU, a chained scan: what `packed_store` stores is brought together in
                          // shared memory first, and leaves it as whole runs
  bool operator==(const schedule&) const = default;
};

}  // namespace sinter::ir
