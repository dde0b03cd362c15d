#include "codegen/llvm/llvm_compiler.hpp"

#include <chrono>
#include <cstring>

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/compat.hpp"
#include "codegen/llvm/host.hpp"
#include "codegen/llvm/kernel_writer.hpp"
#include "codegen/llvm/stack.hpp"
#include "ir/kernel_stack.hpp"

namespace sinter::codegen {
namespace {

// Raised with every change of the code emitted for the same kernel.
constexpr int revision = 12;

/// Collects LLVM's errors in one compilation.
class complaints final : public llvm::DiagnosticHandler {
 public:
  explicit complaints(std::string& text) : text_(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(text_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    out << '\n';
    return true;
  }

 private:
  std::string& text_;
};

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return out.str();
}

template <class Kind>
llvm::SmallVector<char, 0> generate(llvm::TargetMachine& machine, llvm::Module& module, Kind kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind)) {
    throw compile_error("[llvm] no object files for " + machine.getTargetTriple().str());
  }
  passes.run(module);
  return bytes;
}

}  // namespace

std::string llvm_compiler::fingerprint() const {
  const cpu::host& h = host_;
  return "llvm " LLVM_VERSION_STRING " r" + std::to_string(revision) + ' ' + h.triple + ' ' +
         h.name + ' ' + h.features + (h.libmvec ? " libmvec" : "");
}

compiled llvm_compiler::compile(const ir::kernel& kernel, stage_request request) const {
  const cpu::host& h = host_;
  llvm::LLVMContext context;
  std::string complaint;
  context.setDiagnosticHandler(std::make_unique<complaints>(complaint));
  context.setDiscardValueNames(!request.source);
  const std::unique_ptr<llvm::TargetMachine> machine(h.target->createTargetMachine(
      h.triple, h.name, h.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, cpu::compat::default_level, true));
  llvm::Module module("kernel", context);
  module.setTargetTriple(h.triple);
  module.setDataLayout(machine->createDataLayout());
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  cpu::coder coder(module, h);
  if (ir::is_stack(kernel)) cpu::write_stack(coder, kernel);
  else cpu::kernel_writer(coder, kernel).write();
  const std::chrono::duration<double> writing = clock::now() - start;

  llvm::raw_string_ostream out(complaint);
  if (llvm::verifyModule(module, &out)) throw compile_error("[llvm] " + out.str());
  compiled result;
  result.entry = "kernel";
  result.own_seconds = writing.count();
  if (request.source) result.stages.emplace_back("llvm", text_of(module));
  if (request.assembly || request.machine) {
    const auto copy = llvm::CloneModule(module);
    const auto text = generate(*machine, *copy, cpu::compat::assembly_file);
    result.stages.emplace_back("asm", std::string(text.begin(), text.end()));
  }
  const auto bytes = generate(*machine, module, cpu::compat::object_file);
  if (!out.str().empty()) throw compile_error("[llvm] " + out.str());
  result.image.resize(bytes.size());
  std::memcpy(result.image.data(), bytes.data(), bytes.size());
  return result;
}

}  // namespace sinter::codegen
