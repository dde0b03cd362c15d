#pragma once
// One instruction of a scalar program as instructions of a kernel, complex values in parts.

#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::ir {

/// A value of a body: real or only part, imaginary part or -1.
using parts = std::pair<std::int32_t, std::int32_t>;

/// Appends an instruction; `args` holds pairs.
parts emit_op(std::vector<inst>& code, const instruction&, const std::int32_t* args);

}  // namespace sinter::ir
