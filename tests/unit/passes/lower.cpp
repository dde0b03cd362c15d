// Launches: what is split, and where each part begins.
#include "ir/passes/lower.hpp"

#include <set>
#include <string>

#include "engine/evaluation/nominal_gpu.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace lower_test {

using namespace passes_tests;
using namespace std::string_literals;

namespace {

constexpr ir::extent limit = ir::extent{1} << 31;

/// The values in a step's slots of one kind.
std::vector<ir::slot_value> slots(const ir::plan& p, const ir::plan_step& s, ir::slot_kind kind) {
  std::vector<ir::slot_value> out;
  const auto all = ir::slots_of(p.kernels[static_cast<std::size_t>(s.kernel)]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == kind) out.push_back(s.slots[i]);
  }
  return out;
}

ir::extent elements(const ir::plan& p, const ir::plan_step& s) {
  ir::extent n = 1;
  for (const auto& e : slots(p, s, ir::slot_kind::extent)) n *= static_cast<ir::extent>(e.bits);
  return n;
}

std::string negated(const std::string& shape) {
  return "%0 = source float32 " + shape + "\n%1 = map float32 " + shape +
         " (%0) { v1 = negative float32 v0 }\nreturn %1\n";
}

std::string swapped(const std::string& from, const std::string& to, const std::string& strides) {
  return "%0 = source int8 " + from + "\n%1 = view int8 " + to + " (%0) strides " + strides +
         "\n%2 = map int8 " + to + " (%1) { v1 = negative int8 v0 }\nreturn %2\n";
}

/// One kernel split into launches below the limit, which together cover every element.
void check_cut(const ir::plan& p, ir::extent whole) {
  REQUIRE(p.kernels.size() == 1);
  ir::extent sum = 0;
  for (const ir::plan_step& s : p.steps) {
    const ir::extent n = elements(p, s);
    ir::shape_t extents;
    for (const auto& e : slots(p, s, ir::slot_kind::extent)) {
      extents.push_back(static_cast<ir::extent>(e.bits));
    }
    CHECK(n < limit);
    CHECK(s.blocks == ir::blocks_of(p.kernels[0], extents, 1));
    sum += n;
  }
  CHECK(sum == whole);
}

}  // namespace

TEST_CASE("lower: an array of 2^33 elements takes five launches on a GPU and one on a CPU") {
  const std::string text = negated("[8589934592]");
  const ir::plan p = plan_of(text, gpu());
  CHECK(p.steps.size() == 5);
  check_cut(p, limit * 4);
  CHECK(plan_of(text).steps.size() == 1);
}

TEST_CASE("lower: the parts begin where the last one ended, at whole tiles") {
  const ir::plan p = plan_of(negated("[5000000000]"), gpu());
  REQUIRE(p.steps.size() == 3);
  const auto tile = static_cast<ir::extent>(p.kernels[0].schedule.tile);
  ir::extent at = 0;
  for (const ir::plan_step& s : p.steps) {
    CHECK(at % tile == 0);
    for (const auto& pointer : slots(p, s, ir::slot_kind::pointer)) {
      CHECK(pointer.bits == static_cast<std::uint64_t>(at) * sizeof(float));
    }
    at += elements(p, s);
  }
  CHECK(at == 5000000000);
}

TEST_CASE("lower: below 2^31 elements one launch will do") {
  CHECK(plan_of(negated("[2147483647]"), gpu()).steps.size() == 1);
  CHECK(plan_of(negated("[2147483648]"), gpu()).steps.size() == 2);
}

TEST_CASE("lower: rows are cut in runs of whole rows, or inside of one") {
  check_cut(plan_of(swapped("[70000, 70000]", "[70000, 70000]", "[1, 70000]"), gpu()), 4900000000);
  const ir::plan long_rows =
      plan_of(swapped("[500000000, 12]", "[12, 500000000]", "[1, 12]"), gpu());
  check_cut(long_rows, 6000000000);
  REQUIRE(long_rows.steps.size() == 3);
  const auto first = elements(long_rows, long_rows.steps[0]);
  CHECK(slots(long_rows, long_rows.steps[1], ir::slot_kind::pointer)[0].bits ==
        static_cast<std::uint64_t>(first));
}

