// Elements selected by other elements, and sorted.

#include <algorithm>

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

floats in_order(const floats& x) {
  return sn::sort(x);
}

workload sort() {
  return {
      .name = "sort",
      .group = 'A',
      .type = "f32",
      .sizes = ladder({1e7}),
      .inputs = [](const dims& d) { return std::vector{normal<float>({d.n})}; },
      .run = program_of(in_order),
      .error = against([](const dims&, tensors in) {
        std::ranges::sort(in[0].v);
        return in;
      }),
      .tolerance = 0,
      .bytes = per_element(8),
      .flops = [](const dims&) { return 0.0; },
  };
}

longs one_modulo_three(const longs& x) {
  return x(x % 3 == 1);
}

workload bool_select() {
  return {
      .name = "bool_select",
      .group = 'A',
      .type = "i64",
      .sizes = ladder({1e7, 1e8}),
      .inputs = [](const dims& d) { return std::vector{integers({d.n}, 0, 1000)}; },
      .run = program_of(one_modulo_three),
      .error = against([](const dims&, const tensors& in) {
        tensor out({0});
        for (const double v : in[0].v) {
          if (static_cast<index>(v) % 3 == 1) out.v.push_back(v);
        }
        out.shape[0] = out.size();
        return tensors{out};
      }),
      .tolerance = 0,
      .bytes = per_element(8 + 8.0 / 3),
      .flops = per_element(2),
  };
}

}  // namespace

std::vector<workload> selections() {
  return {gather(), sort(), bool_select()};
}

}  // namespace suite
