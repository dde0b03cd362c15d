#pragma once
// What the benchmarks share: options, medians, lines of JSON.

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

/// All that main does: what `run` gives; 1, and what it throws on stderr, if it throws.
int program(int (*run)(const options&), int count, char** arguments);

double now();  // seconds

double median(std::vector<double> values);

/// While it lives, this process and those it starts keep compiled kernels in an empty folder, and
/// NVRTC, which from CUDA 13 on keeps what it compiled as well, keeps nothing: every first call
/// compiles. REQUIRES: nothing has asked for a device yet. Throws std::runtime_error.
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

/// What a call takes, in seconds.
struct timing {
  double device = 0;  // by the device's clock: events on a GPU, so the wait does not count
  double host = 0;    // by the host's clock, until the call returns: no wait on a GPU
};

/// Median timings of a call of each function. They take turns, so that what else the machine does
/// hits all alike. On a GPU a turn is a batch, in which the device need not wait for the host, as
/// long as calls keep it busy. Takes about `budget` seconds a function.
std::vector<timing> timings_of(const std::vector<std::function<void()>>& functions, double budget);

/// The device's seconds alone.
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

/// Appends records to the file of --json, a line each.
class report {
 public:
  explicit report(const options& o);
  void add(const record& r);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace bench
