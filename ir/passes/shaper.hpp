#pragma once
// The steps behind shape_kernel(), over one set of axes: which axes there are, how wide they are
// walked, and the schedule of each kind of kernel.

#include <optional>
#include <vector>

#include "ir/kernel_pieces.hpp"
#include "ir/passes/shape.hpp"

namespace sinter::ir {

/// Places along short axes that are worth writing out: what a vector's lanes are picked from.
inline constexpr extent most_unrolled = most_apart;

/// A column reduction on a GPU: threads of a block, and how many of them share a column unless
/// rows are wide. Four blocks fit on a multiprocessor at once; sums and deviations of 1e6 x 128 in
/// one go take 131 us, 156 in one and a half or three (H200).
inline constexpr int column_threads = 256, column_walkers = 32;

/// Inputs of which a walker has four vectors and more in flight.
inline constexpr int few_inputs = 2;

/// Floats that one walker of a column adds up: of equal numbers all roundings go the same way.
inline constexpr int most_added = 128;

/// Floats of a column's part, of which each of its walkers adds up 128 to 512.
inline constexpr int most_added_in_part = 4096;

/// So many elements that a CPU's block takes some microseconds: less is not worth another thread,
/// more leaves threads without. Eight threads' worth of a cheap map was one block of a dear one.
std::int64_t cpu_tile(const kernel&);

/// a / b, rounded up.
extent ceil_div(extent a, extent b);
/// Of the extents [from, to).
extent product(const shape_t& s, std::size_t from, std::size_t to);

class shaper {
 public:
  shaper(const body& b, const machine& m, bool split, row_lanes lanes = row_lanes::across);
  shaped run(const shape_t& domain, const std::vector<bool>& reduced);

 private:
  // ---- axes (shape_axes.cpp)
  /// Kept axes first, unit axes gone, the axis that most operands walk by ones last.
  void arrange(const shape_t& domain, const std::vector<bool>& reduced);
  /// Of a map the axis that outputs lie along, else the one that most operands do.
  void walk_forwards();
  void contiguous_last(std::vector<std::size_t>& axes, const shape_t& domain) const;
  /// The axis that transposed operands lie along becomes the last but one: blocks of both targets
  /// are rectangles of these two.
  void turned_before(std::vector<std::size_t>& axes) const;
  /// The axis along which an operand's elements are closest; the last one where it stands still.
  std::size_t closest(std::size_t o, const std::vector<std::size_t>& axes) const;
  /// Adjacent axes become one where every operand walks them as one.
  void merge();
  void swap_axes(std::size_t a, std::size_t b);
  /// Of a kernel that walks along short rows, on a CPU with lanes across them: the axes of the
  /// domain that are no lanes', if they have few places in all.
  std::vector<std::size_t> short_axes() const;
  bool between_lanes(std::size_t axis) const;
  bool walks_few() const;

  // ---- how wide an axis can be walked (shape_vectors.cpp)
  int widest() const;
  bool is_repeated(std::size_t operand) const;
  bool stands_at_one_place(std::size_t operand) const;
  bool stands_still(const inst& i) const;
  std::size_t axis_of_lanes() const;
  lane_values edges() const;
  bool in_pieces() const;
  /// Can accesses along `axis` be vectors of v elements? Rows and starts must be multiples of v.
  bool aligned(std::size_t axis, extent v) const;
  bool starts_aligned(std::size_t o, std::size_t axis, extent v) const;
  /// Axes whose ragged end the emitters guard: the only one of a map, the only reduced one.
  bool flat(std::size_t axis) const;
  bool walks_by_one(std::size_t o, std::size_t axis) const;
  bool walks_by_one(std::size_t axis) const;
  /// Is it an input that moves by one element along the axis?
  bool moves_by_one(std::size_t o, std::size_t axis) const;
  /// The bytes of all such; nothing if there is none.
  std::optional<extent> bytes_by_one(std::size_t axis) const;
  /// Does an input's neighbour along the axis lie neither at the same place nor at the next?
  bool picks_apart(std::size_t axis) const;
  /// Does most of what a reduction reads lie along its reduced axis?
  bool lies_by_row() const;
  int vector_of_reduction(std::size_t axis, bool whole, extent rows, extent length) const;
  /// The same, but of what is along rows alone, not of what they come to.
  int widest_inside() const;
  /// Of what a kernel reads, if it reads: each element once, where it writes one a row. Where rows
  /// are picked, not of what is the same in all lanes: indices of 64 bits made vectors of two of
  /// floats. Bags of eight rows of 32: 77 us, by two and as vectors 56 (H100).
  int widest_read() const;
  /// Does an index pick what then lies along the axis?
  bool picks_rows(std::size_t axis) const;
  int vector_for(std::size_t axis) const { return vector_for(axis, widest()); }
  int vector_for(std::size_t axis, int element) const;
  int unroll_for() const;
  int vector_of_loops() const;
  /// A real array of which each point has the element that its strides say?
  bool is_plain_array(std::size_t o) const;
  std::vector<int> conditions_of_pieces(std::size_t o) const;
  /// Marks what a CPU's map reads by strips.
  void read_strips();
  /// Marks what a CPU's lanes run through backwards.
  void run_back();
  /// A dear walk on a GPU is written out less often: each copy is compiled, twice.
  void write_less();
  /// Of few rows that are scanned.
  void scan_abreast(extent rows);
  /// Vectors of columns that a core of a CPU walks down together. Four of a row are 256 bytes; then
  /// the walk goes on in another page and, where rows are a power of two long, in the same bank of
  /// the memory: 16 read a row of 16,384 doubles twice as fast.
  int columns_in_flight(const extent& columns) const;
  bool extrema_spill() const;
  int fitting_strip(int most) const;

