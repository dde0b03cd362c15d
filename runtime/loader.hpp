#pragma once
// libsinter's own modules, opened at run time.

#include <string>
#include <string_view>

#include "runtime/dynamic_library.hpp"

namespace sinter::runtime {

/// A module stays open until the process ends. Immutable once opened, so thread-safe.
class module_library {
 public:
  /// `name` is "cuda" or "llvm": libsinter_cuda.so in SINTER_BACKEND_DIR if that is set, else next
  /// to libsinter.so. Does not throw if it is missing or damaged.
  static module_library open(std::string_view name);

  explicit operator bool() const { return static_cast<bool>(library_); }
  /// One line: the file that was opened, or what is missing and where it was searched for.
  const std::string& status() const { return status_; }

  /// A function of the module. Throws device_error if the module is missing, or if another version
  /// lacks it.
  template <typename Function> Function* function(const char* symbol) const {
    return reinterpret_cast<Function*>(find(symbol));
  }

 private:
  void* find(const char* symbol) const;

  dynamic_library library_;
  std::string status_;
};

}  // namespace sinter::runtime
