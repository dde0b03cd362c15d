#include "runtime/cpu/cpu_device.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/cpu/fftw.hpp"
#include "runtime/cpu/host.hpp"
#include "runtime/cpu/lapack.hpp"
#include "runtime/cpu/onednn.hpp"
#include "runtime/cpu/openblas.hpp"
#include "runtime/cpu/sort.hpp"

namespace sinter::runtime {

namespace {

class pooled_buffer final : public buffer {
 public:
  pooled_buffer(memory_pool& pool, std::size_t bytes) {
    bytes_ = bytes;
    if (bytes == 0) return;
    block_.emplace(pool, bytes);
    data_ = block_->data();
  }

 private:
  std::optional<pooled_block> block_;
};

class adopted_buffer final : public buffer {
 public:
  adopted_buffer(void* data, std::size_t bytes, std::shared_ptr<void> owner)
      : owner_(std::move(owner)) {
    data_ = data;
    bytes_ = bytes;
    lent_ = true;
  }

 private:
  std::shared_ptr<void> owner_;
};

class cpu_kernel final : public loaded_kernel {
 public:
  explicit cpu_kernel(std::shared_ptr<loaded_code> compiled)
      : entry(compiled->entry()), code(std::move(compiled)) {}
  explicit cpu_kernel(host_kernel callable) : callable(std::move(callable)) {}

  const host_entry entry = nullptr;  // null for a callable
  const std::shared_ptr<loaded_code> code;
  const host_kernel callable;
};

// Queued work is done by the time it returns, so the mark's time is now.
struct cpu_time_mark final : time_mark {
  const std::chrono::steady_clock::time_point when = std::chrono::steady_clock::now();
};

// Per thread, from measurements on servers of recent years; the cost model needs only the order of
// magnitude.
constexpr double thread_bandwidth = 10e9;
constexpr double socket_bandwidth = 250e9;
constexpr double thread_arithmetic = 50e9;

device_properties describe(const std::string& architecture, int threads) {
  device_properties properties;
  properties.name = host_cpu_name();
  properties.architecture = architecture;
  properties.units = threads;
  properties.memory = host_memory_total();
  properties.cache = host_cache_bytes();
  properties.bandwidth = std::min(threads * thread_bandwidth, socket_bandwidth);
  properties.arithmetic = threads * thread_arithmetic;
  properties.launch = threads == 1 ? 1e-7 : 3e-6;
  return properties;
}

// A second thread takes longer to wake up than copying fewer bytes.
constexpr std::int64_t copy_piece = 1 << 20;

}  // namespace

cpu_device::cpu_device(cpu_options options)
    : loader_(std::move(options.loader)),
      threads_(options.threads),
      pool_(source_, nullptr),
      properties_(describe(options.architecture, threads_.size())) {
  const auto turn = std::make_shared<openblas_turn>();
  blas_ = make_onednn(threads_, make_openblas(threads_, turn));
  solver_ = make_lapack(threads_, pool_, turn);
  fft_ = make_fftw(threads_);
  sorter_ = make_cpu_sorter(threads_, pool_);
}

cpu_device::~cpu_device() = default;

std::shared_ptr<buffer> cpu_device::allocate(std::size_t bytes) {
  return std::make_shared<pooled_buffer>(pool_, bytes);
}

std::shared_ptr<buffer> cpu_device::adopt(void* data, std::size_t bytes,
                                          std::shared_ptr<void> owner) {
  return std::make_shared<adopted_buffer>(data, bytes, std::move(owner));
}

std::shared_ptr<buffer> cpu_device::part(std::shared_ptr<buffer> whole, std::size_t offset,
                                         std::size_t bytes) {
  void* const data = static_cast<std::byte*>(whole->data()) + offset;
  return adopt(data, bytes, std::move(whole));
}

std::shared_ptr<loaded_kernel> cpu_device::load(std::span<const std::byte> image,
                                                std::string_view entry) {
  if (!loader_) {
    throw device_error(
        "the CPU device cannot load compiled code: there is no object loader "
        "(libsinter_llvm.so was not found)");
  }
  return std::make_shared<cpu_kernel>(loader_->load(image, entry));
}

std::shared_ptr<loaded_kernel> cpu_device::wrap(host_kernel kernel) {
  return std::make_shared<cpu_kernel>(std::move(kernel));
}

void cpu_device::launch(const loaded_kernel& kernel, const launch_config& config,
                        std::span<const std::uint64_t> slots) {
  assert(config.blocks > 0);
  const auto& code = static_cast<const cpu_kernel&>(kernel);
  const std::uint64_t* arguments = slots.data();
  if (const host_entry run = code.entry) {
    threads_.parallel_for(config.blocks, [run, arguments](std::int64_t begin, std::int64_t end) {
      run(arguments, begin, end);
    }, config.grain);
  } else {
    threads_.parallel_for(config.blocks, [&](std::int64_t begin, std::int64_t end) {
      code.callable(arguments, begin, end);
    }, config.grain);
  }
}

void cpu_device::copy_bytes(void* to, const void* from, std::size_t bytes) {
  const auto pieces = static_cast<std::int64_t>((bytes + copy_piece - 1) / copy_piece);
  threads_.parallel_for(pieces, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin * copy_piece);
    const auto last = std::min(bytes, static_cast<std::size_t>(end * copy_piece));
    std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
                last - first);
  });
}

void cpu_device::copy_from_host(buffer& to, std::size_t offset, const void* from,
                                std::size_t bytes) {
  assert(offset + bytes <= to.bytes());
  copy_bytes(static_cast<char*>(to.data()) + offset, from, bytes);
}

void cpu_device::copy_to_host(void* to, const buffer& from, std::size_t offset, std::size_t bytes) {
  assert(offset + bytes <= from.bytes());
  copy_bytes(to, static_cast<const char*>(from.data()) + offset, bytes);
}

void cpu_device::copy(buffer& to, std::size_t to_offset, const buffer& from,
                      std::size_t from_offset, std::size_t bytes) {
  assert(to_offset + bytes <= to.bytes() && from_offset + bytes <= from.bytes());
  copy_bytes(static_cast<char*>(to.data()) + to_offset,
             static_cast<const char*>(from.data()) + from_offset, bytes);
}

std::unique_ptr<time_mark> cpu_device::mark_time() {
  return std::make_unique<cpu_time_mark>();
}

double cpu_device::seconds_between(const time_mark& begin, const time_mark& end) {
  const auto from = static_cast<const cpu_time_mark&>(begin).when;
  return std::chrono::duration<double>(static_cast<const cpu_time_mark&>(end).when - from).count();
}

}  // namespace sinter::runtime
