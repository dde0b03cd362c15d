#pragma once
// NumPy as an external oracle: a script of tests/numpy writes NumPy's results, tests compare.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sinter::test {

/// A line of a script's output: fields, and the "key=value" words of its options.
struct oracle_line {
  std::vector<std::string> fields;
  std::map<std::string, std::string> options;  // from the next-to-last field

  std::string text(const std::string& key, const std::string& otherwise = "") const;
  int number(const std::string& key, int otherwise) const;
  /// An empty word counts as missing.
  double real(const std::string& key, double otherwise) const;
};

/// The folder that tests/numpy/<script> filled, once per process; empty if there is no Python with
/// NumPy.
std::filesystem::path oracle_folder(const std::string& script);

/// The output of tests/numpy/<script> for a folder that was filled before; nullopt if there is no
/// Python with NumPy. If the script fails, throws its output.
std::optional<std::string> ask_numpy(const std::string& script,
                                     const std::filesystem::path& folder);

/// The tab-separated lines of a file.
std::vector<oracle_line> oracle_lines(const std::filesystem::path& file);

std::string read_text(const std::filesystem::path& file);

}  // namespace sinter::test
