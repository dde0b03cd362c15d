#pragma once
// A cache of simplified bodies of traced loops. A program traces its loop again at every call, and
// nearly always gets the same body: for `mandelbrot`, 833 x 833, that was half of 46 us of the
// host, while a GPU takes as long for the loop itself.

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
  /// simplify(explode(g)). REQUIRES: only sources, scalars, maps and views.
  std::shared_ptr<const ir::graph> simplified(ir::graph g);

 private:
  std::mutex mutex_;
  runtime::recent_cache<std::vector<std::uint64_t>, const ir::graph> known_{64, 1 << 16};
};

}  // namespace sinter::detail
