#pragma once
// The values of a kernel's body, each emitted at its level of the loop nest.
//
// A value is emitted on first use, at the outermost level whose coordinates it needs, and once for
// each vector in flight if it differs between lanes. So loop-invariant code is hoisted without an
// optimiser.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/llvm/coder.hpp"
#include "ir/kernel_pieces.hpp"

namespace sinter::codegen::cpu {

/// The nest of loops, outermost first.
enum class level : std::uint8_t {
  entry,
  run,         // along the last kept axis; fixes the other kept axes
  piece,       // of a run, within which no edge changes; only with schedule.pieces
  point,       // one row, or a few vectors of adjacent rows or elements
  inner_run,    // along the last reduced axis
  inner_piece,  // of an inner run, if lanes run along it
  inner_point   // one element of the reduced range, or a few vectors
};
inline constexpr int level_count = 7;

class flow;

/// A shuffle mask of `count` lanes from `first` on, every other one: the parts of complex elements.
llvm::SmallVector<int, 64> every_second(int first, int count);

class body {
  friend class loop_builder;

 public:
  body(coder&, const ir::kernel&, Value* slots);

  const ir::kernel& kernel() const { return kernel_; }
  int lanes() const { return kernel_.schedule.vector; }
  /// The level of the loop along the lanes, and those around it.
  level lane_level() const;
  level piece_level() const;
  level run_level() const;

  Value* slot(ir::slot_kind, int which = -1, int axis = -1);
  std::vector<Value*> extents(int first, int count);

  /// From here on code of this level is emitted at the builder's position. `run` levels take the
  /// coordinates of their first element, pieces and points the distance from it.
  void enter(level, std::span<Value* const> coordinates);
  /// With `split`: the chunk of the reduced range being reduced.
  void set_chunk(Value* chunk) { chunk_ = chunk; }
  /// The level continues at the builder's position: after an inner loop.
  void resume(level);
  /// The end of the piece that begins at `first`, in a run of `length`.
  Value* end_of_piece(Value* first, Value* length);
  /// Called after entering the lane level: how many vectors are in flight and, if they are not
  /// full, how many lanes are active (one vector then).
  void set_lanes(int copies, Value* active = nullptr);
  int copies() const { return copies_; }
  /// The mask of active lanes, or null if all are.
  Value* mask() const { return mask_; }

  /// With schedule.flat, after set_lanes: the point's vector has `left` lanes of its row and
  /// continues in another, whose first element has these coordinates. Until the next run.
  void go_on(Value* left, std::span<Value* const> next);

  /// With schedule.abreast, before entering the point level: the number of rows, one per lane; or a
  /// single row, the lanes being its elements, and its number among those abreast.
  void set_abreast(int rows, Value* row = nullptr) { abreast_ = rows, row_ = row; }
  int abreast() const { return abreast_; }
  /// Calls `write` for each of the rows abreast as if it were alone, to walk it for these inner
  /// stores and reductions.
  void row_by_row(flow&, std::span<const int> walked,
                  const std::function<void(Value* row)>& write);
  /// Stack memory for `count` values.
  Value* memory(llvm::Type*, int count);

  /// Does the instruction's value differ between lanes?
  bool varies(int instruction) const;
  /// Its value in one of the vectors in flight; a scalar if it does not vary.
  Value* value(int instruction, int copy);
  /// The result of a reduction, or of a scan at this point.
  void define(int instruction, int copy, Value*);

  /// Inputs that are read by strips. `bring_strip` transposes one's strip, after entering the run
  /// of its first row; `set_strip_row`: from here on they are loaded from this row of it; null:
  /// from memory.
  std::vector<int> strip_inputs() const;
  void bring_strip(int operand, Value* rows, Value* width, Value* to);
  void set_strip_row(Value* row) { strip_row_ = row; }

