#include "ir/passes/fold_epilogues.hpp"

#include <cmath>
#include <cstring>

#include "ir/interpreter.hpp"
#include "ir/product.hpp"
#include "ir/reference.hpp"
#include "tests/catch.hpp"
#include "texts.hpp"

namespace fold_epilogues_test {

using namespace passes_tests;

namespace {

std::string folded(const std::string& text) {
  return after([](const ir::graph& g) { return ir::fold_epilogues(g, gpu()); }, text);
}

/// A product %2 of halves, then float zeros, ones and so on, and a bias of halves as float32.
const std::string halves = R"(%0 = source bfloat16 [64, 32]
%1 = source bfloat16 [32, 48]
%2 = call bfloat16 [64, 48] (%0, %1) matmul
%3 = source bfloat16 [48]
%4 = view bfloat16 [64, 48] (%3) strides [0, 1]
%5 = map float32 [64, 48] (%4) { v1 = cast bfloat16 -> float32 v0 }
%6 = scalar float32 [] 2
%7 = scalar float32 [] 0
%8 = map float32 [64, 48] (%2) { v1 = cast bfloat16 -> float32 v0 }
)";

const std::string floats = R"(%0 = source float32 [64, 32]
%1 = source float32 [32, 48]
%2 = call float32 [64, 48] (%0, %1) matmul
%3 = source float32 [64, 48]
%4 = scalar float32 [] 3
)";

/// The same for a product that is not a kernel of its own (vector_products).
std::string of_long_sums(std::string text) {
  for (const auto& [from, to] : {std::pair("[64, 32]", "[64, 4096]"), {"[32, 48]", "[4096, 48]"}}) {
    text.replace(text.find(from), std::strlen(from), to);
  }
  return text;
}

/// The line of the call.
std::string call_in(const std::string& text) {
  const std::size_t at = text.find("call");
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

/// The outputs for small random numbers, after a GPU's passes and of the graph as it is.
void check_same_values(const std::string& text, double bound) {
  const ir::graph g = ir::parse_graph(text), h = ir::fold_epilogues(g, gpu());
  std::vector<ir::tensor> sources;
  std::uint32_t state = 1;
  for (const ir::node& n : g.nodes) {
    if (n.kind != ir::node_kind::source) continue;
    ir::tensor t{n.type, n.shape, {}};
    const auto count = static_cast<std::size_t>(ir::size_of(n.shape));
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      const double x = static_cast<double>(state >> 8) / (1 << 23) - 1;
      ir::scalar_value v;
      std::memcpy(v.bits, &x, sizeof x);
      v = ir::convert(v, sinter::dtype::float64, n.type);
      const auto* bytes = reinterpret_cast<const std::byte*>(v.bits);
      t.data.insert(t.data.end(), bytes, bytes + size_of(n.type));
    }
    sources.push_back(std::move(t));
  }
  const std::vector<ir::tensor_view> views(sources.begin(), sources.end());
  const auto a = ir::interpret(g, views), b = ir::interpret(h, views);
  REQUIRE(a.size() == b.size());
  double worst = 0;
  const std::size_t size = size_of(a[0].type);
  for (std::size_t i = 0; i < a[0].data.size() / size; ++i) {
    ir::scalar_value x, y;
    std::memcpy(x.bits, a[0].data.data() + i * size, size);
    std::memcpy(y.bits, b[0].data.data() + i * size, size);
    x = ir::convert(x, a[0].type, sinter::dtype::float64);
    y = ir::convert(y, a[0].type, sinter::dtype::float64);
    double p = 0, q = 0;
    std::memcpy(&p, x.bits, sizeof p);
    std::memcpy(&q, y.bits, sizeof q);
    worst = std::max(worst, std::abs(p - q) / std::max(1.0, std::abs(p)));
  }
  CHECK(worst <= bound);
}

}  // namespace

