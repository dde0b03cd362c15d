// Rules for rows that go through shared memory.
#include "ir/error.hpp"
#include "ir/kernel.hpp"
#include "ir/kernel_rounds.hpp"
#include "tests/catch.hpp"

namespace kernel_verify_brought_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

std::string rule_of(const std::string& schedule, const std::string& rest) {
  try {
    verify(parse_kernel("kernel k\n" + schedule + rest));
  } catch (const verify_error& e) {
    const std::string text = e.what();
    return text.substr(0, text.find(']') + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("Rows that a block brings") {
  const std::string map =
      "target gpu, kept 1, reduced 0\n"
      "schedule vector 1 unroll 1 threads 128 lanes kept tile 128 rows 1\n";
  const std::string pair =
      "in0 = input float32 [any] apart 5\nin1 = input float32 [any] apart 5 turn 1 of in0\n";
  const auto with = [&](const std::string& was, const std::string& is) {
    std::string text = map;
    return text.replace(text.find(was), was.size(), is);
  };
  CHECK(rule_of(map, pair) == "");
  CHECK(rule_of(map, "out0 = output float32 [any] apart 2\n") == "[turns]");
  CHECK(rule_of(map, "out0 = output float32 [any] apart 2\n"
                     "out1 = output float32 [any] apart 2 turn 1 of out0\n") == "");
  CHECK(rule_of(with("unroll 1 threads 128", "unroll 2 threads 64"), pair) ==
        "[schedule-brought]");
  CHECK(rule_of(with("vector 1 unroll 1 threads 128", "vector 2 unroll 1 threads 64"), pair) ==
        "[turns]");
  const std::string many =
      with("threads 128 lanes kept tile 128", "threads 1024 lanes kept tile 1024");
  CHECK(rule_of(many, pair) == "");
  CHECK(rule_of(many, "in0 = input float64 [any] apart 6\n") == "[schedule-brought]");
  CHECK_FALSE(can_be_in_rounds(parse_kernel("kernel k\n" + map + pair)));
  CHECK(rule_of(map, pair + "out0 = output float32 [one]\nv0 = load float32 in0\n"
                            "v1 = constant bool true\nv2 = store float32 out0 v0 v1\n") ==
        "[schedule-brought]");
}

}  // namespace kernel_verify_brought_test
