#pragma once
// Every op of the table by itself, in every type, on special values: rare in random graphs.

#include <vector>

#include "tests/fuzz/trial.hpp"

namespace sinter::fuzz {

struct operation {
  ir::op code;
  dtype type, result;  // result: for casts
};

/// The ops with the types that the table accepts, and casts between all pairs of types.
const std::vector<operation>& operations();

/// One op on all combinations of operand values; `seed` determines the contents.
trial trial_of(const operation&, std::uint64_t seed);

}  // namespace sinter::fuzz
