#pragma once
// The kernel IR: everything a code generator needs, every decision taken.
//
// A kernel runs a straight-line body over a domain of kept axes and reduced axes. Sizes, strides,
// offsets, scalars and pointers are passed in argument slots; everything else (ops, types, ranks,
// the class of every step, the schedule) is baked into the code. So the text of a kernel, without
// its name, is its cache key.
//
// Levels and phases. A value is `inner` if it depends on the reduced axes, else `outer` (one per
// point of the kept axes). A kernel without reduced axes has only outer values. A `reduce` turns an
// inner value into an outer one, and later inner code may use the result (softmax): phase p of the
// body is the code behind p successive reductions, and an emitter walks the reduced axes once per
// phase, recomputing the inner values a phase needs. A `scan` along the only reduced axis stays
// inner and in its phase: its value at a point combines all points up to it.
//
// Blocks. A launch has a number of blocks (`blocks_of`), the same on CPU and GPU: in a map a block
// is schedule.tile consecutive elements of the row-major kept domain; in a reduction it is
// schedule.rows consecutive rows (a row: one point of the kept axes), or with `split` one chunk of
// schedule.rows rows: block b is chunk b % splits of row group b / splits. With `cluster`, that
// many adjacent blocks share a row and synchronise.
//
// Tiles. With tile_rows > 0 a block of a map is a rectangle: tile_columns points of the last axis
// (the first block may begin up to vector - 1 points earlier: see `lead`) by tile_rows rows. Rows
// are those of all other axes, flattened; if an operand is turned, those of the axis before the
// last, once for each point of the axes before it. Adjacent blocks are adjacent along the last
// axis. With `planes` a block does its rectangle, with rows of the axis before the last, at that
// many adjacent points of the axis before that, one after the other.
//
// Chained scans (decoupled look-back). With `split` a kernel with scans has one operand of role
// state: uint64 words, zero before the launch. A block increments word 0 and takes the number n it
// found: it is chunk n / rows of row n % rows, so a block that waits for an earlier chunk waits for
// one that has started. On a GPU a block loops until no chunk is left, so that any number of blocks
// will do. The other words belong to the emitter, to pass on chunk totals. The order of combination
// depends on positions alone, never on timing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/extent.hpp"
#include "ir/program.hpp"
#include "ir/schedule.hpp"

