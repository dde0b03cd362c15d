#pragma once
// Zip archives, through libzip, which is opened at first use.

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::runtime {

/// A problem with an archive, in libzip's words.
struct zip_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// libzip was not available when sinter was built, or is not available now.
struct zip_missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct zip_member {
  std::string name;
  std::uint64_t bytes = 0;   // as the directory says; reads never exceed it
  std::uint64_t stored = 0;  // bytes in the archive
};

/// A member being read. REQUIRES: the archive outlives it.
class zip_stream {
 public:
  virtual ~zip_stream() = default;
  /// The next bytes, at most so many; 0 at the end, after the checksum was verified. Throws
  /// zip_failure.
  virtual std::size_t read(void* to, std::size_t bytes) = 0;
};

/// Not thread-safe.
class zip_reader {
 public:
  virtual ~zip_reader() = default;
  virtual const std::vector<zip_member>& members() const = 0;
  virtual std::unique_ptr<zip_stream> open(std::size_t member) = 0;
};

/// Supplies the next bytes of a member: at most so many, 0 at the end. Its exceptions leave
/// `write_zip`.
using zip_filler = std::function<std::size_t(void* to, std::size_t bytes)>;

struct zip_input {
  std::string name;
  std::uint64_t bytes = 0;
  zip_filler fill;
};

/// Both throw zip_missing or zip_failure.
std::unique_ptr<zip_reader> open_zip(const std::string& path);
/// Writes a temporary file and renames it: an existing archive stays whole until then.
void write_zip(const std::string& path, std::vector<zip_input> members, bool compressed);

}  // namespace sinter::runtime
