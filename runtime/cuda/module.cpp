// The entry points that the engine looks up in libsinter_cuda.so.

#include "runtime/cuda/module.hpp"

#include <cuda.h>

#include "runtime/cuda/cuda_device.hpp"
#include "runtime/cuda/driver_functions.hpp"

namespace {

using sinter::runtime::the_driver;

int count_devices() {
  int count = 0;
  if (!the_driver().problem.empty()) return 0;
  return the_driver().cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

std::string describe_devices() {
  if (!the_driver().problem.empty()) return the_driver().problem;
  const int count = count_devices();
  if (count == 0) return "no CUDA device: the driver shows none";
  return std::to_string(count) + (count == 1 ? " CUDA device" : " CUDA devices");
}

}  // namespace

int sinter_cuda_device_count() noexcept try { return count_devices(); } catch (...) {
  return 0;
}

const char* sinter_cuda_status() noexcept try {
  static const std::string text = describe_devices();
  return text.c_str();
} catch (...) {
  return "no CUDA device: out of host memory";
}

sinter::runtime::device* sinter_cuda_device(int index) {
  if (index < 0 || index >= count_devices()) {
    throw sinter::runtime::device_error("there is no CUDA device " + std::to_string(index) + ": " +
                                        describe_devices());
  }
  return new sinter::runtime::cuda_device(index);
}
