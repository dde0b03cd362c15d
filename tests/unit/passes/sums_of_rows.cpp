// Reductions over several axes of which the last is short, on a CPU.
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"

namespace sums_of_rows_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The kept and reduced extents of each kernel of a plan.
std::string kernels_of(const floats& root, ir::target target = ir::target::cpu) {
  std::string text;
  for (const ir::kernel& k : plan_for({root}, target).kernels) {
    text += (text.empty() ? "" : ", ") + std::to_string(k.kept) + " over " +
            std::to_string(k.reduced);
  }
  return text;
}

template <class T> sn::array<T> numbers(std::vector<std::int64_t> shape) {
  const sn::array<T> x =
      sn::astype<T>(sn::random::integers<int>(shape, {.seed = 5, .low = -9, .high = 10}));
  sn::eval(x);
  return x;
}

/// Compares `reduce` of x as computed, and of x stored before, as one contiguous run.
template <class T, class Reduce>
void same(const sn::array<T>& x, Reduce reduce) {
  const auto together = reduce(x);
  const sn::array<T> stored = sn::copy(x);
  sn::eval(stored);
  CHECK(sn::array_equal(together, reduce(stored)));
}

template <class T> void every_form(std::int64_t width) {
  INFO("width " << width);
  const auto x = numbers<T>({400, 9, width}), row = numbers<T>({width}),
             column = numbers<T>({400, 9, 1});
  const auto all = [](const sn::array<T>& a) { return sn::sum(a); };
  const auto planes = [](const sn::array<T>& a) { return sn::sum(a, {.axis = {1, 2}}); };
  const auto sides = [](const sn::array<T>& a) { return sn::sum(a, {.axis = {0, 2}}); };
  for (const sn::array<T>& y : {sn::array<T>(x - row), sn::array<T>(x * column + row)}) {
    same(y, all);
    same(y, planes);
    same(y, sides);
    same(y, [](const sn::array<T>& a) { return sn::max(a); });
    same(y, [](const sn::array<T>& a) { return sn::min(a, {.axis = {0, 2}}); });
    same(y, [](const sn::array<T>& a) { return sn::all(a); });
    same(y, [](const sn::array<T>& a) { return sn::argmax(a); });
  }
}

}  // namespace

TEST_CASE("sums_of_rows: few places are written out, of more columns come first") {
  const auto squares = [](std::int64_t rows, std::int64_t width) {
    return floats(sn::sum(sn::square(stored({rows, width}) - stored({width}))));
  };
  const std::string whole = kernels_of(floats(sn::sum(sn::square(stored({30000})))));
  CHECK(whole == "1 over 1");
  CHECK(kernels_of(squares(30000, 3)) == whole);
  CHECK(kernels_of(squares(30000, 5)) == whole);
  CHECK(kernels_of(squares(10000, 9)) == "1 over 1, 1 over 1");
  CHECK(kernels_of(squares(1000, 129)) == "1 over 2, 1 over 1");
  CHECK(kernels_of(squares(60, 9)) == "1 over 2");
  CHECK(kernels_of(squares(30000, 3)).size() < kernels_of(squares(30000, 6)).size());
  const auto by_place = [&](ir::target t) {
    return kernels_of(floats(sn::sum(sn::stack({stored({30000}), stored({30000})}, -1))), t);
  };
  CHECK(by_place(ir::target::cpu) == whole);
}

TEST_CASE("sums_of_rows: what they come to is what they come to of an array") {
  for (std::int64_t width : {2, 3, 5, 6, 17}) {
    every_form<float>(width);  // of small integers: no sum rounds
    every_form<double>(width);
    every_form<int>(width);
    every_form<std::int8_t>(width);
    every_form<sn::bfloat16>(width);
  }
}

TEST_CASE("sums_of_rows: of what is joined, and of long formulas") {
  const floats a = numbers<float>({9000}), b = numbers<float>({9000}), c = numbers<float>({9000});
  same(floats(sn::stack({a, b, c}, -1)), [](const floats& x) { return sn::sum(x); });
  same(floats(sn::stack({a, 2 * b, c - a}, -1) * numbers<float>({3})),
       [](const floats& x) { return sn::sum(x); });
  floats y = numbers<float>({9000, 4});
  const floats row = numbers<float>({4});
  for (int i = 0; i < 40; ++i) y = sn::maximum(sn::minimum(y + row, 100), -100);
  same(y, [](const floats& x) { return sn::sum(x); });
  same(floats(y * sn::arange<float>(4)), [](const floats& x) { return sn::sum(x); });
}

}  // namespace sums_of_rows_test
