// The schedule of a map on a GPU.
#include "tests/catch.hpp"
#include "tests/unit/passes/schedules.hpp"

namespace shape_map_test {

using namespace passes_tests;

namespace {

std::string transposed(const std::string& type, int rows, int columns) {
  const auto shape = [](int a, int b) {
    return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
  };
  return "%0 = source " + type + " " + shape(rows, columns) + "\n%1 = view " + type + " " +
         shape(columns, rows) + " (%0) strides " + shape(1, columns) + "\n%2 = map " + type + " " +
         shape(columns, rows) + " (%1) { v1 = multiply " + type + " v0 v0 }\nreturn %2\n";
}

/// The sum of three views of a row-major array, each at an offset.
std::string stencil(int rows, int columns, int side, const std::vector<int>& offsets) {
  const std::string shape = "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  std::string text =
      "%0 = source float32 [" + std::to_string(side) + ", " + std::to_string(side) + "]\n";
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    text += "%" + std::to_string(i + 1) + " = view float32 " + shape + " (%0) offset " +
            std::to_string(offsets[i]) + " strides [" + std::to_string(side) + ", 1]\n";
  }
  return text + "%4 = map float32 " + shape + " (%1, %2, %3) { v3 = add float32 v0 v1; " +
         "v4 = add float32 v3 v2 }\nreturn %4\n";
}

}  // namespace

TEST_CASE("shape: a thread that would load once and compute little loads twice") {
  const auto in_flight = [](const std::string& inputs, const std::string& code) {
    const std::string text = "%0 = source float32 [1000]\n%1 = source float32 [1000]\n"
                             "%2 = map float32 [1000] (" +
                             inputs + ") { " + code + " }\nreturn %2\n";
    const ir::schedule s = plan_of(text, gpu()).kernels.at(0).schedule;
    return std::pair(s.unroll, s.threads);
  };
  CHECK(in_flight("%0", "v1 = exp float32 v0") == std::pair(2, 128));
  CHECK(in_flight("%0, %1", "v2 = add float32 v0 v1") == std::pair(1, 256));
  std::string chain = "v1 = exp float32 v0";
  for (int i = 2; i < 40; ++i) {
    chain += "; v" + std::to_string(i) + " = exp float32 v" + std::to_string(i - 1);
  }
  CHECK(in_flight("%0", chain) == std::pair(1, 256));
}

TEST_CASE("shape: quotients and roots that memory does not hide go without tests") {
  const auto quick = [](const std::string& code, const std::string& type = "float32") {
    std::string text = "%0 = source $ [100000]\n%1 = source $ [100000]\n"
                       "%2 = map $ [100000] (%0, %1) { " + code + " }\nreturn %2\n";
    for (auto at = text.find('$'); at != text.npos; at = text.find('$')) text.replace(at, 1, type);
    return plan_of(text, gpu()).kernels.at(0).schedule.quick;
  };
  const std::string two = "v2 = divide $ v0 v1; v3 = sqrt $ v2; v4 = exp $ v3; v5 = exp $ v4; "
                          "v6 = sin $ v5; v7 = exp $ v6; v8 = sin $ v7; v9 = exp $ v8";
  CHECK_FALSE(quick("v2 = divide $ v0 v1"));
  CHECK_FALSE(quick(two));
  CHECK(quick(two + "; v10 = divide $ v9 v1"));
  CHECK(quick(two + "; v10 = divide $ v9 v1", "float64"));
}

TEST_CASE("shape: so do those of a walk that computes more than it reads") {
  const std::string all = " [2000, 3000]";
  const auto quick = [&](const std::string& code, const std::string& other, double slower = 1) {
    ir::machine m = gpu();
    m.bandwidth /= slower;
    return plan_of("%0 = source float32 [2000]\n%1 = source float32 [3000]\n%2 = source float32" +
                       all + "\n%3 = view float32" + all + " (%0) strides [1, 0]\n" +
                       "%4 = view float32" + all + " (" + other + "]\n%5 = map float32" + all +
                       " (%3, %4) { " + code + " }\n" +
                       "%6 = reduce float32 [2000] (%5) add over [1]\nreturn %6\n",
                   m)
        .kernels.at(0)
        .schedule.quick;
  };
  const std::string pairs = "%1) strides [0, 1", streamed = "%2) strides [3000, 1",
                    first = "v2 = subtract float32 v0 v1; ",
                    two = first + "v3 = sqrt float32 v2; v4 = divide float32 v3 v1";
  CHECK(quick(two, pairs));
  CHECK(quick(two, pairs, 8));
  CHECK(quick(two, streamed));
  CHECK_FALSE(quick(two, streamed, 8));
  CHECK_FALSE(quick(first + "v3 = divide float32 v2 v0", pairs));
}

