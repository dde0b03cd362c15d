// The formula language and its translation by emit.
#include "ir/formula.hpp"

#include <cmath>
#include <stdexcept>
#include <thread>

#include "ir/error.hpp"
#include "ir/formula_parser.hpp"
#include "ir/reference.hpp"
#include "tests/catch.hpp"

namespace formula_test {

using namespace sinter;
using namespace sinter::ir;

namespace {

std::int32_t load(std::vector<inst>& body, dtype t, int which) {
  return append(body, {.kind = inst_kind::load, .type = t, .result = t, .which = which});
}

std::string message_of(std::string_view formula) {
  try {
    ir::detail::parse_formula(formula, "test");
  } catch (const syntax_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Mistakes in formulas are named with their column") {
  CHECK(message_of("a +") == "formula of test, column 4: operand expected");
  CHECK(message_of("a + q") == "formula of test, column 6: unknown name 'q'");
  CHECK(message_of("f(a)") == "formula of test, column 5: unknown function 'f'");
  CHECK(message_of("(a") == "formula of test, column 3: ')' expected");
  CHECK(message_of("a = 2; a") == "formula of test, column 3: 'a' cannot be assigned");
  CHECK(message_of("maximum(a)") == "formula of test, column 11: wrong number of operands");
  CHECK(message_of("a b") == "formula of test, column 3: end of formula expected");
  CHECK(message_of("poly(a)") == "formula of test, column 8: wrong number of operands");
  CHECK(message_of("fpoly(a)") == "formula of test, column 9: wrong number of operands");
  CHECK(message_of("x = a; where(x > 0, x, -x)") == "");
}

TEST_CASE("Alternatives stand between bars outside parentheses") {
  CHECK(alternative_of("x | y | z", dtype::float64) == "x");
  CHECK(alternative_of("x | y | z", dtype::uint8) == "y");
  CHECK(alternative_of("x | y | z", dtype::bool_) == "z");
  CHECK(alternative_of("x | y", dtype::bool_) == "y");
  CHECK(alternative_of("x", dtype::int32) == "x");
  CHECK(alternative_of(" | y", dtype::float32) == "");
  CHECK(alternative_of("a || b | c", dtype::float32) == "a || b");
  CHECK(alternative_of("($t)($a | $b)", dtype::int32) == "($t)($a | $b)");
  CHECK(alternative_of("x || y , z", dtype::complex64) == "x || y , z");
}

TEST_CASE("Identical instructions are reused") {
  std::vector<inst> body;
  const std::int32_t a = load(body, dtype::float32, 0), b = load(body, dtype::float32, 1);
  const std::int32_t ab[] = {a, b};
  const std::int32_t first = emit(body, op::maximum, dtype::float32, ab);
  const std::size_t size = body.size();
  CHECK(emit(body, op::maximum, dtype::float32, ab) == first);
  CHECK(body.size() == size);
  CHECK(load(body, dtype::float32, 1) == b);
  const inst store{.kind = inst_kind::store, .type = dtype::float32, .which = 0};
  CHECK(append(body, store) != append(body, store));
}

TEST_CASE("A polynomial by fma rounds once a step") {
  std::vector<inst> body;
  const std::int32_t a[] = {load(body, dtype::float64, 0)};
  emit(body, op::host_exp, dtype::float64, a);
  const auto count = [&](op code) {
    return std::ranges::count_if(body, [&](const inst& i) {
      return i.kind == inst_kind::compute && i.code == code;
    });
  };
  CHECK(count(op::fma) == 14);  // eleven of the series, three for the remainder
  CHECK(count(op::multiply) == 0);
  CHECK(count(op::scaled) == 1);
}

TEST_CASE("Constants fold where the result is the same everywhere") {
  std::vector<inst> body;
  const std::int32_t two = emit_constant(body, dtype::float32, scalar_of(2.0f).bits[0]);
  const std::int32_t zero = emit_constant(body, dtype::float32, 0);
  const auto kind_of = [&](op code, std::int32_t a, std::int32_t b) {
    const std::int32_t args[] = {a, b};
    return body[static_cast<std::size_t>(emit(body, code, dtype::float32, args))].kind;
  };
  CHECK(kind_of(op::divide, two, two) == inst_kind::constant);
  CHECK(kind_of(op::floor_divide, two, two) == inst_kind::constant);
  CHECK(kind_of(op::exp, two, -1) == inst_kind::compute);
  CHECK(kind_of(op::divide, zero, zero) == inst_kind::compute);
  CHECK(emit_cast(body, two, dtype::float32) == two);
  const auto three = static_cast<std::size_t>(emit_cast(body, two, dtype::int8));
  CHECK(body[three].kind == inst_kind::constant);
  CHECK(body[three].bits == 2);
}

TEST_CASE("Formulas leave no unused instruction behind") {
  for (int o = 0; o < op_count; ++o) {
    for (dtype type : {dtype::float32, dtype::float64, dtype::int8, dtype::uint64, dtype::bool_,
                       dtype::complex64}) {
      const auto code = static_cast<op>(o);
      if (!accepts(code, type)) continue;
      std::vector<inst> body;
      std::int32_t args[6];
      for (int k = 0; k < 6; ++k) {
        args[k] = load(body, real_of(argument_type(code, type, k / 2)), k);
      }
      const auto [re, im] = emit_complex(body, code, type, args);
      std::vector<bool> used(body.size(), false);
      used[static_cast<std::size_t>(re)] = true;
      if (im >= 0) used[static_cast<std::size_t>(im)] = true;
      for (const inst& i : body) {
        for (std::int32_t a : i.args) {
          if (a >= 0) used[static_cast<std::size_t>(a)] = true;
        }
      }
      for (std::size_t k = 6; k < body.size(); ++k) {
        INFO(name(code) << " " << name(type) << " " << k);
        CHECK(used[k]);
      }
    }
  }
}

TEST_CASE("Which ops are primitive, and which are the same everywhere") {
  CHECK(is_primitive(op::add, dtype::int8));
  CHECK(is_primitive(op::cast, dtype::float16));
  CHECK(is_primitive(op::abs, dtype::float32));
  CHECK_FALSE(is_primitive(op::abs, dtype::int32));
  CHECK_FALSE(is_primitive(op::maximum, dtype::bool_));
  CHECK_FALSE(is_primitive(op::add, dtype::complex64));
  CHECK_FALSE(is_primitive(op::sin, dtype::int32));
  CHECK(is_exact(op::sqrt, dtype::float32));
  CHECK(is_exact(op::pow, dtype::int32));
  CHECK(is_exact(op::ndtri, dtype::float64));
  CHECK(is_exact(op::divide, dtype::complex64));
  CHECK_FALSE(is_exact(op::pow, dtype::float32));
  CHECK_FALSE(is_exact(op::sigmoid, dtype::float32));
  CHECK_FALSE(is_exact(op::sqrt, dtype::complex64));
  CHECK_FALSE(is_exact(op::abs, dtype::complex64));
}

TEST_CASE("emit refuses what has no meaning") {
  std::vector<inst> body;
  const std::int32_t args[] = {load(body, dtype::int32, 0), -1, -1, -1, -1, -1};
  CHECK_THROWS_AS(emit(body, op::sin, dtype::int32, args), std::invalid_argument);
  CHECK_THROWS_AS(emit(body, op::add, dtype::float16, args), std::invalid_argument);
  CHECK_THROWS_AS(emit(body, op::cast, dtype::int32, args), std::invalid_argument);
  CHECK_THROWS_AS(emit_complex(body, op::less, dtype::complex64, args), std::invalid_argument);
}

TEST_CASE("Formulas may be written out by several threads at once") {
  std::vector<std::thread> threads;
  std::vector<std::size_t> sizes(4);
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    threads.emplace_back([&sizes, t] {
      std::vector<inst> body;
      const std::int32_t args[] = {load(body, dtype::float64, 0)};
      emit(body, op::ndtri, dtype::float64, args);
      sizes[t] = body.size();
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t s : sizes) CHECK(s == sizes[0]);
}

}  // namespace formula_test
