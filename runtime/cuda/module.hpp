#pragma once
// The entry points of libsinter_cuda.so, for module_library::symbol.

#include "runtime/device.hpp"

extern "C" {

/// The number of devices; 0 without a driver or a GPU.
int sinter_cuda_device_count() noexcept;
/// One line: how many devices, or why there is none. Never freed.
const char* sinter_cuda_status() noexcept;
/// A new device, owned by the caller. Throws device_error.
sinter::runtime::device* sinter_cuda_device(int index);
}
