#include "runtime/kernel_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_folder.hpp"
#include "tests/catch.hpp"

namespace kernel_cache_test {

namespace fs = std::filesystem;
using namespace sinter::runtime;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

TEST_CASE("what is stored is found, by this object and the next") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  REQUIRE(cache.enabled());
  CHECK(!cache.find("key"));
  cache.store("key", bytes_of_text("payload"));
  CHECK(text_of(cache.find("key")) == "payload");
  CHECK(!cache.find("kez"));
  CHECK(!cache.find(""));
  kernel_cache again(folder.options());
  CHECK(text_of(again.find("key")) == "payload");
}

TEST_CASE("a later store replaces an earlier one; empty and long keys and payloads work") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("key", bytes_of_text("first"));
  cache.store("key", bytes_of_text("second"));
  CHECK(text_of(cache.find("key")) == "second");
  cache.store("", bytes_of_text("no key"));
  CHECK(text_of(cache.find("")) == "no key");
  cache.store("empty", bytes_of_text(""));
  CHECK(text_of(cache.find("empty")) == "");
  const std::string long_text(1000003, 'x');
  cache.store(long_text, bytes_of_text(long_text));
  CHECK(text_of(cache.find(long_text)) == long_text);
  CHECK(fs::exists(folder.path));
  CHECK(folder.entries().size() == 4);
}

TEST_CASE("an entry under another key's name is not that key's") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("one", bytes_of_text("1"));
  const fs::path one = folder.entries().at(0);
  cache.store("two", bytes_of_text("2"));
  for (const fs::path& each : folder.entries()) {
    if (each != one) fs::copy_file(one, each, fs::copy_options::overwrite_existing);
  }
  CHECK(text_of(cache.find("one")) == "1");
  CHECK(!cache.find("two"));
  cache.store("two", bytes_of_text("2"));
  CHECK(text_of(cache.find("two")) == "2");
}

TEST_CASE("every truncation and every flipped byte is a miss") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("a key of some length", bytes_of_text("a payload of some length"));
  const fs::path path = folder.entries().at(0);
  const std::string good = read_file(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    write_file(path, good.substr(0, i));
    CHECK(!cache.find("a key of some length"));
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      write_file(path, bad);
      CHECK(!cache.find("a key of some length"));
    }
  }
  write_file(path, good + "x");
  CHECK(!cache.find("a key of some length"));
  write_file(path, std::string(100000, '\xff'));
  CHECK(!cache.find("a key of some length"));
  write_file(path, good);
  CHECK(text_of(cache.find("a key of some length")) == "a payload of some length");
}

TEST_CASE("a folder, a pipe or a link in an entry's place is a miss") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("key", bytes_of_text("payload"));
  const fs::path path = folder.entries().at(0);
  const fs::path elsewhere = folder.path / "elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  CHECK(!cache.find("key"));
  fs::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(!cache.find("key"));
  fs::remove(path);
  fs::create_directory(path);
  CHECK(!cache.find("key"));
  cache.store("key", bytes_of_text("payload"));  // cannot replace a folder
  CHECK(!cache.find("key"));
}

TEST_CASE("files that others may write are not trusted") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("key", bytes_of_text("payload"));
  const fs::path path = folder.entries().at(0);
  chmod(path.c_str(), 0666);
  CHECK(!cache.find("key"));
  chmod(path.c_str(), 0600);
  CHECK(cache.find("key"));
  if (geteuid() != 0) {
    WARN("foreign owners are tested by root only");
    return;
  }
  REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
  CHECK(!cache.find("key"));
  cache.store("key", bytes_of_text("mine"));
  CHECK(text_of(cache.find("key")) == "mine");
}

TEST_CASE("a folder that is not ours alone is not used") {
  cache_folder folder;
  fs::create_directories(folder.path);
  chmod(folder.path.c_str(), 0777);
  {
    kernel_cache cache(folder.options());
    CHECK(!cache.enabled());
    CHECK(cache.status().find("others may write") != std::string::npos);
    cache.store("key", bytes_of_text("payload"));
    CHECK(!cache.find("key"));
  }
  chmod(folder.path.c_str(), 0755);
  {
    kernel_cache cache(folder.options());
    CHECK(cache.enabled());
    CHECK((fs::status(folder.path).permissions() & fs::perms::mask) == fs::perms::owner_all);
  }
  const fs::path link = folder.path.string() + "-link";
  fs::create_directory_symlink(folder.path, link);
  for (const std::string& name : {link.string(), link.string() + "/"}) {
    CHECK(!kernel_cache({.folder = name}).enabled());
  }
  fs::remove(link);
  if (geteuid() == 0) {
    REQUIRE(chown(folder.path.c_str(), 12345, 12345) == 0);
    CHECK(!kernel_cache(folder.options()).enabled());
  }
}

TEST_CASE("a file in the folder's place, or above it, turns the cache off") {
  cache_folder folder;
  write_file(folder.path, "not a folder");
  CHECK(!kernel_cache(folder.options()).enabled());
  CHECK(!kernel_cache({.folder = folder.path.string() + "/below"}).enabled());
  CHECK(!kernel_cache({.folder = "/proc/nowhere/sinter"}).enabled());
  CHECK(!kernel_cache({.folder = ""}).enabled());
  fs::remove(folder.path);
}

TEST_CASE("the folder is made, with those above it, for its owner alone") {
  cache_folder folder;
  const fs::path deep = folder.path / "a" / "b";
  kernel_cache cache({.folder = deep.string()});
  REQUIRE(cache.enabled());
  CHECK((fs::status(deep).permissions() & fs::perms::mask) == fs::perms::owner_all);
  cache.store("key", bytes_of_text("payload"));
  CHECK(text_of(cache.find("key")) == "payload");
}

TEST_CASE("the folder may vanish while it is in use") {
  cache_folder folder;
  kernel_cache cache(folder.options());
  cache.store("key", bytes_of_text("payload"));
  fs::remove_all(folder.path);
  CHECK(!cache.find("key"));
  cache.store("key", bytes_of_text("payload"));
  CHECK(!cache.find("key"));
}

TEST_CASE("the environment says where the cache is") {
  const char* names[] = {"SINTER_CACHE", "SINTER_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::pair<std::string, std::string>> saved;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) saved.emplace_back(name, value);
    unsetenv(name);
  }
  CHECK(default_kernel_cache().folder.empty());
  setenv("HOME", "/home/someone", 1);
  CHECK(default_kernel_cache().folder == "/home/someone/.cache/sinter");
  setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(default_kernel_cache().folder == "/home/someone/.cache/sinter");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  CHECK(default_kernel_cache().folder == "/cache/sinter");
  setenv("SINTER_CACHE_DIR", "/own", 1);
  CHECK(default_kernel_cache().folder == "/own");
  setenv("SINTER_CACHE", "off", 1);
  CHECK(default_kernel_cache().folder.empty());
  for (const char* name : names) unsetenv(name);
  for (const auto& [name, value] : saved) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace kernel_cache_test
