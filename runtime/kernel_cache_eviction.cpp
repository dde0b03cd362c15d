// Keeps the kernel cache within its limit. Several processes may do so at once: a file that one
// removes is simply gone for the others, and a process that is reading it still has it open.

#include <algorithm>
#include <ctime>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/kernel_cache.hpp"

namespace sinter::runtime {

namespace {

// A temporary file older than this belongs to a dead process.
constexpr std::time_t abandoned_after = 3600;
constexpr int stores_between_scans = 64;

struct entry {
  std::string name;
  std::uint64_t bytes;
  timespec used;
};

bool older(const entry& a, const entry& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
  return a.used.tv_nsec < b.used.tv_nsec;
}

struct close_folder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The entries of the folder; removes files that dead processes left incomplete.
std::vector<entry> entries_of(int folder) {
  std::vector<entry> entries;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return entries;
  const std::unique_ptr<DIR, close_folder> list(::fdopendir(again));
  if (!list) {
    ::close(again);
    return entries;
  }
  const std::time_t now = std::time(nullptr);
  while (const dirent* each = ::readdir(list.get())) {
    const std::string_view name = each->d_name;
    const bool half_written = name.starts_with(kernel_cache_temporary);
    if (!half_written && !name.ends_with(kernel_cache_suffix)) continue;
    struct stat about {};
    if (::fstatat(folder, each->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!half_written) {
      entries.push_back(
          {std::string(name), static_cast<std::uint64_t>(about.st_size), about.st_mtim});
    } else if (now - about.st_mtime > abandoned_after) {
      ::unlinkat(folder, each->d_name, 0);
    }
  }
  return entries;
}

}  // namespace

void kernel_cache::make_room(std::uint64_t added) {
  std::lock_guard one(mutex_);
  estimate_ += added;
  if (--stores_until_scan_ > 0 && estimate_ <= limit_) return;
  stores_until_scan_ = stores_between_scans;
  std::vector<entry> entries = entries_of(folder_);
  std::uint64_t total = added;
  for (const entry& each : entries) total += each.bytes;
  if (total > limit_) {
    // Evicts a little more than needed, so that a full cache is not scanned at every store.
    const std::uint64_t target = limit_ - limit_ / 16;
    std::sort(entries.begin(), entries.end(), older);
    for (const entry& each : entries) {
      if (total <= target) break;
      ::unlinkat(folder_, each.name.c_str(), 0);
      total -= each.bytes;
    }
  }
  estimate_ = total;
}

}  // namespace sinter::runtime
