#pragma once
// Sorting on the host: Highway's vqsort where it is built in, else std::sort.

#include <memory>

#include "runtime/pool.hpp"
#include "runtime/sorter.hpp"
#include "runtime/thread_pool.hpp"

namespace sinter::runtime {

/// Many rows are shared out, a thread sorts each; of few long ones, pieces are sorted by threads
/// and merged. REQUIRES: both outlive it.
std::unique_ptr<sorter> make_cpu_sorter(thread_pool& threads, memory_pool& pool);

}  // namespace sinter::runtime
