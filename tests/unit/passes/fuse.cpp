// What belongs in one kernel, and what must not.
#include "ir/passes/fuse.hpp"

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace fuse_test {

using namespace passes_tests;

namespace {

const std::string rows = "%0 = source float32 [64, 300]\n";
const std::string row = "%0 = source float32 [100000]\n";

/// x minus its sum along the last axis, and the sum of that.
const std::string centred_rows = rows + R"(%1 = reduce float32 [64] (%0) add over [1]
%2 = view float32 [64, 300] (%1) strides [1, 0]
%3 = map float32 [64, 300] (%0, %2) { v2 = subtract float32 v0 v1 }
%4 = reduce float32 [64] (%3) add over [1]
return %4
)";

const std::string centred_row = row + R"(%1 = reduce float32 [] (%0) maximum over [0]
%2 = view float32 [100000] (%1) strides [0]
%3 = map float32 [100000] (%0, %2) { v2 = subtract float32 v0 v1 }
%4 = reduce float32 [] (%3) add over [0]
return %4
)";

}  // namespace

TEST_CASE("fuse: a chain of ops and views is one group") {
  CHECK(groups_of(rows + R"(%1 = map float32 [64, 300] (%0) { v1 = exp float32 v0 }
%2 = view float32 [300, 64] (%1) strides [1, 300]
%3 = map float32 [300, 64] (%2) { v1 = sin float32 v0 }
return %3
)") == "[300, 64]: %3\n");
}

TEST_CASE("fuse: two reductions in a row of a row are one group, if a block has the row") {
  CHECK(groups_of(centred_rows) == "[64, 300] reducing [300]: %4\n");
  CHECK(groups_of(centred_rows, gpu()) == "[64, 300] reducing [300]: %4\n");
}

TEST_CASE("fuse: a row that several blocks share is finished before its result is used") {
  CHECK(groups_of(centred_row) == "[100000] reducing [100000]: %1\n"
                                  "[100000] reducing [100000]: %4\n");
  const ir::plan p = plan_of(centred_row);
  CHECK(p.kernels.size() == 4);
  CHECK(refused(p, "a whole row is needed before its first use"));
}

TEST_CASE("fuse: one that is needed early and late is needed early") {
  // A sum reads the difference and, at one place, so does an output.
  CHECK(groups_of(row + R"(%1 = reduce float32 [] (%0) add over [0]
%2 = view float32 [100000] (%1) strides [0]
%3 = reduce float32 [] (%2) add over [0]
%4 = map float32 [] (%1, %3) { v2 = divide float32 v0 v1 }
return %4
)") == "[100000] reducing [100000]: %1\n"
       "[100000] reducing [100000]: %4\n");
}

TEST_CASE("fuse: what is stored beside a row's reduction is still needed early") {
  const std::string text = row + R"(%1 = reduce float32 [] (%0) add over [0]
%2 = map bool [] (%1) { v1 = isnan float32 v0 }
%3 = view bool [100000] (%2) strides [0]
%4 = view bool [1] (%2) strides [0]
%5 = reduce bool [] (%3) logical_and over [0]
return %5, %4
)";
  CHECK_NOTHROW(plan_of(text));
  CHECK_NOTHROW(plan_of(text, gpu()));
}

TEST_CASE("fuse: a reduction that is read in two orders is stored") {
  const std::string text = rows + R"(%1 = reduce float32 [64] (%0) add over [1]
%2 = view float32 [64] (%1) offset 63 strides [-1]
%3 = map float32 [64] (%1, %2) { v2 = add float32 v0 v1 }
return %3
)";
  CHECK(groups_of(text) == "[64, 300] reducing [300]: %1\n"
                           "[64]: %3\n");
  CHECK(refused(plan_of(text), "read in more than one order"));
}

TEST_CASE("fuse: a view that cannot be read through is stored where nobody reads it otherwise") {
  // The inner view is not affine, and only one unravelling step is possible.
  CHECK(groups_of(R"(%0 = source uint32 [256, 3, 2]
%1 = view uint32 [3, 256, 2] (%0) strides [2, 6, 1]
%2 = view uint32 [84, 2] (%1) strides [7, 7]
%3 = view uint32 [3, 256, 2] (%2) strides [7, 0, 7]
return %3
)") == "[3, 256, 2]: %1\n"
       "[3, 256, 2]: %3\n");
}

