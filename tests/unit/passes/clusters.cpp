// Rows shared by the blocks of a cluster.
#include "ir/passes/shape_rows.hpp"

#include <set>
#include <string>
#include <utility>

#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace clusters_test {

using namespace passes_tests;

namespace {

ir::machine with_clusters() {
  ir::machine m = gpu();
  m.cluster = 8;
  return m;
}

/// Softmax along axis 1 of an array, or of its transpose.
std::string softmax(const std::string& rows, const std::string& length, bool turned = false) {
  const std::string shape = "[" + rows + ", " + length + "]";
  const std::string source = turned ? "[" + length + ", " + rows + "]" : shape;
  const std::string strides = turned ? "[1, " + rows + "]" : "[" + length + ", 1]";
  const auto spread = [&](const std::string& from) {
    return " = view float32 " + shape + " (%" + from + ") strides [1, 0]\n";
  };
  return "%0 = source float32 " + source + "\n%1 = view float32 " + shape + " (%0) strides " +
         strides + "\n%2 = reduce float32 [" + rows + "] (%1) maximum over [1]\n%3" + spread("2") +
         "%4 = map float32 " + shape + " (%1, %3) { v2 = subtract float32 v0 v1 }\n" +
         "%5 = map float32 " + shape + " (%4) { v1 = exp float32 v0 }\n%6 = reduce float32 [" +
         rows + "] (%5) add over [1]\n%7" + spread("6") + "%8 = map float32 " + shape +
         " (%5, %7) { v2 = divide float32 v0 v1 }\nreturn %8\n";
}

}  // namespace

TEST_CASE("clusters: few long rows are one kernel, whose blocks keep a part each") {
  const ir::plan p = plan_of(softmax("128", "131072"), with_clusters());
  REQUIRE(p.kernels.size() == 1);
  const ir::schedule& s = p.kernels[0].schedule;
  CHECK(s.resident);
  CHECK(s.cluster == 8);
  CHECK(s.rows == 1);
  CHECK(s.cluster * s.threads * s.vector * s.unroll >= 131072);
  CHECK(s.filled == s.unroll);
  CHECK(p.steps[0].blocks == 128 * 8);
}

TEST_CASE("clusters: rows of which each block has enough are not shared") {
  const ir::plan p = plan_of(softmax("8192", "8192"), with_clusters());
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].schedule.cluster == 1);
  CHECK(p.kernels[0].schedule.resident);
}

TEST_CASE("clusters: as many blocks share a row as leave no multiprocessor idle") {
  const auto blocks = [](const std::string& rows, const std::string& length) {
    const ir::plan p = plan_of(softmax(rows, length), with_clusters());
    REQUIRE(p.kernels.size() == 1);
    CHECK(p.kernels[0].schedule.resident);
    return p.kernels[0].schedule.cluster;
  };
  CHECK(blocks("128", "16384") == 2);
  CHECK(blocks("64", "16384") == 4);
  CHECK(blocks("2", "16384") == 8);
  CHECK(blocks("200", "16384") == 1);
  CHECK(blocks("4096", "65536") == 8);  // 512 threads of a block cannot hold half a row
}

TEST_CASE("clusters: rows that they cannot keep they walk if few, a block each if not") {
  const std::string few = softmax("4", "250000"), many = softmax("1000", "300000");
  ir::machine m = with_clusters();
  m.cluster = 2;
  CHECK(plan_of(few, m).kernels.size() == 5);
  m.cluster = 8;
  CHECK(plan_of(few, m).kernels.size() == 1);
  const ir::plan p = plan_of(many, m);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].schedule.cluster == 1);
  CHECK(!p.kernels[0].schedule.resident);
}

TEST_CASE("clusters: a row that takes more than 512 threads of a block is shared by several") {
  const auto shared = [](const std::string& length) {
    const ir::plan p = plan_of(softmax("8192", length), with_clusters());
    REQUIRE(p.kernels.size() == 1);
    const ir::schedule& s = p.kernels[0].schedule;
    CHECK(s.resident);
    CHECK(s.elastic);
    return std::pair(std::int64_t{s.cluster}, p.steps[0].threads.peek());
  };
  using std::pair;
  CHECK(shared("16384") == pair(1l, 512l));
  CHECK(shared("12288") == pair(1l, 384l));
  CHECK(shared("24576") == pair(4l, 192l));
  CHECK(shared("100000") == pair(8l, 416l));
  CHECK(shared("131072") == pair(8l, 512l));
}

TEST_CASE("rows of many lengths are few kernels") {
  const auto kernels = [](std::int64_t from, std::int64_t to, std::int64_t by) {
    std::set<std::string> keys;
    for (std::int64_t n = from; n < to; n += by) {
      const ir::plan p = plan_of(softmax("4096", std::to_string(n)), with_clusters());
      REQUIRE(p.kernels.size() == 1);
      keys.insert(ir::key_of(p.kernels[0]));
      const ir::schedule& s = p.kernels[0].schedule;
      if (!s.elastic) continue;
      const std::int64_t threads = p.steps[0].threads.peek(), all = threads * s.vector;
      CHECK((threads >= 32 && threads <= s.threads && threads % 32 == 0));
      CHECK((all * s.filled <= n && n <= all * s.unroll));
      CHECK((threads - 32) * s.vector * s.unroll < n);
    }
    return keys.size();
  };
  CHECK(kernels(1000, 9000, 8) == 5);  // short rows are not prefetched
  CHECK(kernels(100, 1100, 4) <= 26);
}

