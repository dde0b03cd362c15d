#pragma once
// The steps behind shape_kernel(), over one set of axes: their order and merging, vector widths,
// and the schedule of each kind of kernel.

#include <optional>
#include <vector>

#include "ir/kernel_pieces.hpp"
#include "ir/passes/shape.hpp"

namespace sinter::ir {

/// The longest short axis worth unrolling: what a vector's lanes can be picked from.
inline constexpr extent most_unrolled = most_apart;

/// A column reduction on a GPU: threads per block, and how many of them share a column unless rows
/// are wide. Four blocks fit on a multiprocessor at once; sums and deviations of 1e6 x 128 in one
/// wave take 131 us, 156 in one and a half or three (H200).
inline constexpr int column_threads = 256, column_walkers = 32;

/// With at most so many inputs a walker has four or more vectors of each in flight.
inline constexpr int few_inputs = 2;

/// Floats that one walker of a column adds up: in sums of equal numbers all rounding errors have
/// one sign.
inline constexpr int most_added = 128;

/// Floats of a column's part; each of its walkers adds up 128 to 512 of them.
inline constexpr int most_added_in_part = 4096;

/// Elements that take a CPU some microseconds: less is not worth another thread, more leaves
/// threads idle. Eight threads' worth of a cheap map was one block of an expensive one.
std::int64_t cpu_tile(const kernel&);

/// a / b, rounded up.
extent ceil_div(extent a, extent b);
/// The product of the extents in [from, to).
extent product(const shape_t& s, std::size_t from, std::size_t to);

class shaper {
 public:
  shaper(const body& b, const machine& m, bool split, row_lanes lanes = row_lanes::across);
  shaped run(const shape_t& domain, const std::vector<bool>& reduced);

 private:
  // ---- axes (shape_axes.cpp)
  /// Kept axes first, unit axes removed, the axis along which most operands are contiguous last.
  void arrange(const shape_t& domain, const std::vector<bool>& reduced);
  /// Reverses axes of a map that are read backwards by one element across the axis written along.
  void walk_forwards();
  /// Moves an axis to the end: of a map the one along which outputs are contiguous, else the one
  /// along which most operand bytes are.
  void contiguous_last(std::vector<std::size_t>& axes, const shape_t& domain) const;
  /// Moves the axis along which transposed operands are contiguous to the last but one: blocks of
  /// both targets are rectangles of the last two.
  void turned_before(std::vector<std::size_t>& axes) const;
  /// The axis with the operand's smallest stride; the last one if it is broadcast along it.
  std::size_t closest(std::size_t o, const std::vector<std::size_t>& axes) const;
  /// Merges adjacent axes that every operand walks as one.
  void merge();
  void swap_axes(std::size_t a, std::size_t b);
  /// For a kernel on a CPU that walks along short rows with lanes across them (and some on a GPU):
  /// the axes of the domain besides the lanes', if they have few positions in all.
  std::vector<std::size_t> short_axes() const;
  bool between_lanes(std::size_t axis) const;
  bool walks_few() const;

  // ---- vector widths (shape_vectors.cpp, shape_lanes.cpp)
  int widest() const;
  bool is_repeated(std::size_t operand) const;
  bool stands_at_one_place(std::size_t operand) const;
  bool stands_still(const inst& i) const;
  std::size_t axis_of_lanes() const;
  lane_values edges() const;
  bool in_pieces() const;
  /// Can accesses along `axis` be vectors of v elements? Row strides and starts must be multiples
  /// of v.
  bool aligned(std::size_t axis, extent v) const;
  bool starts_aligned(std::size_t o, std::size_t axis, extent v) const;
  /// Axes whose ragged end the emitters guard: the only one of a map, the only reduced one.
  bool flat(std::size_t axis) const;
  bool walks_by_one(std::size_t o, std::size_t axis) const;
  bool walks_by_one(std::size_t axis) const;
  /// Is it an array that moves by one element along the axis, and is no reduced result?
  bool moves_by_one(std::size_t o, std::size_t axis) const;
  /// The bytes of all such operands; nothing if there are none.
  std::optional<extent> bytes_by_one(std::size_t axis) const;
  /// Along the axis, is some input's neighbour neither the same element nor the next?
  bool picks_apart(std::size_t axis) const;
  /// Is most of what a reduction reads contiguous along its reduced axis?
  bool lies_by_row() const;
  int vector_of_reduction(std::size_t axis, bool whole, extent rows, extent length) const;
  /// The same as widest(), but only of values along rows, not of results per row.
  int widest_inside() const;
  /// The widest input, if there is any: each element is read once, but written once per row. If
  /// rows are gathered, operands that are the same in all lanes do not count: 64-bit indices made
  /// vectors of two of floats. Bags of eight rows of 32: 77 us, by two and as vectors 56 (H100).
  int widest_read() const;
  /// Is a gathered operand contiguous along the axis?
  bool picks_rows(std::size_t axis) const;
  int vector_for(std::size_t axis) const { return vector_for(axis, widest()); }
  int vector_for(std::size_t axis, int element) const;
  /// Reads and stores whose elements lie apart along the axis: a CPU takes lanes one by one.
  int single_operands(std::size_t axis) const;
  /// Instructions that a CPU takes for a vector of so many lanes.
  int instructions_of(int lanes) const;
  int unroll_for() const;
  int vector_of_loops() const;
  /// A real array, each point of which has the element its strides give?
  bool is_plain_array(std::size_t o) const;
  std::vector<int> conditions_of_pieces(std::size_t o) const;
  bool suits_strips(std::size_t operand) const;
  /// Marks inputs that a CPU map reads by strips (reach::strips).
  void read_strips();
  /// Marks operands that a CPU's lanes walk backwards (reach::backwards).
  void run_back();
  /// Lowers the unroll factor of an expensive GPU walk: each copy is compiled, twice.
  void write_less();
  /// More threads and no unrolling for few rows that are scanned.
  void scan_abreast(extent rows);
  /// Vectors of adjacent columns that a CPU core walks down together. Four of a row are 256 bytes;
  /// then the walk continues in another page and, if rows are a power of two long, in the same
  /// memory bank: 16 read a row of 16,384 doubles twice as fast.
  int columns_in_flight(const extent& columns) const;
  bool extrema_spill() const;
  int fitting_strip(int most) const;

