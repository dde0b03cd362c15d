#pragma once
// The host as a device. Work is done when the call that queues it returns.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "runtime/blas.hpp"
#include "runtime/cpu/memory.hpp"
#include "runtime/device.hpp"
#include "runtime/fft.hpp"
#include "runtime/object_loader.hpp"
#include "runtime/pool.hpp"
#include "runtime/solver.hpp"
#include "runtime/sorter.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// A kernel as a C++ callable: (slots, first block, one past the last block). Called from several
/// threads at once with parts of the blocks.
using host_kernel = std::function<void(const std::uint64_t*, std::int64_t, std::int64_t)>;

struct cpu_options {
  std::shared_ptr<object_loader> loader = {};  // null: compiled kernels cannot be loaded
  std::string architecture = {};  // the host's LLVM name, if the caller knows it
  int threads = 0;                // < 1: default_threads()
};

class cpu_device final : public device {
 public:
  explicit cpu_device(cpu_options options = {});
  ~cpu_device() override;

  device_id id() const override { return {device_kind::cpu, 0}; }
  const device_properties& properties() const override { return properties_; }

  std::shared_ptr<buffer> allocate(std::size_t bytes) override;
  std::shared_ptr<buffer> adopt(void* data, std::size_t bytes,
                                std::shared_ptr<void> owner) override;
  std::shared_ptr<buffer> part(std::shared_ptr<buffer> whole, std::size_t offset,
                               std::size_t bytes) override;

  std::shared_ptr<loaded_kernel> load(std::span<const std::byte> image,
                                      std::string_view entry) override;
  /// A callable as a kernel of this device. Its exceptions leave `launch`.
  std::shared_ptr<loaded_kernel> wrap(host_kernel kernel);

  const stream* current_stream() override { return nullptr; }
  void use(buffer&) override {}
  void claim(buffer&) override {}
  void launch(const loaded_kernel&, const launch_config&,
              std::span<const std::uint64_t> slots) override;

  void copy_from_host(buffer& to, std::size_t offset, const void* from, std::size_t bytes) override;
  void copy_to_host(void* to, const buffer& from, std::size_t offset, std::size_t bytes) override;
  void copy(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
            std::size_t bytes) override;
  void synchronize() override {}

  std::unique_ptr<time_mark> mark_time() override;
  double seconds_between(const time_mark& begin, const time_mark& end) override;
  bool passed(const time_mark&) override { return true; }

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

  thread_pool& threads() { return threads_; }

 private:
  void copy_bytes(void* to, const void* from, std::size_t bytes);

  std::shared_ptr<object_loader> loader_;
  thread_pool threads_;
  host_memory_source source_;
  memory_pool pool_;
  device_properties properties_;
  std::unique_ptr<blas> blas_;
  std::unique_ptr<fft> fft_;
  std::unique_ptr<solver> solver_;
  std::unique_ptr<sorter> sorter_;
};

}  // namespace sinter::runtime