TEST_CASE("shape: what is read backwards across what is written is walked from its other end") {
  // Rotated by 90 degrees, and with the shared contiguous axis reversed.
  const std::string turned = "%0 = source float32 [4096, 8192]\n"
                             "%1 = view float32 [8192, 4096] (%0) offset 8191 "
                             "strides [-1, 8192]\n"
                             "%2 = map float32 [8192, 4096] (%1) { v1 = exp float32 v0 }\n";
  CHECK(schedule_of(turned + "return %2\n") == "vector 4, 64 x 64, in0 turned by 4");
  const std::string number = "%3 = iota int64 [8192, 4096]\n"
                             "%4 = map float32 [8192, 4096] (%2, %3) { "
                             "v2 = cast int64 -> float32 v1; v3 = add float32 v0 v2 }\n"
                             "return %4\n";
  CHECK(schedule_of(turned + number) == "vector 4");
}

TEST_CASE("shape: long elements of a small array, read one by one, have a thread each") {
  // The third of every seven numbers, in a chain of `sums` sums.
  const auto chain = [](int points, int sums) {
    const std::string shape = "float32 [" + std::to_string(points) + "] ";
    std::string code = "v1 = add float32 v0 v0";
    for (int i = 1; i < sums; ++i) {
      code += "; v" + std::to_string(i + 1) + " = add float32 v" + std::to_string(i) + " v0";
    }
    return "%0 = source float32 [" + std::to_string(7 * points) + "]\n%1 = view " + shape +
           "(%0) offset 2 strides [7]\n%2 = map " + shape + "(%1) { " + code + " }\nreturn %2\n";
  };
  CHECK(schedule_of(chain(50000, 40)) == "vector 1");
  CHECK(schedule_of(chain(50000, 4)) == "vector 4");
  CHECK(schedule_of(chain(5000000, 40)) == "vector 4");
}

TEST_CASE("shape: a transposed operand is read along its own axis, in tiles") {
  CHECK(schedule_of(transposed("float32", 4096, 8192)) == "vector 4, 64 x 64, in0 turned by 4");
  CHECK(schedule_of(transposed("float32", 4095, 8192)) == "vector 1, 32 x 128, in0 turned by 4");
  CHECK(schedule_of(transposed("float32", 4096, 8191)) == "vector 4, 32 x 128, in0 turned by 1");
  CHECK(schedule_of(transposed("float32", 409, 819)) == "vector 1, 32 x 32, in0 turned by 1");
  CHECK(schedule_of(transposed("float64", 4095, 8191)) == "vector 1, 32 x 64, in0 turned by 1");
  CHECK(schedule_of(transposed("int8", 4096, 8192)) == "vector 16, 256 x 128, in0 turned by 4");
  CHECK(schedule_of(transposed("int16", 4096, 8192)) == "vector 8, 128 x 128, in0 turned by 4");
  CHECK(schedule_of(transposed("int16", 4095, 8192)) == "vector 1, 64 x 64, in0 turned by 2");
  CHECK(schedule_of(transposed("int64", 4096, 8192)) == "vector 2, 32 x 32, in0 turned by 2");
}

