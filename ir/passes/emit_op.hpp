#pragma once
// emit_op: appends one instruction of a scalar program to a kernel's code, complex values as pairs.
//
// Why: kernels have no complex values: real and imaginary parts are values of their own.

#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A value of a body: real (or only) part, and imaginary part or -1.
using parts = std::pair<std::int32_t, std::int32_t>;

/// Appends an instruction; `args` holds one pair per argument.
parts emit_op(std::vector<inst>& code, const instruction&, const std::int32_t* args);

}  // namespace sinter::ir
