#pragma once
// The recursion behind build_body(): from the roots of a group down to their operands, emitting
// each value once per (index, guard). Values, row walks (reductions, scans, loops) and stores are
// implemented in separate files, because they share nothing but the code emitted so far.

#include <map>
#include <vector>

#include "ir/passes/body.hpp"
#include "ir/passes/emit_op.hpp"

namespace sinter::ir {

class loop_body;

class body_builder {
 public:
  body_builder(const graph& g, const fusion& f, std::int32_t id, body_part part);
  body run();

 private:
  /// A value that has already been emitted.
  struct known {
    index_expr at;
    std::int32_t guard;
    parts value;
  };
  /// A loop that has already been emitted.
  struct ran {
    index_expr at;
    std::int32_t guard;
    std::vector<parts> outputs;
  };

  bool inner(node_id n) const;
  static bool has_reduced(const group& g);
  body partials(const std::vector<node_id>& roots);
  /// The reductions below an outer root, each stored as a partial result.
  void visit_reductions(node_id n);
  /// Is n computed in this kernel?
  bool mine(node_id n) const;

  // ---- values
  parts value(node_id n, const index_expr& at);
  /// May n be evaluated under a guard, so that its value is meaningless elsewhere? Not a reduction,
  /// which is one value per row, nor a scan, which includes every element.
  bool guardable(node_id n) const;
  parts make(node_id n, const index_expr& at);
  index_expr through(node_id n, const index_expr& at) const;
  /// Input k of n, at the index at which n itself is evaluated (or nowhere, if it has rank 0).
  std::int32_t alongside(node_id n, std::size_t k, const index_expr& at);

  // ---- element values (body_values.cpp)
  parts gather(node_id n, const index_expr& at);
  /// Zeros around an array: what lies inside is computed under a guard.
  parts pad(node_id n, const index_expr& at);
  std::int32_t or_zero(std::int32_t condition, std::int32_t v);
  std::int32_t bitcast(std::int32_t v, dtype to);
  /// `index`: a value added to the operand's offset; -1: none.
  parts load(node_id n, const index_expr& at, std::int32_t index = -1);
  std::int32_t index(const index_expr& at);
  parts scalar(node_id n);
  std::int32_t parameter(node_id n, int word, dtype t);
  std::int32_t random(node_id n, const index_expr& at);
  parts map(node_id n, const index_expr& at);

  // ---- loops (body_walks.cpp)
  /// The final value of carry or output `n` of a loop.
  parts came_to(node_id n, const index_expr& at);
  /// Does this kernel store an output of the loop? If so, the loop runs at the index of those
  /// stores.
  bool home_of(node_id loop) const;
  index_expr group_place(node_id n) const;
  /// Emits a loop once per index and guard; returns the final values of its carries.
  const std::vector<parts>& run_loop(node_id n, const index_expr& at);
  /// The table operands of a loop, and where its rounds read and write them.
  void tables(node_id loop, loop_body&);
  std::int32_t distance(extent elements);

  // ---- reductions (body_walks.cpp)
  parts reduction(node_id n);
  parts scan(node_id n, const index_expr& at);
  /// The reduction of partial results over the splits; the caller fills in the strides.
  std::int32_t combined(const node& x, node_id n, std::int32_t word);
  std::int32_t reduce(const node& x, std::int32_t in) { return walk(inst_kind::reduce, x, in); }
  std::int32_t walk(inst_kind kind, const node& x, std::int32_t in);
  void note_reduction(node_id n);
  index_expr input_index(node_id n) const;

  // ---- stores (body_stores.cpp)
  void store(node_id n);
  /// The store of a compress, or of its second output, the number of selected elements.
  void chosen(node_id n);
  /// Stores every value at the element its index selects.
  /// Every value to the place that its index gives.
  void scatter(node_id n);
  /// What a flag reports about the index at a point: input `k`, or 1 if there is none.
  /// What a flag says of the index at a point: input `k`, or 1 where there is none.
  std::int32_t word_of(node_id n, std::size_t k, const index_expr& at);
  index_expr flag_place(const node&) const;
  bool is_told_last(node_id flag) const;
  /// Every flag of the group: raised where an index is out of range.
  void flags();
  void push_store(std::int32_t v, std::int32_t which, std::uint8_t part, node_id n);

  std::int32_t operand_of(body_operand o);
  std::int32_t push(const inst& i);

  const graph& g_;
  const fusion& f_;
  const std::int32_t id_;
  group group_;
  const body_part part_;
  body out_;
  std::map<node_id, std::vector<known>> memo_;
  std::map<node_id, std::vector<ran>> loops_;
  std::int32_t guard_ = -1;  // the condition under which the value being emitted is read; -1: none
  std::map<node_id, int> seen_;
};

}  // namespace sinter::ir
