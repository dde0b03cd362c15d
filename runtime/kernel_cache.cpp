#include "runtime/kernel_cache.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::runtime {

namespace {

constexpr std::array<char, 8> magic = {'s', 'i', 'n', 't', 'e', 'r', 'k', '1'};

struct header {
  std::array<char, 8> magic;
  std::uint64_t key_bytes;
  std::uint64_t payload_bytes;
  std::uint64_t checksum;  // of the sizes, the key and the payload
};

/// FNV-1a over 8-byte words, with mixing so that each bit of a word affects the whole sum.
class hasher {
 public:
  explicit hasher(std::uint64_t seed) : sum_(0xcbf29ce484222325u ^ seed) {}
  void add(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    for (; bytes >= 8; from += 8, bytes -= 8) {
      std::uint64_t word;
      std::memcpy(&word, from, 8);
      mix(word);
    }
    std::uint64_t tail = 0;
    if (bytes > 0) std::memcpy(&tail, from, bytes);
    mix(tail ^ (std::uint64_t{bytes} << 56));
  }
  std::uint64_t sum() const { return sum_; }

 private:
  void mix(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3u;
    sum_ ^= sum_ >> 29;
    sum_ *= 0xbf58476d1ce4e5b9u;
    sum_ ^= sum_ >> 32;
  }
  std::uint64_t sum_;
};

std::uint64_t checksum(const header& head, const char* key, const std::byte* payload) {
  hasher sum(1);
  sum.add(&head.key_bytes, sizeof head.key_bytes);
  sum.add(&head.payload_bytes, sizeof head.payload_bytes);
  sum.add(key, head.key_bytes);
  sum.add(payload, head.payload_bytes);
  return sum.sum();
}

// 128 bits, because two keys with the same file name would evict each other's entry.
std::string file_name(std::string_view key) {
  hasher low(2);
  hasher high(3);
  low.add(key.data(), key.size());
  high.add(key.data(), key.size());
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high.sum()),
                static_cast<unsigned long long>(low.sum()));
  return std::string(text) + std::string(kernel_cache_suffix);
}

class file {
 public:
  explicit file(int descriptor) : descriptor_(descriptor) {}
  ~file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  /// Whether the data reached the file: some systems report it only at close.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

bool read_all(int from, void* to, std::size_t bytes) {
  char* out = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(from, out, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int to, const void* from, std::size_t bytes) {
  const char* in = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t put = ::write(to, in, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    in += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

/// Creates the folder and its missing parents.
bool make_folders(const std::string& path) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    const std::string part = path.substr(0, at);
    if (at != std::string::npos) ++at;
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && at == std::string::npos)
      return false;
  }
  return true;
}

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

// Unlike a process id, unique across containers and hosts that share the folder.
std::string temporary_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    number = static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
             static_cast<std::uint64_t>(now.tv_nsec);
  }
  return std::string(kernel_cache_temporary) + std::to_string(::getpid()) + "-" +
         std::to_string(number);
}

/// The payload of a well-formed entry with this key.
std::optional<std::vector<std::byte>> read_entry(int descriptor, std::string_view key) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  // Its bytes are executed, so nobody else may have been able to write them.
  if (about.st_uid != ::geteuid() || (about.st_mode & 022) != 0) return std::nullopt;
  header head;
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size < sizeof head || !read_all(descriptor, &head, sizeof head)) return std::nullopt;
  const std::uint64_t rest = size - sizeof head;
  if (head.magic != magic || head.key_bytes != key.size() || head.key_bytes > rest ||
      head.payload_bytes != rest - head.key_bytes) {
    return std::nullopt;
  }
  std::string stored(key.size(), '\0');
  if (!read_all(descriptor, stored.data(), stored.size()) || stored != key) return std::nullopt;
  std::vector<std::byte> payload(head.payload_bytes);
  if (!read_all(descriptor, payload.data(), payload.size())) return std::nullopt;
  if (checksum(head, stored.data(), payload.data()) != head.checksum) return std::nullopt;
  return payload;
}

}  // namespace

kernel_cache_options default_kernel_cache() {
  kernel_cache_options options;
  const std::string wanted = environment("SINTER_CACHE");
  if (wanted == "off" || wanted == "0") return options;
  options.folder = environment("SINTER_CACHE_DIR");
  if (!options.folder.empty()) return options;
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/')) {
    options.folder = cache + "/sinter";
  } else if (const std::string home = environment("HOME"); home.starts_with('/')) {
    options.folder = home + "/.cache/sinter";
  }
  return options;
}

kernel_cache::kernel_cache(kernel_cache_options options) : limit_(options.limit_bytes) {
  open_folder(options.folder);
}

kernel_cache::~kernel_cache() {
  if (folder_ >= 0) ::close(folder_);
}

void kernel_cache::open_folder(const std::string& path) {
  const auto refuse = [&](const std::string& why) { status_ = "kernel cache off: " + why; };
  if (path.empty()) return refuse("SINTER_CACHE=off, or no folder to put it in");
  // Without the trailing slash, which would make open follow a link.
  const std::string name = path.substr(0, path.find_last_not_of('/') + 1);
  if (name.empty() || !make_folders(name)) {
    return refuse("cannot make " + path + ": " + std::strerror(errno));
  }
  const int opened = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return refuse("cannot open " + path + ": " + std::strerror(errno));
  struct stat about {};
  if (::fstat(opened, &about) != 0 || about.st_uid != ::geteuid() || (about.st_mode & 022) != 0) {
    ::close(opened);
    return refuse(path + " belongs to another user, or others may write to it");
  }
  // Harmless failure if the folder is read-only: it can still be read.
  if ((about.st_mode & 077) != 0) static_cast<void>(::fchmod(opened, 0700));
  folder_ = opened;
  status_ = "kernel cache in " + path;
}

std::optional<std::vector<std::byte>> kernel_cache::find(std::string_view key) noexcept try {
  if (folder_ < 0) return std::nullopt;
  const std::string name = file_name(key);
  // Non-blocking, because there may be a pipe in the entry's place.
  const file entry(::openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!entry) return std::nullopt;
  auto payload = read_entry(entry.get(), key);
  // Sets the time of last use, which eviction relies on; reading alone does not always update it.
  if (payload) static_cast<void>(::futimens(entry.get(), nullptr));
  return payload;
} catch (...) {
  return std::nullopt;
}

void kernel_cache::store(std::string_view key, std::span<const std::byte> bytes) noexcept try {
  const std::uint64_t size = sizeof(header) + key.size() + bytes.size();
  if (folder_ < 0 || size > limit_) return;
  make_room(size);
  write_entry(file_name(key), key, bytes);
} catch (...) {
  // A failed store is only a later cache miss.
}

bool kernel_cache::write_entry(const std::string& name, std::string_view key,
                               std::span<const std::byte> bytes) {
  const std::string part = temporary_name();
  header head{magic, key.size(), bytes.size(), 0};
  head.checksum = checksum(head, key.data(), bytes.data());
  file out(
      ::openat(folder_, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out) return false;
  const bool written = write_all(out.get(), &head, sizeof head) &&
                       write_all(out.get(), key.data(), key.size()) &&
                       write_all(out.get(), bytes.data(), bytes.size());
  const bool closed = out.close();
  if (written && closed && ::renameat(folder_, part.c_str(), folder_, name.c_str()) == 0) {
    return true;
  }
  ::unlinkat(folder_, part.c_str(), 0);
  return false;
}

}  // namespace sinter::runtime
