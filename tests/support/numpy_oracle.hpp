#pragma once
// NumPy as the outside oracle: a script of tests/numpy writes what NumPy gives, the test compares.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sinter::test {

/// A line of what a script wrote: fields, and the "key=value" words of its options.
struct oracle_line {
  std::vector<std::string> fields;
  std::map<std::string, std::string> options;  // of the field before the last

  std::string text(const std::string& key, const std::string& otherwise = "") const;
  int number(const std::string& key, int otherwise) const;
  /// An empty word is no number either.
  double real(const std::string& key, double otherwise) const;
};

/// The folder that tests/numpy/<script> filled, once a process; empty if there is no Python with
/// NumPy.
std::filesystem::path oracle_folder(const std::string& script);

/// What tests/numpy/<script> prints about a folder that was filled before; nothing if there is no
/// Python with NumPy. Throws what the script says if it fails.
std::optional<std::string> ask_numpy(const std::string& script,
                                     const std::filesystem::path& folder);

/// The tab-separated lines of a file.
std::vector<oracle_line> oracle_lines(const std::filesystem::path& file);

std::string read_text(const std::filesystem::path& file);

}  // namespace sinter::test
