#pragma once
// Temporary files, and sinter's errors about damaged ones.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace sinter::test {

/// Removed afterwards.
struct temporary_file {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("sinter_files." + std::to_string(::getpid()) + "." + number()))
                         .string();
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

 private:
  static std::string number() {
    static std::atomic<int> next{0};
    return std::to_string(next++);
  }
};

/// Is libzip missing? Tests that need it are then skipped, which is reported once.
inline bool no_archives() {
  static const bool missing = [] {
    try {
      load_npz("/no/such/archive.npz");
    } catch (const device_error& e) {
      std::cerr << "left out: " << e.what() << '\n';
      return true;
    } catch (const file_error&) {
    }
    return false;
  }();
  return missing;
}

template <class T> std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The error of `load` about a file, without the call's name, the file's path and the line, all of
/// which must be present.
template <class Load>
std::string complaint(const temporary_file& f, const std::string& op, Load&& load) {
  try {
    load();
  } catch (const file_error& e) {
    CHECK(e.code() == error_code::bad_file);
    const std::string text = e.what(), start = "[" + op + "] " + f.path + ": ";
    const auto end = text.rfind(" (");
    CHECK(text.substr(0, start.size()) == start);
    CHECK(end != text.npos);
    CHECK(text.find(".cpp:", end) != text.npos);
    return text.substr(start.size(), end - start.size());
  }
  return "no error";
}

}  // namespace sinter::test