TEST_CASE("rows that begin between vectors have a lead, short ones and rows of wide vectors not") {
  const auto lead = [](const std::string& rows, const std::string& length) {
    const ir::plan p = plan_of(softmax(rows, length), with_clusters());
    REQUIRE(p.kernels.size() == 1);
    const ir::schedule& s = p.kernels[0].schedule;
    CHECK(s.resident);
    if (s.lead < 0) return std::pair(s.vector, std::string());
    CHECK((s.filled > 0 && s.filled < s.unroll));
    return std::pair(s.vector, ir::name_of(p.kernels[0], s.lead));
  };
  using std::pair;
  CHECK(lead("2000", "50257") == pair(4, std::string("out0")));
  CHECK(lead("2000", "1025") == pair(4, std::string("out0")));
  CHECK(lead("100000", "257") == pair(4, std::string("out0")));
  CHECK(lead("100000", "129") == pair(1, std::string()));
  CHECK(lead("2000", "1026") == pair(2, std::string()));
  CHECK(lead("2000", "1028") == pair(4, std::string()));
}

TEST_CASE("of rows with a lead shifted vectors read what begins elsewhere") {
  const ir::plan p = plan_of(
      "%0 = source float32 [2000, 1025]\n%1 = reduce float32 [2000] (%0) maximum over [1]\n"
      "%2 = view float32 [2000, 1025] (%1) strides [1, 0]\n%3 = source float32 [1025]\n"
      "%4 = view float32 [2000, 1025] (%3) strides [0, 1]\n"
      "%5 = map float32 [2000, 1025] (%0, %2, %4) "
      "{ v3 = subtract float32 v0 v1; v4 = multiply float32 v3 v2 }\nreturn %5\n",
      with_clusters());
  REQUIRE(p.kernels.size() == 1);
  const ir::kernel& k = p.kernels[0];
  REQUIRE(k.schedule.lead >= 0);
  int shifted = 0;
  for (const ir::operand& o : k.operands) {
    const bool of_all_rows = o.access.steps == std::vector{ir::step::zero, ir::step::one};
    CHECK((o.reach == ir::reach::shifted) == of_all_rows);
    shifted += of_all_rows;
  }
  CHECK(shifted == 1);
}

TEST_CASE("clusters: long columns are planned as without them") {
  const std::string columns = softmax("64", "100000", true);
  const ir::plan p = plan_of(columns, with_clusters());
  CHECK(p.kernels.size() == plan_of(columns, gpu()).kernels.size());
  for (const ir::kernel& k : p.kernels) CHECK(k.schedule.cluster == 1);
}

TEST_CASE("clusters: a machine without them cuts long rows in chunks") {
  const ir::plan p = plan_of(softmax("128", "131072"), gpu());
  CHECK(p.kernels.size() == 5);
  bool split = false;
  for (const ir::kernel& k : p.kernels) split |= k.schedule.split;
  CHECK(split);
}

TEST_CASE("short columns are walked by one thread, wide ones by 8, others by 32") {
  const auto walkers = [](const std::string& shape, const std::string& kept,
                          const std::string& op = "maximum over [1]") {
    const ir::plan p = plan_of("%0 = source float32 " + shape + "\n%1 = reduce float32 " + kept +
                                   " (%0) " + op + "\nreturn %1\n",
                               gpu());
    REQUIRE(p.kernels.size() == 1);
    CHECK(p.kernels[0].schedule.lanes == ir::lane_axis::kept);
    return p.kernels[0].schedule.row_threads;
  };
  CHECK(walkers("[2000, 14, 2000]", "[2000, 2000]") == 1);
  CHECK(walkers("[2000, 100, 2000]", "[2000, 2000]") == 8);
  CHECK(walkers("[20, 14, 2000]", "[20, 2000]") == 16);
  CHECK(walkers("[200, 2000, 2000]", "[200, 2000]") == 8);
  CHECK(walkers("[100000, 2000, 8]", "[100000, 8]") == 32);
  // With many columns one walker each for all rows, unless it would sum many floats.
  CHECK(walkers("[4096, 1000000]", "[1000000]", "maximum over [0]") == 1);
  CHECK(walkers("[4096, 100000]", "[100000]", "maximum over [0]") == 8);
  CHECK(walkers("[4096, 20000]", "[20000]", "maximum over [0]") == 32);
  CHECK(walkers("[512, 1000000]", "[1000000]", "add over [0]") == 1);
  CHECK(walkers("[4096, 1000000]", "[1000000]", "add over [0]") == 8);
  CHECK(walkers("[5000, 1000000]", "[1000000]", "add over [0]") == 32);
}

TEST_CASE("a thread of a row loads no more at once than it has registers for") {
  const auto in_flight = [](int taps) {
    std::string text = "%0 = source int32 [40000100]\n";
    int sum = -1, next = 1;
    for (int t = 0; t < taps; ++t) {
      text += "%" + std::to_string(next) + " = view int32 [40000000] (%0) offset " +
              std::to_string(t) + " strides [1]\n";
      const int view = next++;
      if (sum < 0) {
        sum = view;
        continue;
      }
      text += "%" + std::to_string(next) + " = map int32 [40000000] (%" + std::to_string(sum) +
              ", %" + std::to_string(view) + ") { v2 = add int32 v0 v1 }\n";
      sum = next++;
    }
    text += "%" + std::to_string(next) + " = reduce int32 [] (%" + std::to_string(sum) +
            ") add over [0]\nreturn %" + std::to_string(next) + "\n";
    return plan_of(text, gpu()).kernels[0].schedule.unroll;
  };
  CHECK(in_flight(2) == 4);
  CHECK(in_flight(16) == 2);
  CHECK(in_flight(40) == 1);
}

}  // namespace clusters_test
