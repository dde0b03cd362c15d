#pragma once
// A compiler turns kernel IR into bytes that a device loads. One per target; the engine passes the
// bytes to the runtime, so this layer knows no device.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel.hpp"

namespace sinter::codegen {

struct compile_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A compiled kernel: an image to load, and the text of each stage that was requested.
struct compiled {
  std::string entry;              // symbol of the kernel in the image
  std::vector<std::byte> image;   // a cubin, or a relocatable object
  std::vector<std::pair<std::string, std::string>> stages;  // {"cuda", text}, {"llvm", text}, ...
  double own_seconds = 0;         // time spent before the vendor's compiler began
};

/// Which stages to keep the text of.
struct stage_request {
  bool source = false;    // cuda or llvm
  bool assembly = false;  // ptx, or asm
  bool machine = false;   // sass where a disassembler is at hand
};

/// Thread-safe: several kernels compile at once.
class compiler {
 public:
  virtual ~compiler() = default;
  /// What the bytes depend on besides the kernel: architecture, compiler and its version, options.
  virtual std::string fingerprint() const = 0;
  /// The kernel's name is not compiled in: the entry is always the same for a target. Throws
  /// compile_error with the compiler's own message.
  virtual compiled compile(const ir::kernel&, stage_request) const = 0;
};

}  // namespace sinter::codegen
