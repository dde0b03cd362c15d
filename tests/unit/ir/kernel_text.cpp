// Text of kernels: print and parse are inverse, the key omits names and notes.
#include <random>

#include "ir/error.hpp"
#include "ir/kernel.hpp"
#include "tests/catch.hpp"

namespace kernel_text_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

void check_round_trip(const kernel& k) {
  const std::string text = print(k);
  INFO(text);
  const kernel again = parse_kernel(text);
  CHECK(again.name == k.name);
  CHECK(again.kept == k.kept);
  CHECK(again.reduced == k.reduced);
  CHECK(again.schedule == k.schedule);
  CHECK(again.operands == k.operands);
  CHECK(again.scalars == k.scalars);
  CHECK(again.notes == k.notes);
  REQUIRE(again.body.size() == k.body.size());
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    INFO(i);
    REQUIRE(again.body[i] == k.body[i]);
  }
  CHECK(print(again) == text);
}

std::string message_of(std::string_view text) {
  try {
    parse_kernel(text);
  } catch (const syntax_error& e) {
    return e.what();
  }
  return "";
}

class random_kernel {
 public:
  explicit random_kernel(unsigned seed) : random_(seed) {}

  kernel make() {
    kernel k;
    k.name = "kernel_" + std::to_string(pick(1000));
    k.kept = 1 + pick(3);
    k.reduced = pick(3);
    k.notes = {"b.cpp:1", "a.cpp:2"};
    k.schedule = {static_cast<target>(pick(2)),
                  1 << pick(4),
                  1 + pick(4),
                  pick(1025),
                  pick(3),
                  pick(65),
                  static_cast<lane_axis>(pick(2)),
                  pick(2) == 1,
                  pick(5) * 100,
                  pick(2) * 32,
                  pick(2) * 64,
                  1 << pick(3),
                  pick(2) == 1,
                  pick(9),
                  1 << pick(2),
                  pick(4) - 1,
                  pick(3) - 1,
                  1 + pick(8),
                  1 << pick(4),
                  pick(2) == 1};
    for (int i = 0; i < 5; ++i) {
      operand o{static_cast<operand_role>(pick(3)), type(), {{}, pick(3)}};
      for (int d = k.kept + k.reduced; d > 0; --d) {
        o.access.steps.push_back(static_cast<step>(pick(3)));
      }
      o.reach = static_cast<reach>(pick(3));
      o.like = pick(i + 1) - 1;
      k.operands.push_back(o);
    }
    for (int i = pick(3); i > 0; --i) k.scalars.push_back(type());
    for (int i = 0; i < 15; ++i) k.body.push_back(make_inst());
    return k;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  dtype type() { return static_cast<dtype>(pick(dtype_count)); }

  inst make_inst() {
    inst i{.kind = static_cast<inst_kind>(pick(9)), .type = type(), .result = type()};
    i.inner = pick(2) == 1;
    i.note = pick(3) - 1;
    for (int k = pick(4); k > 0; --k) i.args[k - 1] = pick(30);
    if (i.kind == inst_kind::compute) i.code = static_cast<op>(pick(op_count + 2));
    if (i.kind == inst_kind::reduce) {
      i.code = static_cast<op>(pick(op_count));
      i.arg = pick(2) == 1;
    }
    if (i.kind == inst_kind::constant) i.bits = random_();
    if (i.kind == inst_kind::scalar) i.which = pick(9);
    if (i.kind == inst_kind::load || i.kind == inst_kind::gather ||
        i.kind == inst_kind::store || i.kind == inst_kind::index) {
      i.which = pick(5);
      i.part = static_cast<std::uint8_t>(pick(2));
    }
    return i;
  }

  std::mt19937_64 random_;
};

constexpr std::string_view softmax = R"(kernel softmax
target gpu, kept 1, reduced 1
schedule vector 4 unroll 2 threads 128 row_threads 128 lanes reduced rows 1
in0 = input float32 [any, one]
out0 = output float32 [any, one]
s0 = scalar float32
v0 = each load float32 in0
v1 = scalar float32 s0
v2 = each multiply float32 v0 v1
v3 = reduce maximum float32 v2
v4 = each subtract float32 v2 v3
v5 = each exp float32 v4
v6 = reduce add float32 v5  @main.cpp:16
v7 = each divide float32 v5 v6
v8 = each store float32 out0 v7  @main.cpp:17
)";

}  // namespace

