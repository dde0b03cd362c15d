#pragma once
// Walks the reduced axes, once per phase, for the current rows.

#include <functional>
#include <span>
#include <vector>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {

class reducer {
 public:
  reducer(coder&, flow&, body&);

  /// Reduces elements [begin, end) of the reduced range for the current point; afterwards the body
  /// has the results. `copies` vectors of rows, or one row.
  void write(Value* begin, Value* end, int copies);

  /// Does the kernel split the rows of its scans into chunks?
  bool chained() const { return chained_; }
  /// Scans chunk `chunk` of a row, the elements [begin, end). `record`: where in the state this
  /// chunk publishes its inclusive total; the chunk before does so `record_words` earlier.
  void write_chunk(Value* chunk, Value* record, Value* begin, Value* end);
  /// A word that says whether the rest is valid, then one word per scan.
  int record_words() const;

 private:
  /// The longest chain of additions without error compensation.
  static constexpr int chain_length = 64;

  /// One reduction's variables, for each vector in flight.
  struct accumulator {
    int instruction;
    std::vector<variable> values;
    std::vector<variable> indices;  // of arg reductions
    std::vector<variable> totals, lost;  // of sums of floats: the settled part, and its error
  };
  struct partial {
    Value* value;
    Value* index;
  };

  /// A scan's variable, for each vector in flight: the total of all before it.
  struct carry {
    int instruction;
    std::vector<variable> values;
    variable front = {};  // chained: the total of all chunks before this one
  };

  void write_phase(int phase, Value* begin, Value* end, int copies);
  void walk(Value* begin, Value* end, int copies);
  /// Emits no stores.
  void walk_for_sums(Value* begin, Value* end);
  void wait_for(Value* record);
  void take(Value* record);
  void pass_on(Value* record);
  Value* flag(Value* record);
  Value* word(Value* record, std::size_t scan);
  bool only_asks() const;
  Value* answered();
  void walk_in_blocks(Value* begin, Value* end, Value* step,
                       const std::function<void(Value* j)>& element);
  void walk_lanes(Value* length);
  void walk_lanes(Value* begin, Value* end);
  void walk_part(Value* begin, Value* end);
  bool sums_floats() const;
  void settle_after(Value* elements, Value* step);
  void walk_rows(Value* length, int copies);
  void write_element(int copies, bool masked);

  accumulator make(int instruction, int copies, Value* first);
  void add(const accumulator&, int copy, bool masked);
  std::vector<carry> make_carries(int phase, int copies);
  void advance(const carry&, int copy);
  Value* along_lanes(const ir::inst&, Value* lanes, const variable& carried);
  void settle(const accumulator&);
  Value* sum_of(const accumulator&, std::size_t copy);
  void finish(const accumulator&, int copies);
  // Rows abreast (abreast.cpp).
  void write_rows(std::span<const int> reductions, Value* begin, Value* end, Value* first);
  void finish_rows(int instruction, const partial& places);
  struct rows_of {  // vectors of concatenated rows, in equal parts
    partial lanes;
    llvm::SmallVector<int, 16> rows;
  };
  rows_of join_rows(const ir::inst&, const rows_of&, const rows_of&);
  partial merge(const ir::inst&, const partial&, const partial&);
  Value* better(const ir::inst&, Value* candidate, Value* held);
  Value* first_index();
  Value* element_index(int copy);
  llvm::IntegerType* number_type();
  Value* whole_number(Value* index);

  coder& c_;
  flow& loops_;
  body& body_;
  const ir::kernel& kernel_;
  std::vector<int> phases_;
  int last_phase_ = -1;
  bool across_lanes_, chained_ = false;
  std::vector<int> kept_;            // values that a later walk reads
  std::vector<Value*> kept_places_;  // and where

  // State of the phase being emitted.
  int phase_ = 0;
  std::vector<accumulator> accumulators_;
  std::vector<carry> carries_;
  std::vector<int> stores_;
  variable unsettled_;  // elements since the sums were last settled
  std::vector<Value*> run_;  // coordinates of the run's first element
  Value* position_ = nullptr;
};

}  // namespace sinter::codegen::cpu
