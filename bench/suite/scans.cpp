// Running totals.

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

floats running_sum(const floats& x) {
  return sn::cumsum(x);
}

workload cumsum() {
  return {
      .name = "cumsum",
      .group = 'B',
      .type = "f32",
      .sizes = ladder({1e8}),
      .inputs = [](const dims& d) { return std::vector{uniform<float>({d.n}, -1, 1)}; },
      .run = program_of(running_sum),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.n});
        double sum = 0;
        for (index i = 0; i < d.n; ++i) out(i) = sum += in[0](i);
        return tensors{out};
      }),
      .tolerance = 1e-3,
      .bytes = per_element(8),
      .flops = per_element(1),
  };
}

}  // namespace

std::vector<workload> scans() {
  return {cumsum()};
}

}  // namespace suite
