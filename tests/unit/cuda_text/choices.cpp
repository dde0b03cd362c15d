// The text of reads under conditions, as planned, run on the host and compared with the graph.
#include <algorithm>
#include <string>

#include "ir/passes/pipeline.hpp"
#include "ir/text.hpp"
#include "tests/catch.hpp"
#include "tests/shim/host_kernels.hpp"
#include "tests/support/plan_slots.hpp"

namespace choices_text_test {

using namespace sinter;
using tests::buffers_of, tests::expected_of, tests::slots_of;

namespace {

/// Statements of a graph, numbered automatically.
class graph_lines {
 public:
  template <class... parts_t> std::string line(const parts_t&... parts) {
    const std::string number = "%" + std::to_string(count_++);
    text_ += number + " = ";
    (append(parts), ...);
    text_ += "\n";
    return number;
  }
  std::string finish(const std::string& output) { return text_ + "return " + output + "\n"; }

 private:
  void append(std::string_view part) { text_ += part; }
  void append(std::int64_t number) { text_ += std::to_string(number); }

  std::string text_;
  int count_ = 0;
};

/// The sum of two rows of n, rolled by one and by half a row; `maxima`: reduces it.
std::string rolls(const std::string& type, std::int64_t n, bool maxima) {
  graph_lines g;
  const std::string shape = "[2, " + std::to_string(n) + "]";
  const std::string x = g.line("source ", type, " ", shape);
  const std::string iota = g.line("iota int64 [", n, "]");
  const std::string at = g.line("view int64 ", shape, " (", iota, ") strides [0, 1]");
  std::string sum;
  for (const std::int64_t first : {std::int64_t{1}, n / 2 + 1}) {
    const std::string edge = g.line("scalar int64 [] ", first);
    const auto where = [&](const char* op) {
      return g.line("map bool ", shape, " (", at, ", ", edge, ") { v2 = ", op, " int64 v0 v1 }");
    };
    const auto part = [&](const std::string& inside, std::int64_t offset) {
      return g.line("pad ", type, " ", shape, " (", x, ", ", inside, ") offset ", offset,
                    " strides [", n, ", 1] along 1");
    };
    const std::string after = where("greater_equal"), before = where("less");
    const std::string last = part(before, n - first), rest = part(after, -first);
    const std::string rolled = g.line("map ", type, " ", shape, " (", after, ", ", rest, ", ", last,
                                      ") { v3 = where ", type, " v0 v1 v2 }");
    sum = sum.empty() ? rolled
                      : g.line("map ", type, " ", shape, " (", sum, ", ", rolled,
                               ") { v2 = add ", type, " v0 v1 }");
  }
  if (maxima) sum = g.line("reduce ", type, " [2] (", sum, ") maximum over [1]");
  return g.finish(sum);
}

/// Six rows of n, or their squares, rolled by one.
std::string rolled_rows(const std::string& type, std::int64_t n, bool squares) {
  graph_lines g;
  const std::string shape = "[6, " + std::to_string(n) + "]";
  std::string x = g.line("source ", type, " ", shape);
  if (squares) x = g.line("map ", type, " ", shape, " (", x, ") { v1 = square ", type, " v0 }");
  const std::string iota = g.line("iota int64 [6]");
  const std::string at = g.line("view int64 ", shape, " (", iota, ") strides [1, 0]");
  const std::string edge = g.line("scalar int64 [] 1");
  const auto where = [&](const char* op) {
    return g.line("map bool ", shape, " (", at, ", ", edge, ") { v2 = ", op, " int64 v0 v1 }");
  };
  const auto part = [&](const std::string& inside, std::int64_t offset) {
    return g.line("pad ", type, " ", shape, " (", x, ", ", inside, ") offset ", offset,
                  " strides [", n, ", 1] along 0");
  };
  const std::string after = where("greater_equal"), before = where("less");
  const std::string last = part(before, 5 * n), rest = part(after, -n);
  return g.finish(g.line("map ", type, " ", shape, " (", after, ", ", rest, ", ", last,
                         ") { v3 = where ", type, " v0 v1 v2 }"));
}

std::size_t aligned_in(const ir::kernel& k) {
  return static_cast<std::size_t>(std::ranges::count_if(
      k.operands, [](const ir::operand& o) { return o.reach == ir::reach::aligned; }));
}

std::vector<std::uint64_t> scalars_of(const ir::graph& g) {
  std::vector<std::uint64_t> words;
  for (const ir::node& n : g.nodes) {
    if (n.kind == ir::node_kind::scalar) words.push_back(n.value[0]);
  }
  return words;
}

/// `aligned`: operands read as vectors without a test per lane.
void check(const std::string& text, std::size_t aligned = 0) {
  INFO(text);
  const ir::graph g = ir::parse_graph(text);
  ir::machine gpu;
  gpu.target = ir::target::gpu;
  gpu.units = 2;  // few, so that threads get more than one element
  const ir::plan p = ir::make_plan(g, gpu);
  REQUIRE((p.kernels[0].schedule.pieces || aligned > 0));
  REQUIRE((aligned == 0 || aligned_in(p.kernels[0]) == aligned));
  const std::vector<ir::tensor> wanted = expected_of(g, p);
  const std::vector<std::uint64_t> scalars = scalars_of(g);
  tests::host_kernels host;
  for (const ir::kernel& k : p.kernels) host.add(k);
  host.build();
  INFO(host.text(0));
  auto interpreted = buffers_of(p), run = interpreted;
  for (const ir::plan_step& s : p.steps) {
    const ir::kernel& k = p.kernels[static_cast<std::size_t>(s.kernel)];
    const auto slots = slots_of(s, interpreted, scalars), own = slots_of(s, run, scalars);
    const std::int64_t blocks = ir::block_count(k, slots.data());
    ir::run_kernel(k, slots.data(), 0, blocks);
    host.run(s.kernel, own.data(), blocks, tests::thread_order::ascending);
  }
  CHECK(interpreted == run);
  CHECK(run[static_cast<std::size_t>(p.outputs[0])] == wanted[0].data);
}

}  // namespace

TEST_CASE("rolls of long rows compute what their graph does", "[cuda_text]") {
  check(rolls("float32", 3100, false));
  check(rolls("float32", 3101, false));
  check(rolls("int8", 12'400, false));
  check(rolls("int8", 12'403, false));
  check(rolls("int16", 6'202, true));
  check(rolls("float64", 1'601, true));
}

TEST_CASE("rolls of short rows that vectors divide are read as two halves", "[cuda_text]") {
  check(rolls("float32", 8, false));
  check(rolls("float32", 100, false));
  check(rolls("float64", 6, false));
  check(rolls("int8", 9'600, false));
  check(rolls("int16", 5'600, false));
}

TEST_CASE("rolled rows are read by aligned vectors, however short", "[cuda_text]") {
  for (const bool squares : {false, true}) {
    check(rolled_rows("float32", 1000, squares), 2);
    check(rolled_rows("float64", 10, squares), 2);
    check(rolled_rows("int8", 64, squares), 2);
    check(rolled_rows("int16", 8, squares), 2);
  }
}

TEST_CASE("rolled rows that begin between vectors are not", "[cuda_text]") {
  ir::machine gpu;
  gpu.target = ir::target::gpu;
  gpu.units = 2;
  const ir::plan p = ir::make_plan(ir::parse_graph(rolled_rows("float32", 1001, true)), gpu);
  CHECK(aligned_in(p.kernels[0]) == 0);
}

}  // namespace choices_text_test