TEST_CASE("a scale, a bias and relu between halves are one call") {
  const std::string text =
      halves + R"(%9 = map float32 [64, 48] (%6, %8) { v2 = multiply float32 v0 v1 }
%10 = map float32 [64, 48] (%9, %5) { v2 = add float32 v0 v1 }
%11 = map float32 [64, 48] (%10, %7) { v2 = maximum float32 v0 v1 }
%12 = map bfloat16 [64, 48] (%11) { v1 = cast float32 -> bfloat16 v0 }
return %12
)";
  const ir::graph g = ir::fold_epilogues(ir::parse_graph(text), gpu());
  ir::verify(g);
  const ir::node& call = g[g.outputs[0]];
  REQUIRE(call.kind == ir::node_kind::call);
  CHECK(call.type == sinter::dtype::bfloat16);
  const ir::matmul_epilogue e =
      ir::matmul_form_of(g[call.inputs[0]].shape, g[call.inputs[1]].shape, call.attributes)
          .epilogue;
  CHECK(e == ir::matmul_epilogue{true, false, true, false, ir::matmul_activation::relu});
  CHECK(g[call.inputs[2]].shape == ir::shape_t{48});
  CHECK(g[call.inputs[3]].kind == ir::node_kind::scalar);
  check_same_values(text, 1.0 / 64);
  const ir::plan p = plan_of(of_long_sums(text), gpu());
  CHECK(p.kernels.empty());
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].slots.size() == 2);  // the words of one scalar
  CHECK(p.steps[0].inputs.size() == 3);
}

TEST_CASE("nothing is folded on a CPU, nor without fusion") {
  const std::string text = halves + R"(%9 = map float32 [64, 48] (%8, %5) { v2 = add float32 v0 v1 }
return %9
)";
  const ir::graph g = ir::parse_graph(text);
  ir::machine m;
  CHECK(ir::print(ir::fold_epilogues(g, m)) == text);
  m = gpu();
  m.fuse = false;
  CHECK(ir::print(ir::fold_epilogues(g, m)) == text);
  // A product of halves may be stored in float32, but then its bias must be float32.
  CHECK(folded(text).find("%9 = map") != std::string::npos);
}

TEST_CASE("what the kernel behind a product would do anyway is left to it") {
  const std::string rest = R"(%9 = map float32 [64, 48] (%8, %5) { v2 = add float32 v0 v1 }
%10 = map float32 [64, 48] (%9) { v1 = exp float32 v0 }
%11 = map bfloat16 [64, 48] (%10) { v1 = cast float32 -> bfloat16 v0 }
return %11
)";
  CHECK(folded(halves + rest) == halves + rest);
}

TEST_CASE("the product that somebody keeps is stored as it is") {
  const std::string rest = R"(%9 = map float32 [64, 48] (%8, %5) { v2 = add float32 v0 v1 }
%10 = map bfloat16 [64, 48] (%9) { v1 = cast float32 -> bfloat16 v0 }
return %10, %2
)";
  CHECK(folded(halves + rest) == halves + rest);
}

TEST_CASE("alpha a b + beta c of floats") {
  const std::string text = floats + R"(%5 = scalar float32 [] 5
%6 = map float32 [64, 48] (%2, %4) { v2 = multiply float32 v0 v1 }
%7 = map float32 [64, 48] (%5, %3) { v2 = multiply float32 v0 v1 }
%8 = map float32 [64, 48] (%7, %6) { v2 = add float32 v0 v1 }
return %8
)";
  CHECK(call_in(folded(text)) == "call float32 [64, 48] (%0, %1, %2, %3, %4) matmul [3584]");
  check_same_values(text, 1e-6);
}

TEST_CASE("an addend that would have to be computed first is none") {
  const std::string rest = R"(%5 = map float32 [64, 48] (%3) { v1 = sin float32 v0 }
%6 = map float32 [64, 48] (%2, %5) { v2 = add float32 v0 v1 }
return %6
)";
  CHECK(folded(floats + rest) == floats + rest);
}

TEST_CASE("a bias along the columns is none") {
  const std::string rest = R"(%5 = source float32 [64]
%6 = view float32 [64, 48] (%5) strides [1, 0]
%7 = map float32 [64, 48] (%2, %6) { v2 = add float32 v0 v1 }
return %7
)";
  CHECK(folded(floats + rest) == floats + rest);
}

TEST_CASE("another limit than zero is no relu") {
  const std::string rest =
      "%5 = map float32 [64, 48] (%2, %4) { v2 = maximum float32 v0 v1 }\nreturn %5\n";
  CHECK(folded(floats + rest) == floats + rest);
}

TEST_CASE("doubles get scales and addends, no bias and no relu") {
  const std::string head = R"(%0 = source float64 [8, 8]
%1 = call float64 [8, 8] (%0, %0) matmul
%2 = source float64 [8]
%3 = view float64 [8, 8] (%2) strides [0, 1]
)";
  const std::string biased =
      "%4 = map float64 [8, 8] (%1, %3) { v2 = add float64 v0 v1 }\nreturn %4\n";
  CHECK(folded(head + biased) == head + biased);
  const std::string added =
      "%4 = map float64 [8, 8] (%1, %0) { v2 = add float64 v0 v1 }\nreturn %4\n";
  CHECK(call_in(folded(head + added)) == "call float64 [8, 8] (%0, %0, %0) matmul [512]");
}

