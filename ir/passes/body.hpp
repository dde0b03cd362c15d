#pragma once
// The body of a group's kernel before axes are merged: instructions, and for every operand the
// buffer node and index expression it stands for.

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ir/passes/fuse.hpp"

namespace sinter::ir {

/// An operand that still refers to the graph.
struct body_operand {
  operand_role role;
  dtype type;
  node_id buffer = -1;  // input, output: the node that owns these elements
  std::int32_t partial = -1;  // the partial result of reduction `buffer`: its real (0) or imaginary
                              // part; or one of the constants below
  index_expr at;
  bool gathered = false;  // read by gathers: at other elements too, or conditionally
};

/// Values of body_operand::partial for words that belong to no result; one node may have both.
inline constexpr std::int32_t status_of = -2;    // the status word that gather `buffer` reports to
inline constexpr std::int32_t chain_state = -3;  // the words through which the blocks of a chained
                                                 // scan communicate

/// Which part of a split reduction to emit: all of it, the partial results, or their combination.
enum class body_part : std::uint8_t { whole, partial, combine };

struct body {
  std::vector<inst> code;
  std::vector<loop_code> loops;
  std::vector<body_operand> operands;
  std::vector<dtype> scalars;
  std::vector<std::pair<node_id, int>> scalar_nodes;  // {scalar or random node, word}, per scalar
  std::vector<std::string> ops;                       // for reports and kernel names
};

/// For `combine` the domain is the kept axes followed by one axis of splits.
body build_body(const graph&, const fusion&, std::int32_t group, body_part);

/// Per instruction: does its value change along an axis along which the operands for which `moves`
/// holds change?
std::vector<bool> differing(std::span<const inst> code,
                            const std::function<bool(std::size_t operand)>& moves);

}  // namespace sinter::ir
