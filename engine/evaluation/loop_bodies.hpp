#pragma once
// Bodies of traced loops, simplified. A program traces its loop again at every call, and nearly
// always finds the body it had: of `mandelbrot`, 833 x 833, that was half of 46 us of the host,
// where a GPU takes as long for the loop itself.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ir/graph.hpp"
#include "runtime/recent_cache.hpp"

namespace sinter::detail {

/// Thread-safe.
class loop_bodies {
 public:
  /// simplify(explode(g)). REQUIRES: sources, scalars, maps and views alone.
  std::shared_ptr<const ir::graph> simplified(ir::graph g);

 private:
  std::mutex mutex_;
  runtime::recent_cache<std::vector<std::uint64_t>, const ir::graph> known_{64, 1 << 16};
};

}  // namespace sinter::detail