TEST_CASE("gelu by tanh is recognised, whichever way it is written") {
  const std::string head = halves + R"(%9 = scalar float32 [] 0.5
%10 = scalar float32 [] 1
%11 = scalar float32 [] 0.7978845608028654
%12 = scalar float32 [] 0.044715
%13 = map float32 [64, 48] (%8, %5) { v2 = add float32 v0 v1 }
)";
  const auto formula = [&](const char* cube, const char* end) {
    std::string text = head + cube +
                       "%17 = map float32 [64, 48] (%13, %16) { v2 = add float32 v0 v1 }\n"
                       "%18 = map float32 [64, 48] (%11, %17) { v2 = multiply float32 v0 v1 }\n"
                       "%19 = map float32 [64, 48] (%18) { v1 = tanh float32 v0 }\n" +
                       end;
    return text;
  };
  const char* by_products =
      "%14 = map float32 [64, 48] (%12, %13) { v2 = multiply float32 v0 v1 }\n"
      "%15 = map float32 [64, 48] (%14, %13) { v2 = multiply float32 v0 v1 }\n"
      "%16 = map float32 [64, 48] (%15, %13) { v2 = multiply float32 v0 v1 }\n";
  const char* by_square =
      "%14 = map float32 [64, 48] (%13) { v1 = square float32 v0 }\n"
      "%15 = map float32 [64, 48] (%14, %13) { v2 = multiply float32 v0 v1 }\n"
      "%16 = map float32 [64, 48] (%15, %12) { v2 = multiply float32 v0 v1 }\n";
  const char* half_first =
      "%20 = map float32 [64, 48] (%19, %10) { v2 = add float32 v0 v1 }\n"
      "%21 = map float32 [64, 48] (%9, %13) { v2 = multiply float32 v0 v1 }\n"
      "%22 = map float32 [64, 48] (%21, %20) { v2 = multiply float32 v0 v1 }\n"
      "%23 = map bfloat16 [64, 48] (%22) { v1 = cast float32 -> bfloat16 v0 }\nreturn %23\n";
  const char* half_last =
      "%20 = map float32 [64, 48] (%10, %19) { v2 = add float32 v0 v1 }\n"
      "%21 = map float32 [64, 48] (%20, %13) { v2 = multiply float32 v0 v1 }\n"
      "%22 = map float32 [64, 48] (%21, %9) { v2 = multiply float32 v0 v1 }\n"
      "%23 = map bfloat16 [64, 48] (%22) { v1 = cast float32 -> bfloat16 v0 }\nreturn %23\n";
  for (const char* cube : {by_products, by_square}) {
    for (const char* end : {half_first, half_last}) {
      const std::string text = formula(cube, end);
      CHECK(call_in(folded(text)) == "call bfloat16 [64, 48] (%0, %1, %2) matmul [8448]");
      check_same_values(text, 1.0 / 64);
    }
  }
  // With another constant, or a result in float32, the library does not compute the same.
  std::string other = formula(by_square, half_first);
  other.replace(other.find("0.044715"), 8, "0.044716");
  CHECK(call_in(folded(other)) == "call bfloat16 [64, 48] (%0, %1) matmul");
  std::string wide = formula(by_square, half_first);
  wide.replace(wide.find("return %23"), 10, "return %22");
  CHECK(call_in(folded(wide)) == "call bfloat16 [64, 48] (%0, %1) matmul");
}

TEST_CASE("products of halves in float32 that are stored as halves are stored by the call") {
  const std::string text = R"(%0 = source float16 [256, 256]
%1 = map float32 [256, 256] (%0) { v1 = cast float16 -> float32 v0 }
%2 = call float32 [256, 256] (%1, %1) matmul
%3 = map float16 [256, 256] (%2) { v1 = cast float32 -> float16 v0 }
return %3
)";
  const ir::plan p = plan_of(text, gpu());
  REQUIRE(p.kernels.empty());
  REQUIRE(p.steps.size() == 1);
  CHECK(p.steps[0].types.back() == sinter::dtype::float16);
}

}  // namespace fold_epilogues_test
