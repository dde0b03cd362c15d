// The values that walks over a row keep for each other.
#include "ir/kept_values.hpp"

#include "tests/catch.hpp"

namespace kept_values_test {

using namespace sinter;

namespace {

/// The kept values of a kernel over rows with this body.
std::vector<int> kept(const std::string& body, const char* lanes = "reduced") {
  return ir::kept_values(ir::parse_kernel("kernel rows\ntarget cpu, kept 1, reduced 1\nschedule "
                                          "vector 8 unroll 4 lanes " +
                                          std::string(lanes) +
                                          " rows 1\nin0 = input float32 [any, one]\n"
                                          "out0 = output float32 [any, one]\n" +
                                          body));
}

constexpr const char* softmax = R"(v0 = each load float32 in0
v1 = reduce maximum float32 v0
v2 = each subtract float32 v0 v1
v3 = each exp float32 v2
v4 = reduce add float32 v3
v5 = each divide float32 v3 v4
v6 = each store float32 out0 v5
)";

}  // namespace

TEST_CASE("what is summed and used again is kept: softmax's exponentials") {
  CHECK(kept(softmax) == std::vector<int>{3});
  CHECK(kept(softmax, "kept").empty());
}

TEST_CASE("what is cheap is made again: layernorm's differences") {
  CHECK(kept(R"(v0 = each load float32 in0
v1 = reduce add float32 v0
v2 = each subtract float32 v0 v1
v3 = each multiply float32 v2 v2
v4 = reduce add float32 v3
v5 = each divide float32 v2 v4
v6 = each store float32 out0 v5
)")
            .empty());
}

TEST_CASE("what no earlier walk makes is not kept") {
  CHECK(kept(R"(v0 = each load float32 in0
v1 = reduce add float32 v0
v2 = each exp float32 v0
v3 = each divide float32 v2 v1
v4 = each store float32 out0 v3
)")
            .empty());
}

TEST_CASE("of what follows from something kept, only what it adds counts") {
  CHECK(kept(R"(v0 = each load float32 in0
v1 = each exp float32 v0
v2 = each negative float32 v1
v3 = reduce add float32 v2
v4 = each add float32 v1 v3
v5 = each multiply float32 v2 v4
v6 = each store float32 out0 v5
)") == std::vector<int>{1});
}

}  // namespace kept_values_test
