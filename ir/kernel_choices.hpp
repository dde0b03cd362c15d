#pragma once
// What a kernel reads under conditions that change at a place or two of a row. Rolls, pads and
// joins choose among arrays, or parts of one; where no condition changes among a vector's lanes,
// what is chosen is a vector, read at once.

#include <vector>

#include "ir/kernel_pieces.hpp"

namespace sinter::ir {

/// Instructions, each list ascending.
struct row_choices {
  std::vector<int> roots;       // gathers under conditions, or choices (`where`) among such and 0,
                                // of which nobody else reads any
  std::vector<int> conditions;  // of all of them
  std::vector<int> ends;        // the edges that these hang on: where all agree about a vector's
                                // lanes, the conditions do
  std::vector<std::vector<int>> ends_of;  // root by root
};

/// A gather that a condition alone says where it reads, of real elements.
bool is_guarded_gather(const kernel&, int);
/// The gathers a choice is made among, itself if it is one.
std::vector<int> chosen_among(const kernel&, int choice);
/// A constant of bits that are 0: what is read where nothing is.
bool reads_nothing(const kernel&, int);

/// `among`: instructions, ascending. Edges that are equalities hold at one place, and so are none
/// here; nor are those that may wrap around. Linear in the body.
row_choices find_choices(const kernel&, const std::vector<int>& among, const lane_step&);

}  // namespace sinter::ir
