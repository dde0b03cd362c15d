#include "runtime/llvm/code_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/round_up.hpp"

namespace sinter::runtime {

code_memory::~code_memory() {
  if (pages_) munmap(pages_, bytes_);
}

void code_memory::reserveAllocationSpace(std::uintptr_t code, alignment, std::uintptr_t constants,
                                         alignment, std::uintptr_t data, alignment) {
  // The given sizes already include the alignment of sections to a few bytes.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t sizes[] = {round_up(code + 1, page), round_up(constants + 1, page),
                                  round_up(data + 1, page)};
  bytes_ = sizes[0] + sizes[1] + sizes[2];
  void* const pages =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(pages);
  part* const parts[] = {&code_, &constants_, &data_};
  for (int i = 0; i < 3; ++i) {
    *parts[i] = {at, at, at + sizes[i]};
    at += sizes[i];
  }
}

std::uint8_t* code_memory::take(part& p, std::uintptr_t size, std::uintptr_t alignment) {
  const std::uintptr_t start = round_up(p.next, alignment ? alignment : 1);
  if (p.begin == 0 || start + size > p.end) return nullptr;
  p.next = start + size;
  return reinterpret_cast<std::uint8_t*>(start);
}

std::uint8_t* code_memory::allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned,
                                               llvm::StringRef) {
  return take(code_, size, alignment);
}

std::uint8_t* code_memory::allocateDataSection(std::uintptr_t size, unsigned alignment, unsigned,
                                               llvm::StringRef, bool constant) {
  return take(constant ? constants_ : data_, size, alignment);
}

bool code_memory::finalizeMemory(std::string* error) {
  const auto protect = [](const part& p, int how) {
    return mprotect(reinterpret_cast<void*>(p.begin), p.end - p.begin, how) == 0;
  };
  const bool done =
      pages_ && protect(code_, PROT_READ | PROT_EXEC) && protect(constants_, PROT_READ);
  if (!done && error) *error = "the system refuses executable memory";
  if (done) {
    __builtin___clear_cache(reinterpret_cast<char*>(code_.begin),
                            reinterpret_cast<char*>(code_.end));
  }
  return !done;
}

}  // namespace sinter::runtime
