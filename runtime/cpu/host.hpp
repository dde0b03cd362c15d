#pragma once
// What the host reports about itself: /proc, /sys and the cgroup of this process. Nothing here
// throws for a missing or malformed file; the answer is then a default.

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
/// Total last-level cache of the CPUs in `host_cpus()`, in bytes; 0: unknown.
std::size_t host_cache_bytes();

/// Bytes of memory and swap, no more than the cgroup allows; 0: unknown.
std::size_t host_memory_total();
/// Bytes a process can still allocate: free and reclaimable memory and free swap, within the
/// cgroup; SIZE_MAX: unknown.
std::size_t host_memory_available();

}  // namespace sinter::runtime
