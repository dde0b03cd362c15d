#pragma once
// The CUDA driver's functions, looked up at run time. For the .cpp files of this folder, which
// include <cuda.h> first: its macros map each function to the version that is declared.

#ifndef CUDA_VERSION
#error include <cuda.h> before this header
#endif

#include <cstddef>
#include <string>

#include "runtime/library_table.hpp"

#define SINTER_CUDA_FUNCTIONS(X) \
  X(cuInit)                      \
  X(cuGetErrorName)              \
  X(cuGetErrorString)            \
  X(cuDeviceGetCount)            \
  X(cuDeviceGet)                 \
  X(cuDeviceGetName)             \
  X(cuDeviceGetAttribute)        \
  X(cuDeviceTotalMem)            \
  X(cuDevicePrimaryCtxRetain)    \
  X(cuDevicePrimaryCtxRelease)   \
  X(cuCtxGetCurrent)             \
  X(cuCtxSetCurrent)             \
  X(cuCtxSynchronize)            \
  X(cuMemAlloc)                  \
  X(cuMemFree)                   \
  X(cuMemHostAlloc)              \
  X(cuMemFreeHost)               \
  X(cuMemcpyHtoDAsync)           \
  X(cuMemcpyDtoHAsync)           \
  X(cuMemcpyDtoDAsync)           \
  X(cuMemcpy2DAsync)             \
  X(cuMemsetD8Async)             \
  X(cuMemsetD2D8Async)           \
  X(cuPointerGetAttributes)      \
  X(cuStreamCreate)              \
  X(cuStreamDestroy)             \
  X(cuStreamSynchronize)         \
  X(cuStreamWaitEvent)           \
  X(cuStreamBeginCapture)        \
  X(cuStreamEndCapture)          \
  X(cuEventCreate)               \
  X(cuEventDestroy)              \
  X(cuEventRecord)               \
  X(cuEventQuery)                \
  X(cuEventSynchronize)          \
  X(cuModuleLoadData)            \
  X(cuModuleUnload)              \
  X(cuModuleGetFunction)         \
  X(cuLaunchKernelEx)            \
  X(cuGraphCreate)               \
  X(cuGraphAddKernelNode)        \
  X(cuGraphAddChildGraphNode)    \
  X(cuGraphInstantiate)          \
  X(cuGraphExecKernelNodeSetParams) \
  X(cuGraphLaunch)               \
  X(cuGraphExecDestroy)          \
  X(cuGraphDestroy)

namespace sinter::runtime {

struct cuda_driver {
  SINTER_LIBRARY_TABLE(SINTER_CUDA_FUNCTIONS)
  /// The first version, which every driver has; CUDA 13's headers declare only the second.
  CUresult (*elapsed_time)(float* milliseconds, CUevent begin, CUevent end) = nullptr;
#if CUDA_VERSION >= 12030
  /// The second version; drivers before 12.3 lack it, and have one kind of edges.
  CUresult (*add_dependencies)(CUgraph, const CUgraphNode* from, const CUgraphNode* to,
                               const CUgraphEdgeData*, std::size_t count) = nullptr;
#endif

  /// Empty if the driver can be used; else why not, in one line.
  std::string problem;
};

/// Opened and initialised at the first call.
const cuda_driver& the_driver();

/// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
std::string text_of(CUresult result);
/// Throws device_error unless `result` is success; out_of_memory if memory is exhausted.
void check(CUresult result, const char* doing);

}  // namespace sinter::runtime
