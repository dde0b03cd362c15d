#include "tests/support/numpy_oracle.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

namespace sinter::test {
namespace {

namespace fs = std::filesystem;

/// In memory if there is room: some tests have ten thousand cases, with a file each, and a disk
/// takes as long to create and remove these as the compiler for their kernels.
fs::path place_for_files() {
  constexpr std::uintmax_t room = std::uintmax_t{1} << 30;
  const fs::path memory = "/dev/shm";
  std::error_code none;
  const bool fits = fs::space(memory, none).available >= room && !none;
  return fits && ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

/// Removed when the process ends.
struct temporary_folder {
  fs::path path;
  explicit temporary_folder(const std::string& name)
      : path(place_for_files() / (name + "." + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// The system's Python has the distribution's NumPy, even if another Python is first in PATH.
bool run_script(const std::string& script, const fs::path& folder) {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string quiet = " > '" + (folder / "log").string() + "' 2>&1";
    if (std::system((std::string(python) + " -c 'import numpy'" + quiet).c_str()) != 0) continue;
    const std::string call = std::string(python) + " '" SINTER_SOURCE_DIR "/tests/numpy/" + script +
                             "' '" + folder.string() + "'" + quiet;
    const int status = std::system(call.c_str());
    if (status == 0) return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) continue;  // this NumPy is no oracle for it
    throw std::runtime_error(script + " failed: " + read_text(folder / "log"));
  }
  std::cerr << "no Python with a fitting NumPy here: nothing is compared with it\n";
  return false;
}

}  // namespace

std::string oracle_line::text(const std::string& key, const std::string& otherwise) const {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : found->second;
}

int oracle_line::number(const std::string& key, int otherwise) const {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : std::stoi(found->second);
}

double oracle_line::real(const std::string& key, double otherwise) const {
  const std::string word = text(key);
  return word.empty() ? otherwise : std::stod(word);
}

fs::path oracle_folder(const std::string& script) {
  static std::map<std::string, temporary_folder> folders;
  static std::map<std::string, bool> filled;
  const auto [at, fresh] = folders.try_emplace(script, "sinter_" + script);
  if (fresh) filled[script] = run_script(script, at->second.path);
  return filled[script] ? at->second.path : fs::path();
}

std::optional<std::string> ask_numpy(const std::string& script, const fs::path& folder) {
  if (!run_script(script, folder)) return std::nullopt;
  return read_text(folder / "log");
}

std::vector<oracle_line> oracle_lines(const fs::path& file) {
  std::vector<oracle_line> lines;
  std::istringstream in(read_text(file));
  for (std::string text; std::getline(in, text);) {
    oracle_line line;
    line.fields = split(text, '\t');
    for (const auto& word : split(line.fields[line.fields.size() - 2], ' ')) {
      const auto at = word.find('=');
      line.options[word.substr(0, at)] = word.substr(at + 1);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace sinter::test
