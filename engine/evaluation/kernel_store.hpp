#pragma once
// Compiled kernels of one device: in memory, else on disk, else compiled.
//
// Thread safety: any thread; concurrent requests for a kernel compile it once.

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/compiler.hpp"
#include "engine/evaluation/dump.hpp"
#include "ir/kernel.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_cache.hpp"

namespace sinter::detail {

/// A kernel that can be launched, and how it came to be.
struct ready_kernel {
  enum class origin : std::uint8_t { compiled, disk, interpreted };
  std::shared_ptr<runtime::loaded_kernel> code;
  origin from = origin::compiled;
  double seconds = 0;  // compiling or loading
  int threads = 0;     // per block
};

struct kernel_store_statistics {
  std::int64_t compiles = 0, disk_hits = 0;
  std::int64_t variants = 0;  // from `beside`
  double compile_seconds = 0, load_seconds = 0;
};

/// Words per block of the copying kernel.
inline constexpr std::int64_t copied_by_block = 1024;

/// That kernel.
const ir::kernel& copying_kernel();

/// The slots of a copy by it.
inline std::array<std::uint64_t, 4> copy_slots(void* to, const void* from, std::uint64_t words) {
  return {words, ir::make_divisor(words), reinterpret_cast<std::uintptr_t>(from),
          reinterpret_cast<std::uintptr_t>(to)};
}

class kernel_store {
 public:
  /// `compiler` may be null: then kernels are interpreted. References are kept.
  kernel_store(runtime::device& device, std::shared_ptr<const codegen::compiler> compiler,
               runtime::kernel_cache& disk, dump_settings& dumps);

  /// The kernels, in order; missing ones are compiled in parallel. Throws codegen::compile_error,
  /// runtime::device_error.
  std::vector<std::shared_ptr<const ready_kernel>> get(const std::vector<ir::kernel>& kernels);

  /// On a GPU: copies four-byte words. Launched with `copy_slots`.
  const ready_kernel& copier();
  /// The same, from the eighth call on, if there is a compiler: for callers that have an
  /// alternative.
  const ready_kernel* frequent_copier();  // its compilation is not in the statistics

  /// A kernel to try: from disk, or compiled. It belongs to the caller, and is not stored here.
  std::shared_ptr<const ready_kernel> beside(const ir::kernel& kernel);

  /// Identifies the compiler: part of the kernels' keys on disk.
  const std::string& fingerprint() const { return fingerprint_; }
  bool compiles() const { return compiler_ != nullptr; }
  /// Are all compilations shown by a dump?
  bool shows() const { return dumps_.any(); }

  /// Makes every kernel again at its next request, so that dumps show it.
  void forget();

  /// The generated source of a kernel, for display.
  std::string source(const ir::kernel& kernel) const;

  kernel_store_statistics statistics() const;

 private:
  std::shared_ptr<const ready_kernel> make(const ir::kernel& kernel, const std::string& key);
  std::shared_ptr<ready_kernel> load(const ir::kernel& kernel, const std::string& key);
  std::shared_ptr<const ready_kernel> find(const std::string& key) const;
  void show(const ir::kernel& kernel, const codegen::compiled& c);

  runtime::device& device_;
  const std::shared_ptr<const codegen::compiler> compiler_;
  runtime::kernel_cache& disk_;
  dump_settings& dumps_;
  const std::string fingerprint_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const ready_kernel>> kernels_;
  std::once_flag copies_;
  std::shared_ptr<const ready_kernel> copier_;
  std::atomic<int> asked_for_copier_{0};
  kernel_store_statistics statistics_;
};

}  // namespace sinter::detail
