#pragma once
// The machine that code is generated for.

#include <string>

namespace llvm {
class Target;
}

namespace sinter::codegen::cpu {

struct host {
  const llvm::Target* target = nullptr;  // one of LLVM's constants
  std::string triple;
  std::string name;      // LLVM's name of the CPU
  std::string features;  // "+avx2,-avx512f,...", on top of the name; empty for a CPU chosen by name
  bool x86 = false;
  bool avx = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool fma = false;
  bool f16c = false;     // converts binary16
  std::string sleef;     // the suffix of SLEEF's function names: "avx512f"
  int sleef_bits = 128;  // width of their vectors
  bool libmvec = false;  // glibc's vector functions of eight floats are available

  /// Can vectors of elements of `size` bytes be loaded and stored under a mask?
  bool masks(unsigned size) const { return size >= 4 ? avx : avx512bw; }
};

/// This machine, or one like it with the CPU `name`. Throws compile_error for a name unknown to
/// LLVM.
host find_host(const std::string& name = "");

}  // namespace sinter::codegen::cpu
