#pragma once
// The source location of a call in the user's program.

#include <cstdint>

namespace sinter {

/// The file and line of std::source_location, for compilers without it (clang 14 and 15).
class location {
 public:
  constexpr location() = default;
  static constexpr location current(const char* file = __builtin_FILE(),
                                    std::uint32_t line = __builtin_LINE()) noexcept {
    location l;
    l.file_ = file;
    l.line_ = line;
    return l;
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr std::uint32_t line() const noexcept { return line_; }

 private:
  const char* file_ = "";
  std::uint32_t line_ = 0;
};

}  // namespace sinter
