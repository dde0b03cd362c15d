#include "ir/passes/scan_chunks.hpp"

#include <cstring>
#include <random>

#include "ir/interpreter.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace scan_chunks_test {

using namespace passes_tests;
using namespace sinter;

namespace {

ir::graph scan_of(const std::string& type, const std::string& shape, const std::string& op,
                  int axis) {
  return ir::parse_graph("%0 = source " + type + " " + shape + "\n%1 = scan " + type + " " + shape +
                         " (%0) " + op + " over [" + std::to_string(axis) + "]\nreturn %1\n");
}

ir::machine splitting(std::int64_t length) {
  ir::machine m = gpu();
  m.split_length = length;
  return m;
}

bool is_chunked(const ir::graph& g, const ir::machine& m) {
  return ir::scan_chunks(g, m).nodes.size() > g.nodes.size();
}

std::vector<std::size_t> kernels(const std::string& shape) {
  std::vector<std::size_t> reduced;
  const ir::graph g = scan_of("float32", shape, "add", 0);
  for (const ir::kernel& k : ir::verified(ir::make_plan(g, gpu())).kernels) {
    reduced.push_back(static_cast<std::size_t>(k.reduced));
  }
  return reduced;
}

}  // namespace

TEST_CASE("scan_chunks: few long columns are cut, many, short ones and rows are not") {
  const auto cut = [](const std::string& shape, int axis) {
    return is_chunked(scan_of("float32", shape, "add", axis), gpu());
  };
  CHECK(cut("[1000000, 64]", 0));
  CHECK(cut("[2, 10000, 300]", 1));
  CHECK(cut("[64000, 3000]", 0));
  CHECK(cut("[64001, 3000]", 0));
  CHECK(cut("[1000000, 3]", 0));
  CHECK_FALSE(is_chunked(scan_of("float16", "[1000000, 3]", "add", 0), gpu()));
  CHECK(is_chunked(scan_of("float16", "[1000000, 33]", "add", 0), gpu()));
  CHECK_FALSE(cut("[4000, 64]", 0));
  CHECK_FALSE(cut("[10000, 10000]", 0));
  CHECK_FALSE(cut("[64, 1000000]", 1));
  CHECK_FALSE(cut("[1000000, 1]", 0));
  CHECK_FALSE(is_chunked(scan_of("complex64", "[1000000, 64]", "add", 0), gpu()));
  ir::machine host = gpu();
  host.target = ir::target::cpu;
  CHECK_FALSE(is_chunked(scan_of("float32", "[1000000, 64]", "add", 0), host));
  ir::machine apart = gpu();  // in the same order, fused or not
  apart.fuse = false;
  CHECK(is_chunked(scan_of("float32", "[1000000, 64]", "add", 0), apart));
}

TEST_CASE("scan_chunks: sums of chunks, their scan, and one more scan; of what is left another") {
  CHECK(kernels("[128000, 64]") == std::vector<std::size_t>{1, 1, 1});
  CHECK(kernels("[128003, 64]") == std::vector<std::size_t>{1, 1, 0, 1, 1});
  CHECK(kernels("[128001, 64]") == std::vector<std::size_t>{1, 1, 0, 1, 0});
  CHECK(kernels("[1280000, 64]").size() == 5);  // 10,000 chunks are a long column
}

TEST_CASE("scan_chunks: rows are picked from the chunks, which one kernel stores") {
  const ir::graph g = ir::parse_graph(R"(%0 = source float32 [128000, 64]
%1 = source int64 [7, 64]
%2 = scan float32 [128000, 64] (%0) add over [0]
%3 = gather float32 [7, 64] (%2, %1) strides [0, 1] along 0
return %3
)");
  CHECK(ir::verified(ir::make_plan(g, gpu())).kernels.size() == 4);
  std::vector<float> values(128 * 3, 1.0f);
  std::vector<std::int64_t> rows{0, 3, 381};
  const ir::graph small = ir::parse_graph(R"(%0 = source float32 [128, 3]
%1 = source int64 [3]
%2 = scan float32 [128, 3] (%0) add over [0]
%3 = gather float32 [3] (%2, %1) strides [0]
return %3
)");
  const ir::graph cut = ir::scan_chunks(small, splitting(16));
  REQUIRE(cut.nodes.size() > small.nodes.size());
  const std::vector<ir::tensor_view> in{{dtype::float32, {128, 3}, values.data()},
                                        {dtype::int64, {3}, rows.data()}};
  CHECK(ir::interpret(cut, in)[0].data == ir::interpret(small, in)[0].data);
}

TEST_CASE("scan_chunks: columns come to what they did") {
  std::mt19937_64 random(7);
  for (const auto& [shape, axis] : std::vector<std::pair<ir::shape_t, int>>{
           {{640, 3}, 0}, {{641, 3}, 0}, {{643, 3}, 0}, {{2, 130, 2}, 1}, {{2, 64, 2}, 1},
           {{3, 67, 2, 2}, 1}}) {
    const std::size_t n = static_cast<std::size_t>(ir::size_of(shape));
    std::vector<std::int64_t> values(n);
    for (std::int64_t& v : values) v = static_cast<std::int64_t>(random() % 2000) - 1000;
    std::string text;
    for (ir::extent e : shape) text += (text.empty() ? "[" : ", ") + std::to_string(e.peek());
    for (const std::string op : {"add", "multiply", "maximum", "bitwise_xor"}) {
      INFO(text << " " << op);
      const ir::graph g = scan_of("int64", text + "]", op, axis);
      const ir::graph cut = ir::scan_chunks(g, splitting(16));
      REQUIRE(cut.nodes.size() > g.nodes.size());
      const ir::tensor_view x(dtype::int64, shape, values.data());
      CHECK(ir::interpret(cut, {x})[0].data == ir::interpret(g, {x})[0].data);
    }
  }
}

}  // namespace scan_chunks_test
