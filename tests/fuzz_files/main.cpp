// Feeds damaged files to every reader. A reader must return an array no larger than the file can
// describe, or throw a user error; anything else is a bug: a crash, a hang, memory out of
// proportion to the file.
//
//   sinter_file_fuzz [--seed N] [--seconds S] [--keep FILE]

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <sinter/sinter.hpp>

#include "tests/fuzz_files/formats.hpp"

namespace {

namespace fs = std::filesystem;
using namespace sinter::fuzz_files;

struct options {
  std::uint64_t seed = 20240229;
  double seconds = 6;
  std::string keep;
};

options parse(int count, char** arguments) {
  options o;
  if (const char* s = std::getenv("SINTER_FUZZ_FILES_SECONDS")) o.seconds = std::atof(s);
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    if (name == "--seed") o.seed = std::strtoull(arguments[i + 1], nullptr, 10);
    else if (name == "--seconds") o.seconds = std::atof(arguments[i + 1]);
    else if (name == "--keep") o.keep = arguments[i + 1];
  }
  return o;
}

/// The memory that the process may still allocate: half a gigabyte. Sanitizers map terabytes.
void bound_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  if (!(in >> pages)) return;
  const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (512u << 20);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

struct outcome {
  std::int64_t arrays = 0, errors = 0;
};

/// Empty, or the failure.
std::string trial(const format& f, const std::string& path, std::size_t size, outcome& o) {
  try {
    const std::int64_t bytes = f.read(path);
    ++o.arrays;
    if (bytes <= f.most_per_byte * static_cast<std::int64_t>(size)) return "";
    return std::to_string(bytes) + " bytes of arrays from a file of " + std::to_string(size);
  } catch (const sinter::user_error&) {
    ++o.errors;
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

int run(const options& o, const std::string& folder) {
  const sinter::device_scope on("cpu");
  auto formats = all_formats(folder);
  const std::string path = folder + "/file";
  const auto write = [&](const format& f, const std::string& bytes) {
    fs::remove(path);  // rewriting a truncated file would be flushed to disk at once
    if (f.write) return f.write(path, bytes);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  };
  std::map<std::string, outcome> outcomes;
  for (const format& f : formats) {  // also compiles what reading needs, before memory is bounded
    for (const std::string& seed : f.seeds) {
      write(f, seed);
      trial(f, path, seed.size(), outcomes[f.name]);
    }
    if (outcomes[f.name].arrays == 0) return std::printf("%s: no seed is read\n", f.name.c_str());
  }
  bound_memory();
  std::mt19937_64 rng(o.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(o.seconds);
  std::int64_t trials = 0;
  while (std::chrono::steady_clock::now() < end) {
    const format& f = formats[static_cast<std::size_t>(trials++) % formats.size()];
    const std::string bytes = mutated(f.seeds, rng);
    write(f, bytes);
    if (!o.keep.empty()) fs::copy_file(path, o.keep, fs::copy_options::overwrite_existing);
    const std::string wrong = trial(f, path, bytes.size(), outcomes[f.name]);
    if (wrong.empty()) continue;
    fs::copy_file(path, "file_fuzz.failed", fs::copy_options::overwrite_existing);
    std::printf("%s, trial %lld: %s\nthe file is file_fuzz.failed\n", f.name.c_str(),
                static_cast<long long>(trials), wrong.c_str());
    return 1;
  }
  bool lively = true;
  for (const auto& [name, n] : outcomes) {
    std::printf("%-18s %6lld read, %6lld refused\n", name.c_str(), static_cast<long long>(n.arrays),
                static_cast<long long>(n.errors));
    lively &= n.errors > 0;
  }
  if (!lively) std::printf("a format refused nothing: its mutations reach nothing\n");
  return lively ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const options o = parse(count, arguments);
  const fs::path folder =
      fs::temp_directory_path() / ("sinter_file_fuzz." + std::to_string(::getpid()));
  fs::create_directories(folder);
  const int status = run(o, folder.string());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return status;
}
