#pragma once
// The body of a group's kernel, before axes are merged: instructions, and for every operand the
// buffer node and index expression it stands for.

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ir/passes/fuse.hpp"

namespace sinter::ir {

/// An operand still in terms of the graph.
struct body_operand {
  operand_role role;
  dtype type;
  node_id buffer = -1;  // input, output: the node whose elements these are
  std::int32_t partial = -1;  // the partial result of reduction `buffer`: its real (0) or imaginary
                              // part; or one of the words below
  index_expr at;
  bool gathered = false;  // read by gathers: elsewhere too, or not everywhere
};

/// body_operand::partial of words that are no part of a result: one node may have both.
inline constexpr std::int32_t status_of = -2;    // the status that gather `buffer` reports to
inline constexpr std::int32_t chain_state = -3;  // what blocks of the chained scan meet in

/// Which part of a split reduction to write: all of it, the partial results, or what combines them.
enum class body_part : std::uint8_t { whole, partial, combine };

struct body {
  std::vector<inst> code;
  std::vector<loop_code> loops;
  std::vector<body_operand> operands;
  std::vector<dtype> scalars;
  std::vector<std::pair<node_id, int>> scalar_nodes;  // {scalar or random node, word}, per scalar
  std::vector<std::string> ops;                       // for reports and names
};

/// For `combine` the domain is the kept axes and one axis of splits.
body build_body(const graph&, const fusion&, std::int32_t group, body_part);

/// By instruction: does its value differ where those operands move of which `moves` says so?
std::vector<bool> differing(std::span<const inst> code,
                            const std::function<bool(std::size_t operand)>& moves);

}  // namespace sinter::ir
