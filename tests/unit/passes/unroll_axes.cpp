#include "ir/passes/unroll_axes.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace unroll_axes_test {

using namespace passes_tests;
namespace sn = sinter;
using floats = sn::array<float>;

namespace {

/// The operands and the body of the only kernel of a CPU's plan.
std::string code_of(const sn::any_array& root) {
  ir::plan p = plan_for({root});
  REQUIRE(p.kernels.size() == 1);
  p.kernels[0].notes.clear();
  for (ir::inst& i : p.kernels[0].body) i.note = -1;
  const std::string text = ir::print(p.kernels[0]);
  return text.substr(text.find("\nin0") + 1);
}

/// "3 in, 3 out, 9 ops": the only kernel, which walks no axis; else "walks".
std::string counts_of(const sn::any_array& root) {
  const ir::plan p = plan_for({root});
  REQUIRE(p.kernels.size() == 1);
  const ir::kernel& k = p.kernels[0];
  if (k.reduced > 0 || k.kept > 1) return "walks";
  int in = 0, out = 0, ops = 0;
  for (const ir::operand& o : k.operands) {
    in += o.role == ir::operand_role::input && o.apart > 0;
    out += o.role == ir::operand_role::output && o.apart > 0;
  }
  for (const ir::inst& i : k.body) ops += i.kind == ir::inst_kind::compute;
  return std::to_string(in) + " in, " + std::to_string(out) + " out, " + std::to_string(ops) +
         " ops";
}

}  // namespace

TEST_CASE("unroll_axes: a map along short rows is written out") {
  CHECK(code_of(floats(stored({9000, 2}) * stored({2}))) ==
        "in0 = input float32 [zero]\n"
        "in1 = input float32 [any] apart 2\n"
        "out0 = output float32 [any] apart 2\n"
        "in2 = input float32 [zero]\n"
        "in3 = input float32 [any] apart 2 turn 1 of in1\n"
        "out1 = output float32 [any] apart 2 turn 1 of out0\n"
        "v0 = load float32 in0\n"
        "v1 = load float32 in1\n"
        "v2 = multiply float32 v0 v1\n"
        "v3 = load float32 in2\n"
        "v4 = load float32 in3\n"
        "v5 = multiply float32 v3 v4\n"
        "v6 = store float32 out0 v2\n"
        "v7 = store float32 out1 v5\n");
}

TEST_CASE("unroll_axes: a sum goes along its row, from zero on") {
  CHECK(code_of(floats(sn::sum(stored({9000, 2}), {.axis = 1}))) ==
        "in0 = input float32 [any] apart 2\n"
        "in1 = input float32 [any] apart 2 turn 1 of in0\n"
        "out0 = output float32 [one]\n"
        "v0 = constant float32 0\n"
        "v1 = load float32 in0\n"
        "v2 = add float32 v0 v1\n"
        "v3 = load float32 in1\n"
        "v4 = add float32 v2 v3\n"
        "v5 = store float32 out0 v4\n");
}

TEST_CASE("unroll_axes: what is the same along a row is computed once") {
  const floats x = stored({6000, 3}), y = stored({6000, 1});
  CHECK(counts_of(floats(x * sn::exp(y))) == "3 in, 3 out, 4 ops");
  // Three differences, squares and sums; a root; three quotients.
  const floats d = x - y;
  CHECK(counts_of(floats(d / sn::sqrt(sn::sum(d * d, {.axis = 1, .keepdims = true})))) ==
        "3 in, 3 out, 13 ops");
}

TEST_CASE("unroll_axes: a place in a row is a known number") {
  const floats x = stored({6000, 3}), y = stored({6000, 3});
  CHECK(counts_of(floats(sn::linalg::cross(x, y))) == "6 in, 3 out, 9 ops");
  CHECK(counts_of(floats(sn::roll(x, 1, {.axis = 1}) + y)) == "6 in, 3 out, 3 ops");
  const floats a = x(sn::_, 0), b = y(sn::_, 1), c = sn::exp(y(sn::_, 2));
  const floats z = sn::stack({a, b, c}, 1);
  CHECK(counts_of(z) == "3 in, 3 out, 1 ops");
}

