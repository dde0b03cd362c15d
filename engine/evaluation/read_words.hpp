#pragma once
// Few bytes of a device's memory, read on the host.
//
// Why: a program that looks at a number between its kernels (a norm, a count, whether to go on)
// waits for it. A driver's copy behind a graph of kernels takes 17 us, as it comes from another
// engine; a kernel that writes to memory of the host, which looks until it is there, 8.5 (H200).
// Behind a single kernel it is 11.6 and 10.5.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/device.hpp"

namespace sinter::detail {

/// The first `bytes` of the buffer, once the calling thread's work is done. REQUIRES: the device
/// may use it (device::use). Throws runtime::device_error.
void read_buffer(const runtime::buffer&, runtime::device&, void* to, std::size_t bytes);

/// The word that a kernel which `launch` queues writes to the address it is given. None, and
/// nothing is launched, where kernels cannot write to the host. Throws runtime::device_error.
std::optional<std::uint32_t> mailed_word(runtime::device&,
                                         const std::function<void(const void* to)>& launch);

}  // namespace sinter::detail
