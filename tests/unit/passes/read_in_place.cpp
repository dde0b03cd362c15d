#include "ir/passes/read_in_place.hpp"

#include <sinter/sinter.hpp>

#include "ir/interpreter.hpp"
#include "ir/product.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/texts.hpp"

namespace read_in_place_test {

using namespace passes_tests;
using sinter::dtype;

namespace {

/// The product of a graph after the pass; the graph must verify.
ir::node product_of(const std::string& text, const ir::machine& m = {}) {
  const ir::graph g = ir::read_in_place(ir::parse_graph(text), m);
  ir::verify(g);
  return g[g.outputs[0]];
}

ir::matmul_form form_of(const ir::node& n) {
  return ir::matmul_form_of({}, {}, n.attributes);
}

std::string with_view(const std::string& base, const std::string& view) {
  return "%0 = source float32 " + base + "\n%1 = view float32 [3, 4] (%0) " + view +
         "\n%2 = source float32 [4, 2]\n%3 = call float32 [3, 2] (%1, %2) matmul\nreturn %3\n";
}

/// Compares a graph's first output before and after the pass.
void check_same_values(const std::string& text) {
  const ir::graph g = ir::parse_graph(text);
  std::vector<ir::tensor> sources;
  for (const ir::node& n : g.nodes) {
    if (n.kind != ir::node_kind::source) continue;
    ir::tensor t{n.type, n.shape, {}};
    const std::size_t width = size_of(sinter::real_of(n.type));
    t.data.resize(static_cast<std::size_t>(ir::size_of(n.shape)) * size_of(n.type));
    for (std::size_t i = 0; i < t.data.size() / width; ++i) {
      const float f = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
      const double d = f;
      std::memcpy(t.data.data() + i * width, width == 4 ? static_cast<const void*>(&f) : &d, width);
    }
    sources.push_back(std::move(t));
  }
  const std::vector<ir::tensor_view> views(sources.begin(), sources.end());
  const auto before = ir::interpret(g, views);
  const auto after = ir::interpret(ir::read_in_place(g, {}), views);
  CHECK(before[0].data == after[0].data);
}

}  // namespace

TEST_CASE("read_in_place: a matrix that is one number, or none, is stored") {
  for (const std::string rows : {"1", "0"}) {
    const ir::node n = product_of("%0 = scalar float32 [] 2\n%1 = view float32 [3, " + rows +
                                  "] (%0) strides [0, 0]\n%2 = source float32 [" + rows +
                                  ", 2]\n%3 = call float32 [3, 2] (%1, %2) matmul\nreturn %3\n");
    CHECK(n.inputs == std::vector<ir::node_id>{1, 2});
  }
  const auto one = sinter::full<float>({1, 1}, 2.0f), x = sinter::ones<float>({1, 3});
  sinter::eval(x);
  CHECK(sinter::sum(sinter::matmul(one, x)).item() == 6);
  CHECK(sinter::sum(sinter::matmul(sinter::full<float>({3, 0}, 1.0f),
                                   sinter::ones<float>({0, 2}))).item() == 0);
}

TEST_CASE("transposed, sliced and shifted operands are read where they lie") {
  const struct {
    std::string base, view;
    ir::matmul_operand read;
  } cases[] = {
      {"[4, 3]", "strides [1, 3]", {0, 3, 0, true, false}},
      {"[3, 9]", "offset 5 strides [9, 1]", {5, 9, 0, false, false}},
      {"[6, 4]", "strides [8, 1]", {0, 8, 0, false, false}},
      {"[9, 3]", "offset 3 strides [1, 6]", {3, 6, 0, true, false}},
  };
  for (const auto& c : cases) {
    const std::string text = with_view(c.base, c.view);
    const ir::node n = product_of(text);
    CHECK(n.inputs[0] == 0);
    CHECK(form_of(n).a == c.read);
    check_same_values(text);
  }
}

TEST_CASE("what BLAS has no steps for stays a view") {
  for (const auto& [base, view] :
       {std::pair("[3, 8]", "strides [8, 2]"), std::pair("[3, 4]", "offset 8 strides [-4, 1]"),
        std::pair("[4]", "strides [0, 1]")}) {
    CHECK(product_of(with_view(base, view)).inputs[0] == 1);
    check_same_values(with_view(base, view));
  }
}

TEST_CASE("a stack of matrices has one step, or none for one that is repeated") {
  const std::string text = R"(%0 = source float64 [2, 3, 4, 5]
%1 = view float64 [2, 3, 5, 4] (%0) strides [60, 20, 1, 5]
%2 = source float64 [4, 2]
%3 = view float64 [2, 3, 4, 2] (%2) strides [0, 0, 2, 1]
%4 = call float64 [2, 3, 5, 2] (%1, %3) matmul
return %4
)";
  const ir::matmul_form f = form_of(product_of(text));
  CHECK(f.a == ir::matmul_operand{0, 5, 20, true, false});
  CHECK(f.b == ir::matmul_operand{0, 2, 0, false, false});
  CHECK(f.batch == 6);
  check_same_values(text);
  const std::string uneven = R"(%0 = source float64 [3, 1, 4, 5]
%1 = view float64 [3, 2, 4, 5] (%0) strides [20, 0, 5, 1]
%2 = source float64 [3, 2, 5, 2]
%3 = call float64 [3, 2, 4, 2] (%1, %2) matmul
return %3
)";
  CHECK(product_of(uneven).inputs[0] == 1);
}

