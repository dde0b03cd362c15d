#pragma once
// The kernel IR: everything a code generator needs, every decision taken.
//
// A kernel runs a straight-line body over a domain of kept axes and reduced axes. Sizes, strides,
// offsets, scalars and pointers are passed in argument slots; what is written here (ops, types,
// ranks, the class of every step, the schedule) is baked into the code. So the text of a kernel,
// its name apart, is its cache key.
//
// Levels and phases. A value is `inner` if it depends on the reduced axes, else `outer` (one per
// point of the kept axes). A kernel without reduced axes has only outer values. A `reduce` turns an
// inner value into an outer one, and inner code after it may use the result (softmax): phase p of
// the body is what needs the results of p reductions in a row, and an emitter walks the reduced
// axes once a phase, computing again the inner values that a phase needs. A `scan` along the only
// reduced axis stays inner and in its phase: at a point of the walk it is what the walk has met.
//
// Blocks. A launch has a number of blocks (`blocks_of`), each the same on CPU and GPU: in a map a
// block is schedule.tile consecutive elements of the row-major kept domain; in a reduction it is
// schedule.rows consecutive rows (a row: one point of the kept axes), or with `split` one chunk of
// schedule.rows rows: block b is chunk b % splits of row group b / splits. With `cluster` so many
// neighbouring blocks share a row and wait for each other.
//
// Tiles. With tile_rows > 0 a block of a map is a rectangle: tile_columns points of the last axis
// (its first block may begin up to vector - 1 points earlier: see `lead`) by tile_rows rows. Rows
// are those of all other axes in a row; where an operand is turned, those of the axis before the
// last, once for each point of the axes before it. Neighbouring blocks are neighbours along the
// last axis. With `planes` a block does its rectangle, of rows of the axis before the last, at so
// many neighbouring points of the axis before that, one after the other.
//
// Chained scans. With `split` a kernel with scans has one operand of role state: uint64 words, zero
// before the launch. A block counts word 0 up and takes the number n it found: it is chunk n / rows
// of row n % rows, so whoever waits for an earlier chunk waits for a block that has begun. On a GPU
// a block goes on until there are none left, so that any number of blocks will do. The other words
// are the emitter's, to pass on what chunks come to. What is combined with what depends on
// positions alone, never on who came first.

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
///                extents, and the element offset the dot product of its coordinates with as many
///                strides; `narrow`, on a GPU: there are less than 2^31 elements
struct access {
  std::vector<step> steps;
  int unravel = 0;
  bool narrow = false;
  bool operator==(const access&) const = default;
};

/// An array the kernel reads or writes, or (index) a row-major element number it only computes, or
/// (state) words through which the blocks of a chained scan meet, or (tile) of a part of a stack,
/// what its blocks keep to themselves: read and written.
enum class operand_role : std::uint8_t { input, output, index, state, tile };

/// How a GPU gets at the elements of an operand with step `one`, or a CPU at others.
enum class reach : std::uint8_t {
  whole,    // along the last axis, by vectors that are aligned in memory
  shifted,  // an input along the last axis, by vectors that may begin anywhere; of `pieces` also
            // one that is read under conditions
  aligned,  // of a map, an input read under conditions alone, along the last axis: where these are
            // the same for a vector, it is aligned in memory
  turned,   // an input along the axis before the last: a tile goes through shared memory
  staged,   // of a reduction: see schedule::staged
  picked,   // of a flat map, an input or an index: each lane by its own coordinates
  backwards,  // on a CPU, a real array along the lanes' axis: the stride that is passed is -1
  strips,  // on a CPU, a real input of a map, with step `one` along the axis before the last: what
           // the lanes of many rows read is turned together
};

/// operand::apart at most: what a vector's lanes are picked from, in vectors.
inline constexpr int most_apart = 16;

struct operand {
  operand_role role = operand_role::input;
  dtype type = dtype::float32;  // the stored type; int64 for an index
  ir::access access;
  ir::reach reach = reach::whole;
  int beyond = 0;  // shifted: how many elements after an aligned place its vectors begin, in all
                   // rows; 0: not the same in all
  int like = -1;   // GPU: an operand before it that moves by the same strides, and has no like
                   // itself: what is added to the one's pointer is added to the other's
  int apart = 0;   // CPU, and a GPU's maps without tiles: along the lanes' axis elements stand so
                   // many apart, a number of the code; 0: passed. See brings_rows, too
  int base = -1;   // of such: the operand, itself or one before it, with which it takes turns.
                   // Of an input of a GPU's map with apart 0: one before it of the same array
  int turn = 0;    // how many elements behind the base's its own stand. Where apart > 0, all of a
                   // base's are less than `apart` from each other; of outputs, and on a GPU, there
                   // is one for each place, and the first one's vectors are aligned there
  int tile = -1;           // of role tile: which of kernel::tiles; its access has no steps
  std::vector<int> shift = {};  // of such: how far from the point its element lies, an axis each
  bool operator==(const operand&) const = default;
};

