#include "ir/passes/symmetric_products.hpp"

#include <sinter/sinter.hpp>

#include "ir/product.hpp"
#include "tests/catch.hpp"
#include "texts.hpp"

namespace symmetric_products_test {

using namespace passes_tests;
namespace sn = sinter;

namespace {

std::string halved(const std::string& text) {
  return after([](const ir::graph& g) { return ir::symmetric_products(g, {}); }, text);
}

ir::matmul_form gram(bool left, ir::extent rows, ir::extent columns) {
  ir::matmul_form f;
  f.m = f.n = left ? columns : rows;
  f.k = left ? rows : columns;
  f.a = {0, columns, 0, left, false};
  f.b = {0, columns, 0, !left, false};
  return f;
}

std::string text_of(const ir::matmul_form& f, const std::string& type, const std::string& shape) {
  const std::string side = ir::detail::list_text(ir::shape_t{f.m, f.n});
  return "%0 = source " + type + " " + shape + "\n%1 = call " + type + " " + side +
         " (%0, %0) matmul " + ir::detail::list_text(ir::attributes_of(f)) + "\nreturn %1\n";
}

/// Large enough for this device, and for any with up to 170 units.
std::int64_t large_side() {
  return sn::current_device().what == sn::device::kind::cuda ? 2560 : 280;
}

}  // namespace

TEST_CASE("x^T x and x x^T are halves and their mirror images") {
  for (const bool left : {true, false}) {
    const std::string text = halved(text_of(gram(left, 300, 400), "float64", "[300, 400]"));
    CHECK(text.find("(%0, %0) syrk") != std::string::npos);
    CHECK(text.find("where") != std::string::npos);
  }
}

TEST_CASE("half a product must save each unit of a GPU a tile") {
  const auto is_halved = [](std::int64_t side, int units) {
    ir::machine gpu;
    gpu.target = ir::target::gpu;
    gpu.units = units;
    const std::string text =
        text_of(gram(true, side, side), "float32", ir::detail::list_text(ir::shape_t{side, side}));
    return after([&](const ir::graph& g) { return ir::symmetric_products(g, gpu); }, text) != text;
  };
  CHECK_FALSE(is_halved(1024, 132));
  CHECK_FALSE(is_halved(2175, 132));  // 17 tiles a side: 136 are left out, for 16 tiles 120
  CHECK(is_halved(2176, 132));
  CHECK(is_halved(1024, 28));  // a small device has more work per unit
}

TEST_CASE("which products are no halves") {
  const auto kept = [](const ir::matmul_form& f, const char* type) {
    const std::string text = text_of(f, type, "[300, 400]");
    return halved(text) == text;
  };
  CHECK(kept(gram(true, 300, 400), "float16"));
  CHECK(kept(gram(true, 100, 400), "float32"));  // too few terms to pay
  ir::matmul_form f = gram(false, 300, 400);
  f.mode = ir::matmul_mode::tf32;
  CHECK(kept(f, "float32"));
  f = gram(false, 300, 400);
  f.b.transpose = false;
  f.n = 300;
  f.k = 300;
  f.a.leading = f.b.leading = 400;
  CHECK(kept(f, "float32"));  // x x
  f = gram(false, 300, 400);
  f.a.conjugate = true;
  CHECK(kept(f, "complex64"));  // conj(x) x^T: the library conjugates what it transposes
  f = gram(false, 300, 400);
  f.b.offset = 1;
  f.k = 399;
  CHECK(kept(f, "float32"));
}

TEMPLATE_TEST_CASE("symmetric products are exactly symmetric, and right", "", float, double,
                   std::complex<float>, std::complex<double>) {
  using T = TestType;
  using R = decltype(std::abs(T{}));
  const std::int64_t rows = large_side() + 20, columns = large_side();
  const sn::array<R> re = sn::random::normal<R>({rows, columns}, {.seed = 1}),
                     im = sn::random::normal<R>({rows, columns}, {.seed = 2});
  sn::array<T> x, conjugate;
  if constexpr (sn::is_complex(sn::dtype_of<T>)) {
    x = sn::astype<T>(re) + sn::astype<T>(im) * T(0, 1);
    conjugate = sn::conj(x);
  } else {
    x = conjugate = re + im;
  }
  // Sums over the rows, one by one: a product without the library.
  const sn::array<T> other = x + T(0);
  sn::eval(x, conjugate, other);
  const auto check = [&](const sn::array<T>& product, const sn::array<T>& expected,
                         bool hermitian) {
    const std::string text = sn::explain(product, {.source = false});
    CHECK(text.find("call: syrk") != std::string::npos);
    sn::array<T> mirrored = sn::transpose(product);
    if constexpr (sn::is_complex(sn::dtype_of<T>)) {
      if (hermitian) mirrored = sn::conj(mirrored);
    }
    CHECK(sn::all(product == mirrored).item());
    const R off = sn::max(sn::abs(product - expected)).item();
    CHECK(off < static_cast<double>(rows) * 64 * std::numeric_limits<R>::epsilon());
  };
  check(sn::matmul(sn::transpose(x), x), sn::matmul(sn::transpose(other), x), false);
  check(sn::matmul(x, sn::transpose(x)), sn::matmul(x, sn::transpose(other)), false);
  check(sn::matmul(sn::transpose(sn::conj(x)), x), sn::matmul(sn::transpose(sn::conj(other)), x),
        true);
  check(sn::matmul(x, sn::conj(sn::transpose(x))), sn::matmul(x, sn::conj(sn::transpose(other))),
        true);
}

TEST_CASE("what follows a symmetric product fuses with its mirror") {
  const std::int64_t n = large_side();
  const sn::array<double> x = sn::random::normal<double>({n, n}, {.seed = 3});
  sn::eval(x);
  const sn::array<double> ridge = sn::matmul(sn::transpose(x), x) + 0.5 * sn::eye<double>(n);
  const std::string text = sn::explain(ridge, {.source = false});
  CHECK(text.find("1 kernel and 1 library call") == 0);
}

}  // namespace symmetric_products_test