TEST_CASE("fuse: siblings share a group, in any order of the outputs") {
  const std::string both = rows + R"(%1 = reduce float32 [64] (%0) add over [1]
%2 = reduce float32 [64] (%0) maximum over [1]
)";
  CHECK(groups_of(both + "return %1, %2\n") == "[64, 300] reducing [300]: %2 %1\n");
  CHECK(groups_of(both + "return %2, %1\n") == "[64, 300] reducing [300]: %2 %1\n");
}

TEST_CASE("fuse: what a reader waits for a sibling of is made beside it") {
  // sum(x) / count, where the count is also an output: x > 0 is walked once.
  const std::string text = R"(%0 = source float32 [4000, 300]
%1 = map float32 [4000, 300] (%0) { v1 = exp float32 v0 }
%2 = reduce float32 [] (%1) add over [0, 1]
%3 = map int64 [4000, 300] (%1) { v1 = cast float32 -> int64 v0 }
%4 = reduce int64 [] (%3) add over [0, 1]
%5 = map float32 [] (%4) { v1 = cast int64 -> float32 v0 }
%6 = map float32 [] (%2, %5) { v2 = divide float32 v0 v1 }
%7 = map float32 [] (%5) { v1 = sqrt float32 v0 }
return %4, %6, %7
)";
  const std::string groups = groups_of(text, gpu());
  CHECK(groups.find("reducing") == groups.rfind("reducing"));
  CHECK(groups.find("%1") == std::string::npos);
}

TEST_CASE("fuse: reductions of different arrays are no siblings") {
  CHECK(groups_of(rows + R"(%1 = source float32 [64, 300]
%2 = reduce float32 [64] (%0) add over [1]
%3 = reduce float32 [64] (%1) add over [1]
return %2, %3
)") == "[64, 300] reducing [300]: %2\n"
       "[64, 300] reducing [300]: %3\n");
}

TEST_CASE("fuse: off, every op is a group") {
  ir::machine m;
  m.fuse = false;
  CHECK(groups_of(rows + R"(%1 = map float32 [64, 300] (%0) { v1 = exp float32 v0 }
%2 = map float32 [64, 300] (%1) { v1 = sin float32 v0 }
%3 = reduce float32 [64] (%2) add over [1]
%4 = map float32 [64] (%3) { v1 = sqrt float32 v0 }
return %4
)", m) == "[64, 300]: %1\n[64, 300]: %2\n[64, 300] reducing [300]: %3\n[64]: %4\n");
}

TEST_CASE("fuse: products and updates stand alone") {
  CHECK(groups_of(R"(%0 = source float32 [8, 8]
%1 = map float32 [8, 8] (%0) { v1 = exp float32 v0 }
%2 = call float32 [8, 8] (%1, %0) matmul
%3 = view float32 [8] (%2) strides [9]
%4 = update float32 [8, 8] (%2, %3) strides [1]
%5 = map float32 [8, 8] (%4) { v1 = sin float32 v0 }
return %5
)") == "[8, 8]: %1\n[8, 8]: %2\n[8]: %4\n[8, 8]: %5\n");
}

TEST_CASE("fuse: random numbers are made where they are used, unless two use them") {
  const std::string one = R"(%0 = random uint32 [1000] seed 1
%1 = map float32 [1000] (%0) { v1 = cast uint32 -> float32 v0 }
)";
  CHECK(groups_of(one + "return %1\n") == "[1000]: %1\n");
  const std::string two = one + R"(%2 = view uint32 [999] (%0) offset 1 strides [1]
%3 = reduce uint32 [] (%2) maximum over [0]
return %1, %3
)";
  CHECK(groups_of(two) == "[1000]: %1 %0\n[999] reducing [999]: %3\n");
}

