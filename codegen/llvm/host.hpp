#pragma once
// What the code is written for.

#include <string>

namespace llvm {
class Target;
}

namespace sinter::codegen::cpu {

struct host {
  const llvm::Target* target = nullptr;  // one of LLVM's constants
  std::string triple;
  std::string name;      // LLVM's name of the CPU
  std::string features;  // "+avx2,-avx512f,...", on top of the name; empty for a CPU that was named
  bool x86 = false;
  bool avx = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool fma = false;
  bool f16c = false;     // converts binary16
  std::string sleef;     // the tail of SLEEF's function names: "avx512f"
  int sleef_bits = 128;  // width of the vectors those take
  bool libmvec = false;  // glibc's functions of eight floats are there

  /// Can vectors of elements of `size` bytes be loaded and stored under a mask?
  bool masks(unsigned size) const { return size >= 4 ? avx : avx512bw; }
};

/// The machine this runs on, or one like it with the CPU `name`. Throws compile_error for a name
/// that LLVM does not know.
host find_host(const std::string& name = "");

}  // namespace sinter::codegen::cpu
