#include "ir/passes/split_axes.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace split_axes_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The unravelled operands, and the rank, of a plan's last kernel.
std::pair<std::ptrdiff_t, int> walk_of(const floats& x, ir::target target) {
  const ir::plan p = plan_for({x}, target);
  const ir::kernel& k = p.kernels.back();
  const auto unravelled = std::ranges::count_if(
      k.operands, [](const ir::operand& o) { return o.access.unravel > 0; });
  return {unravelled, k.kept + k.reduced};
}

using walk = std::pair<std::ptrdiff_t, int>;

}  // namespace

TEST_CASE("split_axes: groups of channels are walked by group") {
  const floats x = stored({4, 6, 5, 7}), w = stored({6, 1, 1}), mean = stored({4, 3, 1, 1, 1});
  const floats y = (x.reshape({4, 3, 2, 5, 7}) - mean).reshape({4, 6, 5, 7}) * w;
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    // groups of all images, channels of a group, places of a channel
    CHECK(walk_of(y, target) == walk(0, 4));
  }
  const auto in = x.to_host(), means = mean.to_host(), gains = w.to_host();
  const auto out = y.to_host();
  for (std::size_t i = 0; i < out.size(); ++i) {
    CHECK(out[i] == (in[i] - means[i / 70]) * gains[i / 35 % 6]);
  }
}

TEST_CASE("split_axes: an axis is cut where several reshapes end") {
  const floats x = stored({24, 5}), a = stored({2, 1, 1}), b = stored({2, 3, 1, 1});
  const floats y = x + a.reshape({2, 1}).reshape({2, 1, 1}) * 0 +
                   (x.reshape({2, 12, 5}) * a).reshape({24, 5}) +
                   (x.reshape({2, 3, 4, 5}) * b).reshape({24, 5}).reshape({1, 24, 5});
  CHECK(walk_of(y, ir::target::cpu).first == 0);
}

TEST_CASE("split_axes: a reduced axis is cut as a kept one is") {
  const floats x = stored({6, 30}), scale = stored({6, 5, 1});
  const floats y = sn::sum((x.reshape({6, 5, 6}) * scale).reshape({6, 30}) + x, 1);
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    CHECK(walk_of(y, target).first == 0);
  }
}

TEST_CASE("split_axes: what does not divide stays unravelled") {
  const floats x = stored({6, 4});
  const floats y = sn::exp(sn::transpose(x).reshape({3, 8}));
  CHECK(walk_of(y, ir::target::cpu).first == 1);
  const floats z = sn::exp(sn::transpose(x).reshape({8, 3}));
  CHECK(walk_of(z, ir::target::cpu).first == 0);
}

}  // namespace split_axes_test