TEST_CASE("shape: views a few elements from each other are read by one pointer") {
  const auto sum = [](const std::string& shape, const std::string& from, const std::string& strides,
                      int offset) {
    return "%0 = source float32 " + from + "\n%1 = view float32 " + shape + " (%0) strides " +
           strides + "\n%2 = view float32 " + shape + " (%0) offset " + std::to_string(offset) +
           " strides " + strides + "\n%3 = map float32 " + shape +
           " (%1, %2) { v2 = add float32 v0 v1 }\nreturn %3\n";
  };
  const auto turn = [](const std::string& text) {
    const std::vector<ir::operand> all = plan_of(text, gpu()).kernels.at(0).operands;
    return std::to_string(all.at(1).base) + " by " + std::to_string(all.at(1).turn);
  };
  CHECK(turn(sum("[1000]", "[1032]", "[1]", 3)) == "0 by 3");
  CHECK(turn(sum("[1000]", "[1033]", "[1]", 33)) == "-1 by 0");
  CHECK(turn(sum("[100, 200]", "[100, 201]", "[201, 1]", 1)) == "0 by 1");
  CHECK(turn(sum("[100, 200]", "[101, 200]", "[200, 1]", 200)) == "-1 by 0");
  CHECK(turn(sum("[100, 40]", "[101, 40]", "[40, 1]", 40)) == "-1 by 0");  // a row
  CHECK(plan_of(R"(%0 = source float32 [4, 333]
%1 = view float32 [333, 4] (%0) strides [1, 333]
%2 = view float32 [1331] (%1) strides [1]
%3 = view float32 [1331] (%1) offset 1 strides [1]
%4 = map float32 [1331] (%2, %3) { v2 = add float32 v0 v1 }
return %4
)", gpu()).kernels.at(0).operands.at(1).base == -1);  // not adjacent in memory
}

TEST_CASE("shape: a tile is narrow where an axis is short") {
  CHECK(schedule_of(transposed("float32", 1000000, 12)) == "vector 4, 16 x 256, in0 turned by 4");
  CHECK(schedule_of(transposed("float32", 12, 1000000)) == "vector 4, 256 x 16, in0 turned by 4");
  CHECK(schedule_of(transposed("float32", 12, 100)) == "vector 4, 128 x 16, in0 turned by 4");
  CHECK(schedule_of(transposed("float32", 24, 24)) == "vector 4");
}

TEST_CASE("shape: what is the same for all rows makes no vector narrower") {
  const auto vector = [](const std::string& strides) {
    const ir::plan p = plan_of("%0 = source float16 [4096, 1024]\n"
                               "%1 = source float32 [1024, 1024]\n"
                               "%2 = view float32 [4096, 1024] (%1) strides " + strides +
                                   "\n%3 = map float16 [4096, 1024] (%0, %2) "
                                   "{ v2 = cast float16 -> float32 v0; v3 = divide float32 v2 v1; "
                                   "v4 = cast float32 -> float16 v3 }\nreturn %3\n",
                               gpu());
    REQUIRE(p.kernels.size() == 1);
    return p.kernels[0].schedule.vector;
  };
  CHECK(vector("[0, 1]") == 8);
  CHECK(vector("[1, 0]") == 8);
  CHECK(vector("[1, 1]") == 4);
}

TEST_CASE("shape: a thread holds only so much of what all rows have in common") {
  const auto vector = [](const std::string& shared) {
    const ir::plan p = plan_of("%0 = source uint8 [4096, 1024]\n"
                               "%1 = source " + shared + " [1024]\n"
                               "%2 = view " + shared + " [4096, 1024] (%1) strides [0, 1]\n"
                               "%3 = map uint8 [4096, 1024] (%0, %2) "
                               "{ v2 = cast " + shared + " -> uint8 v1; "
                               "v3 = add uint8 v0 v2 }\nreturn %3\n",
                               gpu());
    REQUIRE(p.kernels.size() == 1);
    return p.kernels[0].schedule.vector;
  };
  CHECK(vector("int32") == 16);
  CHECK(vector("int64") == 16);
  CHECK(vector("complex128") == 8);
}

TEST_CASE("shape: rows of few vectors are read by vectors that divide them") {
  const auto walk = [](const std::string& type, int n) {
    const std::string row = std::to_string(n), wide = std::to_string(n * 2);
    const std::string shape = type + " [1000000, " + row + "] ";
    const std::string text = "%0 = source " + type + " [1000000, " + wide + "]\n%1 = view " +
                             shape + "(%0) strides [" + wide + ", 1]\n%2 = source " + type + " [" +
                             row + "]\n%3 = view " + shape + "(%2) strides [0, 1]\n%4 = map " +
                             shape + "(%1, %3) { v2 = multiply " + type + " v0 v1 }\nreturn %4\n";
    return schedule_of(text) + ", unroll " +
           std::to_string(plan_of(text, gpu()).kernels[0].schedule.unroll);
  };
  CHECK(walk("float32", 2) == "vector 2, unroll 2");
  CHECK(walk("float32", 3) == "vector 1, unroll 4");
  CHECK(walk("float32", 4) == "vector 4, unroll 1");
  CHECK(walk("float32", 6) == "vector 2, unroll 2");
  CHECK(walk("int16", 12) == "vector 4, unroll 2");
  CHECK(walk("float32", 30) == "vector 2, unroll 2");
  CHECK(walk("float32", 333) == "vector 1, unroll 4");
  CHECK(walk("int16", 30) == "vector 8, 32 x 64 led by out0, in0 shifted, in1 shifted, unroll 1");
  CHECK(walk("float32", 801) ==
        "vector 4, 8 x 128 led by out0, in0 shifted, in1 shifted, unroll 1");
}

TEST_CASE("shape: dear elements of doubles, and few of any type, go one to a thread") {
  const auto walk = [](int rows, int n, int roots) {
    const std::string row = std::to_string(n);
    const std::string shape = " float64 [" + std::to_string(rows) + ", " + row + "] ";
    std::string text = "%0 = source" + shape + "\n%1 = source" + shape + "\n%2 = source float64 [" +
                       row + "]\n%3 = view" + shape + "(%2) strides [0, 1]\n%4 = map" + shape +
                       "(%0, %1, %3) { v3 = add float64 v0 v1; v4 = add float64 v3 v2";
    for (int i = 5; i < 5 + roots; ++i) {
      text += "; v" + std::to_string(i) + " = sqrt float64 v" + std::to_string(i - 1);
    }
    text += " }\nreturn %4\n";
    const ir::schedule s = plan_of(text, gpu()).kernels.at(0).schedule;
    return schedule_of(text) + ", unroll " + std::to_string(s.unroll) + ", threads " +
           std::to_string(s.threads);
  };
  CHECK(walk(100000, 40, 0) == "vector 2, unroll 1, threads 256");
  CHECK(walk(100000, 40, 60) == "vector 1, unroll 1, threads 256");
  CHECK(walk(400, 40, 0) == "vector 2, unroll 1, threads 256");
  CHECK(walk(400, 40, 60) == "vector 1, unroll 1, threads 256");
  CHECK(walk(100000, 41, 0) == "vector 2 flat, in0 picked, unroll 1, threads 256");
  CHECK(walk(100000, 41, 60) == "vector 1, unroll 1, threads 256");
  CHECK(walk(100000, 41, 200) == "vector 1, unroll 1, threads 128");
}

TEST_CASE("shape: rows of a stencil begin where the output is aligned") {
  CHECK(schedule_of(stencil(8192, 8192, 8192, {0, 0, 0})) == "vector 4");
  // three views of one row: each one's middle is the output's neighbour
  CHECK(schedule_of(stencil(8190, 8190, 8192, {1, 8192, 8193})) ==
        "vector 4, 8 x 128 led by out0, in0 shifted, in1 shifted, in2 shifted");
  CHECK(schedule_of(stencil(8188, 8188, 8192, {0, 2, 4})) ==
        "vector 4, in2 shifted by 2");
}

TEST_CASE("shape: blocks do several planes where these are read beside one another") {
  const auto sweep = [](const std::string& shape, std::vector<int> offsets) {
    std::string text = "%0 = source float32 [256, 256, 256]\n";
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      text += "%" + std::to_string(i + 1) + " = view float32 " + shape + " (%0) offset " +
              std::to_string(offsets[i]) + " strides [65536, 256, 1]\n";
    }
    return schedule_of(text + "%4 = map float32 " + shape + " (%1, %2, %3) " +
                       "{ v3 = add float32 v0 v1; v4 = add float32 v3 v2 }\nreturn %4\n");
  };
  const std::string inner = "[254, 254, 254]", one = "vector 4, 32 x 32 led by out0, ",
                    four = "vector 4, 16 x 32 led by out0, 4 planes, ",
                    rest = "in0 shifted, in1 shifted, in2 shifted";
  CHECK(sweep(inner, {1, 65792, 131073}) == four + rest);
  CHECK(sweep(inner, {65793, 1, 257}) == four + rest);
  CHECK(sweep(inner, {1, 257, 768}) == one + rest);
  CHECK(sweep("[14, 254, 254]", {1, 65792, 131073}) == one + rest);
  CHECK(sweep("[100, 14, 254]", {1, 65792, 131073}) == one + rest);
}

