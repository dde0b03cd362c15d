#include "runtime/cpu/host.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include <sched.h>
#include <unistd.h>

namespace sinter::runtime {

namespace {

constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// Reads a number from a file; nullopt also for the "max" of a cgroup without a limit.
std::optional<std::size_t> number_in(const std::string& path) {
  const auto line = first_line(path);
  if (!line || line->empty() || (*line)[0] < '0' || (*line)[0] > '9') return std::nullopt;
  std::size_t value = 0;
  std::istringstream(*line) >> value;
  return value;
}

/// The value after `key` in a file of "key value" lines.
std::optional<std::size_t> field_in(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  std::size_t value = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> word >> value && word == key) return value;
  }
  return std::nullopt;
}

/// The folders of this process's cgroup and of its ancestors; v2's unified tree, or one v1
/// controller.
std::vector<std::string> cgroup_folders(std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = names == ",,";
    if (!unified && names.find("," + std::string(controller) + ",") == std::string::npos) continue;
    std::string root = "/sys/fs/cgroup";
    if (!unified) root += "/" + std::string(controller);
    std::string path = line.substr(second + 1);
    while (!path.empty() && path != "/") {
      folders.push_back(root + path);
      path.resize(path.rfind('/'));
    }
    folders.push_back(root);
  }
  return folders;
}

std::size_t least(std::size_t a, std::optional<std::size_t> b) {
  return b ? std::min(a, *b) : a;
}

std::size_t cgroup_memory_limit() {
  std::size_t limit = unknown;
  for (const std::string& folder : cgroup_folders("memory")) {
    limit = least(limit, number_in(folder + "/memory.max"));
    limit = least(limit, number_in(folder + "/memory.limit_in_bytes"));
  }
  return limit;
}

std::size_t cgroup_memory_available() {
  std::size_t available = unknown;
  for (const std::string& folder : cgroup_folders("memory")) {
    auto limit = number_in(folder + "/memory.max");
    auto used = number_in(folder + "/memory.current");
    if (!limit) {
      limit = number_in(folder + "/memory.limit_in_bytes");
      used = number_in(folder + "/memory.usage_in_bytes");
    }
    if (!limit || !used) continue;
    // Inactive page cache counts as used, but is reclaimed on demand.
    const std::size_t cache = field_in(folder + "/memory.stat", "inactive_file").value_or(0);
    const std::size_t held = *used - std::min(*used, cache);
    available = std::min(available, *limit - std::min(*limit, held));
  }
  return available;
}

std::optional<std::size_t> meminfo(std::string_view key) {
  const auto kib = field_in("/proc/meminfo", key);
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

}  // namespace

std::vector<int> host_cpus() {
  std::vector<int> cpus;
  // The kernel refuses a set smaller than its own, so the size grows until one fits.
  for (int size = 1024; size <= (1 << 20) && cpus.empty(); size *= 2) {
    cpu_set_t* set = CPU_ALLOC(size);
    if (!set) break;
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0) {
      for (int cpu = 0; cpu < size; ++cpu) {
        if (CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(size), set)) cpus.push_back(cpu);
      }
    }
    CPU_FREE(set);
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

int host_cpu_quota() {
  double quota = 0;
  const auto consider = [&](double time, double period) {
    if (time > 0 && period > 0 && (quota == 0 || time / period < quota)) quota = time / period;
  };
  for (const std::string& folder : cgroup_folders("cpu")) {
    double time = 0;
    double period = 0;
    // "max 100000" does not parse, as intended: it is no quota.
    if (std::istringstream(first_line(folder + "/cpu.max").value_or("")) >> time >> period) {
      consider(time, period);
    }
    consider(static_cast<double>(number_in(folder + "/cpu.cfs_quota_us").value_or(0)),
             static_cast<double>(number_in(folder + "/cpu.cfs_period_us").value_or(0)));
  }
  return static_cast<int>(std::min(quota + 0.999, 1e6));
}

std::string host_cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "CPU";
}

std::size_t host_cache_bytes() {
  std::set<std::string> seen;
  std::size_t total = 0;
  for (int cpu : host_cpus()) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    std::size_t level = 0;
    std::size_t size = 0;
    std::string shared;
    for (int index = 0; index < 8; ++index) {
      const std::string cache = folder + std::to_string(index);
      const auto this_level = number_in(cache + "/level");
      if (!this_level || *this_level < level) continue;
      level = *this_level;
      size = number_in(cache + "/size").value_or(0) * 1024;
      shared = first_line(cache + "/shared_cpu_list").value_or("");
    }
    if (seen.insert(shared).second) total += size;
  }
  return total;
}

std::size_t host_memory_total() {
  const auto memory = meminfo("MemTotal:");
  if (!memory) return 0;
  return std::min(*memory + meminfo("SwapTotal:").value_or(0), cgroup_memory_limit());
}

std::size_t host_memory_available() {
  const auto memory = meminfo("MemAvailable:");
  const std::size_t system = memory ? *memory + meminfo("SwapFree:").value_or(0) : unknown;
  return std::min(system, cgroup_memory_available());
}

}  // namespace sinter::runtime
