#pragma once
// Every op of the table alone, in every type, on special values: what random graphs meet rarely.

#include <vector>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

struct operation {
  ir::op code;
  dtype type, result;  // result: of a cast
};

/// Ops that the table accepts with these types, casts between all pairs of types.
const std::vector<operation>& operations();

/// One op on operands that meet in all orders: `seed` says what they hold.
trial trial_of(const operation&, std::uint64_t seed);

}  // namespace sinter::fuzz