TEST_CASE("unroll_axes: rows that are summed, of pieces side by side, walk along the pieces") {
  const floats low = stored({300, 640}), high = stored({300, 640}), gain = stored({300, 20, 1});
  const floats pairs = sn::stack({low, floats(sn::exp(high))}, -1);
  const floats groups = pairs.reshape({300, 20, -1}) * gain;
  const floats y = sn::sum(groups.reshape({300, -1}), {.axis = 1});
  CHECK(code_of(y) ==
        "in0 = input float32 [any, any, one]\n"
        "in1 = input float32 [any, any, zero]\n"
        "in2 = input float32 [any, any, one]\n"
        "out0 = output float32 [any, zero, zero]\n"
        "v0 = each load float32 in0\n"
        "v1 = each load float32 in1\n"
        "v2 = each multiply float32 v0 v1\n"
        "v3 = each load float32 in2\n"
        "v4 = each exp float32 v3\n"
        "v5 = each multiply float32 v4 v1\n"
        "v6 = each add float32 v2 v5\n"
        "v7 = reduce add float32 v6\n"
        "v8 = store float32 out0 v7\n");
  const floats whole = groups;
  sn::eval(whole, y);
  CHECK(sn::allclose(y, sn::sum(whole.reshape({300, -1}), {.axis = 1})).item());
}

TEST_CASE("unroll_axes: rows of many pieces that have borders of their own are written out") {
  const floats image = stored({480, 640});
  const auto rolled = [&](int n) {
    std::vector<floats> all;
    for (int k = 0; k < n; ++k) all.push_back(sn::roll(image, {k - 4, k % 3 - 1}, {0, 1}));
    return sn::stack(all, -1);
  };
  for (const int n : {7, 9, 16}) {
    const ir::plan p = plan_for({rolled(n)});
    REQUIRE(p.kernels.size() == 1);
    const auto stores = std::ranges::count_if(p.kernels[0].operands, [](const ir::operand& o) {
      return o.role == ir::operand_role::output;
    });
    CHECK(stores == n);
    CHECK(p.kernels[0].kept == 2);
  }
}

TEST_CASE("vectors are narrow where many operands are read lane by lane") {
  const auto vector_of = [](std::int64_t columns) {
    const auto bits = stored({9001, columns}) > 0.5f;
    const sn::array<bool> flags = bits;
    sn::eval(flags);
    const ir::plan p = plan_for({sn::packbits(flags, {.axis = -1})});
    int widest = 0;
    for (const ir::kernel& k : p.kernels) widest = std::max(widest, k.schedule.vector);
    return widest;
  };
  CHECK(vector_of(30) <= 8);
  CHECK(vector_of(8) >= 16);
}

TEST_CASE("unroll_axes: stacks of small matrices are written out along both axes") {
  const floats m = stored({3000, 2, 3}), v = stored({3000, 1, 3});
  CHECK(counts_of(floats(sn::sum(m * v, {.axis = 2}))) == "9 in, 2 out, 12 ops");
}

TEST_CASE("unroll_axes: channels become planes, and planes channels") {
  const auto pixels = stored({100, 64, 3}), planes = stored({3, 100, 64});
  CHECK(counts_of(floats(-sn::permute_dims(pixels, {2, 0, 1}))) == "3 in, 0 out, 3 ops");
  CHECK(counts_of(floats(-sn::permute_dims(planes, {1, 2, 0}))) == "0 in, 3 out, 3 ops");
  CHECK(counts_of(floats(-sn::permute_dims(stored({100, 64, 9}), {2, 0, 1}))) == "walks");
  const auto x = sn::arange<float>(600).reshape(10, 20, 3).to_array();
  const auto y = floats(sn::permute_dims(x, {2, 0, 1}) * 2);
  CHECK(y(1, 7, 11).item() == 2 * x(7, 11, 1).item());
  CHECK(sn::all(sn::permute_dims(y, {1, 2, 0}) + 1 == 2 * x + 1).item());
}