TEST_CASE("fuse: a kernel holds so many ops and no more") {
  std::string text = "%0 = source float32 [1000]\n%1 = source float32 [1000]\n";
  for (int i = 2; i < 702; ++i) {
    const std::string before = std::to_string(i - 1);
    text += "%" + std::to_string(i) + " = map float32 [1000] (%" + before +
            ", %0) { v2 = subtract float32 v0 v1 }\n";
  }
  const ir::plan p = plan_of(text + "return %701\n");
  CHECK(p.kernels.size() == 3);
  CHECK(refused(p, "the kernel has its 320 ops"));
}

TEST_CASE("fuse: an output on the way is stored by the kernel that passes it") {
  CHECK(groups_of(rows + R"(%1 = map float32 [64, 300] (%0) { v1 = exp float32 v0 }
%2 = reduce float32 [64] (%1) add over [1]
return %1, %2
)") == "[64, 300] reducing [300]: %2 %1\n");
}

// ---- every refusal and its reason

TEST_CASE("fuse: why a view is stored") {
  CHECK(refused(plan_of(R"(%0 = source uint32 [256, 3, 2]
%1 = view uint32 [3, 256, 2] (%0) strides [2, 6, 1]
%2 = view uint32 [84, 2] (%1) strides [7, 7]
%3 = view uint32 [3, 256, 2] (%2) strides [7, 0, 7]
return %3
)"), "stored before a second reshape: two unravelling steps in one index"));
}

TEST_CASE("fuse: two reductions over different axes") {
  const std::string text = rows + R"(%1 = source float32 [64, 500]
%2 = reduce float32 [64] (%0) add over [1]
%3 = reduce float32 [64] (%1) add over [1]
%4 = map float32 [64] (%2, %3) { v2 = add float32 v0 v1 }
return %4
)";
  CHECK(refused(plan_of(text), "two reductions over different axes"));
}

TEST_CASE("fuse: a reduction that is read in another order than it is made") {
  const std::string text = rows + R"(%1 = reduce float32 [64] (%0) add over [1]
%2 = view float32 [64, 7] (%1) strides [1, 0]
%3 = map float32 [64, 7] (%2) { v1 = exp float32 v0 }
return %3
)";
  CHECK(refused(plan_of(text), "reduction stored: read in another order than it is made"));
}

TEST_CASE("fuse: a reduction whose reader walks other rows") {
  const std::string text = rows + R"(%1 = reduce float32 [300] (%0) add over [0]
%2 = view float32 [64, 300] (%1) strides [0, 1]
%3 = map float32 [64, 300] (%0, %2) { v2 = subtract float32 v0 v1 }
%4 = reduce float32 [64] (%3) add over [1]
return %4
)";
  CHECK(refused(plan_of(text), "reduction stored: the reader walks other rows"));
}

TEST_CASE("fuse: a sum of what is too dear to compute twice") {
  const auto normalised = [](int ops) {
    std::string text = rows;
    for (int i = 1; i <= ops; ++i) {
      text += "%" + std::to_string(i) + " = map float32 [64, 300] (%" + std::to_string(i - 1) +
              ") { v1 = sin float32 v0 }\n";
    }
    const auto id = [&](int i) { return "%" + std::to_string(ops + i); };
    return plan_of(text + id(1) + " = reduce float32 [64] (" + id(0) + ") add over [1]\n" + id(2) +
                   " = view float32 [64, 300] (" + id(1) + ") strides [1, 0]\n" + id(3) +
                   " = map float32 [64, 300] (" + id(0) + ", " + id(2) +
                   ") { v2 = divide float32 v0 v1 }\nreturn " + id(3) + "\n");
  };
  const std::string why = "what it sums costs too much to compute once a phase";
  CHECK(refused(normalised(10), why));
  CHECK(normalised(1).kernels.size() == 1);
}

TEST_CASE("a reshape walks what it reshapes") {
  const std::string flat = R"(%0 = source float32 [30, 40]
%1 = source float32 [40]
%2 = view float32 [30, 40] (%1) strides [0, 1]
%3 = map float32 [30, 40] (%0, %2) { v2 = add float32 v0 v1 }
%4 = view float32 [1200] (%3) strides [1]
return %4
)";
  for (const ir::machine& m : {ir::machine(), gpu()}) {
    const ir::plan p = ir::make_plan(ir::parse_graph(flat), m);
    REQUIRE(p.kernels.size() == 1);
    for (const ir::operand& o : p.kernels[0].operands) CHECK(o.access.unravel == 0);
  }
}

