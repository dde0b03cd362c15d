#pragma once
// A separate folder for each test of the kernel cache.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <stdlib.h>

#include "runtime/kernel_cache.hpp"

struct cache_folder {
  cache_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sinter-test-XXXXXX").string();
    root = mkdtemp(pattern.data());
    path = root / "cache";
  }
  ~cache_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  cache_folder(const cache_folder&) = delete;
  cache_folder& operator=(const cache_folder&) = delete;

  sinter::runtime::kernel_cache_options options() const { return {.folder = path.string()}; }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& each : std::filesystem::directory_iterator(path)) found.push_back(each.path());
    return found;
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    for (const auto& each : files()) {
      if (each.extension() == sinter::runtime::kernel_cache_suffix) found.push_back(each);
    }
    return found;
  }

  std::filesystem::path root;
  std::filesystem::path path;
};

inline std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text));
}

inline std::string text_of(const std::optional<std::vector<std::byte>>& bytes) {
  if (!bytes) return "(a miss)";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}
