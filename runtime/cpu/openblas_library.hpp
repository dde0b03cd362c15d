#pragma once
// Opens OpenBLAS with the kernels that this processor can run.

#include "runtime/dynamic_library.hpp"

namespace sinter::runtime {

/// A processor that OpenBLAS does not know it takes for the oldest: 0.3.21 has kernels of SSE3
/// (Prescott) for a Xeon with AVX-512, by which a product of 1000 x 784 x 1000 floats takes 49 ms
/// for 10.7. Such a one is opened again as a SkylakeX, or Haswell where there is AVX2 alone.
/// OPENBLAS_CORETYPE in the environment decides, where it is set.
/// REQUIRES: no other thread changes the environment meanwhile.
dynamic_library open_openblas();

/// What OpenBLAS calls the processor its kernels are for; "" if it does not say.
const char* openblas_core(const dynamic_library&);

}  // namespace sinter::runtime
