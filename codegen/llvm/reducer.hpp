#pragma once
// Walks the reduced axes, once a phase, for the rows that are being worked on.

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

 private:
  /// One reduction's variables, for each vector in flight.
  struct accumulator {
    int instruction;
    std::vector<variable> values;
    std::vector<variable> indices;  // of arg reductions
  };
  struct partial {
    Value* value;
    Value* index;
  };

  void write_phase(int phase, Value* begin, Value* end, int copies);
  void walk_lanes(Value* length);
  void walk_rows(Value* length, int copies);
  void write_element(int copies, bool masked);

  accumulator make(int instruction, int copies, Value* first);
  void add(const accumulator&, int copy, bool masked);
  void finish(const accumulator&, int copies);
  partial merge(const ir::inst&, const partial&, const partial&);
  Value* better(const ir::inst&, Value* candidate, Value* held);
  Value* first_index();
  Value* element_index(int copy);

  coder& c_;
  flow& loops_;
  body& body_;
  const ir::kernel& kernel_;
  std::vector<int> phases_;
  int last_phase_ = -1;
  bool across_lanes_;

  // Of the phase being written.
  std::vector<accumulator> accumulators_;
  std::vector<int> stores_;
  std::vector<Value*> run_;  // coordinates of the run's first element
  Value* position_ = nullptr;
};

}  // namespace sinter::codegen::cpu
