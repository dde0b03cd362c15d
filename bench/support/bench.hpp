#pragma once
// Shared by the benchmarks: options, medians, JSON lines.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// --json FILE, --device NAME, --quick.
struct options {
  std::string json;
  std::string device;
  bool quick = false;
};

/// Exits with a message for anything else.
options parse(int count, char** arguments);

/// The body of main: returns what `run` returns, or 1 with the exception's message on stderr.
int program(int (*run)(const options&), int count, char** arguments);

double now();  // seconds

double median(std::vector<double> values);

/// For its lifetime, this process and its children cache compiled kernels in an empty folder, and
/// NVRTC, which has a cache of its own from CUDA 13 on, caches nothing: every first call compiles.
/// REQUIRES: no device has been used yet. Throws std::runtime_error.
class fresh_cache {
 public:
  fresh_cache();
  ~fresh_cache();
  fresh_cache(const fresh_cache&) = delete;
  fresh_cache& operator=(const fresh_cache&) = delete;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// The time of a call, in seconds.
struct timing {
  double device = 0;  // by the device's clock: events on a GPU, so waiting does not count
  double host = 0;    // by the host's clock, until the call returns: no wait on a GPU
};

/// Median times per call of each function. The functions alternate, so that other load on the
/// machine affects all alike. On a GPU a turn is a batch in which the device never waits for the
/// host, as long as the calls keep it busy. Takes about `budget` seconds per function.
std::vector<timing> timings_of(const std::vector<std::function<void()>>& functions, double budget);

/// Only the device's seconds.
std::vector<double> seconds_of(const std::vector<std::function<void()>>& functions, double budget);

/// One result: a JSON object built field by field.
class record {
 public:
  explicit record(const std::string& benchmark);
  record& text(const std::string& key, const std::string& value);
  record& number(const std::string& key, double value);
  record& flag(const std::string& key, bool value);
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// Appends records to the file of --json, one per line.
class report {
 public:
  explicit report(const options& o);
  void add(const record& r);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace bench
