#pragma once
// Workspaces of library calls.

#include <algorithm>
#include <cstdint>

#include "runtime/cpu/memory.hpp"
#include "runtime/pool.hpp"

namespace sinter::runtime {

/// Memory of the pool for the duration of a call; its elements are uninitialised.
template <class T> class workspace {
 public:
  workspace(memory_pool& pool, std::int64_t count)
      : block_(pool, static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T)) {}
  T* data() const { return static_cast<T*>(block_.data()); }

 private:
  pooled_block block_;
};

}  // namespace sinter::runtime