  // ---- schedules
  bool gpu() const { return m_.target == target::gpu; }
  void map();
  /// Makes a CPU map of short rows flat, if possible.
  bool goes_on_over_rows();
  /// Whole rows of a CPU map that are gathered or scattered by one index each, one row per vector.
  bool goes_by_whole_rows();
  /// For a CPU map of short rows, a long axis across them; else none.
  std::optional<std::size_t> axis_across_short_rows() const;
  /// The rows become a reduced axis, the axis across them the last kept one.
  void walk_along_rows(std::size_t across);
  /// Lanes across the last kept axis, a walk along the reduced one; for maps and reductions.
  void down();
  void reduction();
  /// The element size of the scans, the same for all; 0 if there are none.
  std::size_t scan_bytes() const;
  /// Which elements a thread combines, and in which order, follows from row length and element size
  /// alone: a fused scan has the bits of an unfused one.
  void scan(bool by_row);
  /// Loads rows that are walked more than once just once, if they fit in the registers of a block
  /// or of a cluster; or stages short rows.
  void resident();
  /// Rows walked side by side, lanes along each, one lane per row in the results
  /// (shape_abreast.cpp).
  void abreast();
  bool goes_abreast(const extent& length) const;
  bool can_go_abreast() const;
  bool better_abreast(const extent& length) const;  // for rows that could be one per lane
  int lanes_abreast() const;
  int most_abreast() const;
  void bring_long_axis(extent length);
  bool short_rows(extent length) const;
  extent most_across(std::size_t axis) const;
  bool walks_quickly() const;
  bool sums_floats() const;
  /// Chunks of a row. On a CPU they do not depend on the number of threads, so sums do not either.
  void split(extent rows, extent length);
  /// The granularity of chunks: `most`, or less if so many elements take more than `seconds`.
  std::int64_t row_grain(std::int64_t most, std::int64_t least, double seconds) const;
  /// Would one thread per vector leave most of the machine idle?
  bool leaves_idle(extent rows, extent length) const;
  /// Threads per row so that each has about four vectors, or one if nothing else would hide an
  /// element's latency. There are few classes on purpose.
  void gpu_rows(extent length, bool idle, extent rows);
  // (shape_columns.cpp)
  void gpu_columns(extent rows, extent length);
  /// Threads that share a column, for this many adjacent vectors.
  int walkers_of(extent columns, extent length) const;
  int walkers_of_part(extent columns) const;
  /// Bytes one thread reads per operand at a time: vectors of rows that no vector width divides are
  /// short.
  int bytes_read() const;
  double bytes_walked() const;
  /// Does arithmetic take longer than reading the walked operands?
  bool walks_slowly() const;
  bool reads_whole() const;
  bool wide_rows() const;
  extent blocks_of_columns(extent rows) const;
  bool walked_once() const;
  /// Inputs that move along the last axis.
  int walked_inputs() const;
  bool asks_positions() const;
  int threads_of_bytes(extent length) const;
  int position_threads(extent vectors, extent rows, int most) const;

  // ---- classes
  std::size_t lane_of() const;
  void bake();
  /// Marks operands that move by the same strides (operand::like): views of one array mostly do. A
  /// stencil of seven points computed seven offsets, half of its instructions. A difference found
  /// here is no condition on other sizes.
  void liken();
  bool moves_as(std::size_t o, std::size_t p) const;
  /// Marks operands that interleave in one array, such as every third element at three offsets
  /// (operand::apart): lanes pick them out of whole vectors.
  void take_turns();
  /// Marks inputs of a GPU map that view one array at offsets of a few elements in a row.
  void stand_beside();
  bool is_beside(std::size_t o, std::size_t base) const;
  bool walks_along_points() const;
  /// Brings rows too long for a thread's registers through shared memory.
  bool bring_rows();
  bool can_bring_rows() const;
  void take_turn(std::size_t o);
  void drop_turns(std::size_t base);
  bool stands_apart(std::size_t o) const;
  bool stands_apart(std::size_t o, std::int64_t most) const;
  bool takes_turns_with(std::size_t o, std::size_t base) const;
  /// Drops interleaving where every offset must be present and is not, or too few are to be worth
  /// reading what lies between.
  void drop_lonely_turns();
  bool rows_aligned(std::size_t o) const;
  void narrow_rows();
  void walk_few_points();
  /// Do the accesses of a scan stay vectors? Rows that begin unaligned are read one by one.
  bool walks_vectors(std::size_t o, std::size_t lane) const;

  const body& b_;
  const machine& m_;
  const row_lanes lanes_;  // on a CPU, if rows are short
  kernel k_;
  shape_t extents_;
  std::vector<index_expr> ops_;
  std::size_t kept_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> parts_of_;  // per axis: the axes of the domain merged into
                                                    // it
  bool map_ = false, keep_one_reduced_ = false, walks_down_ = false;
  extent blocks_ = 0, splits_ = 1, chunk_ = 0;
};

}  // namespace sinter::ir
