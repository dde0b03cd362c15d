#pragma once
// Opens OpenBLAS with the best kernels that this processor can run.

#include "runtime/dynamic_library.hpp"

namespace sinter::runtime {

/// OpenBLAS treats an unknown processor as the oldest: 0.3.21 uses SSE3 kernels (Prescott) on a
/// Xeon with AVX-512, with which a product of 1000 x 784 x 1000 floats takes 49 ms for 10.7. In
/// that case it is opened again as SkylakeX, or Haswell with AVX2 alone. OPENBLAS_CORETYPE in the
/// environment takes precedence. REQUIRES: no other thread changes the environment meanwhile.
dynamic_library open_openblas();

/// OpenBLAS's name of the processor its kernels are for; "" if it reports none.
const char* openblas_core(const dynamic_library&);

}  // namespace sinter::runtime
