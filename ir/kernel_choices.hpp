#pragma once
// Finds reads of a kernel under conditions that change once or twice per row. Rolls, pads and joins
// choose among arrays, or parts of one; if no condition changes within a vector, the chosen operand
// is a vector, read at once.

#include <vector>

#include "ir/kernel_pieces.hpp"

namespace sinter::ir {

/// Indices of instructions, each list ascending.
struct row_choices {
  std::vector<int> roots;       // gathers under conditions, or choices (`where`) among such and 0,
                                // whose operands nothing else reads
  std::vector<int> conditions;  // of all roots
  std::vector<int> ends;        // the edges these depend on: if all agree for the lanes of a
                                // vector, so do the conditions
  std::vector<std::vector<int>> ends_of;  // per root
};

/// A gather of real elements with a condition and no index.
bool is_guarded_gather(const kernel&, int);
/// The gathers a choice selects among; of a gather, itself.
std::vector<int> chosen_among(const kernel&, int choice);
/// A constant 0: what stands for an element that is not read.
bool reads_nothing(const kernel&, int);

/// `among`: instructions, ascending. Equalities hold at a single point and so are no edges here,
/// nor are comparisons that may wrap around. Linear in the body.
row_choices find_choices(const kernel&, const std::vector<int>& among, const lane_step&);

}  // namespace sinter::ir
