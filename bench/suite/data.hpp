#pragma once
// Fresh random inputs, on the current device and, if needed, in host memory.

#include "bench/suite/workload.hpp"

namespace suite {

struct data {
  std::vector<sn::any_array> arrays;
  tensors host;  // only for a checked size
};

/// `host`: generate in host memory first, so that a reference can use the same numbers.
data make_data(const std::vector<input>& inputs, bool host, std::mt19937_64& generator);

}  // namespace suite
