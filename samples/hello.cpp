// One page of sinter: record, evaluate, read the result.

#include <iostream>
#include <vector>

#include <sinter/sinter.hpp>

namespace sn = sinter;

sn::array<float> softplus(const sn::array<float>& x) {
  return sn::maximum(x, 0) + sn::log1p(sn::exp(-sn::abs(x)));  // records, computes nothing
}

int main() {
  const auto x = sn::random::normal<float>({1000, 1000}, {.seed = 42});
  const auto y = softplus(x);
  const sn::array<float> z = (y - sn::mean(y, {.axis = 1, .keepdims = true})) /
                             sn::stddev(y, {.axis = 1, .keepdims = true});

  const std::vector<float> host = z.to_host();  // evaluates here
  std::cout << "softplus of 1000 x 1000 normal numbers, each row standardised:\n"
            << z(sn::slice(0, 3), sn::slice(0, 3)) << "\nfirst " << host.front() << ", last "
            << host.back() << "\n\n"
            << sn::explain(z, {.source = false});
}
