#pragma once
// Fourier transforms on the host through FFTW 3, opened at the first transform.
//
// FFTW is free software under the GPL. No part of it is needed to build sinter, and none is
// included: its functions are looked up by name in the installed library. Distributing both
// together is distributing a work under the GPL.

#include <memory>

#include "runtime/fft.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Takes float32 and float64. REQUIRES: `threads` outlives it.
std::unique_ptr<fft> make_fftw(thread_pool& threads);

}  // namespace sinter::runtime
