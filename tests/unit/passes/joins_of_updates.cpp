#include "ir/passes/joins_of_updates.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace joins_of_updates_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

std::string joined(const std::string& text) {
  return after([](const ir::graph& g) { return ir::joins_of_updates(g); }, text);
}

std::size_t updates(const std::string& text) {
  std::size_t count = 0;
  const std::string word = " = update";
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// A chain of updates of %0 by rows or columns of %1 of shape [4], each at an offset.
std::string assigned(const std::vector<int>& offsets, const char* stride, const char* type) {
  const std::string t(type);
  std::string text = "%0 = source " + t + " [3, 4]\n%1 = source " + t + " [4]\n";
  int last = 0, next = 2;
  for (int o : offsets) {
    text += "%" + std::to_string(next) + " = update " + t + " [3, 4] (%" + std::to_string(last) +
            ", %1)" + (o ? " offset " + std::to_string(o) : "") + " strides [" + stride + "]\n";
    last = next++;
  }
  return text + "return %" + std::to_string(last) + "\n";
}

}  // namespace

TEST_CASE("joins_of_updates: rows that are all assigned, in any order, are joined") {
  CHECK(updates(joined(assigned({0, 4, 8}, "1", "float32"))) == 0);
  CHECK(updates(joined(assigned({8, 0, 8, 4}, "1", "float32"))) == 0);
  CHECK(updates(joined(assigned({0, 4, 8}, "1", "complex64"))) == 0);
}

TEST_CASE("joins_of_updates: where something is left of the array, updates stay") {
  CHECK(updates(joined(assigned({0, 4}, "1", "float32"))) == 2);
  CHECK(updates(joined(assigned({0, 4, 4}, "1", "float32"))) == 3);
  CHECK(updates(joined(assigned({0, 4, 5}, "1", "float32"))) == 3);  // no row
  CHECK(updates(joined(assigned({0, 4, 8}, "1", "float16"))) == 3);
}

TEST_CASE("joins_of_updates: what is whole before is joined, what comes after stays") {
  const std::string text = joined(assigned({0, 4, 8, 0}, "1", "float32"));
  CHECK(updates(text) == 0);  // the last one is whole, too
  CHECK(updates(joined(assigned({0, 4, 8, 5}, "1", "float32"))) == 1);
}

TEST_CASE("joins_of_updates: slices moved one by one are one kernel, and what they were") {
  for (const int axis : {0, 2}) {
    const floats start = axis == 0 ? stored({5, 40, 90}) : stored({40, 90, 5});
    const int down = axis == 0 ? 1 : 0, right = down + 1;
    const auto part = [&](const floats& f, int i) {
      return axis == 0 ? floats(f(i)) : floats(f(sn::_, sn::_, i));
    };
    floats f = start;
    for (int i = 0; i < 5; ++i) {
      for (const auto& [by, along] : {std::pair(i - 2, 0), std::pair(2 * i - 3, 1)}) {
        const floats moved = sn::roll(part(f, i), by, along);
        axis == 0 ? f(i) = moved : f(sn::_, sn::_, i) = moved;
      }
    }
    std::vector<floats> parts;
    for (int i = 0; i < 5; ++i) {
      const floats moved = sn::roll(sn::roll(start, i - 2, down), 2 * i - 3, right);
      parts.push_back(part(moved, i));
    }
    for (const auto target : {ir::target::cpu, ir::target::gpu}) {
      CHECK(plan_for({f}, target).kernels.size() == 1);
    }
    CHECK(sn::array_equal(f, floats(sn::stack(parts, axis))));
  }
}

TEMPLATE_TEST_CASE("joins_of_updates: slices of every kind of type, two at once among them", "",
                   float, std::complex<double>, std::int8_t, sn::float16) {
  using array = sn::array<TestType>;
  const array x = sn::astype<TestType>(sn::reshape(sn::arange<int>(6000) % 7, {3, 40, 50}));
  array f = sn::zeros<TestType>({4, 40, 50});
  f(sn::slice(0, 2)) = x(sn::slice(1, 3)) * x(sn::slice(0, 2));
  f(3) = array(f(0) + f(1));
  f(2) = array(sn::flip(array(f(3)), 0));
  const array first = x(1) * x(0), second = x(2) * x(1), sum = first + second;
  CHECK(sn::array_equal(f, array(sn::stack({first, second, array(sn::flip(sum, 0)), sum}, 0))));
}

TEST_CASE("joins_of_updates: zeros that are filled in are what fills them in") {
  const floats x = stored({300, 200});
  const auto filled = [&] {
    floats f = sn::zeros<float>({3, 300, 200});
    for (int i = 0; i < 3; ++i) f(i) = sn::exp(x * float(i));
    return f;
  };
  const floats sums = sn::sum(filled(), 0);
  CHECK(plan_for({sums}, ir::target::cpu).kernels.size() == 1);
  CHECK(sn::allclose(sums, floats(1.0f + sn::exp(x) + sn::exp(2.0f * x))));
}

}  // namespace joins_of_updates_test