TEST_CASE("unroll_axes: pixels of bytes that are read otherwise than stored are dealt out") {
  using bytes = sn::array<std::uint8_t>;
  const auto of = [](const floats& x) { return sn::astype<std::uint8_t>(x * 255.0f); };
  const bytes four = of(stored({100, 164, 4})), three = of(stored({100, 164, 3}));
  sn::eval(four, three);
  const bytes mixed = four(sn::_, sn::_, sn::slice(0, 3)) * 2 +
                      three * four(sn::_, sn::_, sn::slice(3, 4));
  const ir::plan p = plan_for({mixed}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 1);
  const ir::schedule& s = p.kernels[0].schedule;
  CHECK(p.kernels[0].kept == 1);
  CHECK(s.vector == 4);
  const std::int64_t blocks = p.steps[0].blocks.peek(), pixels = 16400;
  CHECK(blocks * s.tile >= pixels);
  CHECK((blocks - 1) * s.tile < pixels);
  const bytes all = sn::copy(mixed);
  for (const std::int64_t c : {0, 1, 2}) {
    const bytes one = four(sn::_, sn::_, c) * 2 +
                      three(sn::_, sn::_, c) * four(sn::_, sn::_, 3);
    CHECK(sn::array_equal(all(sn::_, sn::_, c), one));
  }
}

TEST_CASE("unroll_axes: the same numbers as along rows") {
  const std::int64_t n = 4000;  // a multiple of a vector, plus a remainder
  const floats x = stored({n, 5});
  const auto row = [&](std::int64_t i) { return floats(x(i)); };
  const auto check_rows = [&](auto f) {
    const auto all = f(x, 1);
    for (std::int64_t i : {std::int64_t{0}, std::int64_t{17}, n - 1}) {
      CHECK(sn::array_equal(all(i), f(row(i), 0)));
    }
  };
  check_rows([](const floats& a, int axis) { return sn::argmax(a, {.axis = axis}); });
  check_rows([](const floats& a, int axis) { return sn::argmin(a, {.axis = axis}); });
  check_rows([](const floats& a, int axis) { return sn::max(a, {.axis = axis}); });
  check_rows([](const floats& a, int axis) { return sn::any(a > 0.9f, {.axis = axis}); });
  check_rows([](const floats& a, int axis) { return sn::flip(a, axis) * 2.0f; });
}

TEST_CASE("unroll_axes: extremes, of NaN the first, and sums of -0") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  floats x = sn::zeros<float>({6000, 3});
  x(3, 1) = nan;
  x(3, 2) = nan;
  x(4, 2) = -1.0f;
  const sn::array<std::int64_t> most = sn::argmax(x, {.axis = 1});
  const sn::array<std::int64_t> least = sn::argmin(x, {.axis = 1});
  CHECK(most(3).item() == 1);
  CHECK(least(3).item() == 1);
  CHECK(most(4).item() == 0);
  CHECK(least(4).item() == 2);
  CHECK(std::isnan(floats(sn::max(x, {.axis = 1}))(3).item()));
  const floats zeros = -sn::zeros<float>({6000, 3});
  CHECK_FALSE(std::signbit(floats(sn::sum(zeros, {.axis = 1}))(7).item()));
}

TEST_CASE("unroll_axes: on a GPU where sharing an axis saves work, and rows are short and many") {
  const auto turns = [](const sn::any_array& root) {
    const ir::plan p = plan_for({root}, ir::target::gpu);
    REQUIRE(p.kernels.size() == 1);
    int in = 0, out = 0;
    for (const ir::operand& o : p.kernels[0].operands) {
      if (o.apart == 0) continue;
      ++(o.role == ir::operand_role::input ? in : out);
    }
    return std::to_string(in) + " in, " + std::to_string(out) + " out";
  };
  const floats x = stored({1000, 3}), y = stored({1000, 3}), t = stored({1000, 1});
  CHECK(turns(floats(sn::linalg::cross(x, y))) == "6 in, 3 out");
  CHECK(turns(floats(x * sn::sin(t))) == "3 in, 3 out");
  CHECK(turns(floats(x * y)) == "0 in, 0 out");
  CHECK(turns(floats(x(sn::_, 0) * x(sn::_, 1) + x(sn::_, 2))) == "3 in, 0 out");
  CHECK(turns(floats(x(sn::_, 0) * x(sn::_, 2))) == "0 in, 0 out");
  const floats many = stored({200000, 3});
  CHECK(turns(floats(sn::sum(many, {.axis = 1}))) == "3 in, 0 out");
  CHECK(turns(floats(many / sn::sum(many, {.axis = 1, .keepdims = true}))) == "0 in, 0 out");
  const floats pairs = stored({200000, 2});
  CHECK(turns(floats(pairs / sn::sum(pairs, {.axis = 1, .keepdims = true}))) == "2 in, 2 out");
  CHECK(turns(floats(sn::sum(x, {.axis = 1}))) == "0 in, 0 out");
}