  // ---- schedules
  bool gpu() const { return m_.target == target::gpu; }
  void map();
  /// Makes a CPU's map of short rows flat, where that can be.
  bool goes_on_over_rows();
  /// Rows of a CPU's map that an index picks, or is told where to store, each at once.
  bool goes_by_whole_rows();
  /// Of a CPU's map of short rows a long axis across them; of others none.
  std::optional<std::size_t> axis_across_short_rows() const;
  /// The rows become a reduced axis, what is across them the last kept one.
  void walk_along_rows(std::size_t across);
  /// Lanes across the last kept axis, a walk along the reduced one, of maps as of reductions.
  void down();
  void reduction();
  /// The size of what the scans combine, all the same; 0 without any.
  std::size_t scan_bytes() const;
  /// Which elements a thread combines, and in which order, follows from the length of a row and the
  /// size of an element: a fused scan has the bits of a lone one.
  void scan(bool by_row);
  /// Rows that are walked more than once and fit in the registers of a block or of a cluster are
  /// loaded once.
  void resident();
  /// Rows side by side, lanes along them (shape_abreast.cpp).
  void abreast();
  bool goes_abreast(const extent& length) const;
  bool can_go_abreast() const;
  bool better_abreast(const extent& length) const;  // of rows that could be lanes
  int lanes_abreast() const;
  int most_abreast() const;
  void bring_long_axis(extent length);
  bool short_rows(extent length) const;
  extent most_across(std::size_t axis) const;
  bool walks_quickly() const;
  bool sums_floats() const;
  /// Chunks of a row. On a CPU they do not depend on the number of threads, nor do then the sums.
  void split(extent rows, extent length);
  /// What chunks are multiples of: `most`, or less where so many elements take more than `seconds`.
  std::int64_t row_grain(std::int64_t most, std::int64_t least, double seconds) const;
  /// Would a thread for each vector leave most of the machine idle?
  bool leaves_idle(extent rows, extent length) const;
  /// Threads for a row so that each has about four vectors, or one where nothing else would hide
  /// how long an element takes. The classes are few on purpose.
  void gpu_rows(extent length, bool idle, extent rows);
  // (shape_columns.cpp)
  void gpu_columns(extent rows, extent length);
  /// Threads that share a column, of so many vectors beside each other.
  int walkers_of(extent columns, extent length) const;
  int walkers_of_part(extent columns) const;
  /// By a thread of an operand at once: the vectors of rows that none divides are short.
  int bytes_read() const;
  double bytes_walked() const;
  /// Does arithmetic take longer than what is walked over?
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
  /// Views of one array mostly move by the same strides. A stencil of seven points computed seven
  /// offsets, half of its instructions. What differs here is no condition on other sizes.
  void liken();
  bool moves_as(std::size_t o, std::size_t p) const;
  /// Arrays of which every third element is read, or written, at three places in turn: lanes have
  /// them out of whole vectors.
  void take_turns();
  /// Inputs of a GPU's map that are views of one array, a few elements of a row from each other.
  void stand_beside();
  bool is_beside(std::size_t o, std::size_t base) const;
  bool walks_along_points() const;
  /// Rows that are too long for a thread's registers, through shared memory.
  bool bring_rows();
  bool can_bring_rows() const;
  void take_turn(std::size_t o);
  void drop_turns(std::size_t base);
  bool stands_apart(std::size_t o) const;
  bool stands_apart(std::size_t o, std::int64_t most) const;
  bool takes_turns_with(std::size_t o, std::size_t base) const;
  /// Not those of an array whose turns must be all there, or are too few to be worth reading what
  /// lies between.
  void drop_lonely_turns();
  bool rows_aligned(std::size_t o) const;
  void narrow_rows();
  void walk_few_points();
  /// The vectors of a scan are what they are: rows that start between them are read one by one.
  bool walks_vectors(std::size_t o, std::size_t lane) const;

  const body& b_;
  const machine& m_;
  const row_lanes lanes_;  // of a CPU, where rows are short
  kernel k_;
  shape_t extents_;
  std::vector<index_expr> ops_;
  std::size_t kept_ = 0;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> parts_of_;  // by axis: those of the domain that it is
  bool map_ = false, keep_one_reduced_ = false, walks_down_ = false;
  extent blocks_ = 0, splits_ = 1, chunk_ = 0;
};

}  // namespace sinter::ir