  /// Memory for an instruction's values along the beginning of a row, number `which` of a thread's;
  /// for rows abreast, of each.
  Value* row_memory(int instruction, int which, int elements);
  /// From here on the values of `written` are also stored to memory, at the element's position in
  /// its row, and those of `read` loaded from there. Empty: all are recomputed.
  void keep(std::span<const int> written, std::span<Value* const> to, std::span<const int> read,
            std::span<Value* const> from);

  /// Emits the stores, for one of the vectors in flight, after everything they read.
  void store(std::span<const int> instructions, int copy, bool streaming);
  /// Can these stores be emitted both with and without a mask, after `ready` has computed values
  /// and addresses?
  bool may_store_twice(std::span<const int> instructions);
  void ready(std::span<const int> instructions);
  void forget_mask() { active_ = mask_ = nullptr; }

  /// Is it the operand with the first turn among those it interleaves with?
  bool goes_first(int operand) const;

  /// The pointer from which an operand is addressed at a level.
  Value* cursor(int operand, level, int copy);

 private:
  struct lane_step {
    ir::step kind;
    Value* stride;  // in elements; null for `zero`
  };

  /// Adjacent elements read in a piece: `first` for the run's first point, and from there on by the
  /// point's distance, or (`moves` 0, else -1) always at `first`.
  struct spot {
    llvm::Type* element = nullptr;  // of memory; null: it is none
    Value* first = nullptr;
    Value* moves = nullptr;
    int part = -1;  // for complex elements, which part
  };

  void infer();
  level level_of(int instruction) const;
  void place(level);
  std::vector<int> read_inside(std::span<const int> walked) const;
  std::uint8_t needs(const ir::access&) const;
  Value* write(int instruction, int copy);
  bool uniform(int instruction) const;
  Value* at_piece(int instruction);
  Value* start_of_run(int instruction);
  void add_changes(const ir::edge&);
  bool changes_with_another(std::size_t edge) const;
  const spot& spot_of(int instruction);
  spot find_spot(const ir::inst&);
  spot read_spot(const ir::inst&);
  Value* read_at_spot(int instruction, int copy);
  Value* zeros(llvm::Type* element);
  Value* zeros(llvm::Type* element, int count);
  Value* stride(int operand, int axis);
  Value* advance(int operand, Value* from, Value* elements);
  lane_step step_of_lanes(int operand);
  level home(int operand) const;
  Value* distance(int operand, level);
  bool is_partial(int operand) const;
  Value* partial_distance(level);
  bool goes_on(int operand) const;
  Value* next_row(int operand);
  Value* lanes_from(Value* first, Value* a, Value* b);
  Value* load_over(int operand);
  Value* linear_over(int operand);
  Value* linear(int operand, int copy);
  bool counts_in_doubles(const ir::inst&);
  Value* count_in_doubles(int index, int copy);
  Value* offsets(int operand, Value* linear, int part);

