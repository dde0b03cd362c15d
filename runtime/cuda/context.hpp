#pragma once
// The primary context of one GPU, which the process shares with other users of that GPU.

struct CUctx_st;

namespace sinter::runtime {

class cuda_context {
 public:
  /// REQUIRES: the_driver() has no problem and the device exists. Throws device_error.
  explicit cuda_context(int index);
  ~cuda_context();
  cuda_context(const cuda_context&) = delete;
  cuda_context& operator=(const cuda_context&) = delete;

  int device() const { return device_; }
  /// Makes this the calling thread's context.
  void bind() const noexcept;
  /// Can a launch begin before earlier kernels have finished writing? Kernels then wait for that
  /// themselves (programmatic dependent launch: compute capability 9).
  bool launches_early() const { return launches_early_; }

 private:
  int device_ = 0;
  CUctx_st* context_ = nullptr;
  bool launches_early_ = false;
};

}  // namespace sinter::runtime
