// What NumPy gives for views, indices, reductions and products, as tests/numpy/cases.py wrote it.

#include <cmath>
#include <functional>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace sn = sinter;
using namespace sinter::test;
using sn::any_array;

namespace {

std::int64_t bound(const std::string& text) {
  return text.empty() ? sn::slice::unset : std::stoll(text);
}

sn::index_item item_of(const std::string& text) {
  if (text == "n") return sn::newaxis;
  if (text == "e") return sn::ellipsis;
  const auto first = text.find(':');
  if (first == text.npos) return std::stoll(text);
  const auto second = text.find(':', first + 1);
  const std::string step = second == text.npos ? "" : text.substr(second + 1);
  return sn::slice(bound(text.substr(0, first)), bound(text.substr(first + 1, second - first - 1)),
                   step.empty() ? 1 : std::stoll(step));
}

any_array index(const any_array& x, const std::string& text) {
  std::vector<sn::index_item> items;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, '|');) items.push_back(item_of(word));
  return sn::detail::index(x, items.data(), static_cast<int>(items.size()));
}

any_array turned(const any_array& x) {
  return index(sn::transpose(x, {2, 0, 1}), "::-1|1:|::2");
}

using call = std::function<any_array(const any_array&, const oracle_line&)>;

const std::map<std::string, call>& view_calls() {
  static const std::map<std::string, call> calls = {
      {"permute_dims",
       [](auto& x, auto& l) { return sn::permute_dims(x, integers_of(l.text("axes"))); }},
      {"transpose", [](auto& x, auto&) { return sn::transpose(x); }},
      {"flip", [](auto& x, auto& l) { return sn::flip(x, axes_of(l)); }},
      {"reshape", [](auto& x, auto& l) { return sn::reshape(x, integers_of(l.text("shape"))); }},
      {"swapaxes",
       [](auto& x, auto& l) { return sn::swapaxes(x, l.number("a", 0), l.number("b", 0)); }},
      {"moveaxis",
       [](auto& x, auto& l) {
         return sn::moveaxis(x, integers_of(l.text("a")), integers_of(l.text("b")));
       }},
      {"expand_dims",
       [](auto& x, auto& l) { return sn::expand_dims(x, integers_of(l.text("axes"))); }},
      {"squeeze", [](auto& x, auto& l) { return sn::squeeze(x, axes_of(l)); }},
      {"broadcast_to",
       [](auto& x, auto& l) { return sn::broadcast_to(x, integers_of(l.text("shape"))); }},
      {"index", [](auto& x, auto& l) { return index(x, l.text("items")); }},
      {"index_of_view", [](auto& x, auto& l) { return index(turned(x), l.text("items")); }},
      {"index_of_reshaped",
       [](auto& x, auto& l) {
         return index(sn::reshape(sn::transpose(x, {2, 0, 1}), {12, 10}), l.text("items"));
       }},
  };
  return calls;
}

using reduction = any_array (*)(const any_array&, const sn::reduction_options&, sn::location);

const std::map<std::string, reduction>& reduction_calls() {
  static const std::map<std::string, reduction> calls = {
      {"sum", sn::detail::sum}, {"prod", sn::detail::prod}, {"max", sn::detail::max},
      {"min", sn::detail::min}, {"any", sn::detail::any},   {"all", sn::detail::all},
      {"mean", sn::detail::mean}, {"count_nonzero", sn::detail::count_nonzero},
  };
  return calls;
}

any_array reduce(const any_array& x, const oracle_line& line) {
  const std::string& name = line.fields[0];
  const bool keepdims = line.number("keepdims", 0) != 0;
  const auto found = reduction_calls().find(name);
  if (found != reduction_calls().end()) {
    return found->second(x, {.axis = axes_of(line), .keepdims = keepdims}, {});
  }
  if (name == "var" || name == "stddev") {
    const sn::variance_options o{.axis = axes_of(line),
                                 .correction = static_cast<double>(line.number("correction", 0)),
                                 .keepdims = keepdims};
    return name == "var" ? sn::var(x, o) : sn::stddev(x, o);
  }
  sn::arg_options o{.axis = {}, .keepdims = keepdims};
  if (line.options.count("axis")) o.axis = line.number("axis", 0);
  return name == "argmax" ? sn::argmax(x, o) : sn::argmin(x, o);
}

using scanner = any_array (*)(const any_array&, const sn::scan_options&, sn::location);

any_array scan(const any_array& x, const oracle_line& line) {
  static const std::map<std::string, scanner> calls = {
      {"cumsum", sn::detail::cumsum},
      {"cumprod", sn::detail::cumprod},
      {"cummax", sn::detail::cummax},
      {"cummin", sn::detail::cummin},
      {"cumulative_logsumexp", sn::detail::cumulative_logsumexp},
  };
  const std::string& name = line.fields[0];
  std::optional<std::int64_t> axis;
  if (line.options.count("axis")) axis = line.number("axis", 0);
  const auto found = calls.find(name);
  if (found != calls.end()) return found->second(x, {.axis = axis}, {});
  const sn::cumulative_options o{.axis = axis, .include_initial = line.number("initial", 0) != 0};
  return name == "cumulative_sum" ? sn::cumulative_sum(x, o) : sn::cumulative_prod(x, o);
}

using single_call = std::function<any_array(const any_array&, const oracle_line&)>;

void compare(const std::string& group, bool exact, int at_least, const single_call& run) {
  compare_calls("cases.py", group, exact, at_least, [&](const arrays& x, const oracle_line& line) {
    return arrays{run(x[0], line)};
  });
}

}  // namespace

TEST_CASE("views and indices are NumPy's") {
  compare("views", true, 100, [](const any_array& x, const oracle_line& line) {
    return view_calls().at(line.fields[0])(x, line);
  });
}

TEST_CASE("views and indices of pending arrays are NumPy's") {
  compare("views", true, 100, [](const any_array& x, const oracle_line& line) {
    const any_array pending = sn::visit(x, [](auto a) -> any_array {
      using T = typename decltype(a)::value_type;
      if constexpr (std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>) {
        return (a * T(3) - a - a).to_array();
      } else {
        return a;
      }
    });
    return view_calls().at(line.fields[0])(pending, line);
  });
}

TEST_CASE("reductions are NumPy's") { compare("reductions", false, 5000, reduce); }

TEST_CASE("scans are NumPy's") { compare("scans", false, 500, scan); }

TEST_CASE("products are NumPy's") {
  const auto root = oracle_folder("cases.py");
  compare("products", false, 100, [&](const any_array& x, const oracle_line& line) {
    return sn::matmul(x, sn::load_npy((root / "products" / line.text("other")).string()));
  });
}
