// Every elementwise function on every dtype, or pair of dtypes, against NumPy: edge values
// against edge values, and operands of any shape and layout, as written by
// tests/numpy/elementwise.py.

#include <cmath>
#include <set>

#include <sinter/sinter.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "engine/nodes/term.hpp"
#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace elementwise_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using namespace sinter::test;
using sn::any_array;
using sn::ir::op;

namespace {

/// NumPy lacks these; tests/unit/ir compares them with formulas in long double.
const std::set<std::string> not_numpys = {"erfcinv", "erfinv", "fma", "ndtr", "ndtri"};

op op_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(sn::ir::op_table); ++i) {
    if (sn::ir::op_table[i].name == name) return static_cast<op>(i);
  }
  throw std::runtime_error("no op " + std::string(name));
}

bool is_internal(const sn::ir::op_info& row) {
  return (row.traits & sn::ir::internal) != 0 || row.name == "cast" || row.name == "bitcast";
}

/// The op with its public function's promotion, which a test of types compares with NumPy's; half
/// types round at the end.
any_array call(op code, const arrays& x) {
  if (sn::ir::info(code).traits & sn::ir::second_int32) {
    return detail::make_op(code, {x[0], x[1]}, {});
  }
  const bool skip = (sn::ir::info(code).traits & sn::ir::first_bool) != 0;
  sn::dtype type = x[skip].dtype();
  for (std::size_t i = skip; i < x.size(); ++i) type = promote(type, x[i].dtype());
  std::vector<detail::term> t;
  for (const any_array& a : x) t.push_back(detail::as_term(a, "test", {}));
  const detail::term result = t.size() == 1   ? detail::apply(code, {t[0]})
                              : t.size() == 2 ? detail::apply(code, {t[0], t[1]})
                                              : detail::apply(code, {t[0], t[1], t[2]});
  const auto domain = sn::ir::info(code).domain;
  const bool inexact =
      domain == sn::ir::op_domain::inexact || domain == sn::ir::op_domain::real_inexact;
  const sn::dtype inside = inexact ? sn::ir::inexact_operand(code, type) : type;
  const bool half = is_half(inside) && result.type() == sn::dtype::float32;
  return half ? detail::rounded(result, inside) : result.x;
}

template <class T> bool identical(T a, T b) {
  if constexpr (std::same_as<T, bool> || std::integral<T>) {
    return a == b;
  } else if constexpr (sn::is_complex(sn::dtype_of<T>)) {
    return identical(a.real(), b.real()) && identical(a.imag(), b.imag());
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y && std::signbit(x) == std::signbit(y);
  }
}

/// As `difference`, but only the bits of a NaN may differ.
std::string exact_difference(const any_array& got, const any_array& expected) {
  if (got.dtype() != expected.dtype() || !std::ranges::equal(got.shape(), expected.shape())) {
    return difference(got, expected, true);
  }
  return sn::visit(got, [&](const auto& a) -> std::string {
    using T = typename std::remove_cvref_t<decltype(a)>::value_type;
    const auto x = a.to_host(), y = sn::array<T>(expected).to_host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (identical<T>(x[i], y[i])) continue;
      std::ostringstream text;
      text << "element " << i << " is " << sn::to_string(sn::array<T>(sn::ravel(a)(
                                               static_cast<std::int64_t>(i))))
           << ", not " << sn::to_string(sn::array<T>(sn::ravel(sn::array<T>(expected))(
                  static_cast<std::int64_t>(i))));
      return text.str();
    }
    return "";
  });
}

struct comparison {
  std::filesystem::path folder = oracle_folder("elementwise.py");
  oracle_arrays files{folder};
  std::set<std::string> seen = {};
  int compared = 0, wrong = 0;

  /// Runs the lines of one pair of dtypes, evaluated together.
  void run(std::span<const oracle_line> lines) {
    arrays got;
    for (const oracle_line& l : lines) {
      INFO(l.fields[0] << " of" << types_of(l));
      REQUIRE_NOTHROW(got.push_back(call(op_named(l.fields[0]), files.list(l.fields[1]))));
    }
    detail::evaluate(got, "test", {});
    for (std::size_t i = 0; i < lines.size(); ++i) judge(lines[i], got[i]);
  }

  std::string types_of(const oracle_line& l) {
    std::string types;
    for (const any_array& x : files.list(l.fields[1])) types += " " + std::string(name(x.dtype()));
    return types;
  }

  void judge(const oracle_line& l, const any_array& got) {
    seen.insert(l.fields[0]);
    ++compared;
    const auto want = files[l.fields[3]];
    const std::string fault =
        l.number("exact", 0) ? exact_difference(got, want) : difference(got, want, false);
    if (fault.empty() || ++wrong > 40) return;
    INFO(l.fields[0] << " of" << types_of(l) << ": " << l.fields[1]);
    CHECK(fault == "");
  }
};

}  // namespace

TEST_CASE("every elementwise function is NumPy's, for every pair of dtypes") {
  comparison c;
  if (c.folder.empty()) return;
  const auto lines = oracle_lines(c.folder / "calls.txt");
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    while (end < lines.size() && lines[end].fields[1] == lines[begin].fields[1]) ++end;
    c.run({lines.data() + begin, end - begin});
  }
  CHECK(c.wrong == 0);
  CHECK(c.compared > 5000);
  for (const auto& row : sn::ir::op_table) {
    const std::string name(row.name);
    if (is_internal(row) || not_numpys.contains(name)) continue;
    INFO(name);
    CHECK(c.seen.contains(name));
  }
}

}  // namespace elementwise_test