TEST_CASE("conjugates are a flag, and two of them none") {
  const std::string head = R"(%0 = source complex128 [4, 3]
%1 = map complex128 [4, 3] (%0) { v1 = conj complex128 v0 }
%2 = view complex128 [3, 4] (%1) strides [1, 3]
)";
  const std::string text = head + R"(%3 = call complex128 [4, 4] (%1, %2) matmul
return %3
)";
  const ir::node n = product_of(text);
  CHECK(n.inputs == std::vector<ir::node_id>{0, 0});
  CHECK(form_of(n).a.conjugate);
  CHECK((form_of(n).b.conjugate && form_of(n).b.transpose));
  check_same_values(text);
  const ir::node twice =
      product_of(head + R"(%3 = map complex128 [3, 4] (%2) { v1 = conj complex128 v0 }
%4 = call complex128 [3, 3] (%3, %0) matmul
return %4
)");
  CHECK_FALSE(form_of(twice).a.conjugate);
}

TEST_CASE("halves that were cast to float32 are multiplied as halves where they can be") {
  const auto of = [](const std::string& half) {
    return "%0 = source " + half + " [4, 3]\n%1 = map float32 [4, 3] (%0) { v1 = cast " + half +
           " -> float32 v0 }\n%2 = view float32 [3, 4] (%1) strides [1, 3]\n"
           "%3 = call float32 [3, 3] (%2, %1) matmul\nreturn %3\n";
  };
  const std::string text = of("bfloat16");
  ir::machine gpu;
  gpu.target = ir::target::gpu;
  const ir::node n = product_of(text, gpu);
  CHECK(n.inputs == std::vector<ir::node_id>{0, 0});
  CHECK(form_of(n).a.transpose);
  CHECK(product_of(text).inputs == std::vector<ir::node_id>{1, 1});
  ir::machine cpu;
  cpu.bfloat16_products = true;
  CHECK(product_of(text, cpu).inputs == std::vector<ir::node_id>{0, 0});
  CHECK(product_of(of("float16"), cpu).inputs == std::vector<ir::node_id>{1, 1});
}

TEST_CASE("products of views are what products of copies are") {
  namespace sn = sinter;
  const sn::array<double> x = sn::random::normal<double>({3, 6, 4}, {.seed = 1});
  const sn::array<double> y = sn::random::normal<double>({3, 5, 6}, {.seed = 2});
  const auto copied = [](const sn::array<double>& a) {
    sn::array<double> c = a + 0.0;
    sn::eval(c);
    return c;
  };
  const sn::array<double> turned = sn::swapaxes(x, -1, -2), other = sn::swapaxes(y, -1, -2);
  const auto same = [](const sn::array<double>& a, const sn::array<double>& b) {
    return sn::max(sn::abs(a - b)).item() < 1e-13;
  };
  CHECK(same(sn::matmul(turned, other), sn::matmul(copied(turned), copied(other))));
  const sn::array<double> part = x(1, sn::slice(1, 5), sn::slice(0, 3));
  CHECK(same(sn::matmul(part, sn::transpose(part)),
             sn::matmul(copied(part), copied(sn::transpose(part)))));
  const sn::array<double> last = x(2, sn::ellipsis);
  CHECK(same(sn::matmul(turned, last), sn::matmul(copied(turned), last)));
}

}  // namespace read_in_place_test