TEST_CASE("shape: what is written in rows of the same pitch is shifted by a constant") {
  const std::string sweep =
      "%0 = source float32 [8192, 8192]\n%1 = source float32 [8192, 8192]\n"
      "%2 = view float32 [8190, 8190] (%0) offset 8192 strides [8192, 1]\n"
      "%3 = view float32 [8190, 8190] (%0) offset 8193 strides [8192, 1]\n"
      "%4 = view float32 [8190, 8190] (%0) offset 8194 strides [8192, 1]\n"
      "%5 = map float32 [8190, 8190] (%2, %3, %4) "
      "{ v3 = add float32 v0 v1; v4 = add float32 v3 v2 }\n"
      "%6 = update float32 [8192, 8192] (%1, %5) offset 8193 strides [8192, 1]\n"
      "return %6\n";
  CHECK(schedule_of(sweep) ==
        "vector 4, 8 x 128 led by out0 early by 1, in0 shifted by 1, in1 shifted by 3");
  const ir::kernel k = plan_of(sweep, gpu()).kernels.at(0);
  REQUIRE(k.operands.size() == 4);
  CHECK(k.operands[0].like == -1);
  for (std::size_t o = 1; o < 4; ++o) CHECK(k.operands[o].like == 0);
}

TEST_CASE("shape: a shifted operand beside a transposed one") {
  const std::string both =
      "%0 = source float32 [4096, 8192]\n%1 = source float32 [8192, 4100]\n"
      "%2 = view float32 [8192, 4096] (%0) strides [1, 8192]\n"
      "%3 = view float32 [8192, 4096] (%1) offset 1 strides [4100, 1]\n"
      "%4 = map float32 [8192, 4096] (%2, %3) { v2 = add float32 v0 v1 }\n"
      "return %4\n";
  CHECK(schedule_of(both) == "vector 4, 64 x 64, in0 turned by 4, in1 shifted by 1");
}

