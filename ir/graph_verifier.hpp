#pragma once
// The rules of the graph IR as a program: one function per kind of node.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "ir/graph.hpp"

namespace sinter::ir::detail {

class graph_verifier {
 public:
  explicit graph_verifier(const graph& g) : g_(g) {}
  void run();

 private:
  void require(bool holds, std::string_view rule, std::string_view what) const;
  const node& input(const node& n, std::size_t k) const { return g_[n.inputs[k]]; }
  void node_rules(const node& n);
  void shape_rules(const node& n) const;

  // ---- map
  void map_rules(const node& n) const;
  void instruction_rules(const program& p, std::size_t at) const;

  // ---- view and update
  void index_map_rules(const shape_t& from, const index_map& map, const shape_t& to) const;
  void view_rules(const node& n) const;
  void update_rules(const node& n) const;

  // ---- elements by index or condition (graph_verify_indexed.cpp)
  /// An input of the node's own shape, or rank 0.
  void alongside(const node& n, std::size_t k, dtype type, std::string_view rule) const;
  void gather_rules(const node& n) const;
  void pad_rules(const node& n) const;
  void compress_rules(const node& n) const;
  void scatter_rules(const node& n) const;
  void walked(const node& index, const node& in, std::string_view rule) const;
  /// Complex numbers only with ops that act on each part separately.
  void combine_rules(const node& n) const;

  // ---- rows (graph_verify_rows.cpp)
  void reduce_rules(const node& n) const;
  void scan_rules(const node& n) const;

  // ---- calls (graph_verify_calls.cpp)
  void call_rules(const node& n) const;
  /// Operands (..., m, k) and (..., k, n).
  bool dense_product(const node& n) const;
  /// Products of narrow types may be stored in the type they were accumulated in.
  static bool same_element(const node& a, const node& b, const node& product);
  /// Operands as the attributes describe them lie inside the arrays they are read from.
  bool product_in_place(const node& n) const;
  bool epilogue_fits(const node& n) const;
  void sort_rules(const node& n) const;
  void select_rules(const node& n) const;
  void result_rules(const node& n);

  // ---- loops (graph_verify_loops.cpp)
  void loop_rules(const node& n) const;
  void loop_input_rules(const node& n) const;
  /// What the carries become after a round, and the values that are emitted.
  void next_value_rules(const node& n) const;
  void table_rules(const node& n) const;
  void loop_result_rules(const node& n);

  const graph& g_;
  node_id id_ = 0;
  std::set<std::pair<node_id, std::uint64_t>> results_;
};

}  // namespace sinter::ir::detail