namespace sinter::ir {

/// How an address moves along a domain axis: not at all, by one element, or by a passed stride.
enum class step : std::uint8_t { zero, one, any };

/// An index map from domain coordinates (kept axes, then reduced) to elements.
///   affine:      offset = sum of coordinate * stride
///   unravel > 0: that sum, plus a passed start, is a row-major index over `unravel` passed
///                extents, and the element offset is the dot product of its coordinates with as
///                many strides; `narrow`, on a GPU: there are fewer than 2^31 elements
struct access {
  std::vector<step> steps;
  int unravel = 0;
  bool narrow = false;
  bool operator==(const access&) const = default;
};

/// An array the kernel reads or writes; or (index) a row-major element number that is only
/// computed; or (state) words through which the blocks of a chained scan communicate; or (tile) in
/// a part of a stack, a block's private tile, read and written.
enum class operand_role : std::uint8_t { input, output, index, state, tile };

/// How a GPU accesses the elements of an operand with step `one`, or a CPU others.
enum class reach : std::uint8_t {
  whole,    // along the last axis, by vectors aligned in memory
  shifted,  // an input along the last axis, by vectors of any alignment; with `pieces` also one
            // that is read under conditions
  aligned,  // in a map, an input read only under conditions, along the last axis: where they agree
            // for a vector, it is aligned in memory
  turned,   // an input along the axis before the last: a tile is transposed in shared memory
  staged,   // in a reduction: see schedule::staged
  picked,   // in a flat map, an input or an index: each lane by its own coordinates
  backwards,  // on a CPU, a real array along the lanes' axis whose passed stride is -1
  strips,  // on a CPU, a real input of a map, with step `one` along the axis before the last: what
           // the lanes of many rows read is transposed together, `unroll` vectors of each row
};

/// The largest operand::apart: what a vector's lanes are picked from, in vectors.
inline constexpr int most_apart = 16;

struct operand {
  operand_role role = operand_role::input;
  dtype type = dtype::float32;  // the stored type; int64 for an index
  ir::access access;
  ir::reach reach = reach::whole;
  int beyond = 0;  // shifted: how many elements after an aligned address its vectors begin, in all
                   // rows; 0: not the same in all
  int like = -1;   // GPU: an earlier operand, without a `like` itself, that moves by the same
                   // strides: both pointers share one offset
  int apart = 0;   // CPU, and GPU maps without tiles: the constant stride along the lanes' axis; 0:
                   // it is passed. See also brings_rows
  int base = -1;   // if apart > 0: the operand, itself or an earlier one, with which it
                   // interleaves. For an input of a GPU map with apart 0: an earlier one of the
                   // same array
  int turn = 0;    // how many elements after the base's its own are. If apart > 0, all of a base's
                   // differ by less than `apart`; of outputs, and on a GPU, there is one for each
                   // offset, and the vectors of the first are aligned
  int tile = -1;           // of role tile: index into kernel::tiles; its access has no steps
  std::vector<int> shift = {};  // of role tile: the offset of its element from the point, per axis
  bool operator==(const operand&) const = default;
};

enum class inst_kind : std::uint8_t {
  load,      // which: operand; part: 0, or 1 for the imaginary part of a complex element
  gather,    // a load from elsewhere: args {index (int64) added to the operand's own offset, or -1;
             // condition (bool), or -1}: 0, without a read, where the condition is false
  index,     // which: operand of role index; an int64
  scalar,    // which: scalar parameter
  constant,  // bits
  compute,   // code over args; cast and bitcast included
  random,    // args: {counter (int64), key (uint64)}; type uint32 or uint64; see below
  reduce,    // code over args[0] at every point of the reduced axes; `arg`: an int64 index
  scan,      // code over args[0] at the points of the reduced axis up to this one; inner
  pack,      // args {pack before it or -1, value, value or -1}: a list of values; has no value
             // itself
  loop,      // which: of kernel::loops; args {pack: initial values of its carries, then invariants;
             // condition (bool) or -1}: runs where that holds; has no value itself
  pick,      // args {loop}, which: a carry, whose final value it is
  carry,     // in a loop's body: carry `which` in this round; after the last carry, the round
             // (int64)
  given,     // in a loop's body: invariant `which`
  store,     // args {value, condition (bool) or -1, index (int64) or -1} into operand `which`,
             // `part`: where the condition holds, and at the index past the operand's own offset
             // (one value per element). A condition alone raises a flag: an integer, whose operand
             // has step zero along every axis; if it holds more than once, all values are equal, or
             // the greatest is stored (`code` maximum, uint64). With an index and a `code` other
             // than cast the value is combined with the stored one, code(old, value), atomically
};

// random, uint32: word (counter & 3) of philox4x32_10(counter / 4, key);
//         uint64: words 2h (low half) and 2h + 1 (high half), h = counter & 1, of
//                 philox4x32_10(counter / 2, key).
// The 128-bit Philox counter is {low 32 bits, high 32 bits, 0, 0}; the key {low, high 32 bits}.

struct inst {
  inst_kind kind = inst_kind::compute;
  op code = op::cast;
  dtype type = dtype::float32;    // of the operands of `compute`, `reduce` and `scan`
  dtype result = dtype::float32;  // of the value; complex never: parts are values of their own
  std::int32_t args[3] = {-1, -1, -1};  // indices of earlier instructions
  std::int32_t which = -1;
  std::uint8_t part = 0;
  bool arg = false;
  bool inner = false;             // the level; derived, checked by the verifier
  std::uint64_t bits = 0;
  std::int32_t note = -1;         // index into kernel::notes: the source statement; not in the key
  bool operator==(const inst&) const = default;
};

/// A program that is iterated at a point. `body` has carry, given, constant, compute, gathers (args
/// {index, -1}) and stores (args {value, -1, index}), whose args refer to the body itself. A round
/// computes the code up to `condition`; if that holds, it computes the rest, and the carries become
/// `next`. Each lane stops by itself, and its values then stay unchanged.
struct loop_code {
  std::vector<dtype> carries;  // never complex: parts are carries of their own
  std::vector<dtype> givens;
  std::vector<inst> body;
  std::int32_t condition = -1;
  std::vector<std::int32_t> next;
  bool operator==(const loop_code&) const = default;
};

/// How far something extends beyond the box of a block (its halo), before and after it, per kept
/// axis.
struct margins {
  std::vector<int> before, after;
  bool operator==(const margins&) const = default;
};

/// An array private to each block of a stack, covering its box and margins.
struct tile {
  dtype type = dtype::float32;  // a real type
  ir::margins margins;
  bool operator==(const tile&) const = default;
};

struct kernel {
  std::string name;  // a C identifier
  int kept = 1;      // ranks, after collapsing; kept >= 1
  int reduced = 0;
  ir::schedule schedule;
  std::vector<operand> operands;
  std::vector<dtype> scalars;  // real types only
  std::vector<inst> body;
  std::vector<loop_code> loops;
  std::vector<std::string> notes;
  /// Kernels that share a launch, their blocks concatenated; this one then has no operands and no
  /// body of its own. GPU maps, not tiled, without loops.
  std::vector<kernel> parts;
  /// If not empty, the parts form a stack (kernel_stack.hpp) whose blocks have boxes with these
  /// sides, per kept axis, and these tiles.
  std::vector<int> box;
  std::vector<ir::tile> tiles;
  /// Or the parts run one after the other, repeatedly, until a byte after one of `tests` is zero
  /// (kernel_rounds.hpp).
  bool rounds = false;
  std::vector<int> tests;
  /// For a part of a stack: how far it is computed beyond the box of a block; there it stores to
  /// tiles but not to memory.
  ir::margins beyond;
  bool around = false;  // likewise: not at points of the last part before it that is not `around`
};

/// Does the store combine its value with the stored one?
inline bool combines(const inst& i) {
  return i.kind == inst_kind::store && i.args[2] >= 0 && i.code != op::cast;
}

/// May rows with this instruction be walked side by side (schedule::abreast)?
bool can_be_abreast(const kernel&, const inst&);

/// Can several threads combine this way in a GPU's shared memory?
bool can_be_held(const inst&);

/// How many times a block of a GPU map walks threads * vector * unroll elements.
constexpr std::int64_t tiles_of(const schedule& s) {
  return s.tile / (std::int64_t{s.threads} * s.vector * s.unroll);
}

/// The arguments of an instruction, -1 left out.
std::vector<int> arguments_of(const inst&);

/// The values in a pack, first to last.
std::vector<std::int32_t> packed(const std::vector<inst>& body, std::int32_t pack);

/// The contents of an argument slot (8 bytes, little endian). `slots_of` gives their order.
enum class slot_kind : std::uint8_t {
  extent,        // axis: a domain axis
  divisor,       // axis: a domain axis; see `make_divisor`; GPU kernels only
  splits,        // number of chunks a row is cut into (split)
  chunk,         // elements of the reduced range in a chunk (split)
  start,         // which: operand; start of an index or an unravelled sum
  stride,        // which: operand, axis: a domain axis with step `any`; in elements
  unravel_extent,   // which, axis: 0 .. unravel
  unravel_divisor,  // which, axis: 1 .. unravel, of narrow ones; see `make_divisor`
  unravel_stride,   // which, axis
  scalar,        // which: scalar; a float in the low 4 bytes, small integers likewise
  over,          // which: a scalar divisor of integers or floats; see `scalar_divisor`; GPU only
  pointer,       // which: an operand that is neither index nor tile
  blocks,        // of a part of a shared launch
  origin,        // of a part of a stack; axis: where its domain begins, in coordinates of the stack
  corner,        // of a stack; axis: where its first box begins
  across,        // of a stack; axis: number of boxes
  test,          // of rounds; axis: which test: the address of its byte
  rounds,        // of rounds: their number
  told,          // of rounds: where to store the number of passed tests
};

struct slot {
  slot_kind kind;
  int which = -1;
  int axis = -1;
  int part = -1;  // of a shared launch: the part it belongs to
  bool operator==(const slot&) const = default;
};

/// The slots of a kernel, in order: extents of all axes; GPU: divisors of all axes; splits and
/// chunk if split; then per operand start, strides, unravel extents, divisors and strides; scalars,
/// and on a GPU the `over` words of those that divide; pointers. Of a shared launch: part by part,
/// each with its number of blocks last; then those of rounds. Of a stack: part by part, without
/// divisors of axes, each with its origins last; then its corner and numbers of boxes.
std::vector<slot> slots_of(const kernel&);

/// "n0", "d0", "splits", "chunk", "in0_start", "in0_s1", "in0_u1", "in0_w1", "in0_v1", "s0",
/// "over_s0", "in0" / "out0" / "ix0" / "state0" / "at0": inputs, outputs, indices, states and tiles
/// are numbered separately. Of a part: "p1_n0", "p1_blocks". Of a stack: "p1_o0", "x0", "across0".
/// Of rounds: "test0", "rounds", "told".
std::string name_of(const kernel&, const slot&);

/// "in0", "out0", "ix0", "state0", "at0": the name of operand `which`.
std::string name_of(const kernel&, int which);

std::ptrdiff_t scan_count(const kernel&);

/// How many words of state a kernel with so many chained scans needs, over all chunks of all rows.
constexpr std::int64_t state_words(std::int64_t scans, std::int64_t chunks) {
  return 1 + scans * chunks * 6;
}

/// A division by `d` as one multiplication: low word multiplier, high word shift;
/// n / d == (uint64(n) * low) >> high for 0 <= n < 2^31, 1 <= d < 2^31
/// (Granlund and Montgomery, PLDI 1994).
std::uint64_t make_divisor(std::uint64_t d);

/// The scalar by which a quotient or modulus, or a division of floats or doubles, of a GPU kernel
/// divides, or -1.
int dividing_scalar(const kernel&, const inst&);

/// The `over` word of a scalar divisor d. For integers: make_divisor(d), or 0 if d is not in 1 ..
/// 2^31 - 1; of 64 bits 2^64 / d, rounded up, or 0 if d is not in 2 .. 2^63 - 1. For a float: the
/// nearest float to its reciprocal, and in the high half the rounding error of that; for a double:
/// the nearest double. NaN if quotients may leave the range in which these are exact
/// (`sinter_ratio`).
std::uint64_t scalar_divisor(std::uint64_t word, dtype);

/// The blocks of a launch of a kernel over these extents (kept axes, then reduced).
extent blocks_of(const kernel&, const extent_list& extents, extent splits);

/// The threads of a block of a GPU's launch over these extents.
extent threads_of(const kernel&, const extent_list& extents);

/// The only store that packs selected elements: its condition is what the only scan counts, and its
/// index is one less than the count. -1: none.
std::int32_t packed_store(const kernel&);

/// Is an operand of the map turned? Tiles then lie within two axes.
bool turns(const kernel&);
/// How many rows of a turned operand a thread transposes in registers: as many as a word has
/// elements, so that words go through shared memory; 1: single elements do. For a kernel: the
/// maximum over its operands.
int turned_together(const schedule&, const operand&);
int turned_together(const kernel&);

/// Does a GPU map with one thread per row bring rows (operand::apart) through shared memory?
bool brings_rows(const kernel&);
/// Bytes of shared memory for one thread's rows, with the padding that avoids bank conflicts.
std::size_t brought_bytes(const kernel&);

/// Derives `inner` of every instruction: a load, index or store moves along a reduced axis, or an
/// argument is inner; a reduction is outer, a scan inner.
void infer_levels(kernel&);

/// The phase of each instruction: 0, or the number of successive reductions it depends on. A
/// reduction's phase is that of its argument, the walk in which it is accumulated; users of its
/// result are in the next one.
std::vector<int> phases_of(const kernel&);

/// Text of a kernel; `parse_kernel(print(k))` is k again.
std::string print(const kernel&);
kernel parse_kernel(std::string_view text);

/// The text without names and notes.
std::string key_of(const kernel&);

/// Throws ir::verify_error naming the instruction and the rule it breaks.
void verify(const kernel&);

}  // namespace sinter::ir
