#include "tests/support/numpy_compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <sstream>

#include <sinter/sinter.hpp>

#include "engine/evaluation/evaluate.hpp"
#include "tests/catch.hpp"

namespace sinter::test {
namespace {

/// Calls per evaluation: their kernels are compiled in parallel, and calls that read the same
/// arrays fuse.
constexpr std::size_t calls_together = 24;

/// The tolerance for two results of `type`, relative to their size.
double tolerance(dtype type, bool exact) {
  if (exact || !is_inexact(type)) return 0;
  if (type == dtype::float16) return 2e-3;
  return real_of(type) == dtype::float32 ? 2e-5 : 1e-12;
}

bool near(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= relative * std::max({std::abs(a), std::abs(b), 1.0});
}

template <class T> bool near(const T& a, const T& b, double relative) {
  if constexpr (std::integral<T>) {
    return a == b;
  } else {
    const std::complex<double> x(a), y(b);
    // If one part of a product nearly cancels, its error is relative to the other part.
    const double size = std::abs(x);
    if (std::isfinite(size) && std::abs(x - y) <= relative * size) return true;
    return near(x.real(), y.real(), relative) && near(x.imag(), y.imag(), relative);
  }
}

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);) parts.push_back(word);
  return parts;
}

template <class T> std::string number_text(const T& value) {
  std::ostringstream out;
  out.precision(17);
  if constexpr (std::integral<T>) out << +value;
  else out << std::complex<double>(value);
  return out.str();
}

std::string shape_text(shape_view shape) {
  std::string text = "(";
  for (std::int64_t e : shape) text += std::to_string(e) + ",";
  return text + ")";
}

std::int64_t bound(const std::string& text) {
  return text.empty() ? slice::unset : std::stoll(text);
}

index_item item_of(const std::string& text) {
  if (text == "n") return newaxis;
  if (text == "e") return ellipsis;
  if (text.find(':') == text.npos) return std::stoll(text);
  const auto parts = words(text + ":", ':');
  const bool has_step = parts.size() > 2 && !parts[2].empty();
  return slice(bound(parts[0]), bound(parts[1]), has_step ? std::stoll(parts[2]) : 1);
}

std::string fault_of(const arrays& got, const arrays& expected, bool exact) {
  if (got.size() != expected.size()) return std::to_string(got.size()) + " results";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::string fault = difference(got[i], expected[i], exact);
    if (!fault.empty()) return "result " + std::to_string(i) + ": " + fault;
  }
  return "";
}

/// Compares the lines of a file, many at a time.
struct comparison {
  oracle_arrays files;
  const oracle_call& run;
  bool exact;
  int compared = 0, wrong = 0;

  arrays called(const oracle_line& line) { return run(files.list(line.fields[1]), line); }

  void judge_all(std::span<const oracle_line> lines) {
    std::vector<arrays> got;
    arrays roots;
    try {
      for (const oracle_line& line : lines) {
        got.push_back(called(line));
        roots.insert(roots.end(), got.back().begin(), got.back().end());
      }
      detail::evaluate(roots, "test", {});
    } catch (const error&) {  // the next calls find out which line failed
      got.clear();
    }
    for (std::size_t i = 0; i < lines.size(); ++i) judge(lines[i], got.empty() ? nullptr : &got[i]);
  }

  void judge(const oracle_line& line, const arrays* got) {
    ++compared;
    std::string fault;
    try {
      fault = fault_of(got ? *got : called(line), files.list(line.fields[3]), exact);
    } catch (const error& e) {
      fault = e.what();
    }
    if (fault.empty() || ++wrong > 10) return;
    std::ostringstream operands;
    for (const any_array& a : files.list(line.fields[1])) {
      operands << ' ' << name(a.dtype()) << shape_text(a.shape());
    }
    INFO(line.fields[0] << ' ' << line.fields[2] << " of" << operands.str() << ": "
                        << line.fields[1]);
    CHECK(fault == "");
  }
};

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

dtype type_named(const std::string& text) {
  for (int i = 0; i < dtype_count; ++i) {
    if (dtype_table[i].name == text) return static_cast<dtype>(i);
  }
  throw std::runtime_error("no dtype " + text);
}

any_array indexed(const any_array& x, const std::string& items) {
  std::vector<index_item> list;
  for (const auto& word : words(items, '|')) list.push_back(item_of(word));
  return sinter::detail::index(x, list);
}

any_array oracle_arrays::operator[](const std::string& name) {
  const auto found = views_.find(name);
  if (found != views_.end()) return found->second;
  const auto steps = words(name, '@');
  if (steps.size() < 2) return views_[name] = load_npy((folder_ / name).string());
  any_array x = (*this)[steps[0]];
  std::vector<std::int64_t> order;
  for (const auto& axis : words(steps[1], '.')) order.push_back(std::stoll(axis));
  if (!order.empty()) x = transpose(x, order);
  if (steps.size() > 2) x = indexed(x, steps[2]);
  return views_[name] = x;
}

arrays oracle_arrays::list(const std::string& names) {
  arrays loaded;
  for (const auto& name : words(names, ',')) loaded.push_back((*this)[name]);
  return loaded;
}

std::string difference(const any_array& got, const any_array& expected, bool exact) {
  if (got.dtype() != expected.dtype()) {
    return "dtype " + std::string(name(got.dtype())) + ", not " +
           std::string(name(expected.dtype()));
  }
  if (!std::ranges::equal(got.shape(), expected.shape())) {
    return "shape " + shape_text(got.shape()) + ", not " + shape_text(expected.shape());
  }
  return visit(got, [&](const auto& typed) -> std::string {
    using A = std::remove_cvref_t<decltype(typed)>;
    using T = typename A::value_type;
    const auto x = typed.to_host(), y = A(expected).to_host();
    const double relative = tolerance(got.dtype(), exact);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (near<T>(x[i], y[i], relative)) continue;
      return "element " + std::to_string(i) + " is " + number_text<T>(x[i]) + ", not " +
             number_text<T>(y[i]);
    }
    return "";
  });
}

void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_call& run) {
  const auto root = oracle_folder(script);
  if (root.empty()) return;
  comparison c{oracle_arrays(root / group), run, exact};
  const auto lines = oracle_lines(root / group / "calls.txt");
  for (std::size_t i = 0; i < lines.size(); i += calls_together) {
    c.judge_all(std::span(lines).subspan(i, std::min(calls_together, lines.size() - i)));
  }
  CHECK(c.wrong == 0);
  CHECK(c.compared >= at_least);
}

void compare_calls(const std::string& script, const std::string& group, bool exact, int at_least,
                   const oracle_table& rows) {
  std::set<std::string> seen;
  compare_calls(script, group, exact, at_least,
                oracle_call([&](const arrays& x, const oracle_line& l) {
                  seen.insert(l.fields[0]);
                  return rows.at(l.fields[0])(x, l);
                }));
  if (oracle_folder(script).empty()) return;
  for (const auto& [name, call] : rows) {
    INFO(name << " of " << group << " is compared with nothing");
    CHECK(seen.contains(name));
  }
}

}  // namespace sinter::test
