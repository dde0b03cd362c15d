#include "runtime/cuda/cusolver.hpp"

#include <cublas_v2.h>
#include <cuda.h>
#include <cusolverDn.h>

#include "runtime/cuda/cusolver_state.hpp"
#include "runtime/cuda/driver_functions.hpp"
#include "runtime/cuda/toolkit.hpp"

namespace sinter::runtime {
namespace {

/// Throws device_error if it is missing or too old.
cusolver_functions open_cusolver(const char* routine) {
  const auto cublas = open_toolkit_library({"libcublas.so.13", "libcublas.so.12"});
  const auto cusolver = open_toolkit_library({"libcusolver.so.12", "libcusolver.so.11"});
  cusolver_functions found;
  const std::string problem = found.find(cusolver, cublas);
  if (problem.empty()) return found;
  throw device_error(std::string("[") + routine + "] this needs cuSOLVER of CUDA 12 or later (" +
                     problem + "): install the CUDA toolkit's libcusolver and libcublas");
}

}  // namespace

cusolver::~cusolver() {
  context_.bind();
  for (const auto& [stream, h] : handles_) destroy(h);
}

void cusolver::destroy(const handles& h) const {
  if (h.rotations) f_.cusolverDnDestroySyevjInfo(h.rotations);
  if (h.jacobi) f_.cusolverDnDestroyGesvdjInfo(h.jacobi);
  if (h.params) f_.cusolverDnDestroyParams(h.params);
  if (h.dense) f_.cusolverDnDestroy(h.dense);
  if (h.blas) f_.cublasDestroy(h.blas);
}

/// The addresses of the matrices of several batches, concatenated, on the device. Generated there:
/// for 50,000 matrices, lists made on the host took most of a call's time. REQUIRES: batches of
/// equal length.
scratch cusolver::pointers(std::initializer_list<matrices> batches, cuda_stream& on) {
  std::vector<address_row> rows;
  for (const matrices& a : batches) {
    rows.push_back({a.data, a.size() * static_cast<std::int64_t>(bytes_of(a.type))});
  }
  const std::int64_t count = batches.begin()->batch;
  scratch made(pool_, rows.size() * static_cast<std::size_t>(count) * sizeof(void*), on);
  if (lists_.write(made.data(), rows, count, on)) return made;
  std::vector<void*> list;
  for (const matrices& a : batches) {
    for (std::int64_t b = 0; b < count; ++b) list.push_back(matrix(a, b));
  }
  staging_.to_device(on, made.data(), list.data(), list.size() * sizeof(void*));
  return made;
}

scratch cusolver::upload(const void* data, std::size_t bytes, cuda_stream& on) {
  scratch made(pool_, bytes, on);
  staging_.to_device(on, made.data(), data, bytes);
  return made;
}

void cusolver::zero(void* to, std::size_t bytes, cuda_stream& on) {
  const auto at = reinterpret_cast<CUdeviceptr>(to);
  check(the_driver().cuMemsetD8Async(at, 0, bytes, on.handle()), "filling with zeros");
  on.queued();
}

/// Converts between 32-bit and 64-bit counts by copying their low words with strides. cublasScopy
/// copies bits whatever they mean; the driver's 2D copies take 0.2 us a row.
void cusolver::low_words(call& c, void* to, std::int64_t to_step, const void* from,
                         std::int64_t from_step, std::int64_t count) {
  c.require(f_.cublasScopy_64(c.h.blas, count, static_cast<const float*>(from), from_step,
                              static_cast<float*>(to), to_step));
}

void cusolver::copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::int64_t count, cuda_stream& on) {
  if (count == 0 || width == 0) return;
  CUDA_MEMCPY2D what{};
  what.srcMemoryType = what.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  what.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  what.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  what.srcPitch = from_pitch;
  what.dstPitch = to_pitch;
  what.WidthInBytes = width;
  what.Height = static_cast<std::size_t>(count);
  check(the_driver().cuMemcpy2DAsync(&what, on.handle()), "copying rows");
  on.queued();
}

handles& cusolver::handles_of(const cuda_stream& on, const char* routine) {
  const std::lock_guard one_at_a_time(mutex_);
  if (!f_.cusolverDnCreate) f_ = open_cusolver(routine);
  auto [it, is_new] = handles_.try_emplace(on.id());
  handles& h = it->second;
  if (!is_new) return h;
  const bool made = f_.cusolverDnCreate(&h.dense) == CUSOLVER_STATUS_SUCCESS &&
                    f_.cusolverDnSetStream(h.dense, on.handle()) == CUSOLVER_STATUS_SUCCESS &&
                    f_.cusolverDnCreateParams(&h.params) == CUSOLVER_STATUS_SUCCESS &&
                    f_.cusolverDnCreateGesvdjInfo(&h.jacobi) == CUSOLVER_STATUS_SUCCESS &&
                    f_.cusolverDnCreateSyevjInfo(&h.rotations) == CUSOLVER_STATUS_SUCCESS &&
                    f_.cublasCreate(&h.blas) == CUBLAS_STATUS_SUCCESS &&
                    f_.cublasSetStream(h.blas, on.handle()) == CUBLAS_STATUS_SUCCESS;
  if (made) return h;
  destroy(h);
  handles_.erase(it);
  throw device_error(std::string("[") + routine + "] cuSOLVER cannot be set up" + on.recent());
}

std::unique_ptr<solver> make_cusolver(const cuda_context& context, cuda_streams& streams,
                                      memory_pool& pool, cuda_staging& staging) {
  return std::make_unique<cusolver>(context, streams, pool, staging);
}

}  // namespace sinter::runtime
