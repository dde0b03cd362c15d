// The driver calls of a loop's rounds, counted by a fake driver.

#include <sinter/sinter.hpp>

#include "engine/evaluation/session.hpp"
#include "tests/catch.hpp"
#include "tests/support/counted.hpp"
#include "tests/unit/fake_cuda/fake_device.hpp"

namespace loops_test {

namespace sn = sinter;
using doubles = sn::array<double>;

namespace {

/// Can this machine compile for a GPU?
bool compiles() {
  try {
    sn::eval(doubles(sn::arange<double>(3) + 1.0));
    return true;
  } catch (const sn::error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a round with sums and products of vectors is a graph, and keeps numbers by itself") {
  counts();
  const auto scope = sn::use("cuda");
  if (!compiles()) {
    WARN("left out: nobody compiles for a GPU");
    return;
  }
  const doubles mass = sn::asarray(std::vector<double>(100, 0.125)).reshape({100, 1});
  const int rounds = 100;
  const auto run = [&] {
    const auto step = [&](const doubles& x, std::tuple<>) {
      const doubles apart = x.T() - x;
      const doubles to = x + sn::matmul(apart * sn::pow(apart * apart + 0.01, -1.5), mass);
      return std::pair(to, std::tuple(sn::sum(mass * to * to), sn::sum(apart)));
    };
    const auto [last, kept] = sn::scan(step, mass, std::tuple<>(), {.length = rounds});
    const auto& [squares, sums] = kept;
    sn::eval(last, squares, sums);
    sn::synchronize();
  };
  // Twice: where memory has been used before, its addresses come back after one more run.
  run();
  run();
  const auto before = counts();
  run();
  const auto after = counts();
  CHECK(after.graph_launches - before.graph_launches >= 8);
  CHECK(after.graph_launches - before.graph_launches <= rounds / 2);  // several rounds each
  CHECK(after.graphs - before.graphs <= 2);
  CHECK(after.changes == before.changes);
  CHECK(after.launches - before.launches <= 40);
  CHECK(after.copies - before.copies <= 2);
}

TEST_CASE("a copy that an update needs is a kernel of the round's graph") {
  const auto scope = sn::use("cuda");
  if (!compiles()) {
    WARN("left out: nobody compiles for a GPU");
    return;
  }
  const auto inner = sn::slice(1, -1);
  doubles p = sn::asarray(std::vector<double>(300, 0.5)), q = p * 2.0;
  sn::eval(p, q);
  const int rounds = 600;
  const auto run = [&] {
    for (int i = 0; i < rounds; ++i) {
      const doubles old = sn::copy(p);
      // Swapped, because the sweeps would otherwise be stacked.
      p(inner) = 0.5 * (old(sn::slice(0, -2)) + old(sn::slice(sn::slice::unset, 1, -1)));
      q(inner) = q(inner) + p(inner);
    }
    sn::eval(p, q);
    sn::synchronize();
  };
  run();
  run();  // cut at the same statements as the first rounds
  const auto before = counts();
  const auto ours = sn::session_statistics().copies;
  run();
  const auto after = counts();
  CHECK(sn::session_statistics().copies - ours >= rounds / 2);
  CHECK(after.copies - before.copies <= 4);
  CHECK(after.graph_launches - before.graph_launches >= rounds / 40);
  CHECK(after.launches - before.launches <= rounds / 2);  // a tuner may try some alone
}

TEST_CASE("rounds of small kernels are one launch once they have come often, but unfused") {
  const auto scope = sn::use("cuda");
  if (!compiles()) {
    WARN("left out: nobody compiles for a GPU");
    return;
  }
  const doubles x = sn::asarray(std::vector<double>(100, 0.5));
  const auto launches = [&] {
    const auto first = sn::session_statistics().launches;
    sn::eval(sn::fori_loop(0, 3000, [](auto, auto y) { return y * 0.9 + sn::mean(y) * 0.1; }, x));
    sn::synchronize();
    sn::detail::the_session().later.wait();
    return sn::session_statistics().launches - first;
  };
  CHECK(launches() >= 1000);
  CHECK(launches() <= 40);
  sn::detail::the_session().fuse = false;
  launches();
  CHECK(launches() >= 3000);
  sn::detail::the_session().fuse = true;
}

TEST_CASE("rounds of sweeps are done several at a time, those that are left one by one") {
  const auto scope = sn::use("cuda");
  if (!compiles()) {
    WARN("left out: nobody compiles for a GPU");
    return;
  }
  const sn::slice inner(1, -1), before(0, -2), behind(2, sn::slice::unset);
  const doubles field = sn::asarray(std::vector<double>(160000, 0.5)).reshape({400, 400});
  const auto step = [&](const sn::array<std::int64_t>&, const doubles& x) {
    doubles to = x;
    to(inner, inner) = 0.25 * (x(before, inner) + x(behind, inner) + x(inner, before) +
                               x(inner, behind));
    return to;
  };
  const auto run = [&](int rounds) {
    const auto first = counts();
    const doubles last = sn::fori_loop(0, rounds, step, field);
    sn::eval(last);
    sn::synchronize();
    const auto then = counts();
    return then.launches - first.launches + then.graph_launches - first.graph_launches;
  };
  run(62);
  // 15 times four rounds, and two, with an update and a copy each; a tuner may try some alone.
  CHECK(run(62) <= 15 + 2 * 2 + 20);
}

TEST_CASE("what many picks found is looked at together") {
  counts();
  const auto scope = sn::use("cuda");
  if (!compiles()) return;
  doubles x = sn::arange<double>(100);
  sn::array<int> at = sn::zeros<int>({100});
  sn::eval(x, at);
  const auto start = counts();
  for (int i = 0; i < 600; ++i) {
    x = x(at);
    sn::eval(x);
  }
  const auto before = counts();
  x.to_host();
  CHECK(counts().synchronized - before.synchronized <= 4);
  CHECK(before.synchronized - start.synchronized <= 6);
}

TEST_CASE("a stencil over a padded plane is one kernel, and reads the plane") {
  counts();
  const auto scope = sn::use("cuda");
  if (!compiles()) return;
  const doubles x = sn::random::normal<double>({300, 200}, {.seed = 1});
  sn::eval(x);
  const sn::slice in(1, -1), up(0, -2), down(2, sn::slice::unset);
  for (const sn::pad_mode mode : {sn::pad_mode::edge, sn::pad_mode::wrap, sn::pad_mode::reflect}) {
    const doubles p = sn::pad(x, 1, {.mode = mode});
    const doubles y = p(down, in) + p(up, in) + p(in, down) + p(in, up) - 4 * x;
    CHECK(tests::counted([&] { sn::eval(y); }).launches == 1);
  }
}

}  // namespace loops_test
