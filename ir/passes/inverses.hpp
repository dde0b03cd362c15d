#pragma once
// inverses: turns a solution for the identity into one call that inverts, where the library has
// one.
//
// Why: cuBLAS inverts matrices of up to 32 rows in one kernel ("matinv"), which reads them in
// place. As factors and a solution they are copied, an identity is stored for each, and two kernels
// with address lists process them. On a CPU LAPACK's `getri` inverts the factors in place, with a
// quarter less arithmetic than a solution for the identity, and less memory.
//
// REQUIRES: simplify has run.

#include "ir/graph.hpp"
#include "ir/machine.hpp"

namespace sinter::ir {

/// "getrs" of the identity (attributes [0, 1]) with the factors of a "getrf" becomes "matinv", on a
/// CPU "getri": (a) -> status, as getrf reports it, and the inverses. Also if another node reads
/// the factors, which are then computed separately: an inverse has the same bits whatever is
/// evaluated with it. Runs for fused and unfused programs.
graph inverses(const graph&, const machine&);

}  // namespace sinter::ir
