#include "engine/files/file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/nodes/report.hpp"

namespace sinter::detail {

void file_task::refuse(const std::string& why) const {
  fail<file_error>(error_code::bad_file, op, path + ": " + why, where);
}

mapped_file::~mapped_file() {
  ::munmap(const_cast<std::byte*>(data_), bytes_);
}

file::file(file_task task, mode how) : task_(std::move(task)) {
  const int flags = how == mode::read ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
  handle_ = ::open(task_.path.c_str(), flags | O_CLOEXEC, 0666);
  if (handle_ < 0) refuse(std::strerror(errno));
  if (how == mode::write) return;
  struct stat status {};
  const int asked = ::fstat(handle_, &status);
  const bool regular = asked == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    const std::string why = asked == 0 ? "not a regular file" : std::strerror(errno);
    close();
    refuse(why);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void file::read(void* to, std::size_t bytes) {
  for (auto* p = static_cast<char*>(to); bytes > 0;) {
    const ssize_t n = ::read(handle_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(std::strerror(errno));
    if (n == 0) refuse("the file ends too early");
    p += n;
    bytes -= static_cast<std::size_t>(n);
    at_ += static_cast<std::uint64_t>(n);
  }
}

void file::seek(std::uint64_t place) {
  if (::lseek(handle_, static_cast<off_t>(place), SEEK_SET) < 0) refuse(std::strerror(errno));
  at_ = place;
}

void file::write(const void* from, std::size_t bytes) {
  for (auto* p = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t n = ::write(handle_, p, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(std::strerror(errno));
    p += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

void file::finish() {
  if (close() != 0) refuse(std::strerror(errno));
}

int file::close() {
  return handle_ < 0 ? 0 : ::close(std::exchange(handle_, -1));
}

std::shared_ptr<const mapped_file> file::map() const {
  const auto bytes = static_cast<std::size_t>(size_);
  void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, handle_, 0);
  if (data == MAP_FAILED) refuse(std::strerror(errno));
  return std::make_shared<mapped_file>(static_cast<const std::byte*>(data), bytes);
}

}  // namespace sinter::detail
