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
  CHECK(updates(joined(assigned({0, 4, 5}, "1", "float32"))) == 3);  // not a row
  CHECK(updates(joined(assigned({0, 4, 8}, "1", "float16"))) == 3);
}

TEST_CASE("joins_of_updates: matrices that are filled in element by element are joined") {
  const auto filled = [](const std::vector<int>& offsets) {
    std::string text = "%0 = source float32 [100, 2, 3]\n%1 = source float32 [100]\n";
    int last = 0, next = 2;
    for (const int o : offsets) {
      text += "%" + std::to_string(next) + " = update float32 [100, 2, 3] (%" +
              std::to_string(last) + ", %1)" + (o ? " offset " + std::to_string(o) : "") +
              " strides [6]\n";
      last = next++;
    }
    return updates(joined(text + "return %" + std::to_string(last) + "\n"));
  };
  CHECK(filled({0, 1, 2, 3, 4, 5}) == 0);
  CHECK(filled({5, 1, 0, 3, 3, 4, 2}) == 0);
  CHECK(filled({0, 1, 2, 3, 4}) == 5);
  CHECK(filled({0, 1, 2, 3, 4, 4}) == 6);
}

TEST_CASE("joins_of_updates: stripes that are all assigned are joined") {
  const auto striped = [](const std::vector<int>& offsets, int apart) {
    std::string text = "%0 = source float32 [4, 12]\n%1 = source float32 [4, 4]\n";
    int last = 0, next = 2;
    for (const int o : offsets) {
      text += "%" + std::to_string(next) + " = update float32 [4, 12] (%" + std::to_string(last) +
              ", %1)" + (o ? " offset " + std::to_string(o) : "") + " strides [12, " +
              std::to_string(apart) + "]\n";
      last = next++;
    }
    return updates(joined(text + "return %" + std::to_string(last) + "\n"));
  };
  CHECK(striped({0, 1, 2}, 3) == 0);
  CHECK(striped({2, 0, 1}, 3) == 0);
  CHECK(striped({0, 2}, 3) == 2);
  CHECK(striped({0, 1, 2}, 2) == 3);  // leaves out the last places
}

TEST_CASE("joins_of_updates: an update of all is a join of one") {
  const std::string whole = "%0 = source float32 [3, 4]\n%1 = source float32 [3, 4]\n"
                            "%2 = update float32 [3, 4] (%0, %1) strides [4, 1]\n"
                            "%3 = update float32 [3, 4] (%2, %1) strides [4, 1]\nreturn %3\n";
  CHECK(updates(joined(whole)) == 0);
}

TEST_CASE("matrices that are filled in and what reads them are one kernel, and what they were") {
  const floats m = stored({1000, 3, 3});
  const auto e = [&](int i, int j) { return m(sn::_, i % 3, j % 3); };
  const auto cofactor = [&](int i, int j) -> floats {
    return e(i + 1, j + 1) * e(i + 2, j + 2) - e(i + 1, j + 2) * e(i + 2, j + 1);
  };
  floats r = sn::zeros<float>({1000, 3, 3});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(sn::_, j, i) = cofactor(i, j);
  }
  const auto det_of = [&](const floats& x) -> floats {
    return e(0, 0) * x(sn::_, 0, 0) + e(0, 1) * x(sn::_, 1, 0) + e(0, 2) * x(sn::_, 2, 0);
  };
  const floats inverse = r / det_of(r)(sn::_, sn::newaxis, sn::newaxis);
  for (const ir::target where : {ir::target::cpu, ir::target::gpu}) {
    CHECK(plan_for({inverse}, where).kernels.size() == 1);
  }
  std::vector<floats> cofactors;
  for (int k = 0; k < 9; ++k) cofactors.push_back(cofactor(k / 3, k % 3));
  const floats again = sn::reshape(floats(sn::stack(cofactors, 1)), {1000, 3, 3});
  const floats turned = sn::transpose(again, {0, 2, 1});
  const floats expected = turned / det_of(turned)(sn::_, sn::newaxis, sn::newaxis);
  CHECK(inverse.to_host() == expected.to_host());
}

