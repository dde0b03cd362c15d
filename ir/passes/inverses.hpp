#pragma once
// inverses: an inverse becomes one call where a library has one.
//
// Why: cuBLAS inverts matrices of up to 32 rows by one kernel ("matinv"), from where they lie. As
// factors and a solution for the identity they are copied, an identity is stored for each, and two
// kernels with lists of addresses go over them. On a CPU LAPACK's `getri` inverts the factors in
// place, with a quarter less arithmetic than a solution for the identity, and less memory.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// "getrs" of the identity (attributes [0, 1]) with the factors of a "getrf" becomes "matinv", on a
/// CPU "getri": (a) -> status, as getrf has it, and the inverses. Also where somebody else reads
/// the factors, which then are made beside it: an inverse has the same bits whoever is evaluated
/// with it. Fused or not. REQUIRES: simplify has run.
graph inverses(const graph&, const machine&);

}  // namespace sinter::ir
