#pragma once
// The places where LLVM 16 to 19 spell the same thing differently.

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>
#if __has_include(<llvm/TargetParser/Host.h>)
#include <llvm/TargetParser/Host.h>
#else
#include <llvm/Support/Host.h>
#endif

namespace sinter::codegen::cpu::compat {

#if LLVM_VERSION_MAJOR >= 18
using optimisation = llvm::CodeGenOptLevel;
inline constexpr auto object_file = llvm::CodeGenFileType::ObjectFile;
inline constexpr auto assembly_file = llvm::CodeGenFileType::AssemblyFile;
inline constexpr auto default_level = optimisation::Default;
#else
using optimisation = llvm::CodeGenOpt::Level;
inline constexpr auto object_file = llvm::CGFT_ObjectFile;
inline constexpr auto assembly_file = llvm::CGFT_AssemblyFile;
inline constexpr auto default_level = llvm::CodeGenOpt::Default;
#endif

inline llvm::StringMap<bool> host_features() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

}  // namespace sinter::codegen::cpu::compat
