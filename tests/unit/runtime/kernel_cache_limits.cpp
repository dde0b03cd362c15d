// The kernel cache under pressure: eviction, full and read-only disks, many processes.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache_folder.hpp"
#include "runtime/kernel_cache.hpp"
#include "tests/catch.hpp"

namespace kernel_cache_limits_test {

namespace fs = std::filesystem;
using namespace sinter::runtime;

namespace {

std::uint64_t bytes_in(const cache_folder& folder) {
  std::uint64_t total = 0;
  for (const fs::path& each : folder.files()) total += fs::file_size(each);
  return total;
}

void set_age(const fs::path& path, std::chrono::hours age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

/// A file system of one mebibyte, or nothing if mounting is not allowed.
class small_disk {
 public:
  explicit small_disk(const fs::path& at) : at_(at) {
    fs::create_directories(at);
    mounted_ = geteuid() == 0 && mount("none", at.c_str(), "tmpfs", 0, "size=1m,mode=700") == 0;
  }
  ~small_disk() {
    if (mounted_) umount(at_.c_str());
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  bool mounted() const { return mounted_; }
  bool make_read_only() {
    return mount("none", at_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m,mode=700") == 0;
  }

 private:
  fs::path at_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("the least recently used entries go first") {
  cache_folder folder;
  const std::string payload(1000, 'x');
  kernel_cache cache({.folder = folder.path.string(), .limit_bytes = 20000});
  for (int i = 0; i < 15; ++i) cache.store("key" + std::to_string(i), bytes_of_text(payload));
  for (const fs::path& each : folder.entries()) set_age(each, std::chrono::hours(2));
  CHECK(cache.find("key3"));
  for (int i = 15; i < 30; ++i) cache.store("key" + std::to_string(i), bytes_of_text(payload));
  CHECK(bytes_in(folder) <= 20000);
  CHECK(cache.find("key3"));
  CHECK(cache.find("key29"));
  CHECK(!cache.find("key2"));
}

TEST_CASE("what is larger than the limit is not stored") {
  cache_folder folder;
  kernel_cache cache({.folder = folder.path.string(), .limit_bytes = 2000});
  cache.store("small", bytes_of_text("payload"));
  cache.store("large", bytes_of_text(std::string(3000, 'x')));
  CHECK(!cache.find("large"));
  CHECK(cache.find("small"));
}

TEST_CASE("what a dead process left half written is removed, foreign files stay") {
  cache_folder folder;
  {
    kernel_cache cache(folder.options());
    cache.store("key", bytes_of_text("payload"));
  }
  const fs::path dead = folder.path / ".tmp-1-1";
  const fs::path alive = folder.path / ".tmp-2-2";
  const fs::path foreign = folder.path / "notes.txt";
  for (const fs::path& each : {dead, alive, foreign}) std::ofstream(each) << "text";
  set_age(dead, std::chrono::hours(2));
  set_age(foreign, std::chrono::hours(2));
  kernel_cache cache(folder.options());
  cache.store("other", bytes_of_text("payload"));
  CHECK(!fs::exists(dead));
  CHECK(fs::exists(alive));
  CHECK(fs::exists(foreign));
}

TEST_CASE("a full disk makes misses and leaves no rubbish") {
  cache_folder folder;
  small_disk disk(folder.path);
  if (!disk.mounted()) {
    WARN("left out: a small file system cannot be mounted here");
    return;
  }
  kernel_cache cache(folder.options());
  REQUIRE(cache.enabled());
  cache.store("small", bytes_of_text("payload"));
  for (int i = 0; i < 20; ++i) {
    cache.store("key" + std::to_string(i), bytes_of_text(std::string(100000, 'x')));
  }
  CHECK(text_of(cache.find("small")) == "payload");
  CHECK(!cache.find("key19"));
  CHECK(folder.files().size() == folder.entries().size());
}

TEST_CASE("a read-only disk is read from") {
  cache_folder folder;
  small_disk disk(folder.path);
  if (!disk.mounted()) {
    WARN("left out: a small file system cannot be mounted here");
    return;
  }
  kernel_cache(folder.options()).store("key", bytes_of_text("payload"));
  REQUIRE(disk.make_read_only());
  kernel_cache cache(folder.options());
  CHECK(text_of(cache.find("key")) == "payload");
  cache.store("other", bytes_of_text("payload"));
  CHECK(!cache.find("other"));
  CHECK(!kernel_cache({.folder = (folder.path / "below").string()}).enabled());
}

TEST_CASE("32 processes start cold at once, and evict under each other") {
  for (const std::uint64_t limit : {std::uint64_t{1} << 30, std::uint64_t{60000}}) {
    cache_folder folder;
    std::vector<pid_t> children;
    for (int process = 0; process < 32; ++process) {
      const pid_t child = fork();
      if (child != 0) {
        children.push_back(child);
        continue;
      }
      int mistakes = 0;
      kernel_cache cache({.folder = folder.path.string(), .limit_bytes = limit});
      for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 20; ++i) {
          const std::string key = "key" + std::to_string(i);
          const std::string payload(static_cast<std::size_t>(3000 + i), static_cast<char>('a' + i));
          const auto found = cache.find(key);
          if (found && text_of(found) != payload) ++mistakes;
          if (!found) cache.store(key, bytes_of_text(payload));
        }
      }
      _exit(mistakes == 0 && cache.enabled() ? 0 : 1);
    }
    for (const pid_t child : children) {
      int status = -1;
      waitpid(child, &status, 0);
      CHECK(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(folder.files().size() == folder.entries().size());
    if (limit > 1000000) CHECK(folder.entries().size() == 20);
  }
}

TEST_CASE("threads share one cache") {
  cache_folder folder;
  kernel_cache cache({.folder = folder.path.string(), .limit_bytes = 30000});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 100; ++i) {
        const std::string key = "key" + std::to_string(i % 13);
        if (!cache.find(key)) cache.store(key, bytes_of_text(std::string(4000, 'x')));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(bytes_in(folder) <= 40000);
}

}  // namespace kernel_cache_limits_test
