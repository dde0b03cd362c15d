#pragma once
// Files, and the sources of bytes from which arrays are read.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sinter/error.hpp>
#include <sinter/location.hpp>

namespace sinter::detail {

/// The call that an error about a file names: "[load_npy] table.npy: why (main.cpp:3)".
struct file_task {
  std::string op;
  std::string path;
  location where;

  [[noreturn]] void refuse(const std::string& why) const;
};

/// A sequential source of bytes: a file, or a member of an archive.
class byte_source {
 public:
  virtual ~byte_source() = default;
  /// Throws file_error if there are fewer.
  virtual void read(void* to, std::size_t bytes) = 0;
  /// Bytes left to read.
  virtual std::uint64_t left() const = 0;
  [[noreturn]] virtual void refuse(const std::string& why) const = 0;
};

/// A file's bytes as memory, while this lives. Truncating the file meanwhile crashes a process that
/// accesses the missing part.
class mapped_file {
 public:
  mapped_file(const std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  const std::byte* data_;
  std::size_t bytes_;
};

class file final : public byte_source {
 public:
  enum class mode { read, write };
  /// A file opened for writing is truncated first. Throws file_error.
  file(file_task task, mode);
  ~file() override { close(); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  void read(void* to, std::size_t bytes) override;
  std::uint64_t left() const override { return size_ - at_; }
  [[noreturn]] void refuse(const std::string& why) const override { task_.refuse(why); }
  const file_task& task() const { return task_; }

  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return at_; }
  /// Reading continues there. REQUIRES: inside the file.
  void seek(std::uint64_t place);
  void write(const void* from, std::size_t bytes);
  /// Some file systems report a full disk only here.
  void finish();
  /// Maps all of it, read-only. REQUIRES: it is not empty.
  std::shared_ptr<const mapped_file> map() const;

 private:
  int close();

  file_task task_;
  int handle_;
  std::uint64_t size_ = 0, at_ = 0;
};

}  // namespace sinter::detail
