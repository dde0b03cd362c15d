// Result dtypes, compared with NumPy's.

#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace numpy_types_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

int index_of(const std::string& text) {
  for (int i = 0; i < sn::dtype_count; ++i) {
    if (sn::dtype_table[i].name == text) return i;
  }
  FAIL("NumPy has a dtype " << text);
  return -1;
}

/// The dtype of op `O` on arrays of one dtype; "-" if the op rejects it.
template <sn::ir::op O, class T>
std::string result_of() {
  using L = sn::detail::leaf<T>;
  constexpr auto row = sn::ir::info(O);
  constexpr sn::dtype type = row.arity == 1   ? sn::detail::operand_value<O, L>()
                             : row.arity == 2 ? sn::detail::operand_value<O, L, L>()
                                              : sn::detail::operand_value<O, L, L, L>();
  if (!sn::ir::accepts(O, sn::compute_of(type))) return "-";
  return std::string(sn::name(sn::ir::result_type(O, type)));
}

template <sn::ir::op O>
std::vector<std::string> results() {
  return {result_of<O, bool>(),
          result_of<O, std::int8_t>(),
          result_of<O, std::int16_t>(),
          result_of<O, std::int32_t>(),
          result_of<O, std::int64_t>(),
          result_of<O, std::uint8_t>(),
          result_of<O, std::uint16_t>(),
          result_of<O, std::uint32_t>(),
          result_of<O, std::uint64_t>(),
          result_of<O, sn::float16>(),
          result_of<O, sn::bfloat16>(),
          result_of<O, float>(),
          result_of<O, double>(),
          result_of<O, std::complex<float>>(),
          result_of<O, std::complex<double>>()};
}

std::map<std::string, std::vector<std::string>> table() {
  return {
#define SINTER_OP(name, ...) {#name, results<sn::ir::op::name>()},
#include <sinter/ir/ops.def>
#undef SINTER_OP
  };
}

/// sinter may define what NumPy rejects, and supports fewer functions of complex numbers.
/// Arithmetic on bool uses int8, reciprocals of integers are floats, and rounding an integer
/// returns an integer (as in the array API and NumPy 2.1).
bool may_differ(const std::string& op, const std::string& type, const std::string& got,
                const std::string& expected) {
  const sn::dtype t = static_cast<sn::dtype>(index_of(type));
  if (expected == "-" || (got == "-" && sn::is_complex(t))) return true;
  if (sn::is_bool(t) && got == "int8") return true;
  const bool exact = sn::is_integer(t) || sn::is_bool(t);
  return exact && (op == "reciprocal" || op == "floor" || op == "ceil" || op == "trunc");
}

}  // namespace

TEST_CASE("promotion is NumPy's for every pair") {
  const auto folder = oracle_folder("cases.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "promotion.txt"));
  int pairs = 0;
  for (std::string a, b, c; in >> a >> b >> c; ++pairs) {
    INFO(a << ' ' << b);
    const auto got =
        sn::promote(static_cast<sn::dtype>(index_of(a)), static_cast<sn::dtype>(index_of(b)));
    CHECK(sn::name(got) == c);
  }
  CHECK(pairs == 14 * 14);
}

TEST_CASE("the dtype of every op is NumPy's") {
  const auto folder = oracle_folder("cases.py");
  if (folder.empty()) return;
  const auto ours = table();
  std::istringstream in(read_text(folder / "op_types.txt"));
  for (std::string op, type, expected; in >> op >> type >> expected;) {
    const std::string got = ours.at(op)[static_cast<std::size_t>(index_of(type))];
    if (may_differ(op, type, got, expected)) continue;
    INFO(op << ' ' << type);
    CHECK(got == expected);
  }
}

TEST_CASE("a C++ scalar has a kind and no width") {
  const auto h = sn::zeros<sn::float16>({1});
  const auto i = sn::zeros<std::int8_t>({1});
  const auto b = sn::zeros<bool>({1});
  const auto c = sn::zeros<std::complex<float>>({1});
  CHECK((h * 2.5).dtype() == sn::dtype::float16);
  CHECK((h * 2).dtype() == sn::dtype::float16);
  CHECK((i + 1).dtype() == sn::dtype::int8);
  CHECK((i + 1.5f).dtype() == sn::dtype::float64);
  CHECK((b + 1).dtype() == sn::dtype::int64);
  CHECK((c * 1.0).dtype() == sn::dtype::complex64);
  CHECK((sn::zeros<float>({1}) * std::complex<double>(0, 1)).dtype() == sn::dtype::complex64);
  CHECK((i == 1).dtype() == sn::dtype::bool_);
}

}  // namespace numpy_types_test
