#pragma once
// Where the samples find their data, wherever they are started and wherever the build tree or the
// installation has been moved to.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace samples {

/// The file in $SINTER_SAMPLE_DATA, else in the folder that stands to this program as its build
/// tree, or as its installation, has laid them out.
inline std::string data_file(const std::string& name) {
  namespace fs = std::filesystem;
  const char* chosen = std::getenv("SINTER_SAMPLE_DATA");
  if (chosen) return (fs::path(chosen) / name).string();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* folder : {SINTER_DATA_FROM_BUILT, SINTER_DATA_FROM_INSTALLED}) {
    const fs::path file = (program / folder / name).lexically_normal();
    if (fs::exists(file, ignored)) return file.string();
  }
  return name;
}

/// `name` beside the file of that path, or in the current folder if that one is not to be written.
inline std::string beside(const std::string& path, const std::string& name) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  const bool writable = access(folder.c_str(), W_OK) == 0;
  return writable ? (folder / name).string() : name;
}

}  // namespace samples
