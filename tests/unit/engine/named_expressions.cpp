// Expressions kept in `auto`: large ones are recorded once, when first used as an operand.

#include <atomic>
#include <thread>
#include <vector>

#include <sinter/sinter.hpp>

#include "engine/nodes/node.hpp"
#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace named_expressions_test {

namespace sn = sinter;
using sinter::test::refusal;

namespace {

using floats = sn::array<float>;

floats numbers(float first, std::int64_t length = 1000) {
  const floats x = sn::sqrt(sn::arange<float>(length) + first);
  sn::eval(x);
  return x;
}

auto large(const auto& x, const auto& y) { return x * y + x * x - y * y + 0.5f; }

const sn::detail::node* input(const sn::any_array& x, std::size_t i) {
  return x.get()->inputs[i].get();
}

}  // namespace

TEST_CASE("a large expression with a name is one operand, wherever it is named") {
  const floats x = numbers(1), y = numbers(2);
  const auto a = large(x, y);
  const floats once = a * a + x;
  CHECK(once.get()->inputs.size() == 3);
  CHECK(input(once, 0) == input(once, 1));
  const floats again = -a;
  CHECK(input(again, 0) == input(once, 0));
  const auto copy = a;
  CHECK(input(floats(-copy), 0) != input(once, 0));
}

TEST_CASE("a small one is a part of what it is used in") {
  const floats x = numbers(1), y = numbers(2);
  const auto a = x * y + x;
  CHECK(floats(a * a).get()->inputs.size() == 6);
}

TEST_CASE("named steps fuse, and give the bits of one expression") {
  const floats x = numbers(1), y = numbers(2);
  const auto a = large(x, y);
  const auto b = a / (large(y, a) + 3);
  const auto before = sn::session_statistics().launches;
  const auto named = floats(a * b + b).to_host();
  CHECK(sn::session_statistics().launches == before + 1);
  CHECK(named == floats(large(x, y) * (large(x, y) / (large(y, large(x, y)) + 3)) +
                        large(x, y) / (large(y, large(x, y)) + 3))
                     .to_host());
}

TEST_CASE("halves are not rounded where a name stands") {
  const auto x = sn::astype<sn::float16>(numbers(1)).to_array();
  const auto y = sn::astype<sn::float16>(numbers(2)).to_array();
  const auto a = large(x, y);
  CHECK((a * a + a).to_host() == (large(x, y) * large(x, y) + large(x, y)).to_host());
  CHECK((a * a).dtype() == sn::dtype::float16);
}

TEST_CASE("what only a name holds is not stored, however often it is read") {
  const floats x = numbers(1), y = numbers(2);
  const auto a = large(x, y);
  for (int i = 0; i < 4; ++i) sn::eval(floats(a + static_cast<float>(i)));
  const floats last = -a;
  CHECK(input(last, 0)->buffer == nullptr);
}

TEST_CASE("a name keeps what the arrays were") {
  floats x = numbers(1);
  const floats y = numbers(2);
  auto a = large(x, y);
  const auto was = (a * 2).to_host();
  x = numbers(3);
  CHECK((a * 2).to_host() == was);
  a = large(x, y);
  CHECK((a * 2).to_host() == floats(large(x, y) * 2).to_host());
}

TEST_CASE("an error in a named expression names the statement that reads it") {
  const floats x = numbers(1), y = numbers(2), shorter = numbers(1, 10);
  const auto a = large(x, y) * shorter;
  for (int use = 0; use < 2; ++use) {
    const auto program = [&] { const floats z = a + 1; };
    const auto where = sn::location::current(__FILE__, __LINE__ - 1);
    CHECK(refusal<sn::shape_error>(sn::error_code::shape_mismatch, program, where) ==
          "[multiply] shapes (1000,) and (10,) do not broadcast: axis 0 is 1000 against 10");
  }
}

TEST_CASE("fast contracts what has a name, and a name's own value where it is used") {
  const floats x = numbers(1), y = numbers(2);
  const auto a = large(x, y);
  CHECK(sn::fast(a).to_host() == sn::fast(large(x, y)).to_host());
  CHECK(sn::fast(a).to_host() != a.to_host());
  const floats value = a;
  CHECK(sn::fast(a * x + y).to_host() == sn::fast(value * x + y).to_host());
}

TEST_CASE("a name is worth the same inside functions that are traced, and after them") {
  const floats x = numbers(1, 8), y = numbers(2, 8), t = large(x, y);
  const auto same = [](const floats& a, const floats& b) { return a.to_host() == b.to_host(); };
  const auto after = [&](const auto& named) { CHECK(same(named + 1, t + 1)); };
  {
    const auto named = large(x, y);
    const auto f = sn::vmap([&](floats row) { return floats(row * named + named); });
    const floats rows = sn::arange<float>(24).reshape({3, 8});
    CHECK(same(f(rows), rows * t + t));
    after(named);
  }
  {
    const auto named = large(x, y);
    const floats got = sn::fori_loop(0, 3, [&](auto, floats a) { return floats(a + named); }, x);
    CHECK(same(got, x + t + t + t));
    after(named);
  }
  {
    const auto named = large(x, y);
    const auto f = sn::fuse([&](floats a) { return floats(a * named + named); });
    for (int i = 0; i < 3; ++i) {
      const floats a = x + static_cast<float>(i);
      CHECK(same(f(a), a * t + t));
    }
    after(named);
  }
  {
    const auto named = large(x, y);
    const floats got = sn::cond(sn::sum(x) > 0.f, [&](floats a) { return floats(a + named); },
                                [&](floats a) { return floats(a - named); }, x);
    CHECK(same(got, x + t));
    after(named);
  }
}

TEST_CASE("threads read one named expression at once") {
  const floats x = numbers(1), y = numbers(2);
  for (int round = 0; round < 20; ++round) {
    const auto a = large(x, y);
    const float expected = floats(large(x, y) * 2)(7).item();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] { wrong += (a + a)(7).item() != expected; });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
  }
}

}  // namespace named_expressions_test
