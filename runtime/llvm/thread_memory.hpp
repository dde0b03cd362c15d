#pragma once
// Thread-local memory for compiled kernels: what may not fit on a stack.

#include <cstdint>
#include <string_view>

namespace sinter::runtime {

/// Its name in compiled kernels (also in codegen/llvm/coder.hpp).
inline constexpr std::string_view thread_memory_symbol = "sinter_thread_memory";

/// At least so many bytes, aligned to 64, the same for every call of a thread with this number
/// until it asks for more. Freed when the thread ends. Out of memory terminates the process: a
/// kernel cannot report errors.
void* thread_memory(std::int64_t which, std::int64_t bytes) noexcept;

}  // namespace sinter::runtime
