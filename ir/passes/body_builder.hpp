#pragma once
// The walk behind build_body(): from the roots of a group to what they are made of, each value
// written once for each place that it is wanted at. What a value is, what walks a row and what is
// stored stand in files of their own, as they share nothing but what is written already.

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
  /// A value that is written already.
  struct known {
    index_expr at;
    std::int32_t guard;
    parts value;
  };
  /// A loop that is written already.
  struct ran {
    index_expr at;
    std::int32_t guard;
    std::vector<parts> outputs;
  };

  bool inner(node_id n) const;
  static bool has_reduced(const group& g);
  body partials(const std::vector<node_id>& roots);
  /// The reductions under an outer root, each stored as a partial result.
  void visit_reductions(node_id n);
  /// Is n computed in this kernel?
  bool mine(node_id n) const;

  // ---- values
  parts value(node_id n, const index_expr& at);
  /// Does the value differ where it must not be read? What a whole row is reduced to does not, and
  /// a scan takes in every element.
  bool guardable(node_id n) const;
  parts make(node_id n, const index_expr& at);
  index_expr through(node_id n, const index_expr& at) const;
  /// An input that is computed where its reader is.
  std::int32_t alongside(node_id n, std::size_t k, const index_expr& at);

  // ---- what an element is (body_values.cpp)
  parts gather(node_id n, const index_expr& at);
  /// Zeros around an array: what is inside is computed under a guard.
  parts pad(node_id n, const index_expr& at);
  std::int32_t or_zero(std::int32_t condition, std::int32_t v);
  std::int32_t bitcast(std::int32_t v, dtype to);
  /// `index`: added to where the operand stands; -1: nothing is.
  parts load(node_id n, const index_expr& at, std::int32_t index = -1);
  std::int32_t index(const index_expr& at);
  parts scalar(node_id n);
  std::int32_t parameter(node_id n, int word, dtype t);
  std::int32_t random(node_id n, const index_expr& at);
  parts map(node_id n, const index_expr& at);

  // ---- loops (body_walks.cpp)
  /// What carry or output `n` of a loop comes to.
  parts came_to(node_id n, const index_expr& at);
  /// Does this kernel store an output of the loop? Then it runs at the places of these.
  bool home_of(node_id loop) const;
  index_expr group_place(node_id n) const;
  /// Writes a loop, once for each place and guard; what its carries come to.
  const std::vector<parts>& run_loop(node_id n, const index_expr& at);
  /// A number of elements, passed.
  void tables(node_id loop, loop_body&);
  std::int32_t distance(extent elements);

  // ---- reductions (body_walks.cpp)
  parts reduction(node_id n);
  parts scan(node_id n, const index_expr& at);
  /// The reduction of a partial result over the splits; the caller fills in the strides.
  std::int32_t combined(const node& x, node_id n, std::int32_t word);
  std::int32_t reduce(const node& x, std::int32_t in) { return walk(inst_kind::reduce, x, in); }
  std::int32_t walk(inst_kind kind, const node& x, std::int32_t in);
  void note_reduction(node_id n);
  index_expr input_index(node_id n) const;

  // ---- stores (body_stores.cpp)
  void store(node_id n);
  /// The store of a compress, or of its result: how many elements it has.
  void chosen(node_id n);
  /// Every value to the place that its index gives.
  void scatter(node_id n);
  /// What a flag says of the index at a point: input `k`, or 1 where there is none.
  std::int32_t word_of(node_id n, std::size_t k, const index_expr& at);
  index_expr flag_place(const node&) const;
  bool is_told_last(node_id flag) const;
  /// Each flag, raised where an index is out of range.
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
  std::int32_t guard_ = -1;  // the condition under which what is being written is read
  std::map<node_id, int> seen_;
};

}  // namespace sinter::ir