  Value* load(int instruction, int copy);
  bool takes_turns(int operand) const;
  std::pair<int, int> turns_of(int base) const;
  Value* picked(std::span<Value* const> from, llvm::ArrayRef<int> elements);
  std::span<Value* const> row_vectors(int base, int copy, int condition);
  Value* load_turn(int operand, int copy, int condition = -1);
  void store_turns(int base, std::span<const int> instructions, int copy, bool streaming);
  bool runs_back(int operand) const;
  Value* load_backwards(int operand, int copy, int condition = -1);
  void store_backwards(int operand, Value* v, int copy);
  Value* load_of_strip(int operand);
  Value* load_strided(int operand, int part, int copy);
  Value* gather(int instruction, int copy);
  bool neighbours(int o);
  Value* load_where(const ir::inst& i, int copy);
  void store_where(const ir::inst& i, int copy);
  bool moves_together(const ir::inst& i, std::int32_t index);
  Value* first_of(const ir::inst& i, std::int32_t index, int copy);
  bool for_all(std::int32_t condition);
  bool stands_still(const ir::inst&);
  Value* load_still(const ir::inst&, int copy);
  Value* lanes_where(std::int32_t condition, int copy);
  Value* loop(int instruction, int copy);
  Value* read_where(llvm::Type* element, Value* pointer, Value* offsets, Value* condition);
  struct lane_places {  // elements at offsets from a pointer, under the condition, if any
    Value* pointer;
    Value* offsets;
    Value* condition;
  };
  lane_places places_of(const ir::inst&, std::int32_t index, std::int32_t condition, int count,
                        int copy);
  void write_where(Value* lanes, Value* pointer, Value* offsets, Value* condition);
  void raise(int instruction, int copy);
  void raise_greatest(const ir::inst&, int copy);
  void scatter_to(int instruction, int copy);
  Value* made(Value* place);
  void combine_lanes(const ir::inst&, const lane_places&, Value* lanes);
  llvm::Function* combiner(ir::op, dtype);
  Value* zero_place(llvm::Type*);
  Value* there(Value* p, llvm::Type* vector, Value* holds);
  Value* load_wide(int operand, int copy);
  Value* lane_offsets(int operand);
  Value* read(llvm::Type* element, int count, Value* pointer, Value* mask);
  Value* gather(llvm::Type* element, Value* pointer, Value* offsets);
  Value* stored(int instruction, int copy);
  void store_one(const ir::inst&, Value* value, Value* imaginary, int copy, bool streaming);
  void write_lanes(Value* lanes, Value* pointer, Value* mask, bool streaming);
  /// `steps`: the offsets are multiples of the second lane's.
  void scatter(Value* lanes, Value* pointer, Value* offsets, bool steps = false);
  void scatter_by_offsets(Value* lanes, Value* pointer, Value* offsets);
  void scatter_by_steps(Value* lanes, Value* pointer, Value* step);
  Value* wide_mask(int count);
  Value* scratch(llvm::Type*);
  Value* kept_at(Value* memory, int instruction, int copy);

  coder& c_;
  const ir::kernel& kernel_;
  Value* slots_;
  std::vector<ir::slot> order_;
  std::vector<Value*> slot_values_;

  std::vector<std::uint8_t> needs_;          // per instruction: one bit per level
  std::vector<std::vector<Value*>> values_;  // per instruction and copy
  std::vector<std::vector<Value*>> wide_;    // per operand and copy: complex elements, parts
                                             // interleaved
  using vectors_under = std::map<int, std::vector<Value*>>;  // per condition, or -1
  std::vector<std::vector<vectors_under>> rows_;  // per base and copy: see `row_vectors`
  std::vector<Value*> cursors_[level_count];
  std::vector<Value*> strides_;  // per operand: lane offsets
  std::vector<Value*> strips_;   // per operand: the memory of its strip
  Value* strip_row_ = nullptr;
  llvm::BasicBlock* blocks_[level_count] = {};
  std::vector<Value*> coordinates_[level_count];
  Value* chunk_ = nullptr;
  std::vector<ir::edge> edges_;
  std::vector<int> edge_of_;  // per instruction: index in edges_, or -1
  std::vector<Value*> changes_;  // of a run: points at which an edge differs from the one before
  Value* wraps_ = nullptr;       // of a run: may a computed coordinate wrap around in it?
  std::vector<std::optional<spot>> spots_;  // per instruction, in the current piece
  llvm::DenseMap<llvm::Type*, Value*> zeros_;
  std::vector<Value*> written_, read_;  // per instruction: where a row's values are stored and
                                        // loaded
  int copies_ = 1, abreast_ = 1;
  Value* row_ = nullptr;  // the row of those abreast that is written as if alone
  Value* active_ = nullptr;
  Value* mask_ = nullptr;
  Value* left_ = nullptr;  // of a vector that crosses a row end: lanes before it
  Value* before_ = nullptr;             // the mask of these
  std::vector<Value*> next_;            // the coordinates of the row after it
};

}  // namespace sinter::codegen::cpu
