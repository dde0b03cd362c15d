#pragma once
// One NVIDIA GPU through the CUDA driver.

#include <memory>
#include <span>
#include <string_view>

#include "runtime/blas.hpp"
#include "runtime/cuda/context.hpp"
#include "runtime/cuda/graphs.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/staging.hpp"
#include "runtime/cuda/streams.hpp"
#include "runtime/device.hpp"
#include "runtime/fft.hpp"
#include "runtime/pool.hpp"
#include "runtime/solver.hpp"
#include "runtime/sorter.hpp"

namespace sinter::runtime {

/// Leaves its context current on the threads that call it. Device failures are sticky: CUDA reports
/// one at some later call, and every call after that fails too.
class cuda_device final : public device {
 public:
  /// REQUIRES: the_driver() has no problem, and there is a device of this index.
  explicit cuda_device(int index);
  ~cuda_device() override;

  device_id id() const override { return {device_kind::cuda, index_}; }
  const device_properties& properties() const override { return properties_; }

  std::shared_ptr<buffer> allocate(std::size_t bytes) override;
  /// REQUIRES: device memory of this context. Releasing it waits for work that uses it.
  std::shared_ptr<buffer> adopt(void* data, std::size_t bytes,
                                std::shared_ptr<void> owner) override;
  std::shared_ptr<buffer> part(std::shared_ptr<buffer> whole, std::size_t offset,
                               std::size_t bytes) override;
  std::shared_ptr<loaded_kernel> load(std::span<const std::byte> image,
                                      std::string_view entry) override;

  const stream* current_stream() override { return &streams_.current(); }
  void use(buffer&) override;
  void claim(buffer&) override;
  void follow(std::uintptr_t theirs) override;
  void lead(std::uintptr_t theirs) override;
  bool reaches(const void* data) override;
  /// REQUIRES: at most 4095 slots; blocks < 2^31.
  void launch(const loaded_kernel&, const launch_config&,
              std::span<const std::uint64_t> slots) override;
  void launch_all(std::span<const launch_record> list,
                  std::unique_ptr<launch_memory>& memory) override;
  bool remembers_calls() const override { return true; }

  std::span<std::uint32_t> mailbox() override { return streams_.current().mailbox(); }
  void copy_from_host(buffer& to, std::size_t offset, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const buffer& from, std::size_t offset, std::size_t bytes) override;
  void copy(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
            std::size_t bytes) override;
  void synchronize() override;

  std::unique_ptr<time_mark> mark_time() override;
  double seconds_between(const time_mark& begin, const time_mark& end) override;
  bool passed(const time_mark&) override;

  blas& linear_algebra() override { return *blas_; }
  fft& fourier() override { return *fft_; }
  solver& factorisations() override { return *solver_; }
  sorter& sorting() override { return *sorter_; }
  memory_statistics memory() const override { return pool_.statistics(); }
  void reset_peak() override { pool_.reset_peak(); }
  std::size_t trim() override { return pool_.trim(); }
  void limit_memory(std::size_t bytes) override { pool_.limit(bytes); }
  void observe_memory(memory_observer& o) override { pool_.observe(o); }
  void forget_observer(memory_observer& o) noexcept override { pool_.forget(o); }

 private:
  // In dependency order: later members use earlier ones.
  const int index_;
  cuda_context context_;
  cuda_streams streams_;
  graph_shelf graphs_;
  cuda_memory_source source_;
  cuda_events events_;
  memory_pool pool_;
  cuda_staging staging_;
  device_properties properties_;
  std::unique_ptr<blas> blas_;
  std::unique_ptr<fft> fft_;
  std::unique_ptr<solver> solver_;
  std::unique_ptr<sorter> sorter_;
};

}  // namespace sinter::runtime
