#include "runtime/cpu/memory.hpp"

#include <cstdint>

#include <sys/mman.h>

#include "runtime/cpu/host.hpp"
#include "runtime/round_up.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINTER_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SINTER_ADDRESS_SANITIZER
#endif
#if defined(SINTER_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace sinter::runtime {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = 2ull << 20;

/// Mapped after a segment and never handed out, so it is never touched: OpenBLAS 0.3.21 reads the
/// columns of a complex matrix in pairs (zgemv_n for Cooper Lake), and past an odd last one. With a
/// matrix at the end of a segment, one `svd` in some hundred crashed.
constexpr std::size_t read_behind = 1ull << 20;

void* map_aligned(std::size_t bytes, std::size_t alignment) {
  const std::size_t extra = alignment > page ? alignment : 0;
  void* mapped =
      mmap(nullptr, bytes + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (extra == 0) return mapped;
  const auto start = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t data = round_up(start, alignment);
  if (data != start) munmap(mapped, data - start);
  if (data + bytes != start + bytes + extra) {
    munmap(reinterpret_cast<void*>(data + bytes), start + extra - data);
  }
  return reinterpret_cast<void*>(data);
}

/// Marks memory as unusable or usable for the address sanitizer, if there is one.
void poison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(SINTER_ADDRESS_SANITIZER)
  __asan_poison_memory_region(data, bytes);
#endif
}

void unpoison([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(SINTER_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(data, bytes);
#endif
}

}  // namespace

host_memory_source::host_memory_source() : capacity_(host_memory_total()) {}

void* host_memory_source::allocate(std::size_t bytes) {
  bytes = round_up(bytes, page);
  // Mapped but untouched memory still looks available, hence both checks. The total is queried
  // again, because memory can be added to a running machine.
  if (bytes > host_memory_available()) return nullptr;
  const std::size_t total = host_memory_total();
  if (total != 0 && mapped_.load() + bytes > total) return nullptr;
  void* data = map_aligned(bytes + read_behind, bytes >= huge_page ? huge_page : page);
  if (!data) return nullptr;
  if (bytes >= huge_page) madvise(data, bytes, MADV_HUGEPAGE);
  mapped_ += bytes;
  return data;
}

void host_memory_source::release(void* data, std::size_t bytes) noexcept {
  bytes = round_up(bytes, page);
  unpoison(data, bytes);  // the addresses may be reused
  munmap(data, bytes + read_behind);
  mapped_ -= bytes;
}

pooled_block::pooled_block(memory_pool& pool, std::size_t bytes)
    : pool_(pool), block_(pool.allocate(bytes, 0)) {
  unpoison(block_->data, block_->bytes);
}

pooled_block::~pooled_block() {
  poison(block_->data, block_->bytes);
  pool_.free(block_);
}

}  // namespace sinter::runtime