TEST_CASE("A kernel reads as documented") {
  const kernel k = parse_kernel(softmax);
  CHECK_NOTHROW(verify(k));
  CHECK(print(k) == softmax);
  check_round_trip(k);
}

TEST_CASE("Random kernels survive printing and parsing, correct or not") {
  for (unsigned seed = 0; seed < 300; ++seed) check_round_trip(random_kernel(seed).make());
}

TEST_CASE("The key of a kernel has neither names nor notes") {
  kernel k = parse_kernel(softmax);
  const std::string key = key_of(k);
  k.name = "other";
  k.notes = {"x"};
  for (inst& i : k.body) i.note = 0;
  CHECK(key_of(k) == key);
  CHECK(key.find("main.cpp") == std::string::npos);
  k.body[0].note = -1;
  kernel wider = k, step = k, constant = k, resident = k;
  resident.schedule.resident = true;
  CHECK(key_of(resident) != key);
  kernel elastic = resident;
  elastic.schedule.elastic = true;
  CHECK(key_of(elastic) != key_of(resident));
  CHECK(parse_kernel(print(elastic)).schedule == elastic.schedule);
  kernel filled = resident;
  filled.schedule.filled = 1;
  CHECK(key_of(filled) != key_of(resident));
  CHECK(parse_kernel(print(filled)).schedule == filled.schedule);
  kernel shared = resident;
  shared.schedule.cluster = 8;
  CHECK(key_of(shared) != key_of(resident));
  CHECK(parse_kernel(print(shared)).schedule == shared.schedule);
  kernel ahead = resident;
  ahead.schedule.ahead = 67584;
  CHECK(key_of(ahead) != key_of(resident));
  CHECK(parse_kernel(print(ahead)).schedule == ahead.schedule);
  wider.schedule.vector = 8;
  CHECK(key_of(wider) != key);
  step.operands[0].access.steps[0] = step::zero;
  CHECK(key_of(step) != key);
  constant.body[2].code = op::add;
  CHECK(key_of(constant) != key);
}

TEST_CASE("Mistakes in the text of a kernel have a line and a column") {
  const std::string head = "kernel k\ntarget cpu, kept 1, reduced 0\n";
  const std::string start = head + "schedule vector 1 unroll 1 lanes kept tile 8 rows 1\n";
  CHECK(message_of("nothing") == "1:1: 'kernel' expected");
  CHECK(message_of("kernel k\ntarget fpga, kept 1") == "2:8: target expected");
  CHECK(message_of(head + "schedule vector x\n") == "3:17: integer expected");
  CHECK(message_of(head + "schedule colour 3\n") == "3:10: part of a schedule expected");
  CHECK(message_of(start + "in1 = input float32 [one]\n") == "4:1: operands stand in order");
  CHECK(message_of(start + "in0 = output float32 [one]\n") == "4:1: a name of another role");
  CHECK(message_of(start + "in0 = input float32 [two]\n") == "4:22: zero, one or any expected");
  CHECK(message_of(start + "v1 = constant int8 1\n") == "4:1: v0 expected");
  CHECK(message_of(start + "v0 = load float32 in0\n") == "4:19: no such operand");
  CHECK(message_of(start + "v0 = load float32 v3\n") == "4:19: operand expected");
  CHECK(message_of(start + "v0 = adds float32 v3\n") == "4:6: op expected");
  CHECK(message_of(start + "v0 = constant int8 1 2\n") == "4:22: end of line expected");
}

}  // namespace kernel_text_test