TEST_CASE("stripes that are filled in are one kernel, and what they were") {
  const floats x = stored({1000}), y = stored({1000});
  floats o = sn::empty<float>({2000});
  o(sn::slice(0, sn::_, 2)) = 2 * x;
  o(sn::slice(1, sn::_, 2)) = y + 1;
  for (const ir::target where : {ir::target::cpu, ir::target::gpu}) {
    CHECK(plan_for({o}, where).kernels.size() == 1);
  }
  const floats pairs = sn::stack({2 * x, y + 1}, 1);
  CHECK(o.to_host() == sn::reshape(pairs, {2000}).to_host());
}

TEST_CASE("joins_of_updates: what is whole before is joined, what comes after stays") {
  const std::string text = joined(assigned({0, 4, 8, 0}, "1", "float32"));
  CHECK(updates(text) == 0);  // the last one is complete, too
  CHECK(updates(joined(assigned({0, 4, 8, 5}, "1", "float32"))) == 1);
}

TEST_CASE("joins_of_updates: what many windows come to is one kernel, and nothing is stored") {
  const floats x = stored({80, 90}), w = stored({65});
  for (const int count : {17, 33, 64, 65}) {
    for (const int axis : {0, 2}) {
      INFO(count << " along " << axis);
      std::vector<floats> parts;
      for (int k = 0; k < count; ++k) {
        parts.push_back(x(sn::slice(k / 9, k / 9 + 70), sn::slice(k % 9, k % 9 + 80)));
      }
      const auto all = [&] { return sn::stack(parts, axis); };
      floats sum = parts[0], most = parts[0], weighted = w(0) * parts[0];
      for (int k = 1; k < count; ++k) {
        const floats& next = parts[static_cast<std::size_t>(k)];
        sum = sum + next;
        most = sn::maximum(most, next);
        weighted = weighted + w(k) * next;
      }
      const floats weights = sn::reshape(w(sn::slice(0, count)), axis ? sn::int_list{count}
                                                                     : sn::int_list{count, 1, 1});
      const floats by_axis = sn::sum(all(), axis), most_by_axis = sn::max(all(), axis),
                   weighted_by_axis = sn::sum(weights * all(), axis);
      for (const auto target : {ir::target::cpu, ir::target::gpu}) {
        for (const floats& r : {by_axis, most_by_axis, weighted_by_axis}) {
          CHECK((plan_for({r}, target).kernels.size() == 1) == (count <= 64));
        }
      }
      CHECK(sn::array_equal(most_by_axis, most));
      CHECK(sn::allclose(by_axis, sum));
      CHECK(sn::allclose(weighted_by_axis, weighted));
      const auto ten = [&](const floats& x) {
        return axis ? floats(x(sn::ellipsis, sn::slice(3, 13))) : floats(x(sn::slice(3, 13)));
      };
      const auto [of_ten, of_all] = [&] {
        const floats shared = all();
        return std::pair<floats, floats>(sn::sum(ten(shared), axis), sn::sum(shared, axis));
      }();
      CHECK((plan_for({of_ten, of_all}, ir::target::cpu).kernels.size() <= 2) == (count <= 64));
      const std::vector<floats> some(parts.begin() + 3, parts.begin() + 13);
      CHECK(sn::allclose(of_ten, sn::sum(sn::stack(some), 0)));
      const floats together = all();
      const floats last = axis ? together(sn::_, sn::_, count - 1) : together(count - 1);
      CHECK(sn::array_equal(last, parts.back()));
    }
  }
}

TEST_CASE("joins_of_updates: who reads many windows otherwise has them in memory") {
  const floats x = stored({80, 90});
  std::vector<floats> parts;
  for (int k = 0; k < 20; ++k) parts.push_back(x(sn::slice(k, k + 50)));
  const floats all = sn::stack(parts);
  const auto largest = sn::argmax(all, 0);
  const floats total = sn::sum(all, 0), along = sn::sum(all, 2);
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    CHECK(plan_for({largest}, target).kernels.size() > 1);
    CHECK(plan_for({total, along}, target).kernels.size() > 1);
  }
  floats sum = parts[0];
  for (int k = 1; k < 20; ++k) sum = sum + parts[static_cast<std::size_t>(k)];
  CHECK(sn::allclose(total, sum));
  CHECK(sn::allclose(along(7), sn::sum(parts[7], 1)));
  CHECK(sn::array_equal(sn::take_along_axis(all, sn::expand_dims(largest, 0), 0)(0),
                        sn::max(all, 0)));
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
