#pragma once
// explode: maps of many ops become maps of one op.
//
// Why: what the C++ types of two statements spelled out twice must meet as one node before CSE can
// see it, and fusion must be free to cut inside a statement. Powers with a small constant exponent
// become products here, because here every path (fused, unfused, CPU, GPU) still goes through.

#include "ir/graph.hpp"

namespace sinter::ir {

graph explode(const graph&);

/// The cheaper op a power with this scalar exponent stands for: part of a plan's key, because it
/// looks at a value. 0: none; else 1 + the index of 1, 2, 3, 0.5, -1.
int exponent_class(dtype type, std::uint64_t bits);

}  // namespace sinter::ir
