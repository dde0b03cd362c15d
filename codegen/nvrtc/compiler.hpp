#pragma once
// Kernels to cubins, through CUDA C++ and NVRTC.

#include <memory>
#include <string>
#include <vector>

#include "codegen/compiler.hpp"
#include "codegen/nvrtc/library.hpp"

namespace sinter::codegen {

class nvrtc_compiler final : public compiler {
 public:
  /// `architecture` as "sm_90". Throws compile_error when NVRTC cannot be opened.
  explicit nvrtc_compiler(const std::string& architecture);

  std::string fingerprint() const override;
  compiled compile(const ir::kernel&, stage_request) const override;

  /// Compiles CUDA C++ text with the options of `compile`. Throws compile_error with the log and
  /// the lines it is about.
  std::vector<std::byte> compile_text(const std::string&, nvrtc_library::image_kind) const;

 private:
  std::shared_ptr<const nvrtc_library> library_;
  std::vector<std::string> options_;
};

}  // namespace sinter::codegen
