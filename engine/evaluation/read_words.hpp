#pragma once
// Reads a few bytes of device memory on the host.
//
// Why: a program that inspects a number between its kernels (a norm, a count, whether to go on)
// waits for it. A driver's copy after a graph of kernels takes 17 us, since another engine does it;
// a kernel that writes to host memory, which the host polls, 8.5 (H200). After a single kernel it
// is 11.6 and 10.5.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/device.hpp"

namespace sinter::detail {

/// The first `bytes` of the buffer, after the calling thread's work is done. REQUIRES: the device
/// may use it (device::use). Throws runtime::device_error.
void read_buffer(const runtime::buffer&, runtime::device&, void* to, std::size_t bytes);

/// The word that the kernel queued by `launch` writes to the given address. None, and nothing is
/// launched, if kernels cannot write to the host. Throws runtime::device_error.
std::optional<std::uint32_t> mailed_word(runtime::device&,
                                         const std::function<void(const void* to)>& launch);

}  // namespace sinter::detail
