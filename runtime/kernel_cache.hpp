#pragma once
// Compiled kernels on disk, shared by all processes of a user.
//
// An entry is one self-describing file: format, full key, payload, checksum. It appears under its
// name by a rename, whole or not at all. Any problem with the folder, the disk or a file means a
// miss or a store without effect: nothing here throws, and a wrong payload is never returned.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

inline constexpr std::string_view kernel_cache_suffix = ".sinter";
inline constexpr std::string_view kernel_cache_temporary = ".tmp-";

struct kernel_cache_options {
  std::string folder = {};  // empty: no cache
  std::uint64_t limit_bytes = 1ull
                              << 30;  // the least recently used entries beyond this are removed
};

/// SINTER_CACHE=off: none. SINTER_CACHE_DIR, else $XDG_CACHE_HOME/sinter, else ~/.cache/sinter.
kernel_cache_options default_kernel_cache();

/// Thread-safe and process-safe. The folder is created with mode 0700; one that another user owns
/// or may write to, or that is a symbolic link, is not used.
class kernel_cache {
 public:
  explicit kernel_cache(kernel_cache_options options = default_kernel_cache());
  ~kernel_cache();
  kernel_cache(const kernel_cache&) = delete;
  kernel_cache& operator=(const kernel_cache&) = delete;

  /// The bytes last stored under exactly this key.
  std::optional<std::vector<std::byte>> find(std::string_view key) noexcept;
  void store(std::string_view key, std::span<const std::byte> bytes) noexcept;

  bool enabled() const { return folder_ >= 0; }
  /// One line: the folder, or why there is no cache.
  const std::string& status() const { return status_; }

 private:
  void open_folder(const std::string& path);
  bool write_entry(const std::string& name, std::string_view key, std::span<const std::byte> bytes);
  void make_room(std::uint64_t added);

  int folder_ = -1;
  std::string status_;
  std::uint64_t limit_;
  std::mutex mutex_;            // guards what follows
  std::uint64_t estimate_ = 0;  // bytes in the folder, as far as this process knows
  int stores_until_scan_ = 0;
};

}  // namespace sinter::runtime
