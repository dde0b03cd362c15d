#include "tests/support/numpy_compare.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace sinter::test {
namespace {

std::vector<std::complex<double>> values(const any_array& x) {
  return visit(x, [](auto a) { return astype<std::complex<double>>(a).to_host(); });
}

/// How far apart two results of `type` may be, relative to their size.
double tolerance(dtype type, bool exact) {
  if (exact || !is_inexact(type)) return 0;
  if (type == dtype::float16) return 2e-3;
  return real_of(type) == dtype::float32 ? 2e-5 : 1e-12;
}

bool near(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= relative * std::max({std::abs(a), std::abs(b), 1.0});
}

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) parts.push_back(word);
  return parts;
}

std::string number_text(std::complex<double> z) {
  std::ostringstream out;
  out.precision(17);
  out << z;
  return out.str();
}

arrays load(const std::filesystem::path& folder, const std::string& names) {
  arrays loaded;
  for (const auto& name : words(names, ',')) loaded.push_back(load_npy((folder / name).string()));
  return loaded;
}

/// The same values with the axes stored in reverse order.
any_array strided(const any_array& x) {
  const any_array turned = transpose(x);
  visit(turned, [](const auto& a) { eval(a); });
  return transpose(turned);
}

std::string fault_of(const arrays& got, const arrays& expected, bool exact) {
  if (got.size() != expected.size()) return std::to_string(got.size()) + " results";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::string fault = difference(got[i], expected[i], exact);
    if (!fault.empty()) return "result " + std::to_string(i) + ": " + fault;
  }
  return "";
}

}  // namespace

std::vector<std::int64_t> integers_of(const std::string& text) {
  std::vector<std::int64_t> list;
  if (text == "none") return list;
  for (const auto& word : words(text, ',')) list.push_back(std::stoll(word));
  return list;
}

axis_list axes_of(const oracle_line& line) {
  const std::string text = line.text("axis", line.text("axes", "all"));
  return text == "all" ? axis_list() : axis_list(int_list(integers_of(text)));
}

std::string difference(const any_array& got, const any_array& expected, bool exact) {
  if (got.dtype() != expected.dtype()) {
    return "dtype " + std::string(name(got.dtype())) + ", not " +
           std::string(name(expected.dtype()));
  }
  const auto a = got.shape(), b = expected.shape();
  if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) return "another shape";
  const auto x = values(got), y = values(expected);
  const double relative = tolerance(got.dtype(), exact);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A part of a product that nearly cancels is as far off as the other part is large.
    const double size = std::abs(x[i]), apart = std::abs(x[i] - y[i]);
    if (std::isfinite(size) && apart <= relative * size) continue;
    if (!near(x[i].real(), y[i].real(), relative) || !near(x[i].imag(), y[i].imag(), relative)) {
      return "element " + std::to_string(i) + " is " + number_text(x[i]) + ", not " +
             number_text(y[i]);
    }
  }
  return "";
}

void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_call& run) {
  const auto root = oracle_folder(script);
  if (root.empty()) return;
  int compared = 0, wrong = 0;
  for (const oracle_line& line : oracle_lines(root / group / "calls.txt")) {
    arrays x = load(root / group, line.fields[1]);
    if (compared % 2 == 1) std::ranges::transform(x, x.begin(), strided);
    std::string fault;
    try {
      fault = fault_of(run(x, line), load(root / group, line.fields[3]), exact);
    } catch (const error& e) {
      fault = e.what();
    }
    ++compared;
    if (fault.empty() || ++wrong > 10) continue;
    std::ostringstream operands;
    for (const any_array& a : x) {
      operands << ' ' << name(a.dtype()) << '(';
      for (std::int64_t e : a.shape()) operands << e << ',';
      operands << ')';
    }
    INFO(line.fields[0] << ' ' << line.fields[2] << " of" << operands.str());
    CHECK(fault == "");
  }
  CHECK(wrong == 0);
  CHECK(compared >= at_least);
}

void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_table& rows) {
  compare_calls(script, group, exact, at_least,
                oracle_call([&](const arrays& x, const oracle_line& l) {
                  return rows.at(l.fields[0])(x, l);
                }));
}

}  // namespace sinter::test
