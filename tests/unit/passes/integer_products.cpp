#include "ir/passes/integer_products.hpp"

#include <algorithm>
#include <random>

#include "ir/interpreter.hpp"
#include "ir/passes/read_in_place.hpp"
#include "ir/product.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "tests/unit/passes/texts.hpp"

namespace integer_products_test {

using namespace passes_tests;

namespace {

/// The graph of a product of [m, k] and [k, n], for a GPU whose library multiplies bytes.
std::string wide_product(int m, int k, int n, const std::string& y_steps) {
  const auto text = [](int i) { return std::to_string(i); };
  const std::string columns =
      y_steps.starts_with("[1,") ? text(n) + ", " + text(k) : text(k) + ", " + text(n);
  return "%0 = source int8 [" + text(m) + ", " + text(k) + "]\n%1 = source uint8 [" + columns +
         "]\n%2 = map int32 [" + text(m) + ", " + text(k) +
         "] (%0) { v1 = cast int8 -> int32 v0 }\n%3 = map int32 [" + columns +
         "] (%1) { v1 = cast uint8 -> int32 v0 }\n%4 = view int32 [" + text(m) + ", " + text(k) +
         ", " + text(n) + "] (%2) strides [" + text(k) + ", 1, 0]\n%5 = view int32 [" + text(m) +
         ", " + text(k) + ", " + text(n) + "] (%3) strides [0, " + y_steps.substr(1) +
         "\n%6 = map int32 [" + text(m) + ", " + text(k) + ", " + text(n) +
         "] (%4, %5) { v2 = multiply int32 v0 v1 }\n%7 = reduce int32 [" + text(m) + ", " +
         text(n) + "] (%6) add over [1]\nreturn %7\n";
}

/// A product of a [17, 40] and b [40, 19] of `type`, converted from `stored` and `other`.
std::string product(const std::string& type, const std::string& stored, bool turned = false,
                    std::string other = "") {
  if (other.empty()) other = stored;
  const auto cast = [&](const std::string& from) {
    return type == from ? "bitwise_or " + type + " v0 v0" : "cast " + from + " -> " + type + " v0";
  };
  return "%0 = source " + stored + " [17, 40]\n%1 = source " + other + " [40, 19]\n" + "%2 = map " +
         type + " [17, 40] (%0) { v1 = " + cast(stored) + " }\n%3 = map " + type +
         " [40, 19] (%1) { v1 = " + cast(other) + " }\n%4 = view " + type +
         " [17, 40, 19] (%2) strides [40, 1, 0]\n%5 = view " + type +
         " [17, 40, 19] (%3) strides [0, 19, 1]\n%6 = map " + type + " [17, 40, 19] " +
         (turned ? "(%5, %4)" : "(%4, %5)") + " { v2 = multiply " + type + " v0 v1 }\n" +
         "%7 = reduce " + type + " [17, 19] (%6) add over [1]\nreturn %7\n";
}

ir::machine small() {
  ir::machine m = gpu();
  m.product_steps = 100;
  return m;
}

/// A CPU whose library multiplies bytes.
ir::machine small_cpu() {
  ir::machine m = small();
  m.target = ir::target::cpu;
  m.int8_products = true;
  return m;
}

std::size_t calls(const std::string& text, const ir::machine& m = small()) {
  const ir::graph g = ir::integer_products(ir::parse_graph(text), m);
  return static_cast<std::size_t>(std::ranges::count_if(
      g.nodes, [](const ir::node& n) { return n.kind == ir::node_kind::call; }));
}

/// Compares both graphs on random bits.
template <class T> bool same(const std::string& text, const ir::machine& m = small()) {
  const ir::graph g = ir::parse_graph(text), made = ir::integer_products(g, m);
  std::mt19937_64 random(7);
  std::vector<T> a(17 * 40), b(40 * 19);
  for (auto* v : {&a, &b}) {
    for (T& x : *v) x = static_cast<T>(random());
  }
  const ir::shape_t left{17, 40}, right{40, 19};
  const std::vector<ir::tensor_view> in = {{g.nodes[0].type, left, a.data()},
                                           {g.nodes[1].type, right, b.data()}};
  return ir::interpret(g, in)[0].data == ir::interpret(made, in)[0].data;
}

}  // namespace

TEST_CASE("integer_products: of few bits one product, of 32 three") {
  CHECK(calls(product("int32", "int8")) == 1);
  CHECK(calls(product("int32", "int8", true)) == 1);
  CHECK(calls(product("int64", "uint16")) == 1);
  CHECK(calls(product("uint32", "bool")) == 1);
  CHECK(calls(product("int32", "int32")) == 3);
  CHECK(calls(product("uint32", "int8")) == 3);  // -1 has 32 bits
  CHECK(calls(product("int64", "int32")) == 0);  // 62 bits
  CHECK(calls(product("int64", "int64")) == 0);
}

TEST_CASE("integer_products: small ones are sums, and so are all of a CPU") {
  CHECK(calls(product("int32", "int8"), gpu()) == 0);
  ir::machine cpu = small();
  cpu.target = ir::target::cpu;
  CHECK(calls(product("int32", "int8"), cpu) == 0);
}

TEST_CASE("integer_products: the bits are those of the sums") {
  CHECK(same<std::int8_t>(product("int32", "int8")));
  CHECK(same<std::int8_t>(product("int16", "int8")));
  CHECK(same<std::int8_t>(product("uint32", "int8")));
  CHECK(same<std::uint8_t>(product("int64", "uint8", true)));
  CHECK(same<std::uint16_t>(product("int64", "uint16")));
  CHECK(same<std::int16_t>(product("int32", "int16", true)));
  CHECK(same<std::int32_t>(product("int32", "int32")));
  CHECK(same<std::uint32_t>(product("uint32", "uint32")));
}

TEST_CASE("integer_products: bytes stay bytes on a CPU that multiplies them") {
  for (const char* type : {"int16", "int32", "uint32", "int64", "uint64"}) {
    INFO(type);
    for (const char* bytes : {"int8", "uint8"}) {
      for (const char* other : {"int8", "uint8"}) {
        const std::string text = product(type, bytes, bytes == other, other);
        CHECK(calls(text, small_cpu()) == 1);
        CHECK(same<std::int8_t>(text, small_cpu()));
      }
    }
  }
  CHECK(same<std::int8_t>(product("int8", "int8"), small_cpu()));
  CHECK(same<std::int8_t>(product("uint8", "uint8"), small_cpu()));
  CHECK(calls(product("int32", "int16"), small_cpu()) == 0);
  CHECK(calls(product("int32", "bool"), small_cpu()) == 0);
  CHECK(calls(product("int32", "int32"), small_cpu()) == 0);
  ir::machine whole = small_cpu();
  whole.product_steps = 0;
  CHECK(calls(product("int32", "int8"), whole) == 0);
}

TEST_CASE("integer_products: a GPU's bytes lie along the sum, in whole vectors") {
  ir::machine m = small();
  m.int8_products = true;
  const auto operands = [&](const std::string& text) {
    const ir::graph g = ir::read_in_place(ir::integer_products(ir::parse_graph(text), m), m);
    ir::verify(g);
    const auto call = std::ranges::find(g.nodes, ir::node_kind::call, &ir::node::kind);
    REQUIRE(call != g.nodes.end());
    if (g[call->inputs[0]].type == sinter::dtype::int8) {
      const auto f = ir::matmul_form_of({}, {}, call->attributes);
      CHECK((!f.a.transpose && f.b.transpose));
    }
    return std::string(name(g[call->inputs[0]].type)) +
           (g[call->inputs[0]].kind == ir::node_kind::source ? " in place" : "");
  };
  CHECK(operands(wide_product(17, 48, 20, "[20, 1]")) == "int8 in place");
  CHECK(operands(wide_product(17, 48, 20, "[1, 48]")) == "int8 in place");
  CHECK(operands(wide_product(17, 40, 20, "[20, 1]")) == "bfloat16");
  CHECK(operands(wide_product(17, 48, 21, "[21, 1]")) == "bfloat16");
}

TEST_CASE("integer_products: bytes go as halves, as long as floats hold their sums") {
  const auto first_type = [](const char* stored, int depth) {
    const std::string d = std::to_string(depth), s = stored;
    const ir::graph g = ir::integer_products(
        ir::parse_graph("%0 = source " + s + " [64, " + d + "]\n%1 = source " + s + " [" + d +
                        ", 64]\n%2 = map int32 [64, " + d + "] (%0) { v1 = cast " + s +
                        " -> int32 v0 }\n%3 = map int32 [" + d + ", 64] (%1) { v1 = cast " + s +
                        " -> int32 v0 }\n%4 = view int32 [64, " + d + ", 64] (%2) strides [" + d +
                        ", 1, 0]\n%5 = view int32 [64, " + d +
                        ", 64] (%3) strides [0, 64, 1]\n%6 = map int32 [64, " + d +
                        ", 64] (%4, %5) { v2 = multiply int32 v0 v1 }\n"
                        "%7 = reduce int32 [64, 64] (%6) add over [1]\nreturn %7\n"),
        small());
    const auto call = std::ranges::find(g.nodes, ir::node_kind::call, &ir::node::kind);
    REQUIRE(call != g.nodes.end());
    return g[call->inputs[0]].type;
  };
  CHECK(first_type("int8", 1024) == sinter::dtype::bfloat16);
  CHECK(first_type("int8", 1025) == sinter::dtype::float64);
  CHECK(first_type("uint8", 256) == sinter::dtype::bfloat16);
  CHECK(first_type("uint8", 257) == sinter::dtype::float64);
  CHECK(first_type("int16", 64) == sinter::dtype::float64);
}

TEST_CASE("integer_products: what matmul records is seen") {
  namespace sn = sinter;
  const auto small = sn::copy(sn::astype<std::int8_t>(stored({300, 400})));
  const auto other = sn::copy(sn::astype<std::uint8_t>(stored({200, 400})));
  sn::eval(small, other);
  const sn::array<int> y =
      sn::matmul(sn::astype<int>(small), sn::transpose(sn::astype<int>(other))) + 1;
  const auto called = [&](ir::target t) {
    const ir::plan p = plan_for({y}, t);
    return std::ranges::count_if(
        p.steps, [](const ir::plan_step& s) { return s.what == ir::plan_step::kind::call; });
  };
  CHECK(called(ir::target::gpu) == 1);
  CHECK(called(ir::target::cpu) == 0);
}

}  // namespace integer_products_test
