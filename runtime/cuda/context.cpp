#include "runtime/cuda/context.hpp"

#include <cuda.h>

#include "runtime/cuda/driver_functions.hpp"

namespace sinter::runtime {

cuda_context::cuda_context(int index) {
  check(the_driver().cuDeviceGet(&device_, index), "looking for the device");
  int major = 0;
  const auto capability = CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
  check(the_driver().cuDeviceGetAttribute(&major, capability, device_), "describing the device");
  launches_early_ = major >= 9;
  check(the_driver().cuDevicePrimaryCtxRetain(&context_, device_), "starting the device");
}

cuda_context::~cuda_context() {
  the_driver().cuDevicePrimaryCtxRelease(device_);
}

// Other libraries may change a thread's context, and querying it takes a few nanoseconds.
void cuda_context::bind() const noexcept {
  CUcontext current = nullptr;
  the_driver().cuCtxGetCurrent(&current);
  if (current != context_) the_driver().cuCtxSetCurrent(context_);
}

}  // namespace sinter::runtime