TEST_CASE("lower: no element of a sum over a reshape is taken apart, in parts or not") {
  const ir::plan p = plan_of(R"(%0 = source int32 [1000000, 16]
%1 = view int32 [1000000, 16, 8] (%0) strides [16, 1, 0]
%2 = iota int64 [8]
%3 = map int32 [8] (%2) { v1 = cast int64 -> int32 v0 }
%4 = view int32 [1000000, 16, 8] (%3) strides [0, 0, 1]
%5 = map int32 [1000000, 16, 8] (%1, %4) { v2 = add int32 v0 v1 }
%6 = view int32 [1000000, 128] (%5) strides [128, 1]
%7 = reduce int32 [128] (%6) add over [0]
return %7
)", gpu());
  CHECK(p.kernels.size() == 2);
  for (const ir::kernel& k : p.kernels) {
    for (const ir::operand& o : k.operands) CHECK(o.access.unravel == 0);
  }
}

TEST_CASE("lower: the numbers of elements go on where the last launch ended") {
  const ir::plan p = plan_of(R"(%0 = random uint32 [3000000000] seed 1
return %0
)", gpu());
  REQUIRE(p.steps.size() == 2);
  CHECK(slots(p, p.steps[0], ir::slot_kind::start)[0].bits == 0);
  CHECK(slots(p, p.steps[1], ir::slot_kind::start)[0].bits ==
        static_cast<std::uint64_t>(elements(p, p.steps[0])));
}

TEST_CASE("lower: a long row is cut in chunks, whose results another kernel combines") {
  const ir::plan p = plan_of(R"(%0 = source float32 [1000000]
%1 = reduce float32 [] (%0) add over [0]
return %1
)");
  REQUIRE(p.steps.size() == 2);
  CHECK(p.kernels[0].schedule.split);
  CHECK_FALSE(p.kernels[1].schedule.split);
  const auto splits = slots(p, p.steps[0], ir::slot_kind::splits)[0].bits;
  const auto chunk = slots(p, p.steps[0], ir::slot_kind::chunk)[0].bits;
  CHECK(splits * chunk >= 1000000);
  CHECK((splits - 1) * chunk < 1000000);
  CHECK(p.steps[0].blocks == static_cast<std::int64_t>(splits));
  CHECK(slots(p, p.steps[1], ir::slot_kind::extent)[1].bits == splits);
}

TEST_CASE("lower: a row whose elements take long to compute is cut where others are not") {
  const auto sum_of = [](int length, const std::string& type, int quotients) {
    const std::string n = "[" + std::to_string(length) + "]";
    std::string formula = "v1 = sqrt " + type + " v0";
    for (int i = 2; i < 2 + quotients; ++i) {
      formula += "; v" + std::to_string(i) + " = divide " + type + " v0 v" + std::to_string(i - 1);
    }
    return "%0 = source " + type + " " + n + "\n%1 = map " + type + " " + n + " (%0) { " + formula +
           " }\n%2 = reduce " + type + " [] (%1) add over [0]\nreturn %2\n";
  };
  const ir::machine m = sinter::detail::nominal_machine();
  CHECK(plan_of(sum_of(10000, "float64", 4), m).steps.size() == 2);
  CHECK(plan_of(sum_of(10000, "float64", 0), m).steps.size() == 1);
  CHECK(plan_of(sum_of(10000, "float32", 1), m).steps.size() == 1);
  CHECK(plan_of(sum_of(1000, "float64", 4), m).steps.size() == 1);
  ir::machine host;
  host.units = 2;
  host.arithmetic = 1e11;
  CHECK(plan_of(sum_of(40000, "float64", 4), host).steps.size() == 2);
  CHECK(plan_of(sum_of(4000, "float64", 4), host).steps.size() == 1);
  host.units = 1;
  host.arithmetic = 5e10;
  CHECK(plan_of(sum_of(40000, "float64", 4), host).steps.size() == 2);
}

TEST_CASE("lower: few columns are shared by several blocks, positions in words too") {
  const auto columns = [](const std::string& type, const std::string& op) {
    return "%0 = source float32 [4096, 8]\n%1 = reduce " + type + " [8] (%0) " + op +
           " over [0]\nreturn %1\n";
  };
  CHECK(plan_of(columns("float32", "add"), gpu()).steps.size() == 2);
  CHECK(plan_of(columns("int64", "arg maximum"), gpu()).steps.size() == 2);
}

TEST_CASE("lower: an update without a value is a copy of its base") {
  const ir::plan p = plan_of(R"(%0 = source float32 [8]
%1 = source float32 [0]
%2 = update float32 [8] (%0, %1) strides [1]
return %2
)");
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].what == ir::plan_step::kind::copy);
}

TEST_CASE("lower: what is stored is not read outside of a pad, however it was made") {
  ir::machine m;
  m.fuse = false;
  for (const std::string& made : {"iota int64 [3]"s, "random uint64 [3] seed 7"s}) {
    const std::string type = made.substr(made.find(' '), made.find('[') - made.find(' '));
    const ir::plan p = plan_of("%0 = source bool [8]\n%1 = " + made + "\n%2 = pad" + type +
                               "[8] (%1, %0) offset -5 strides [1]\nreturn %2\n", m);
    REQUIRE(p.kernels.size() == 2);
    CHECK(ir::print(p.kernels[1]).find("= gather") != std::string::npos);
    CHECK(ir::print(p.kernels[1]).find("where") == std::string::npos);
  }
}