enum class inst_kind : std::uint8_t {
  load,      // which: operand; part: 0, or 1 for the imaginary part of a complex element
  gather,    // a load from elsewhere: args {index (int64) added to the operand's own offset, or
             // -1; condition (bool), or -1}: 0, and nothing is read, where the condition is false
  index,     // which: operand of role index; an int64
  scalar,    // which: scalar parameter
  constant,  // bits
  compute,   // code over args; cast and bitcast included
  random,    // args: {counter (int64), key (uint64)}; type uint32 or uint64; see below
  reduce,    // code over args[0] at every point of the reduced axes; `arg`: an int64 index
  scan,      // code over args[0] at the points of the reduced axis up to this one; inner
  pack,      // args {pack before it or -1, value, value or -1}: a list of values; has none itself
  loop,      // which: of kernel::loops; args {pack: first values of its carries, then what stays;
             // condition (bool) or -1}: runs where that holds; has no value itself
  pick,      // args {loop}, which: of its carries: what it came to
  carry,     // in a loop's body: carry `which` in this round; behind the last, the round (int64)
  given,     // in a loop's body: value `which` of what stays
  store,     // args {value, condition (bool) or -1, index (int64) or -1} into operand `which`,
             // `part`: where the condition holds, and at the index past the operand's own offset
             // (at one place one value). A condition alone raises a flag: an integer, whose operand
             // stands still along every axis; where it holds more than once, of one value, or
             // (`code` maximum, uint64) the greatest. With an index and a `code` other than cast
             // the value is combined with what is there, code(there, value), by threads that may
             // meet at a place
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

/// A program that is run again and again at a point. `body` is of carry, given, constant, compute,
/// of gathers (args {index, -1}) and of stores (args {value, -1, index}), its args within itself.
/// A round computes what stands up to `condition`; where that holds, the rest, and the carries
/// become `next`. Of several lanes each stops by itself, and what has stopped stays as it is.
struct loop_code {
  std::vector<dtype> carries;  // never complex: parts are carries of their own
  std::vector<dtype> givens;
  std::vector<inst> body;
  std::int32_t condition = -1;
  std::vector<std::int32_t> next;
  bool operator==(const loop_code&) const = default;
};

/// How far something reaches beyond the box of a block, before and after it, a kept axis each.
struct margins {
  std::vector<int> before, after;
  bool operator==(const margins&) const = default;
};

/// An array that each block of a stack has of its own, around its box.
struct tile {
  dtype type = dtype::float32;  // a real one
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
  /// Kernels that share a launch, their blocks behind one another; then this one has no operands
  /// and no body of its own. GPU maps, not tiled, without loops.
  std::vector<kernel> parts;
  /// Not empty: the parts are a stack instead (kernel_stack.hpp), whose blocks have boxes with
  /// these sides, a kept axis each, and these tiles.
  std::vector<int> box;
  std::vector<ir::tile> tiles;
  /// Or the parts are done one after the other, over and over, but until a byte behind one of
  /// `tests` is zero (kernel_rounds.hpp).
  bool rounds = false;
  std::vector<int> tests;
  /// Of a part of a stack: where it is computed beyond the box of a block; what it stores in memory
  /// it does not store there.
  ir::margins beyond;
  bool around = false;  // of such: not where the last part that is not so is computed
};

/// Does the store combine its value with what is at a place?
inline bool combines(const inst& i) {
  return i.kind == inst_kind::store && i.args[2] >= 0 && i.code != op::cast;
}

/// May rows with this instruction be walked side by side (schedule::abreast)?
bool can_be_abreast(const kernel&, const inst&);

/// May several threads combine so in a GPU's shared memory?
bool can_be_held(const inst&);

/// How many times a block of a GPU's map walks threads * vector * unroll elements.
constexpr std::int64_t tiles_of(const schedule& s) {
  return s.tile / (std::int64_t{s.threads} * s.vector * s.unroll);
}

/// The arguments of an instruction, -1 left out.
std::vector<int> arguments_of(const inst&);

/// The values in a pack, first to last.
std::vector<std::int32_t> packed(const std::vector<inst>& body, std::int32_t pack);

/// What an argument slot (8 bytes, little endian) holds. Slots stand in the order `slots_of` gives.
enum class slot_kind : std::uint8_t {
  extent,        // axis: a domain axis
  divisor,       // axis: a domain axis; see `make_divisor`; GPU kernels only
  splits,        // number of chunks a row is cut in (split)
  chunk,         // elements of the reduced range in a chunk (split)
  start,         // which: operand; start of an index or an unravelled sum
  stride,        // which: operand, axis: a domain axis with step `any`; in elements
  unravel_extent,   // which, axis: 0 .. unravel
  unravel_divisor,  // which, axis: 1 .. unravel, of narrow ones; see `make_divisor`
  unravel_stride,   // which, axis
  scalar,        // which: scalar; a float in the low 4 bytes, small integers likewise
  over,          // which: scalar that integers are divided by; see `scalar_divisor`; GPU only
  pointer,       // which: operand of another role than index
  blocks,        // of a part of a shared launch
  origin,        // of a part of a stack; axis: where its domain begins, in the stack's coordinates
  corner,        // of a stack; axis: where its first box begins
  across,        // of a stack; axis: how many boxes it has
  test,          // of rounds; axis: the address of the byte of a test
  rounds,        // of rounds: how many
  told,          // of rounds: where to put how many tests there were
};

struct slot {
  slot_kind kind;
  int which = -1;
  int axis = -1;
  int part = -1;  // of a shared launch: whose it is
  bool operator==(const slot&) const = default;
};

/// The slots of a kernel, in order: extents of all axes; GPU: divisors of all axes; splits and
/// chunk if split; then operand by operand start, strides, unravel extents, divisors and strides;
/// scalars, and on a GPU what stands for those that divide; pointers. Of a shared launch: part by
/// part, its blocks behind its own; then those of rounds. Of a stack: part by part, without
/// divisors of axes, its origins behind its own; then its corner and how many boxes there are.
std::vector<slot> slots_of(const kernel&);

/// "n0", "d0", "splits", "chunk", "in0_start", "in0_s1", "in0_u1", "in0_w1", "in0_v1", "s0",
/// "over_s0", "in0" / "out0" / "ix0" / "state0" / "at0": inputs, outputs, indices, states and
/// tiles are numbered apart. Of a part: "p1_n0", "p1_blocks". Of a stack: "p1_o0", "x0",
/// "across0". Of rounds: "test0", "rounds", "told".
std::string name_of(const kernel&, const slot&);

/// "in0", "out0", "ix0", "state0", "at0": the name of operand `which`.
std::string name_of(const kernel&, int which);

std::ptrdiff_t scan_count(const kernel&);

/// How many words of state a kernel with so many chained scans wants, over all chunks of all rows.
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

/// What stands for the divisor d in a scalar's word: of an integer see make_divisor, or 0 if it is
/// not in 1 .. 2^31 - 1; of one of 64 bits 2^64 / d, rounded up, or 0 if it is not in
/// 2 .. 2^63 - 1; of a float the nearest float to its reciprocal, and above it what that lacks; of
/// a double the nearest double. NaN where quotients may leave the range in which these are exact
/// (`sinter_ratio`).
std::uint64_t scalar_divisor(std::uint64_t word, dtype);

/// The blocks of a launch of a kernel over these extents (kept axes, then reduced).
extent blocks_of(const kernel&, const extent_list& extents, extent splits);

/// The threads of a block of a GPU's launch over these extents.
extent threads_of(const kernel&, const extent_list& extents);

/// The store, if there is just one such, whose elements come one behind the other: it has the
/// condition that the only scan counts, and an index one less than the count. -1: none.
std::int32_t packed_store(const kernel&);

/// Is an operand of the map turned? Then tiles lie within two axes.
bool turns(const kernel&);
/// So many rows of a turned operand a thread turns in registers, as many as a word has elements,
/// and words go through shared memory; 1: single elements do. Of a kernel: the most of any operand.
int turned_together(const schedule&, const operand&);
int turned_together(const kernel&);

/// Do arrays of rows (operand::apart) of a GPU's map, a thread a row, go through shared memory?
bool brings_rows(const kernel&);
/// Of a thread's rows, with what keeps them at different banks.
std::size_t brought_bytes(const kernel&);

/// Derives `inner` of every instruction: a load, index or store moves along a reduced axis, or an
/// argument is inner; a reduction is outer, a scan inner.
void infer_levels(kernel&);

/// The phase of each instruction: 0, or the number of reductions in a row it depends on. A
/// reduction's phase is that of its argument, the walk in which it is accumulated; what uses its
/// result is in the next one.
std::vector<int> phases_of(const kernel&);

/// Text of a kernel; `parse_kernel(print(k))` is k again.
std::string print(const kernel&);
kernel parse_kernel(std::string_view text);

/// The text without names and notes.
std::string key_of(const kernel&);

/// Throws ir::verify_error naming the instruction and the rule it breaks.
void verify(const kernel&);

}  // namespace sinter::ir
