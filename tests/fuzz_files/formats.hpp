#pragma once
// The formats with fuzzed readers: valid files to start from, and how to read one.

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sinter::fuzz_files {

struct format {
  std::string name;
  std::vector<std::string> seeds;  // whole files
  /// Reads the whole file and returns the bytes of its arrays. Throws the reader's errors.
  std::function<std::int64_t(const std::string& path)> read;
  /// The most array bytes per byte of file.
  std::int64_t most_per_byte = 1;
  /// Writes bytes to a file, if not unchanged.
  std::function<void(const std::string& path, const std::string& bytes)> write = {};
};

/// `folder` is for temporary files.
std::vector<format> all_formats(const std::string& folder);

/// Derives a file from valid ones: flipped bytes, cuts, repeated pieces, huge numbers.
std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& rng);

}  // namespace sinter::fuzz_files
