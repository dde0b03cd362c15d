#pragma once
// Fresh random inputs, on the current device and where needed in host memory too.

#include "bench/suite/workload.hpp"

namespace suite {

struct data {
  std::vector<sn::any_array> arrays;
  tensors host;  // of a checked size alone
};

/// `host`: made in host memory first, so that a reference can be computed from the same numbers.
data make_data(const std::vector<input>& inputs, bool host, std::mt19937_64& generator);

}  // namespace suite
