// x(m) = f(x(m)): computed in place, under the mask.

#include <sinter/sinter.hpp>

#include "engine/evaluation/snapshot.hpp"
#include "ir/passes/pipeline.hpp"
#include "tests/catch.hpp"

namespace masked_maps_test {

namespace sn = sinter;
namespace ir = sinter::ir;
using floats = sn::array<float>;
using ints = sn::array<int>;

namespace {

/// Counts pending work only: an actual selection would be evaluated already.
std::size_t kernels(const sn::any_array& x) {
  sn::detail::snapshot snapshot;
  sn::detail::take_snapshot({&x, 1}, snapshot);
  ir::trace trace;
  return ir::make_plan(sn::detail::graph_of(snapshot, trace), ir::machine{}).kernels.size();
}

std::int64_t launches() { return sn::session_statistics().launches; }

}  // namespace

TEST_CASE("masked_maps: a function of what a mask chooses is assigned without choosing") {
  floats x{-2, 1, 4, -8, 16, 0.5f};
  sn::eval(x);
  const auto before = launches();
  x(x > 2) = sn::sqrt(x(x > 2)) + 1;
  x(x < 0) = -x(x < 0) / 2;
  CHECK(launches() == before);
  CHECK(kernels(x) == 1);
  CHECK(x.to_host() == std::vector<float>{1, 1, 3, 4, 5, 0.5f});
}

TEST_CASE("masked_maps: other arrays by the same mask, casts, and updates in place") {
  ints x{1, 2, 3, 4};
  const floats y{0.5f, 1.5f, 2.5f, 3.5f};
  floats named = y;
  const sn::array<bool> odd = x % 2 == 1;
  const auto before = launches();
  x(odd) = sn::astype<int>(named(odd) * 10);
  CHECK(kernels(x) == 1);
  floats z = y;
  z(y > 1) += named(y > 1) * named(y > 1);
  z(y > 1) *= 2;
  named(odd) = z(odd);
  CHECK(launches() == before);
  CHECK(x.to_host() == std::vector<int>{5, 2, 25, 4});
  CHECK(z.to_host() == std::vector<float>{0.5f, 7.5f, 17.5f, 31.5f});
  CHECK(named.to_host() == std::vector<float>{0.5f, 1.5f, 17.5f, 3.5f});
}

TEST_CASE("masked_maps: rows of a mask, slices, and chains") {
  floats x = sn::arange<float>(12).reshape(4, 3).to_array();
  const sn::array<bool> rows{true, false, false, true};
  x(rows) = x(rows) * 10 + 1;
  CHECK(x.to_host() == std::vector<float>{1, 11, 21, 3, 4, 5, 6, 7, 8, 91, 101, 111});
  floats a{1, 2, 3}, b{4, 5, 6};
  a(a > 1) = b(a > 1) = 2 * b(a > 1);
  CHECK(b.to_host() == std::vector<float>{4, 10, 12});
  CHECK(a.to_host() == std::vector<float>{1, 10, 12});
}

TEST_CASE("masked_maps: masks that differ choose as before, and are told apart") {
  floats x{1, 2, 3, 4};
  x(x > 2) = 10 * x(x <= 2);  // as many, but others
  CHECK(x.to_host() == std::vector<float>{1, 2, 10, 20});
  floats y{1, 2, 3, 4};
  CHECK_THROWS_AS(([&] {
    y(y > 2) = y(y > 1) + 1;
    y.to_host();
  })(), sn::shape_error);
  floats z{1, 2, 3, 4}, before = z;
  z(z > 1) = 0;  // selects no element of z any more, but three of before
  CHECK_THROWS_AS(z(z > 1) = before(before > 1) + z(z > 1), sn::shape_error);
}

TEST_CASE("masked_maps: numbers of an array are no function of what is chosen") {
  floats x{1, 2, 3, 4};
  x(x > 2) = sn::sum(x(x > 2));
  CHECK(x.to_host() == std::vector<float>{1, 2, 7, 7});
  floats y{1, 2, 3, 4};
  y(y > 2) = y(y > 2) + floats{10, 20};
  CHECK(y.to_host() == std::vector<float>{1, 2, 13, 24});
}

}  // namespace masked_maps_test
