#pragma once
// What one walk over a row had better keep for the next: softmax needs the same exponentials for
// the sum and for the quotients, and computing one again costs ten loads. GPUs keep rows in
// registers (schedule.resident); this is for targets that walk them again.

#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// Instructions that an earlier walk makes and a later one needs again, where making one anew costs
/// more than reading it; in order. Of kernels that do not cut their rows and have one reduced axis.
std::vector<int> kept_values(const kernel&);

}  // namespace sinter::ir
