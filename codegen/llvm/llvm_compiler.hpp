#pragma once
// Kernels for the host: kernel IR -> LLVM IR with explicit vectors -> a relocatable object.

#include <string>

#include "codegen/compiler.hpp"
#include "codegen/llvm/host.hpp"

namespace sinter::codegen {

class llvm_compiler final : public compiler {
 public:
  /// For this machine, or for a CPU by LLVM's name.
  explicit llvm_compiler(const std::string& cpu = "") : host_(cpu::find_host(cpu)) {}
  std::string fingerprint() const override;
  compiled compile(const ir::kernel&, stage_request) const override;

 private:
  cpu::host host_;
};

}  // namespace sinter::codegen