TEST_CASE("unroll_axes: rows that indices pick are read along, by vectors of their own elements") {
  const auto walk = [](const sn::any_array& root) {
    const ir::plan p = plan_for({root}, ir::target::gpu);
    const ir::kernel& k = p.kernels.back();
    return std::to_string(k.kept + k.reduced) + " axes, vector " +
           std::to_string(k.schedule.vector);
  };
  const sn::array<int> places = sn::random::integers<int>(100000, {.seed = 5, .high = 5000});
  const sn::array<int> bags = sn::random::integers<int>({9000, 7}, {.seed = 6, .high = 5000});
  const floats table = stored({5000, 16}), pairs = stored({5000, 2});
  const sn::array<sn::bfloat16> halves = sn::astype<sn::bfloat16>(table);
  sn::eval(places, bags, halves);
  CHECK(walk(floats(table(places))) == "2 axes, vector 4");
  CHECK(walk(floats(table(places) * pairs(places, 1)(sn::_, sn::newaxis))) == "2 axes, vector 4");
  CHECK(walk(sn::array<sn::bfloat16>(halves(places))) == "2 axes, vector 8");
  CHECK(walk(floats(sn::sum(table(places), 1))) == "2 axes, vector 4");
  CHECK(walk(floats(sn::sum(table(bags), 1))) == "3 axes, vector 4");
  CHECK(walk(floats(pairs(places))) == "2 axes, vector 2");
}

TEST_CASE("unroll_axes: a reduction of a short row is written out beside what asks for the place") {
  const sn::array<std::uint8_t> pixels = sn::astype<std::uint8_t>(stored({90000, 3}) * 255);
  sn::eval(pixels);
  const floats f = sn::astype<float>(pixels) / 255.0f, v = sn::max(f, 1), c = v - sn::min(f, 1);
  const auto channel = [&](int k) { return floats(f(sn::_, k)); };
  const floats hue = sn::where(v == channel(0), sn::mod((channel(1) - channel(2)) / c, 6.0f),
                               (channel(0) - channel(1)) / c + 4);
  const ir::plan p =
      plan_for({floats(sn::stack<float>({hue, c / v, v}, 1))}, ir::target::gpu);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].reduced == 0);
  CHECK(p.kernels[0].kept == 1);
  const auto quotients = std::ranges::count_if(p.kernels[0].body, [](const ir::inst& i) {
    return i.kind == ir::inst_kind::compute && i.code == ir::op::divide;
  });
  CHECK(quotients == 6);
}

TEST_CASE("unroll_axes: what a GPU's thread reads at once is aligned") {
  constexpr std::int64_t n = 40000;
  const auto turns = [](std::int64_t columns) {
    const floats wide = stored({n, columns});
    const floats rows = wide(sn::_, sn::slice{0, 24}).reshape({n, 6, 4});
    const auto at = [&](int i) { return floats(rows(sn::_, sn::_, i)); };
    const ir::plan p = plan_for({floats(at(0) * at(1) + at(2) * at(3))}, ir::target::gpu);
    REQUIRE(p.kernels.size() == 1);
    return std::ranges::count_if(p.kernels[0].operands, [](const auto& o) { return o.apart > 0; });
  };
  CHECK(turns(24) == 4);
  CHECK(turns(28) == 4);
  // A thread's two rows are eight floats, in two accesses.
  CHECK(turns(26) == 0);
}

