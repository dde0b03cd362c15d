#pragma once
// Memory of a thread for compiled kernels: what a stack may have no room for.

#include <cstdint>
#include <string_view>

namespace sinter::runtime {

/// What compiled kernels call it (codegen/llvm/coder.hpp says so too).
inline constexpr std::string_view thread_memory_symbol = "sinter_thread_memory";

/// At least so many bytes, aligned to 64, the same for each call of a thread with this number until
/// it asks for more. Freed when the thread ends. Out of memory ends the process: a kernel has
/// nobody to tell.
void* thread_memory(std::int64_t which, std::int64_t bytes) noexcept;

}  // namespace sinter::runtime
