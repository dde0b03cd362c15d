#pragma once
// Sorting on the host: Highway's vqsort if built in, else std::sort.

#include <memory>

#include "runtime/pool.hpp"
#include "runtime/sorter.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Many rows are distributed over the threads; few long ones are sorted in pieces by all threads,
/// and merged. REQUIRES: both outlive it.
std::unique_ptr<sorter> make_cpu_sorter(thread_pool& threads, memory_pool& pool);

}  // namespace sinter::runtime
