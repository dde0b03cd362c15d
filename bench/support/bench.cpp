#include "bench/support/bench.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include <sinter/profile.hpp>
#include <sinter/session.hpp>

namespace bench {

options parse(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const bool more = i + 1 < count;
    if (word == "--quick")
      o.quick = true;
    else if (word == "--json" && more)
      o.json = arguments[++i];
    else if (word == "--device" && more)
      o.device = arguments[++i];
    else {
      std::fprintf(stderr, "usage: %s [--device cpu|cuda] [--json FILE] [--quick]\n", arguments[0]);
      std::exit(2);
    }
  }
  if (o.device.empty()) o.device = sinter::to_string(sinter::current_device());
  return o;
}

int program(int (*run)(const options&), int count, char** arguments) try {
  return run(parse(count, arguments));
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

fresh_cache::fresh_cache()
    : folder_((std::filesystem::temp_directory_path() / "sinter_bench_XXXXXX").string()) {
  if (!mkdtemp(folder_.data())) throw std::runtime_error(folder_ + ": " + std::strerror(errno));
  setenv("SINTER_CACHE_DIR", folder_.c_str(), 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);
}

fresh_cache::~fresh_cache() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

namespace {

/// A function, its batch size and the times of its batches.
struct runner {
  const std::function<void()>& f;
  int size = 1;
  std::vector<double> device = {}, host = {};

  timing batch(int calls) const {
    const sinter::timer device;
    const double start = now();
    for (int i = 0; i < calls; ++i) f();
    const double host = now() - start;
    return {device.seconds() / calls, host / calls};
  }
};

}  // namespace

std::vector<timing> timings_of(const std::vector<std::function<void()>>& functions, double budget) {
  const bool gpu = sinter::current_device().what == sinter::device::kind::cuda;
  std::vector<runner> runners;
  double round = 0;
  for (const auto& f : functions) {
    runner r{f};
    r.batch(1);  // plans and compiles
    const double first = r.batch(gpu ? 4 : 1).device;
    // Long enough that the resolution of events and the first call's latency do not matter.
    if (gpu) r.size = std::clamp(static_cast<int>(std::ceil(5e-3 / first)), 1, 1000);
    round += first * r.size;
    runners.push_back(std::move(r));
  }
  const double total = budget * static_cast<double>(functions.size());
  const int rounds = std::clamp(static_cast<int>(total / round), 5, 1001);
  for (int i = 0; i < rounds; ++i) {
    for (runner& r : runners) {
      const timing t = r.batch(r.size);
      r.device.push_back(t.device);
      r.host.push_back(t.host);
    }
  }
  std::vector<timing> medians;
  for (runner& r : runners) {
    medians.push_back({median(std::move(r.device)), median(std::move(r.host))});
  }
  return medians;
}

std::vector<double> seconds_of(const std::vector<std::function<void()>>& functions, double budget) {
  std::vector<double> seconds;
  for (const timing& t : timings_of(functions, budget)) seconds.push_back(t.device);
  return seconds;
}

record::record(const std::string& benchmark) : json_("{\"benchmark\": \"" + benchmark + "\"}") {}

record& record::text(const std::string& key, const std::string& value) {
  std::string quoted;
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  json_.insert(json_.size() - 1, ", \"" + key + "\": \"" + quoted + "\"");
  return *this;
}

record& record::number(const std::string& key, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  json_.insert(json_.size() - 1, ", \"" + key + "\": " + (std::isfinite(value) ? text : "null"));
  return *this;
}

record& record::flag(const std::string& key, bool value) {
  json_.insert(json_.size() - 1, ", \"" + key + "\": " + (value ? "true" : "false"));
  return *this;
}

report::report(const options& o) : file_(nullptr, std::fclose) {
  if (o.json.empty()) return;
  file_.reset(std::fopen(o.json.c_str(), "a"));
  if (!file_) {
    std::perror(o.json.c_str());
    std::exit(1);
  }
}

void report::add(const record& r) {
  if (!file_) return;
  std::fprintf(file_.get(), "%s\n", r.json().c_str());
  std::fflush(file_.get());
}

}  // namespace bench
