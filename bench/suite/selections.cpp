// Elements chosen by other elements.

#include "bench/suite/workload.hpp"

namespace suite {

namespace {

floats gathered(const floats& x, const longs& at) {
  return x(at);
}

workload gather() {
  return {
      .name = "gather",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e7}),
      .inputs =
          [](const dims& d) {
            return std::vector{normal<float>({d.n}), integers({d.n}, 0, static_cast<double>(d.n))};
          },
      .run = program_of(gathered),
      .error = against([](const dims& d, const tensors& in) {
        tensor out({d.n});
        for (index i = 0; i < d.n; ++i) out(i) = in[0](static_cast<index>(in[1](i)));
        return tensors{out};
      }),
      .tolerance = 0,
      .bytes = per_element(16),
      .flops = [](const dims&) { return 0.0; },
  };
}

}  // namespace

std::vector<workload> selections() {
  return {gather()};
}

}  // namespace suite