TEST_CASE("a reshape of what needs its rows is stored as these are walked") {
  const std::string rows = R"(%0 = source float32 [2, 3]
%1 = reduce float32 [2] (%0) maximum over [1]
%2 = view float32 [2, 3] (%1) strides [1, 0]
%3 = map float32 [2, 3] (%0, %2) { v2 = subtract float32 v0 v1 }
%4 = view float32 [6] (%3) strides [1]
return %4
)";
  const std::string sums = R"(%0 = source float32 [2, 3]
%1 = scan float32 [2, 3] (%0) add over [1]
%2 = view float32 [6] (%1) strides [1]
return %2
)";
  const std::string outer = R"(%0 = source float32 [2, 3, 4]
%1 = reduce float32 [2, 3] (%0) add over [2]
%2 = map float32 [2, 3] (%1) { v1 = negative float32 v0 }
%3 = view float32 [6] (%2) strides [1]
return %3
)";
  const auto kernels = [](const std::string& text) {
    return ir::make_plan(ir::parse_graph(text), gpu()).kernels.size();
  };
  CHECK(kernels(rows) == 1);
  CHECK(kernels(sums) == 1);
  CHECK(kernels(outer) == 1);
}

TEST_CASE("axes of extent 1 that go or come leave a reduction with its reader") {
  const std::string text = R"(%0 = source float32 [30, 40]
%1 = reduce float32 [30] (%0) add over [1]
%2 = view float32 [30, 1] (%1) strides [1, 1]
%3 = map float32 [30, 1] (%2) { v1 = exp float32 v0 }
%4 = view float32 [30] (%3) strides [1]
return %4
)";
  CHECK(ir::make_plan(ir::parse_graph(text), gpu()).kernels.size() == 1);
}

TEST_CASE("what repeats along one axis, then along another, is one broadcast") {
  const ir::plan p = ir::make_plan(ir::parse_graph(R"(%0 = source float32 [4, 5]
%1 = view float32 [4, 2, 5] (%0) strides [5, 0, 1]
%2 = view float32 [8, 5] (%1) strides [5, 1]
%3 = view float32 [8, 5, 2] (%2) strides [5, 1, 0]
%4 = view float32 [8, 10] (%3) strides [10, 1]
return %4
)"),
                                   ir::machine());
  CHECK(p.kernels.size() == 1);
}

TEST_CASE("a reshape of a reshape that cannot be split is stored in the shape below") {
  const ir::plan p = ir::make_plan(ir::parse_graph(R"(%0 = source float32 [4, 6]
%1 = view float32 [6, 4] (%0) strides [1, 6]
%2 = view float32 [8, 3] (%1) strides [3, 1]
%3 = view float32 [3, 8] (%2) strides [1, 3]
%4 = view float32 [24] (%3) strides [1]
return %4
)"),
                                   ir::machine());
  CHECK(p.kernels.size() == 1);
}

TEST_CASE("fuse: rows whose reader transposes another array are a CPU kernel of their own") {
  const auto kernels = [](const std::string& read, const ir::machine& m) {
    return plan_of("%0 = source float64 [1000, 16, 16]\n%1 = source float64 [1000, 16, 16]\n"
                   "%2 = reduce float64 [1000] (%0) maximum over [1, 2]\n"
                   "%3 = view float64 [1000, 16, 16] (%2) strides [1, 0, 0]\n"
                   "%4 = view float64 [1000, 16, 16] (" + read + ") strides [256, 1, 16]\n"
                   "%5 = map float64 [1000, 16, 16] (%3, %4) { v2 = add float64 v0 v1 }\n"
                   "return %5\n",
                   m)
        .kernels.size();
  };
  CHECK(kernels("%1", {}) == 2);
  CHECK(kernels("%0", {}) == 1);  // the rows are read again
  CHECK(kernels("%1", gpu()) == 1);
}

}  // namespace fuse_test
