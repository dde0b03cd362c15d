#pragma once
// Fourier transforms on the GPU through cuFFT, opened at the first transform.

#include <memory>

#include "runtime/cuda/context.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/fft.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Takes float32 and float64 of every length, halves of power-of-two lengths. REQUIRES: all three
/// outlive it.
std::unique_ptr<fft> make_cufft(const cuda_context& context, cuda_streams& streams,
                                memory_pool& pool);

}  // namespace sinter::runtime
