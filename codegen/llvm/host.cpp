#include "codegen/llvm/host.hpp"

#include <dlfcn.h>

#include <map>
#include <memory>

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>

#include "codegen/compiler.hpp"
#include "codegen/llvm/compat.hpp"

namespace sinter::codegen::cpu {
namespace {

struct sleef_variant {
  const char* features;  // all are required
  const char* suffix;
  int bits;
};

// The first variant that the machine supports is used.
constexpr sleef_variant variants[] = {
    {"+avx512f", "avx512f", 512}, {"+avx2,+fma", "avx2", 256}, {"+sse4.1", "sse4", 128},
    {"+sse2", "sse2", 128},       {"+neon", "advsimd", 128},
};

/// X86DomainReassignment looks for masks computed in integer registers, which no kernel has, and
/// follows every value of a block from every other one: 64 terms that each store two complex values
/// (800 instructions) compiled for 11 s, 3.4 without it. There is no other switch.
void without_domain_reassignment() {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto it = options.find("disable-x86-domain-reassignment");
  if (it != options.end()) static_cast<llvm::cl::opt<bool>*>(it->second)->setValue(true);
}

void prepare_llvm() {
  static const bool done = [] {
    without_domain_reassignment();
    return !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!done) throw compile_error("[llvm] no code generator for this machine");
}

std::string features_here() {
  std::map<std::string, bool> sorted;
  for (const auto& f : compat::host_features()) sorted[f.getKey().str()] = f.getValue();
  // insertq has no form that leaves the upper halves of registers alone: among AVX instructions it
  // takes 175 ns. Columns of bytes as int64, multiplied, 3.4 ms (EPYC), 0.1 without it.
  if (const auto f = sorted.find("sse4a"); f != sorted.end()) f->second = false;
  std::string text;
  for (const auto& [name, on] : sorted) {
    if (!text.empty()) text += ',';
    text += (on ? '+' : '-') + name;
  }
  return text;
}

/// Since glibc 2.35. Never closed: kernels call it.
bool has_libmvec() {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library && dlsym(library, "_ZGVdN8v_erff");
}

}  // namespace

host find_host(const std::string& name) {
  prepare_llvm();
  host h;
  h.triple = llvm::sys::getProcessTriple();
  h.name = name.empty() ? llvm::sys::getHostCPUName().str() : name;
  if (name.empty()) h.features = features_here();
  std::string why;
  h.target = llvm::TargetRegistry::lookupTarget(h.triple, why);
  if (!h.target) throw compile_error("[llvm] " + why);
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      h.target->createMCSubtargetInfo(h.triple, h.name, h.features));
  if (!name.empty() && !info->isCPUStringValid(name)) {
    throw compile_error("[llvm] no CPU '" + name + "'");
  }
  h.x86 = h.triple.rfind("x86_64", 0) == 0;
  const auto has = [&](const char* features) { return info->checkFeatures(features); };
  h.avx = h.x86 && has("+avx");
  h.avx512f = h.x86 && has("+avx512f");
  h.avx512bw = h.x86 && has("+avx512bw,+avx512vl");
  h.fma = !h.x86 || has("+fma");
  h.f16c = !h.x86 || has("+f16c");
  h.libmvec = h.x86 && has("+avx2,+fma") && has_libmvec();
  for (const sleef_variant& v : variants) {
    const bool mine = (std::string(v.suffix) == "advsimd") != h.x86;
    if (!mine || !has(v.features)) continue;
    h.sleef = v.suffix;
    h.sleef_bits = v.bits;
    break;
  }
  return h;
}

}  // namespace sinter::codegen::cpu