TEST_CASE("lower: nothing runs for empty arrays") {
  CHECK(plan_of(negated("[0, 5]")).steps.empty());
  CHECK(plan_of(R"(%0 = source float32 [0, 5]
%1 = reduce float32 [5] (%0) add over [0]
return %1
)").steps.size() == 1);
}

TEST_CASE("a call is one step, whatever of it is wanted") {
  const ir::plan p = plan_of(R"(%0 = source float32 [4, 3]
%1 = call int32 [] (%0) factor [7]
%2 = result float32 [4, 3] (%1) 1
%3 = result float32 [3, 3] (%1) 3
%4 = map float32 [3, 3] (%3) { v1 = exp float32 v0 }
return %2, %4
)");
  REQUIRE(p.steps.size() == 2);
  const ir::plan_step& s = p.steps[0];
  CHECK(s.routine == "factor");
  CHECK(ir::plain(s.attributes) == std::vector<std::int64_t>{7});
  REQUIRE(s.outputs.size() == 4);
  CHECK(s.outputs[0] >= 0);
  CHECK(s.outputs[1] == p.outputs[0]);
  CHECK(s.outputs[2] == -1);
  CHECK(s.shapes == std::vector<ir::shape_t>{{4, 3}, {}, {4, 3}, {}, {3, 3}});
  CHECK(s.types[1] == sinter::dtype::int32);
  CHECK(p.steps[1].inputs == std::vector<std::int32_t>{s.outputs[3]});
}

TEST_CASE("lower: a complex scalar is two numbers, halves of a word or words of their own") {
  const auto parts = [](const std::string& type) {
    const ir::plan p = plan_of("%0 = source " + type + " [8]\n%1 = scalar " + type +
                               " [] (2, 3)\n%2 = map " + type + " [8] (%0, %1) { v2 = multiply " +
                               type + " v0 v1 }\nreturn %2\n");
    return slots(p, p.steps.at(0), ir::slot_kind::scalar);
  };
  const auto narrow = parts("complex64"), wide = parts("complex128");
  REQUIRE(narrow.size() == 2);
  CHECK((narrow[0].narrow && narrow[0].shift == 0 && narrow[0].word == 0));
  CHECK((narrow[1].narrow && narrow[1].shift == 32 && narrow[1].word == 0));
  REQUIRE(wide.size() == 2);
  CHECK((!wide[0].narrow && wide[0].word == 0 && wide[0].shift == 0));
  CHECK((!wide[1].narrow && wide[1].word == 1 && wide[1].shift == 0));
}

TEST_CASE("lower: what divides on a GPU is passed with what stands for it") {
  const std::string text = R"(%0 = source int32 [8]
%1 = scalar int32 [] 7
%2 = map int32 [8] (%0, %1) { v2 = modulus int32 v0 v1; v3 = add int32 v2 v1 }
return %2
)";
  const ir::plan on_gpu = plan_of(text, gpu()), on_cpu = plan_of(text);
  const auto over = slots(on_gpu, on_gpu.steps.at(0), ir::slot_kind::over);
  REQUIRE(over.size() == 1);
  CHECK((over[0].divides && over[0].type == sinter::dtype::int32 && over[0].index == 0));
  CHECK(slots(on_cpu, on_cpu.steps.at(0), ir::slot_kind::over).empty());
}

TEST_CASE("lower: scalars and random seeds are counted in the order of the graph") {
  const ir::plan p = plan_of(R"(%0 = scalar float32 [] 2
%1 = random uint32 [8] seed 1
%2 = scalar float32 [] 3
%3 = map float32 [8] (%1, %2) { v2 = cast uint32 -> float32 v0; v3 = multiply float32 v2 v1 }
%4 = map float32 [8] (%3, %0) { v2 = add float32 v0 v1 }
return %4
)");
  std::set<std::int32_t> seen;
  for (const auto& s : slots(p, p.steps.at(0), ir::slot_kind::scalar)) seen.insert(s.index);
  CHECK(seen == std::set<std::int32_t>{0, 1, 2});
}

