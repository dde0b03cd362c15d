#pragma once
// Host code from relocatable objects. Implemented by the LLVM module (runtime/llvm), used by the
// CPU device, which itself does not depend on LLVM.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sinter::runtime {

/// A kernel on the host: (slots, first block, one past the last block).
using host_entry = void (*)(const std::uint64_t*, std::int64_t, std::int64_t);

/// Code in memory. Immutable; unmapped when the last reference is released, so `entry` must not be
/// running then.
class loaded_code {
 public:
  virtual ~loaded_code() = default;
  host_entry entry() const { return entry_; }

 protected:
  host_entry entry_ = nullptr;
};

/// Thread-safe.
class object_loader {
 public:
  virtual ~object_loader() = default;
  /// Throws device_error: a damaged object, an undefined symbol, or a library that is not
  /// installed.
  virtual std::shared_ptr<loaded_code> load(std::span<const std::byte> object,
                                            std::string_view entry) = 0;
};

}  // namespace sinter::runtime
