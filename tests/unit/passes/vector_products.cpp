#include "ir/passes/vector_products.hpp"

#include "ir/passes/simplify.hpp"
#include "ir/product.hpp"
#include "tests/catch.hpp"
#include "tests/unit/passes/recorded.hpp"
#include "texts.hpp"

namespace vector_products_test {

using namespace passes_tests;
namespace sn = sinter;

namespace {

/// A product of arrays of these shapes, rewritten.
std::string product(const std::string& type, const std::string& a, const std::string& b,
                    const std::string& result, const ir::machine& m = {}) {
  return after([&](const ir::graph& g) { return ir::vector_products(g, m); },
               "%0 = source " + type + " " + a + "\n%1 = source " + type + " " + b +
                   "\n%2 = call " + type + " " + result + " (%0, %1) matmul\nreturn %2\n");
}

/// Does a CPU leave the product to its library?
bool called(const std::string& a, const std::string& b, const std::string& result) {
  return product("float64", a, b, result).find("call") != std::string::npos;
}

bool called_on_gpu(const std::string& a, const std::string& b, const std::string& result,
                   const std::string& type = "float32") {
  return product(type, a, b, result, gpu()).find("call") != std::string::npos;
}

}  // namespace

TEST_CASE("a matrix and a column are a sum along rows") {
  CHECK(product("float64", "[3, 4]", "[4, 1]", "[3, 1]") ==
        "%0 = source float64 [3, 4]\n"
        "%1 = source float64 [4, 1]\n"
        "%2 = view float64 [3, 4] (%1) strides [0, 1]\n"
        "%3 = map float64 [3, 4] (%0, %2) { v2 = multiply float64 v0 v1 }\n"
        "%4 = reduce float64 [3] (%3) add over [1]\n"
        "%5 = view float64 [3, 1] (%4) strides [1, 1]\n"
        "return %5\n");
}

TEST_CASE("a row and a matrix are a sum down columns, of a vector without an axis for rows") {
  CHECK(product("complex128", "[1, 4]", "[4, 5]", "[5]") ==
        "%0 = source complex128 [1, 4]\n"
        "%1 = source complex128 [4, 5]\n"
        "%2 = view complex128 [4, 5] (%0) strides [1, 0]\n"
        "%3 = map complex128 [4, 5] (%2, %1) { v2 = multiply complex128 v0 v1 }\n"
        "%4 = reduce complex128 [5] (%3) add over [0]\n"
        "return %4\n");
}

TEST_CASE("stacks of them are one sum, of halves in float") {
  CHECK(product("bfloat16", "[7, 3, 4]", "[7, 4, 1]", "[7, 3]") ==
        "%0 = source bfloat16 [7, 3, 4]\n"
        "%1 = source bfloat16 [7, 4, 1]\n"
        "%2 = map float32 [7, 3, 4] (%0) { v1 = cast bfloat16 -> float32 v0 }\n"
        "%3 = map float32 [7, 4, 1] (%1) { v1 = cast bfloat16 -> float32 v0 }\n"
        "%4 = view float32 [7, 3, 4] (%3) strides [4, 0, 1]\n"
        "%5 = map float32 [7, 3, 4] (%2, %4) { v2 = multiply float32 v0 v1 }\n"
        "%6 = reduce float32 [7, 3] (%5) add over [2]\n"
        "%7 = map bfloat16 [7, 3] (%6) { v1 = cast float32 -> bfloat16 v0 }\n"
        "return %7\n");
}

TEST_CASE("a GPU's products of little depth are sums of outer products") {
  const std::string call =
      "%0 = source float16 [7, 5, 2]\n"
      "%1 = source float16 [7, 2, 6]\n"
      "%2 = call float16 [7, 5, 6] (%0, %1) matmul\n"
      "return %2\n";
  CHECK(product("float16", "[7, 5, 2]", "[7, 2, 6]", "[7, 5, 6]") == call);
  CHECK(product("float16", "[7, 5, 2]", "[7, 2, 6]", "[7, 5, 6]", gpu()) ==
        "%0 = source float16 [7, 5, 2]\n"
        "%1 = source float16 [7, 2, 6]\n"
        "%2 = map float32 [7, 5, 2] (%0) { v1 = cast float16 -> float32 v0 }\n"
        "%3 = map float32 [7, 2, 6] (%1) { v1 = cast float16 -> float32 v0 }\n"
        "%4 = view float32 [7, 5, 6] (%2) strides [10, 2, 0]\n"
        "%5 = view float32 [7, 5, 6] (%3) strides [12, 0, 1]\n"
        "%6 = map float32 [7, 5, 6] (%4, %5) { v2 = multiply float32 v0 v1 }\n"
        "%7 = view float32 [7, 5, 6] (%2) offset 1 strides [10, 2, 0]\n"
        "%8 = view float32 [7, 5, 6] (%3) offset 6 strides [12, 0, 1]\n"
        "%9 = map float32 [7, 5, 6] (%7, %8) { v2 = multiply float32 v0 v1 }\n"
        "%10 = map float32 [7, 5, 6] (%6, %9) { v2 = add float32 v0 v1 }\n"
        "%11 = map float16 [7, 5, 6] (%10) { v1 = cast float32 -> float16 v0 }\n"
        "return %11\n");
}

TEST_CASE("a GPU's products of few multiplications are sums of all products") {
  CHECK(product("float16", "[7, 9, 5]", "[7, 5, 6]", "[7, 9, 6]", gpu()) ==
        "%0 = source float16 [7, 9, 5]\n"
        "%1 = source float16 [7, 5, 6]\n"
        "%2 = map float32 [7, 9, 5] (%0) { v1 = cast float16 -> float32 v0 }\n"
        "%3 = map float32 [7, 5, 6] (%1) { v1 = cast float16 -> float32 v0 }\n"
        "%4 = view float32 [7, 9, 5, 6] (%2) strides [45, 5, 1, 0]\n"
        "%5 = view float32 [7, 9, 5, 6] (%3) strides [30, 0, 6, 1]\n"
        "%6 = map float32 [7, 9, 5, 6] (%4, %5) { v2 = multiply float32 v0 v1 }\n"
        "%7 = reduce float32 [7, 9, 6] (%6) add over [2]\n"
        "%8 = map float16 [7, 9, 6] (%7) { v1 = cast float32 -> float16 v0 }\n"
        "return %8\n");
  CHECK_FALSE(called_on_gpu("[128, 256]", "[256, 128]", "[128, 128]", "float32"));
  CHECK(called_on_gpu("[128, 257]", "[257, 128]", "[128, 128]", "float32"));
  CHECK(called_on_gpu("[128, 256]", "[256, 128]", "[128, 128]", "float64"));
  CHECK_FALSE(called_on_gpu("[128, 256]", "[256, 128]", "[128, 128]", "bfloat16"));
  CHECK_FALSE(called_on_gpu("[64, 128]", "[128, 64]", "[64, 64]", "complex64"));
  CHECK(called_on_gpu("[64, 129]", "[129, 64]", "[64, 64]", "complex64"));
  CHECK(called_on_gpu("[32, 1025]", "[1025, 32]", "[32, 32]", "float32"));
}

TEST_CASE("a GPU's products too narrow for its library are sums") {
  // Few outputs of a long sum.
  CHECK_FALSE(called_on_gpu("[16, 200000]", "[200000, 16]", "[16, 16]"));
  CHECK(called_on_gpu("[16, 200000]", "[200000, 17]", "[16, 17]"));
  CHECK(called("[16, 200000]", "[200000, 16]", "[16, 16]"));
  CHECK_FALSE(called_on_gpu("[8, 200000]", "[200000, 8]", "[8, 8]", "float64"));
  CHECK_FALSE(called_on_gpu("[8, 200000]", "[200000, 8]", "[8, 8]", "bfloat16"));
  CHECK(called_on_gpu("[16, 200000]", "[200000, 16]", "[16, 16]", "float64"));
  CHECK(called_on_gpu("[2, 8, 200000]", "[2, 200000, 8]", "[2, 8, 8]"));
  // Few columns, or rows.
  CHECK_FALSE(called_on_gpu("[1000000, 16]", "[16, 8]", "[1000000, 8]"));
  CHECK(called_on_gpu("[1000000, 17]", "[17, 8]", "[1000000, 8]"));
  CHECK_FALSE(called_on_gpu("[8000, 8000]", "[8000, 3]", "[8000, 3]"));
  CHECK(called_on_gpu("[8000, 8000]", "[8000, 4]", "[8000, 4]"));
  CHECK_FALSE(called_on_gpu("[3, 8000]", "[8000, 8000]", "[3, 8000]"));
  CHECK_FALSE(called_on_gpu("[2000000, 16]", "[16, 2]", "[2000000, 2]", "float64"));
  CHECK(called_on_gpu("[8000, 8000]", "[8000, 2]", "[8000, 2]", "float64"));
  CHECK(called_on_gpu("[1000000, 16]", "[16, 3]", "[1000000, 3]", "bfloat16"));
}

TEST_CASE("rows and columns of a narrow product change places where the sum lies along the right") {
  const std::string left = "%0 = source float32 [200000, 4]\n%1 = source float32 [8, 200000]\n";
  CHECK(after([](const ir::graph& g) { return ir::simplify(ir::vector_products(g, gpu())); },
              left +
                  "%2 = view float32 [4, 200000] (%0) strides [1, 4]\n"
                  "%3 = view float32 [200000, 8] (%1) strides [1, 200000]\n"
                  "%4 = call float32 [4, 8] (%2, %3) matmul\n"
                  "return %4\n") ==
        left +
            "%2 = view float32 [8, 200000, 4] (%1) strides [200000, 1, 0]\n"
            "%3 = view float32 [8, 200000, 4] (%0) strides [0, 4, 1]\n"
            "%4 = map float32 [8, 200000, 4] (%2, %3) { v2 = multiply float32 v0 v1 }\n"
            "%5 = reduce float32 [8, 4] (%4) add over [1]\n"
            "%6 = view float32 [4, 8] (%5) strides [1, 4]\n"
            "return %6\n");
}

TEST_CASE("what a narrow product multiplies is computed in its kernel") {
  using floats = sn::array<float>;
  const floats x = stored({200000, 12}), w = stored({200000, 4});
  const ir::plan p = plan_for({floats(sn::matmul((x * x).T(), w + 1.0f))}, ir::target::gpu);
  for (const ir::plan_step& s : p.steps) CHECK(s.what == ir::plan_step::kind::kernel);
  CHECK(p.kernels.size() == 2);  // parts of the sum, and their sum
}

TEST_CASE("a product of few multiplications is in one kernel with what is done to it") {
  using floats = sn::array<float>;
  const floats x = stored({32, 34}), w = stored({34, 40}), b = stored({40});
  const ir::plan p = plan_for({floats(sn::tanh(sn::matmul(x * 2.0f, w) + b))}, ir::target::gpu);
  CHECK(p.steps.size() == 1);
  CHECK(p.kernels.size() == 1);
}

TEST_CASE("a CPU's products of many tiny matrices are sums of outer products") {
  CHECK_FALSE(called("[100, 3, 3]", "[100, 3, 3]", "[100, 3, 3]"));
  CHECK_FALSE(called("[100, 2, 4]", "[100, 4, 3]", "[100, 2, 3]"));
  CHECK(called("[10, 3, 3]", "[10, 3, 3]", "[10, 3, 3]"));
  CHECK(called("[100, 5, 3]", "[100, 3, 3]", "[100, 5, 3]"));
  CHECK(called("[100, 3, 5]", "[100, 5, 3]", "[100, 3, 3]"));
  CHECK(called("[3, 3]", "[3, 3]", "[3, 3]"));
}

TEST_CASE("a CPU's products of many points of few coordinates are sums of outer products") {
  CHECK_FALSE(called("[5000, 3]", "[3, 3]", "[5000, 3]"));
  CHECK_FALSE(called("[500, 10, 4]", "[500, 4, 2]", "[500, 10, 2]"));
  CHECK(called("[300, 3]", "[3, 3]", "[300, 3]"));
  CHECK(called("[5000, 5]", "[5, 3]", "[5000, 3]"));
  CHECK(called("[5000, 3]", "[3, 5]", "[5000, 5]"));
  CHECK_FALSE(called("[3, 3]", "[3, 1000000]", "[3, 1000000]"));
  CHECK(called("[3, 3]", "[3, 100000]", "[3, 100000]"));
}

TEST_CASE("a GPU's products of many small matrices are sums of outer products") {
  CHECK_FALSE(called_on_gpu("[50000, 8, 8]", "[50000, 8, 8]", "[50000, 8, 8]"));
  CHECK_FALSE(called_on_gpu("[500000, 6]", "[6, 5]", "[500000, 5]"));
  CHECK(called_on_gpu("[50000, 8, 9]", "[50000, 9, 8]", "[50000, 8, 8]"));
  CHECK(called_on_gpu("[50000, 8, 8]", "[50000, 8, 9]", "[50000, 8, 9]"));
  CHECK(called_on_gpu("[50000, 8, 8]", "[50000, 8, 8]", "[50000, 8, 8]", "bfloat16"));
}

TEST_CASE("rows of a product of tiny matrices are written out with their walk") {
  const sn::array<float> a = stored({4000, 3, 3}), b = stored({4000, 3, 3});
  const ir::plan p = plan_for({sn::matmul(a, b)}, ir::target::cpu);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].kept == 1);
  CHECK(p.kernels[0].reduced == 0);
}

