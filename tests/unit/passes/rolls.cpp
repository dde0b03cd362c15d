// Reads through pads: rolls, joins, and rolls of rolls.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace rolls_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

bool unravels(const ir::plan& p) {
  return std::ranges::any_of(p.kernels, [](const ir::kernel& k) {
    return std::ranges::any_of(k.operands,
                               [](const ir::operand& o) { return o.access.unravel > 0; });
  });
}

/// Element (i, j) of a roll is element (i - down, j - right), with wrap-around.
floats rolled(const floats& x, std::int64_t down, std::int64_t right) {
  const std::int64_t rows = x.shape(0), columns = x.shape(1);
  std::vector<float> out;
  const std::vector<float> all = x.to_host();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t row = ((i - down) % rows + rows) % rows;
      const std::int64_t column = ((j - right) % columns + columns) % columns;
      out.push_back(all[static_cast<std::size_t>(row * columns + column)]);
    }
  }
  return sn::asarray(out).reshape({rows, columns});
}

}  // namespace

TEST_CASE("rolls: a roll of a roll of what is computed keeps its coordinates") {
  const floats x = stored({6, 9});
  const floats y = x * 2 + sn::arange<float>(9);
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    const ir::plan p = plan_for({floats(sn::roll(sn::roll(y, 1, 0), -2, 1) + y)}, target);
    CHECK(p.kernels.size() <= 2);  // y may be stored for its five readers
    CHECK(!unravels(p));
  }
}

namespace {

/// The difference of each element and the next along an axis; of the last and the first.
floats difference(const floats& x, std::int64_t axis, bool to_last) {
  std::vector<sn::pad_width> widths(2, sn::pad_width{0, 0});
  (to_last ? widths[axis].before : widths[axis].after) = 1;
  return sn::diff(sn::pad(x, widths, {.mode = sn::pad_mode::wrap}), 1, axis);
}

floats laplacian(const floats& x) {
  const auto second = [&](int axis) { return difference(difference(x, axis, false), axis, true); };
  return second(0) + second(1);
}

}  // namespace

TEST_CASE("rolls: pads of slices of pads keep their coordinates") {
  for (const std::int64_t columns : {8, 40, 1000}) {
    const floats x = stored({8000 / columns, columns});
    for (const auto target : {ir::target::cpu, ir::target::gpu}) {
      CHECK(!unravels(plan_for({laplacian(x)}, target)));
    }
    const auto next = [&](std::int64_t by, std::int64_t axis) { return sn::roll(x, by, axis); };
    const floats around = next(1, 0) + next(-1, 0) + next(1, 1) + next(-1, 1) - 4 * x;
    CHECK(sn::allclose(laplacian(x), around, {.rtol = 1e-4, .atol = 1e-4}));
  }
}

TEST_CASE("rolls: a CPU's row ends, met twice, cost more than what is between them stored") {
  const auto kernels = [](std::int64_t columns) {
    return plan_for({laplacian(stored({80000 / columns, columns}))}).kernels.size();
  };
  CHECK(kernels(40) > 1);
  CHECK(kernels(4000) == 1);
}

TEST_CASE("rolls: every way round, alone and below one another") {
  for (const std::int64_t width : {7, 70}) {
    const floats x = stored({5, width}), y = x + 1;
    for (std::int64_t down = -5; down <= 5; ++down) {
      for (std::int64_t right = -7; right <= 7; right += 2) {
        INFO(width << " wide, " << down << " down, " << right << " right");
        const floats once = sn::roll(sn::roll(x + 1, down, 0), right, 1);
        CHECK(sn::array_equal(once, rolled(y, down, right)));
        const floats there = sn::roll(sn::roll(sn::sqrt(once), -down, 0), -right, 1);
        CHECK(sn::array_equal(there, floats(sn::sqrt(y))));
      }
    }
  }
}

TEST_CASE("rolls: what is stacked is read by its own coordinates") {
  const floats x = stored({50, 3}), y = stored({50, 3});
  const floats crosses = sn::stack(std::tuple(sn::cross(x, y), sn::cross(y, x + 1), x * y), -1);
  const floats columns = sn::stack({floats(x(sn::_, 0) * 2), floats(y(sn::_, 1))}, 1);
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    CHECK(!unravels(plan_for({crosses}, target)));
    CHECK(!unravels(plan_for({floats(sn::stack({columns, columns}, 0))}, target)));
  }
}