TEST_CASE("unroll_axes: what is long, scanned, or costs much, walks") {
  const floats x = stored({6000, 3}), wide = stored({300, 17});
  CHECK(counts_of(floats(wide * stored({17}))) == "walks");
  CHECK(counts_of(floats(sn::cumsum(x, {.axis = 1}))) == "walks");
  floats dear = x * stored({3});
  for (int i = 0; i < 40; ++i) dear += sn::sin(x * i) * sn::exp(x - i);
  CHECK(counts_of(dear) == "walks");
}

TEST_CASE("unroll_axes: rows of nothing") {
  CHECK(floats(sn::sum(sn::zeros<float>({300, 0}), {.axis = 1}))(7).item() == 0.0f);
  CHECK(floats(sn::sum(sn::zeros<float>({0, 257}), {.axis = 0}))(7).item() == 0.0f);
}

TEST_CASE("unroll_axes: rows are written out in place") {
  floats x = stored({1000, 3});
  const floats row = stored({3}), before = sn::copy(x);
  sn::eval(before);
  x *= row;
  CHECK(sn::array_equal(floats(x(999)), floats(before(999) * row)));
  CHECK(sn::array_equal(floats(x(0)), floats(before(0) * row)));
}

TEST_CASE("unroll_axes: places of a row have one array's memory to take, named once") {
  const ir::plan p = plan_of(R"(%0 = source float32 [9000, 3]
%1 = source float32 [3]
%2 = view float32 [9000, 3] (%1) strides [0, 1]
%3 = map float32 [9000, 3] (%0, %2) { v2 = multiply float32 v0 v1 }
return %3
)");
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].operands.size() > 3);  // unrolled
  CHECK(p.steps[0].donors.size() == 1);
}

TEST_CASE("unroll_axes: a row that is written out is not put over what the next one is read from") {
  // Five columns from the first on, stored `offset` elements further.
  const auto in_place = [](const std::string& offset) {
    const ir::plan p = plan_of(R"(%0 = source float32 [2049, 7]
%1 = view float32 [2047, 5] (%0) strides [7, 1]
%2 = update float32 [2049, 7] (%0, %1) offset )" + offset + " strides [7, 1]\nreturn %2\n");
    return std::ranges::any_of(p.steps, [](const auto& step) { return !step.donors.empty(); });
  };
  CHECK(!in_place("8"));  // each written place but the last is read one row later
  CHECK(in_place("2"));   // within a row all reads precede the writes
}

TEST_CASE("unroll_axes: not what is part of a longer axis, of few elements, or one for all") {
  const auto inputs = [](const floats& y) {
    const ir::plan p = plan_for({y}, ir::target::cpu);
    std::size_t most = 0;
    for (const ir::kernel& k : p.kernels) most = std::max(most, k.operands.size());
    return most;
  };
  const floats gain = stored({16});
  CHECK(inputs(stored({8, 16, 8, 8}) * sn::rsqrt(gain)(sn::_, sn::newaxis, sn::newaxis)) == 3);
  CHECK(inputs(floats(stored({12, 16}) - sn::log(stored({12}))(sn::_, sn::newaxis))) <= 3);
  const floats steps = sn::linspace<float>(0, 1, 50);
  CHECK(inputs(floats(stored({4000, 8}) * steps(7))) <= 3);
}

TEST_CASE("unroll_axes: a CPU walks along rows of eight and more that are read under conditions") {
  const auto stores = [](std::int64_t row) {
    const floats x = stored({60, 70, row});
    const ir::plan p =
        plan_for({floats(sn::roll(x, 1, 2) + sn::roll(x, -1, 1) + x)}, ir::target::cpu);
    REQUIRE(p.kernels.size() == 1);
    return std::ranges::count_if(
        p.kernels[0].body, [](const ir::inst& i) { return i.kind == ir::inst_kind::store; });
  };
  CHECK(stores(7) == 7);
  for (const std::int64_t row : {8, 12, 16, 17}) CHECK(stores(row) == 1);
}

}  // namespace unroll_axes_test
