#pragma once
// The formats whose readers are fuzzed: good files to begin with, and how one is read.

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace sinter::fuzz_files {

struct format {
  std::string name;
  std::vector<std::string> seeds;  // whole files
  /// Reads all of the file and gives the bytes of its arrays. Throws what the reader throws.
  std::function<std::int64_t(const std::string& path)> read;
  /// The most bytes of arrays that a file of one byte may stand for.
  std::int64_t most_per_byte = 1;
  /// Puts bytes into a file, if not as they are.
  std::function<void(const std::string& path, const std::string& bytes)> write = {};
};

/// `folder` is for temporary files.
std::vector<format> all_formats(const std::string& folder);

/// Another file made of good ones: flipped bytes, cuts, pieces twice, numbers made huge.
std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& rng);

}  // namespace sinter::fuzz_files