TEST_CASE("shape: odd rows are as wide as even ones") {
  const std::string odd =
      "%0 = source float32 [1000, 1001]\n%1 = source float32 [1001]\n"
      "%2 = view float32 [1000, 1001] (%1) strides [0, 1]\n"
      "%3 = map float32 [1000, 1001] (%0, %2) { v2 = add float32 v0 v1 }\n"
      "return %3\n";
  CHECK(schedule_of(odd) == "vector 4 flat, in1 picked");
  const std::string apart =
      "%0 = source float32 [1000, 1003]\n%1 = view float32 [1000, 1001] (%0) strides [1003, 1]\n"
      "%2 = map float32 [1000, 1001] (%1) { v1 = sin float32 v0 }\nreturn %2\n";
  CHECK(schedule_of(apart) == "vector 4, 8 x 128 led by out0, in0 shifted");
}

TEST_CASE("shape_map: rows that are narrowed are shifted by less than their vectors") {
  ir::machine m = gpu();
  m.units = 1;
  const ir::plan p = plan_of(R"(%0 = source float16 [1, 1, 1, 1, 1, 13, 1, 1]
%1 = view float16 [5, 2] (%0) strides [1, 7]
%2 = map float32 [5, 2] (%1) { v1 = cast float16 -> float32 v0 }
%3 = source float32 [5, 2]
%4 = map float32 [5, 2] (%2, %3) { v2 = subtract float32 v0 v1 }
%5 = view float32 [4, 2] (%4) offset 2 strides [2, 1]
%6 = view float32 [2, 2] (%5) offset 2 strides [2, 1]
%7 = view float32 [2, 1] (%6) strides [2, 1]
%8 = view float32 [2, 1] (%6) offset 1 strides [2, 1]
%9 = map float32 [2, 1] (%7, %8) { v2 = add float32 v0 v1 }
return %9
)", m);
  for (const ir::operand& o : p.kernels.back().operands) {
    CHECK(o.beyond < p.kernels.back().schedule.vector);
  }
}

}  // namespace shape_map_test
