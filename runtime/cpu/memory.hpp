#pragma once
// Host memory in segments, straight from the system.

#include <atomic>
#include <cstddef>

#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Segments are mapped, on huge pages where there are any. The system promises more memory than it
/// has and kills whoever uses it; so what is not there is refused here, by what the host and the
/// cgroup say.
class host_memory_source final : public memory_source {
 public:
  host_memory_source();
  void* allocate(std::size_t bytes) override;
  void release(void* data, std::size_t bytes) noexcept override;
  std::size_t capacity() const override { return capacity_; }

 private:
  std::size_t capacity_;
  std::atomic<std::size_t> mapped_{0};
};

/// Tell the address sanitizer, where there is one, that memory may not, or may, be used.
void poison(const void* data, std::size_t bytes) noexcept;
void unpoison(const void* data, std::size_t bytes) noexcept;

}  // namespace sinter::runtime
