// Which CPU maps are walked in pieces, with what vector width, and where their edges are.
#include "ir/kernel_pieces.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace pieces_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// "vector 4, pieces: v3, v7 falls": the last kernel of a plan.
std::string walk_of(const sn::any_array& root) {
  const ir::plan p = plan_for({root}, ir::target::cpu);
  REQUIRE(!p.kernels.empty());
  const ir::kernel& k = p.kernels.back();
  std::string out = "vector " + std::to_string(k.schedule.vector);
  if (!k.schedule.pieces) return out;
  out += ", pieces:";
  for (const ir::edge& e : ir::find_edges(k).edges) {
    const ir::inst& i = k.body[static_cast<std::size_t>(e.instruction)];
    out += " " + std::string(ir::name(i.code)) + (e.moving == 0 ? " moving" : " still");
    if (e.backward) out += " falling";
    if (e.computed) out += " computed";
  }
  return out;
}

}  // namespace

TEST_CASE("pieces: rows of rolls, pads, joins, triangles and diagonals") {
  const floats x = stored({80, 96});
  CHECK(walk_of(floats(x + 1)) == "vector 4");
  const std::string both = "vector 4, pieces: greater_equal moving less moving";
  CHECK(walk_of(floats(sn::roll(x, 1, 1) * 2)) == both);
  CHECK(walk_of(floats(sn::roll(x, 1, 0) * 2)) == "vector 4, pieces:");
  CHECK(walk_of(floats(sn::pad(x, 1) * 2)) == both);
  CHECK(walk_of(floats(sn::tril(x) * 2)) == "vector 4, pieces: less_equal moving");
  CHECK(walk_of(floats(sn::eye<float>(96) + 1)) == "vector 4, pieces: equal still computed");
}

TEST_CASE("pieces: not of short rows, nor where coordinates are wanted for themselves") {
  const floats narrow = stored({300, 20}), x = stored({80, 96});
  CHECK(walk_of(floats(sn::roll(narrow, 1, 1) * 2)) == "vector 2");
  const auto j = sn::arange<std::int64_t>(96);
  CHECK(walk_of(floats(sn::where(j < 5, x, sn::astype<float>(j)))) ==
        "vector 2, pieces: less moving");
  CHECK(walk_of(floats(sn::where(j * 3 < 5, x, 0.0f))) == "vector 2");
}

}  // namespace pieces_test
