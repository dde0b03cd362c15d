#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sinter/npy.hpp>

#include "engine/checks.hpp"
#include "engine/evaluate.hpp"
#include "engine/guard.hpp"
#include "engine/node.hpp"
#include "engine/npy_header.hpp"
#include "engine/session.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
constexpr std::size_t longest_header = std::size_t{1} << 20;

/// A file that says in its errors what was being done with it.
class file {
 public:
  file(const std::string& path, int flags, std::string_view op, location where)
      : path_(path),
        op_(op),
        where_(where),
        handle_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (handle_ < 0) refuse(std::strerror(errno));
  }
  ~file() { close(); }
  file(const file&) = delete;

  [[noreturn]] void refuse(const std::string& why) const {
    fail<file_error>(error_code::bad_file, op_, path_ + ": " + why, where_);
  }
  std::uint64_t size() const {
    struct stat status {};
    if (::fstat(handle_, &status) != 0) refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) refuse("not a regular file");
    return static_cast<std::uint64_t>(status.st_size);
  }
  void read(void* to, std::size_t bytes) const {
    for (auto* p = static_cast<char*>(to); bytes > 0;) {
      const ssize_t n = ::read(handle_, p, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse(std::strerror(errno));
      if (n == 0) refuse("the file ends too early");
      p += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
  void write(const void* from, std::size_t bytes) const {
    for (auto* p = static_cast<const char*>(from); bytes > 0;) {
      const ssize_t n = ::write(handle_, p, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse(std::strerror(errno));
      p += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
  /// Some file systems report a full disk only here.
  void finish() {
    if (close() != 0) refuse(std::strerror(errno));
  }

 private:
  int close() { return handle_ < 0 ? 0 : ::close(std::exchange(handle_, -1)); }

  std::string path_;
  std::string_view op_;
  location where_;
  int handle_;
};

npy_header read_header(const file& f) {
  unsigned char start[8], length[4] = {};
  const std::uint64_t size = f.size();
  if (size < sizeof start) f.refuse("too short for a .npy file");
  f.read(start, sizeof start);
  if (std::memcmp(start, "\x93NUMPY", 6) != 0) f.refuse("not a .npy file");
  if (start[6] < 1 || start[6] > 3) {
    f.refuse("version " + std::to_string(start[6]) + " of the format is not supported");
  }
  const std::size_t width = start[6] == 1 ? 2 : 4;
  f.read(length, width);
  const std::size_t count =
      length[0] | length[1] << 8 | length[2] << 16 | std::size_t{length[3]} << 24;
  const std::uint64_t before = sizeof start + width + count;
  if (count > longest_header || before > size) {
    f.refuse("a header of " + std::to_string(count) + " bytes");
  }
  std::string text(count, ' ');
  f.read(text.data(), count);
  try {
    const npy_header h = parse_npy_header(text);
    if (static_cast<std::uint64_t>(h.bytes) > size - before) {
      f.refuse("shape " + text_of(h.shape) + " of " + std::string(name(h.type)) + " needs " +
               std::to_string(h.bytes) + " bytes, the file has " + std::to_string(size - before));
    }
    return h;
  } catch (const std::string& why) {
    f.refuse("the header " + why);
  }
}

/// What the file's bytes are in memory.
void to_native(std::vector<unsigned char>& bytes, std::size_t count, const npy_header& h) {
  const std::size_t size = is_complex(h.type) ? size_of(h.type) / 2 : size_of(h.type);
  if (h.big_endian && size > 1) {
    for (std::size_t i = 0; i < count; i += size) std::reverse(&bytes[i], &bytes[i] + size);
  }
  if (is_bool(h.type)) {
    for (std::size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
  }
}

any_array read_elements(const file& f, const npy_header& h, shape_view shape) {
  runtime::device& device = current_device();
  const auto total = static_cast<std::size_t>(h.bytes);
  auto buffer = device.allocate(total);
  std::vector<unsigned char> chunk(std::min(total, chunk_bytes));
  for (std::size_t done = 0; done < total;) {
    const std::size_t count = std::min(total - done, chunk_bytes);
    f.read(chunk.data(), count);
    to_native(chunk, count, h);
    device.copy_from_host(*buffer, done, chunk.data(), count);
    done += count;
  }
  return make_source(std::move(buffer), device, h.type, shape);
}

}  // namespace
}  // namespace sinter::detail

namespace sinter {

any_array load_npy(const std::string& path, location where) {
  const detail::file f(path, O_RDONLY, "load_npy", where);
  const auto h = detail::read_header(f);
  auto shape = h.shape;
  if (h.fortran_order) std::ranges::reverse(shape);
  const any_array x =
      detail::guarded("load_npy", where, [&] { return detail::read_elements(f, h, shape); });
  if (!h.fortran_order) return x;
  auto strides = detail::dense_strides(shape);
  std::ranges::reverse(strides);
  return detail::make_view(x, h.shape, {0, std::move(strides)}, where);
}

void save_npy(const std::string& path, const any_array& x, location where) {
  detail::node& n = detail::checked(x, "save_npy", where);
  detail::evaluate({&x, 1}, "save_npy", where);
  detail::verify_checks(x);  // before the file is touched
  detail::file f(path, O_WRONLY | O_CREAT | O_TRUNC, "save_npy", where);
  const auto shape = x.shape();
  const auto header = detail::format_npy_header(n.type, {shape.begin(), shape.end()});
  f.write(header.data(), header.size());
  const auto total = static_cast<std::size_t>(x.nbytes());
  std::vector<unsigned char> chunk(std::min(total, detail::chunk_bytes));
  detail::guarded("save_npy", where, [&] {
    if (total > 0 && n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    for (std::size_t done = 0; done < total;) {
      const std::size_t count = std::min(total - done, detail::chunk_bytes);
      n.device->copy_to_host(chunk.data(), *n.buffer, done, count);
      f.write(chunk.data(), count);
      done += count;
    }
  });
  f.finish();
}

}  // namespace sinter
