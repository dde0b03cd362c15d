#include "runtime/llvm/object_loader.hpp"

#include <dlfcn.h>

#include <functional>

#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>

#include "runtime/device.hpp"
#include "runtime/llvm/code_memory.hpp"
#include "runtime/llvm/thread_memory.hpp"

namespace sinter::runtime {
namespace {

/// Is it one of glibc's vector functions?
bool is_libmvec(const std::string& symbol) { return symbol.rfind("_ZGV", 0) == 0; }
bool is_sleef(const std::string& symbol) { return symbol.rfind("Sleef_", 0) == 0; }

/// Resolves an object's symbols and records missing ones: no exception may pass through LLVM.
class resolver final : public llvm::LegacyJITSymbolResolver {
 public:
  explicit resolver(std::function<void*(const std::string&)> find) : find_(std::move(find)) {}

  llvm::JITSymbol findSymbol(const std::string& name) override {
    void* const address = find_(name);
    if (!address && missing.empty()) missing = name;
    return {reinterpret_cast<std::uintptr_t>(address), llvm::JITSymbolFlags::Exported};
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }

  std::string missing;

 private:
  std::function<void*(const std::string&)> find_;
};

class loaded_object final : public loaded_code {
 public:
  loaded_object(std::unique_ptr<code_memory> memory, std::uint64_t entry)
      : memory_(std::move(memory)) {
    entry_ = reinterpret_cast<host_entry>(static_cast<std::uintptr_t>(entry));
  }

 private:
  std::unique_ptr<code_memory> memory_;
};

std::unique_ptr<llvm::object::ObjectFile> parse(std::span<const std::byte> object) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto parsed = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (parsed) return std::move(*parsed);
  throw device_error("[llvm] not an object file: " + llvm::toString(parsed.takeError()));
}

}  // namespace

llvm_loader::llvm_loader() : libm_(dynamic_library::open({"libm.so.6"})) {}

void* llvm_loader::find(const std::string& symbol) {
  if (symbol == thread_memory_symbol) return reinterpret_cast<void*>(&thread_memory);
  if (is_libmvec(symbol)) {
    const std::lock_guard lock(mutex_);
    if (!libmvec_) libmvec_ = dynamic_library::open({"libmvec.so.1"});
    return libmvec_ ? libmvec_.symbol(symbol.c_str()) : nullptr;
  }
  if (!is_sleef(symbol)) {
    if (void* const address = libm_.symbol(symbol.c_str())) return address;
    return dlsym(RTLD_DEFAULT, symbol.c_str());
  }
  const std::lock_guard lock(mutex_);
  if (!sleef_) sleef_ = dynamic_library::open({"libsleef.so.3"});
  return sleef_ ? sleef_.symbol(symbol.c_str()) : nullptr;
}

void llvm_loader::refuse(const std::string& symbol) {
  const std::lock_guard lock(mutex_);
  if (is_sleef(symbol) && !sleef_) {
    throw device_error(
        "[llvm] mathematical functions on the CPU need the library SLEEF "
        "(Debian and Ubuntu: libsleef3): " +
        sleef_.problem());
  }
  throw device_error("[llvm] nobody defines " + symbol);
}

std::shared_ptr<loaded_code> llvm_loader::load(std::span<const std::byte> object,
                                               std::string_view entry) {
  const auto file = parse(object);
  auto memory = std::make_unique<code_memory>();
  resolver symbols([this](const std::string& name) { return find(name); });
  llvm::RuntimeDyld linker(*memory, symbols);
  linker.loadObject(*file);
  if (!linker.hasError()) linker.resolveRelocations();
  if (!symbols.missing.empty()) refuse(symbols.missing);
  if (linker.hasError()) throw device_error("[llvm] " + linker.getErrorString().str());
  std::string error;
  if (memory->finalizeMemory(&error)) throw device_error("[llvm] " + error);
  const auto symbol = linker.getSymbol(llvm::StringRef(entry.data(), entry.size()));
  if (!symbol) throw device_error("[llvm] no kernel '" + std::string(entry) + "' in the object");
  return std::make_shared<loaded_object>(std::move(memory), symbol.getAddress());
}

}  // namespace sinter::runtime
