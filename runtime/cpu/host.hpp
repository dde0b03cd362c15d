#pragma once
// What the host says about itself: /proc, /sys and the cgroup of this process. Nothing here throws
// for a file that is missing or strange; the answer is then a plain default.

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::runtime {

/// CPUs the calling thread may run on, in order; at least one.
std::vector<int> host_cpus();
/// CPUs' worth of time the cgroup allows, rounded up; 0: no quota.
int host_cpu_quota();
/// "AMD EPYC 9654 96-Core Processor".
std::string host_cpu_name();
/// Bytes of last-level cache that the CPUs of `host_cpus()` have together; 0: not known.
std::size_t host_cache_bytes();

/// Bytes of memory and swap, no more than the cgroup allows; 0: not known.
std::size_t host_memory_total();
/// Bytes a process can still take: free and reclaimable memory and free swap, within the cgroup;
/// SIZE_MAX: not known.
std::size_t host_memory_available();

}  // namespace sinter::runtime
