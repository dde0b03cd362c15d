#pragma once
// Puts relocatable objects into memory with LLVM's run-time linker.

#include <mutex>
#include <string>

#include "runtime/dynamic_library.hpp"
#include "runtime/object_loader.hpp"

namespace sinter::runtime {

class llvm_loader final : public object_loader {
 public:
  llvm_loader();
  std::shared_ptr<loaded_code> load(std::span<const std::byte> object,
                                    std::string_view entry) override;

 private:
  void* find(const std::string& symbol);
  [[noreturn]] void refuse(const std::string& symbol);

  dynamic_library libm_;
  std::mutex mutex_;
  dynamic_library sleef_, libmvec_;  // opened for the first object that calls them
};

}  // namespace sinter::runtime