TEST_CASE("rolls: what is joined along one axis is read by its own coordinates") {
  const floats x = stored({4, 5}), row = stored({5});
  const floats wide = sn::concatenate({floats(x * row), floats(x + row)}, {.axis = 1});
  CHECK(!unravels(plan_for({floats(sn::roll(wide, 1, 0))}, ir::target::gpu)));
  const floats low = sn::concatenate({floats(x * row), floats(x + row)}, {.axis = 0});
  CHECK(!unravels(plan_for({floats(sn::roll(low, 3, 1))}, ir::target::gpu)));
}

TEST_CASE("rolls: slices of more axes are read by their own coordinates, alone and stacked") {
  const floats x = stored({3, 40, 50}), y = stored({40, 50, 3});
  const auto moved = [](const floats& slice) {
    return floats(sn::roll(sn::roll(slice, 1, 0), -2, 1));
  };
  std::vector<floats> pieces;
  for (int i = 0; i < 3; ++i) {
    pieces.push_back(moved(x(i)));
    pieces.push_back(moved(y(sn::_, sn::_, i)));
    CHECK(sn::array_equal(pieces[pieces.size() - 2], moved(floats(sn::copy(floats(x(i)))))));
    const floats alone = sn::copy(floats(y(sn::_, sn::_, i)));
    CHECK(sn::array_equal(pieces.back(), moved(alone)));
  }
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    CHECK(!unravels(plan_for({floats(moved(x(1)) * 2)}, target)));
    CHECK(!unravels(plan_for({floats(moved(y(sn::_, sn::_, 1)) * 2)}, target)));
    CHECK(!unravels(plan_for({floats(sn::stack(pieces, 0))}, target)));
  }
}

TEST_CASE("rolls: borders that are mirrored or repeated are read by their own coordinates") {
  const floats x = stored({40, 50});
  for (const auto mode : {sn::pad_mode::reflect, sn::pad_mode::symmetric, sn::pad_mode::wrap,
                          sn::pad_mode::edge}) {
    for (const auto target : {ir::target::cpu, ir::target::gpu}) {
      CHECK(!unravels(plan_for({floats(sn::pad(x, 2, {.mode = mode}) * 2)}, target)));
      CHECK(!unravels(plan_for({floats(sn::pad(floats(x + 1), 2, {.mode = mode}))}, target)));
    }
  }
  CHECK(!unravels(plan_for({floats(sn::roll(sn::flip(x, 1), 1, 0))}, ir::target::gpu)));
}

TEST_CASE("rolls: windows over rows that are below a pad leave its last axis") {
  const floats x = stored({5, 4});
  const auto windows = [](const floats& y) {
    return floats(sn::pad(sn::sliding_window_view(floats(y(sn::_, 2)), 2), {{0, 1}, {0, 0}}) * 2);
  };
  const floats stays = sn::pad(x, {{0, 0}, {1, 1}});
  sn::eval(stays);
  CHECK(sn::array_equal(windows(sn::pad(x, {{0, 0}, {1, 1}})), windows(stays)));
}

TEST_CASE("rolls: a GPU's thread asks once for a vector that no edge divides, or of a long row") {
  const auto asks = [](const floats& root) {
    const ir::plan p = plan_for({root}, ir::target::gpu);
    return p.kernels.back().schedule.pieces;
  };
  const auto laplacian = [](const floats& x) {
    return floats(sn::roll(x, 1, 0) + sn::roll(x, -1, 0) + sn::roll(x, 1, 1) + sn::roll(x, -1, 1) -
                  4 * x);
  };
  const floats wide = stored({64, 4096});
  CHECK(asks(laplacian(wide)));
  CHECK(asks(floats(sn::pad(wide, 2, {.mode = sn::pad_mode::reflect}))));
  CHECK(asks(laplacian(stored({1024, 1024}))));
  CHECK(asks(floats(sn::roll(wide, 1, 1))));
  CHECK(!asks(laplacian(stored({1024, 1023}))));
  CHECK(!asks(floats(sn::roll(stored({64, 4095}), 1, 1))));
}

}  // namespace rolls_test