TEST_CASE("lower: a view begins at its first element") {
  const ir::plan p = plan_of(R"(%0 = source float64 [100]
%1 = view float64 [10] (%0) offset 90 strides [-10]
%2 = map float64 [10] (%1) { v1 = exp float64 v0 }
return %2
)");
  const auto pointers = slots(p, p.steps.at(0), ir::slot_kind::pointer);
  REQUIRE(pointers.size() == 2);
  CHECK(pointers[0].bits == 90 * sizeof(double));
  CHECK(static_cast<std::int64_t>(slots(p, p.steps[0], ir::slot_kind::stride).at(0).bits) == -10);
}

TEST_CASE("lower: a reshape of a transpose passes what unravels it") {
  const ir::plan p = plan_of(R"(%0 = source float32 [6, 4]
%1 = view float32 [4, 6] (%0) strides [1, 4]
%2 = view float32 [3, 8] (%1) strides [8, 1]
%3 = map float32 [3, 8] (%2) { v1 = exp float32 v0 }
return %3
)");  // 8 is not a multiple of rows of 6
  const auto strides = slots(p, p.steps.at(0), ir::slot_kind::unravel_stride);
  REQUIRE(strides.size() == 2);
  CHECK(strides[0].bits == 1);
  CHECK(strides[1].bits == 4);
}

TEST_CASE("lower: kernels are named after their ops, and keep the statements they come from") {
  const ir::plan p = plan_of(R"(%0 = source float32 [8]
%1 = map float32 [8] (%0) { v1 = exp float32 v0; v2 = sin float32 v1 }  @a.cpp:3
%2 = map float32 [8] (%1) { v1 = sqrt float32 v0 }  @b.cpp:7
return %2
)");
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].name == "map_exp_sin_sqrt_0");
  CHECK(p.kernels[0].notes == std::vector<std::string>{"a.cpp:3", "b.cpp:7"});
  CHECK(p.origins[static_cast<std::size_t>(p.steps[0].origin)] == "b.cpp:7");
}

TEST_CASE("lower: reports count the bytes that are touched, each once") {
  const auto bytes = [](const std::string& text) {
    const ir::plan p = plan_of(text);
    return std::pair<std::int64_t, std::int64_t>(p.reports.at(0).bytes_read,
                                                 p.reports.at(0).bytes_written);
  };
  // A broadcast row is read once.
  CHECK(bytes(R"(%0 = source float32 [64, 300]
%1 = source float32 [300]
%2 = view float32 [64, 300] (%1) strides [0, 1]
%3 = map float32 [64, 300] (%0, %2) { v2 = add float32 v0 v1 }
return %3
)") == std::pair<std::int64_t, std::int64_t>(64 * 300 * 4 + 300 * 4, 64 * 300 * 4));
  // Of a sliced array, only the slice.
  CHECK(bytes(R"(%0 = source int16 [1000]
%1 = view int16 [10] (%0) offset 5 strides [7]
%2 = map int32 [10] (%1) { v1 = cast int16 -> int32 v0 }
return %2
)") == std::pair<std::int64_t, std::int64_t>(10 * 2, 10 * 4));
}

TEST_CASE("an index is checked, by a kernel of its own where none has its shape") {
  const std::string text = R"(%0 = source float32 [400]
%1 = source int64 []
%2 = source bool []
%3 = source float32 [2]
%4 = gather float32 [] (%0, %1, %2) strides [] check 0
%5 = view float32 [2] (%4) strides [0]
%6 = map float32 [2] (%5, %3) { v2 = add float32 v0 v1 }
%7 = scan float32 [2] (%6) add over [0]
return %7
)";
  for (const ir::machine& m : {ir::machine(), gpu()}) {
    const ir::plan p = ir::make_plan(ir::parse_graph(text), m);
    int checking = 0;
    for (const ir::plan_step& s : p.steps) {
      for (std::int32_t b : s.outputs) {
        checking += p.buffers[static_cast<std::size_t>(b)].what == ir::plan_buffer::role::status;
      }
    }
    CHECK(checking == 1);
  }
}

TEST_CASE("what is dear is computed by all threads before one adds it up") {
  const auto kernels = [](const std::string& op, int units) {
    ir::machine m;
    m.units = units;
    m.arithmetic = 1e10 * units;
    m.bandwidth = 1e11;
    const std::string text = R"(%0 = source float64 [1000]
%1 = source int64 [1000000]
%2 = source float64 [1000000]
%3 = map float64 [1000000] (%2) { v1 = )" + op + R"( float64 v0 }
%4 = scatter float64 [1000] (%0, %1, %3) sums add strides [0]
return %4
)";
    return ir::make_plan(ir::parse_graph(text), m).kernels.size();
  };
  CHECK(kernels("exp", 16) == 2);
  CHECK(kernels("exp", 1) == 1);
  CHECK(kernels("negative", 16) == 1);
}

}  // namespace lower_test
