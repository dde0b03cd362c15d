#pragma once
// The pages of one loaded object.

#include <cstddef>
#include <cstdint>
#include <string>

#include <llvm/ExecutionEngine/RuntimeDyld.h>

namespace sinter::runtime {

/// One mapping holds all sections, so that relative addresses reach. Writable at first; after
/// `finalizeMemory` code is executable and constants are read-only.
class code_memory final : public llvm::RuntimeDyld::MemoryManager {
 public:
  code_memory() = default;
  ~code_memory() override;
  code_memory(const code_memory&) = delete;
  code_memory& operator=(const code_memory&) = delete;

  bool needsToReserveAllocationSpace() override { return true; }
#if LLVM_VERSION_MAJOR >= 16
  using alignment = llvm::Align;
#else
  using alignment = std::uint32_t;
#endif
  void reserveAllocationSpace(std::uintptr_t code, alignment, std::uintptr_t constants, alignment,
                              std::uintptr_t data, alignment) override;
  std::uint8_t* allocateCodeSection(std::uintptr_t size, unsigned alignment, unsigned,
                                    llvm::StringRef) override;
  std::uint8_t* allocateDataSection(std::uintptr_t size, unsigned alignment, unsigned,
                                    llvm::StringRef, bool constant) override;
  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
  void deregisterEHFrames() override {}
  void notifyObjectLoaded(llvm::RuntimeDyld&, const llvm::object::ObjectFile&) override {}
  bool finalizeMemory(std::string* error) override;

 private:
  struct part {
    std::uintptr_t begin = 0, next = 0, end = 0;
  };
  static std::uint8_t* take(part&, std::uintptr_t size, std::uintptr_t alignment);

  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
  part code_, constants_, data_;
};

}  // namespace sinter::runtime