TEST_CASE("a column and a row are multiplied") {
  CHECK(product("float32", "[3, 1]", "[1, 5]", "[3, 5]") ==
        "%0 = source float32 [3, 1]\n"
        "%1 = source float32 [1, 5]\n"
        "%2 = view float32 [3, 5] (%0) strides [1, 0]\n"
        "%3 = view float32 [3, 5] (%1) strides [0, 1]\n"
        "%4 = map float32 [3, 5] (%2, %3) { v2 = multiply float32 v0 v1 }\n"
        "return %4\n");
}

TEST_CASE("what becomes of a product stays with it") {
  const auto rewritten = [](const std::string& attribute) {
    return after([&](const ir::graph& g) { return ir::vector_products(g, gpu()); },
                 "%0 = source float32 [5, 7]\n%1 = source float32 [7, 3]\n"
                 "%2 = call float32 [5, 3] (%0, %1) matmul [" + attribute + "]\nreturn %2\n");
  };
  ir::matmul_form plain, kept;
  kept.epilogue.activation = ir::matmul_activation::relu;
  const auto word = [](const ir::matmul_form& f) {
    return std::to_string(ir::dense_attributes_of(f)[0]);
  };
  CHECK(rewritten(word(plain)).find("call") == std::string::npos);
  CHECK(rewritten(word(kept)).find("call") != std::string::npos);
}

TEST_CASE("matrices are the library's") {
  CHECK(product("float32", "[2, 2]", "[2, 2]", "[2, 2]") ==
        "%0 = source float32 [2, 2]\n%1 = source float32 [2, 2]\n"
        "%2 = call float32 [2, 2] (%0, %1) matmul\nreturn %2\n");
}

TEST_CASE("a sum of a transposed matrix with a vector goes along the matrix's rows") {
  using floats = sn::array<float>;
  const floats x = stored({3000, 64}), down = stored({3000}), along = stored({64});
  for (const auto target : {ir::target::cpu, ir::target::gpu}) {
    const ir::plan p = plan_for({floats(sn::matmul(sn::swapaxes(x, 0, 1), down))}, target);
    CHECK(p.kernels[0].schedule.lanes == ir::lane_axis::kept);
    const ir::plan q = plan_for({floats(sn::matmul(x, along))}, target);
    CHECK(q.kernels[0].schedule.lanes == ir::lane_axis::reduced);
  }
}

}  // namespace vector_products_test
