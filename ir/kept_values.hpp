#pragma once
// Chooses what one walk over a row should keep for the next: softmax needs the same exponentials
// for the sum and for the quotients, and recomputing one costs ten loads. GPUs keep rows in
// registers (schedule.resident); this is for targets that walk them again.

#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// Instructions that an earlier walk computes and a later one needs, where recomputing costs more
/// than rereading; ascending. For kernels that are not split and have one reduced axis.
std::vector<int> kept_values(const kernel&);

}  // namespace sinter::ir
