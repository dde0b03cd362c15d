// A user's program: the public headers, no project flags, no library but sinter.

#include <cstdio>

#include <sinter/sinter.hpp>

namespace sn = sinter;

int main() {
  const sn::array<float> x{{1, 2, 3}, {4, 5, 6}};
  const auto y = sn::sqrt(x * x + 2 * x + 1) - sn::mean(x, {.axis = 0});
  const float total = sn::sum(y).item();
  std::printf("consumer: %g on %s\n", total, sn::to_string(sn::current_device()).c_str());
  return total == 6 ? 0 : 1;
}
