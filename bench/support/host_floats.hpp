#pragma once
// Host memory for hand-written loops: in huge pages, like sinter's own. Where the system uses huge
// pages only on request, plain memory is up to three times slower.

#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace bench {

template <class T> struct huge_pages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;

  huge_pages() = default;
  template <class U> huge_pages(const huge_pages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
    void* const memory = std::aligned_alloc(page, bytes);
    if (!memory) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  bool operator==(const huge_pages&) const = default;
};

using host_floats = std::vector<float, huge_pages<float>>;

}  // namespace bench
