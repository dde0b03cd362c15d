// NumPy's results for the functions made of views, maps and reductions, as written by
// tests/numpy/language.py: one row per function.

#include <algorithm>
#include <sstream>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/support/numpy_compare.hpp"

namespace numpy_language_test {

namespace sn = sinter;
namespace detail = sinter::detail;
using namespace sinter::test;
using sn::any_array;

namespace {

using line = oracle_line;
using table = sinter::test::oracle_table;

sn::int_list list(const line& l, const std::string& key) {
  return integers_of(l.text(key));
}
bool flag(const line& l, const std::string& key) {
  return l.number(key, 0) != 0;
}
sn::reduction_options reduction(const line& l) {
  return {.axis = axes_of(l), .keepdims = flag(l, "keepdims")};
}
sn::variance_options variance(const line& l) {
  return {.axis = axes_of(l),
          .correction = l.real("correction", 0),
          .keepdims = flag(l, "keepdims")};
}
sn::arg_options along(const line& l) {
  sn::arg_options o{{}, flag(l, "keepdims")};
  if (l.options.count("axis")) o.axis = l.number("axis", 0);
  return o;
}
sn::scan_options scanned(const line& l) {
  if (!l.options.count("axis")) return {};
  return {l.number("axis", 0)};
}
sn::diagonal_options diagonals(const line& l) {
  return {l.number("offset", 0), l.number("axis1", 0), l.number("axis2", 1)};
}
sn::covariance_options covariance(const line& l) {
  return {flag(l, "rowvar"), l.real("correction", 1)};
}

const table rearrangements = {
    {"atleast_1d", [](auto& x, auto&) -> arrays { return {detail::at_least(x[0], 1, {})}; }},
    {"atleast_2d", [](auto& x, auto&) -> arrays { return {detail::at_least(x[0], 2, {})}; }},
    {"atleast_3d", [](auto& x, auto&) -> arrays { return {detail::at_least(x[0], 3, {})}; }},
    {"split",
     [](auto& x, auto& l) {
       return detail::split(x[0], l.number("n", 1), l.number("axis", 0), "split", {});
     }},
    {"array_split",
     [](auto& x, auto& l) {
       return detail::split(x[0], l.number("n", 1), l.number("axis", 0), "array_split", {});
     }},
    {"split:at",
     [](auto& x, auto& l) {
       return detail::split(x[0], list(l, "at"), l.number("axis", 0), "split", {});
     }},
    {"unstack", [](auto& x, auto& l) { return sn::unstack(x[0], l.number("axis", 0)); }},
    {"repeat",
     [](auto& x, auto& l) -> arrays {
       sn::repeat_options o;
       if (l.options.count("axis")) o.axis = l.number("axis", 0);
       return {sn::repeat(x[0], l.number("n", 1), o)};
     }},
    {"tile", [](auto& x, auto& l) -> arrays { return {sn::tile(x[0], list(l, "reps"))}; }},
    {"fliplr", [](auto& x, auto&) -> arrays { return {detail::flip_axis(x[0], 1, "fliplr", {})}; }},
    {"flipud", [](auto& x, auto&) -> arrays { return {detail::flip_axis(x[0], 0, "flipud", {})}; }},
    {"rot90",
     [](auto& x, auto& l) -> arrays {
       return {sn::rot90(x[0], {l.number("k", 1), l.number("axis1", 0), l.number("axis2", 1)})};
     }},
    {"tril", [](auto& x, auto& l) -> arrays { return {sn::tril(x[0], {l.number("k", 0)})}; }},
    {"triu", [](auto& x, auto& l) -> arrays { return {sn::triu(x[0], {l.number("k", 0)})}; }},
    {"diag", [](auto& x, auto& l) -> arrays { return {sn::diag(x[0], {l.number("k", 0)})}; }},
    {"diagflat",
     [](auto& x, auto& l) -> arrays { return {sn::diagflat(x[0], {l.number("k", 0)})}; }},
    {"diagonal", [](auto& x, auto& l) -> arrays { return {sn::diagonal(x[0], diagonals(l))}; }},
    {"matrix_transpose", [](auto& x, auto&) -> arrays { return {sn::matrix_transpose(x[0])}; }},
    {"sliding_window_view",
     [](auto& x, auto& l) -> arrays {
       return {sn::sliding_window_view(x[0], list(l, "window"), axes_of(l))};
     }},
    {"meshgrid",
     [](auto& x, auto& l) {
       using order = sn::grid_options::order;
       return sn::meshgrid(x, {l.text("order") == "ij" ? order::ij : order::xy});
     }},
    {"broadcast_arrays", [](auto& x, auto&) { return sn::broadcast_arrays(x); }},
};

const table products = {
    {"dot", [](auto& x, auto&) -> arrays { return {sn::dot(x[0], x[1])}; }},
    {"vdot", [](auto& x, auto&) -> arrays { return {sn::vdot(x[0], x[1])}; }},
    {"inner", [](auto& x, auto&) -> arrays { return {sn::inner(x[0], x[1])}; }},
    {"outer", [](auto& x, auto&) -> arrays { return {sn::outer(x[0], x[1])}; }},
    {"kron", [](auto& x, auto&) -> arrays { return {sn::kron(x[0], x[1])}; }},
    {"matvec", [](auto& x, auto&) -> arrays { return {sn::matvec(x[0], x[1])}; }},
    {"vecmat", [](auto& x, auto&) -> arrays { return {sn::vecmat(x[0], x[1])}; }},
    {"vecdot",
     [](auto& x, auto& l) -> arrays { return {sn::vecdot(x[0], x[1], {l.number("axis", -1)})}; }},
    {"cross",
     [](auto& x, auto& l) -> arrays { return {sn::cross(x[0], x[1], {l.number("axis", -1)})}; }},
    {"tensordot",
     [](auto& x, auto& l) -> arrays {
       if (l.options.count("n")) return {sn::tensordot(x[0], x[1], l.number("n", 0))};
       return {sn::tensordot(x[0], x[1], {list(l, "of_a"), list(l, "of_b")})};
     }},
    {"einsum",
     [](auto& x, auto& l) -> arrays {
       std::string format = l.text("format");
       std::ranges::replace(format, '_', ' ');
       return {sn::einsum(format, x)};
     }},
};

const table reductions = {
    {"nancumsum", [](auto& x, auto& l) -> arrays { return {sn::nancumsum(x[0], scanned(l))}; }},
    {"nancumprod", [](auto& x, auto& l) -> arrays { return {sn::nancumprod(x[0], scanned(l))}; }},
    {"nansum", [](auto& x, auto& l) -> arrays { return {sn::nansum(x[0], reduction(l))}; }},
    {"nanprod", [](auto& x, auto& l) -> arrays { return {sn::nanprod(x[0], reduction(l))}; }},
    {"nanmax", [](auto& x, auto& l) -> arrays { return {sn::nanmax(x[0], reduction(l))}; }},
    {"nanmin", [](auto& x, auto& l) -> arrays { return {sn::nanmin(x[0], reduction(l))}; }},
    {"nanmean", [](auto& x, auto& l) -> arrays { return {sn::nanmean(x[0], reduction(l))}; }},
    {"nanvar", [](auto& x, auto& l) -> arrays { return {sn::nanvar(x[0], variance(l))}; }},
    {"nanstd", [](auto& x, auto& l) -> arrays { return {sn::nanstd(x[0], variance(l))}; }},
    {"nanargmax", [](auto& x, auto& l) -> arrays { return {sn::nanargmax(x[0], along(l))}; }},
    {"nanargmin", [](auto& x, auto& l) -> arrays { return {sn::nanargmin(x[0], along(l))}; }},
    {"ptp", [](auto& x, auto& l) -> arrays { return {sn::ptp(x[0], reduction(l))}; }},
    {"logsumexp", [](auto& x, auto& l) -> arrays { return {sn::logsumexp(x[0], reduction(l))}; }},
    {"softmax", [](auto& x, auto& l) -> arrays { return {sn::softmax(x[0], axes_of(l))}; }},
    {"log_softmax",
     [](auto& x, auto& l) -> arrays { return {sn::log_softmax(x[0], axes_of(l))}; }},
    {"norm",
     [](auto& x, auto& l) -> arrays {
       return {sn::norm(x[0], {l.real("ord", 2), axes_of(l), flag(l, "keepdims")})};
     }},
};

const table statistics = {
    {"trace", [](auto& x, auto& l) -> arrays { return {sn::trace(x[0], diagonals(l))}; }},
    {"diff",
     [](auto& x, auto& l) -> arrays {
       sn::diff_options o{l.number("n", 1), l.number("axis", -1)};
       if (x.size() == 3) o.prepend = x[1], o.append = x[2];
       return {sn::diff(x[0], o)};
     }},
    {"average",
     [](auto& x, auto& l) -> arrays {
       sn::average_options o;
       if (l.options.count("axis")) o.axis = l.number("axis", 0);
       return {sn::average(x[0], x[1], o)};
     }},
    {"trapezoid",
     [](auto& x, auto& l) -> arrays {
       const sn::trapezoid_options o{l.real("dx", 1), l.number("axis", -1)};
       if (x.size() == 2) return {sn::trapezoid(x[0], x[1], o)};
       return {sn::trapezoid(x[0], o)};
     }},
    {"cov", [](auto& x, auto& l) -> arrays { return {sn::cov(x[0], covariance(l))}; }},
    {"corrcoef", [](auto& x, auto& l) -> arrays { return {sn::corrcoef(x[0], covariance(l))}; }},
};

const table wholes = {
    {"isclose",
     [](auto& x, auto& l) -> arrays {
       return {sn::isclose(x[0], x[1], {1e-5, 1e-8, flag(l, "equal_nan")})};
     }},
    {"allclose",
     [](auto& x, auto& l) -> arrays {
       return {sn::allclose(x[0], x[1], {1e-5, 1e-8, flag(l, "equal_nan")})};
     }},
    {"array_equal",
     [](auto& x, auto& l) -> arrays {
       return {sn::array_equal(x[0], x[1], {flag(l, "equal_nan")})};
     }},
    {"array_equiv", [](auto& x, auto&) -> arrays { return {sn::array_equiv(x[0], x[1])}; }},
    {"nan_to_num",
     [](auto& x, auto& l) -> arrays {
       sn::nan_options o;
       if (l.options.count("nan")) {
         o = {l.real("nan", 0), l.real("posinf", 0), l.real("neginf", 0)};
       }
       return {sn::nan_to_num(x[0], o)};
     }},
    {"isreal", [](auto& x, auto&) -> arrays { return {sn::isreal(x[0])}; }},
    {"iscomplex", [](auto& x, auto&) -> arrays { return {sn::iscomplex(x[0])}; }},
    {"view", [](auto& x, auto& l) -> arrays { return {sn::view(x[0], type_named(l.text("to")))}; }},
    {"complex",
     [](auto& x, auto&) -> arrays { return {detail::complex_of_parts(x[0], x[1], {})}; }},
};

const table grids = {
    {"logspace",
     [](auto&, auto& l) -> arrays {
       return {detail::logspace(type_named(l.text("dtype")), l.real("start", 0),
                                l.real("stop", 0), l.number("count", 0),
                                {10, flag(l, "endpoint")}, {})};
     }},
    {"geomspace",
     [](auto&, auto& l) -> arrays {
       return {detail::geomspace(type_named(l.text("dtype")), l.real("start", 0),
                                 l.real("stop", 0), l.number("count", 0),
                                 flag(l, "endpoint"), {})};
     }},
    {"tri",
     [](auto&, auto& l) -> arrays {
       return {detail::tri(type_named(l.text("dtype")), l.number("n", 0), l.number("m", 0),
                           l.number("k", 0), {})};
     }},
    {"vander",
     [](auto& x, auto& l) -> arrays {
       sn::vander_options o{{}, flag(l, "increasing")};
       if (l.options.count("columns")) o.columns = l.number("columns", 0);
       return {sn::vander(x[0], o)};
     }},
    {"indices", [](auto&, auto& l) { return untyped(sn::indices(list(l, "shape"))); }},
    {"unravel_index",
     [](auto& x, auto& l) { return detail::unravel_index(x[0], list(l, "shape"), {}); }},
    {"ravel_multi_index",
     [](auto& x, auto& l) -> arrays {
       const auto mode = static_cast<sn::index_mode>(l.number("mode", 0));
       return {sn::ravel_multi_index(x, list(l, "shape"), {mode})};
     }},
};

template <detail::window Kind>
arrays window(const arrays&, const line& l) {
  return {detail::make_window(Kind, type_named(l.text("dtype")), l.number("count", 0), {})};
}
template <class F>
arrays typed_pair(const any_array& x, const F& f) {
  return sn::visit(x, [&](auto a) -> arrays {
    using T = typename decltype(a)::value_type;
    if constexpr (sn::is_real(sn::dtype_of<T>) || std::same_as<T, std::int16_t>) {
      const auto [first, second] = f(a);
      return {first, second};
    } else {
      return {};
    }
  });
}

int edge_order(const line& l) {
  return static_cast<int>(l.number("edge_order", 1));
}

const table numerics = {
    {"gradient",
     [](auto& x, auto& l) -> arrays {
       sn::gradient_options o{{}, l.real("spacing", 1), edge_order(l)};
       if (l.options.count("axis")) o.axis = l.number("axis", 0);
       return {sn::gradient(x[0], o)};
     }},
    {"gradient:at",
     [](auto& x, auto& l) -> arrays {
       return {sn::gradient(x[0], {l.number("axis", 0), x[1], edge_order(l)})};
     }},
    {"gradients",
     [](auto& x, auto& l) {
       return sn::gradients(x[0], {.spacing = {0.5, x[1]}, .edge_order = edge_order(l)});
     }},
    {"gradients:even",
     [](auto& x, auto& l) {
       return l.options.count("axis") ? sn::gradients(x[0], {.axis = axes_of(l)})
                                      : sn::gradients(x[0]);
     }},
    {"ediff1d", [](auto& x, auto&) -> arrays { return {sn::ediff1d(x[0])}; }},
    {"polyval", [](auto& x, auto&) -> arrays { return {sn::polyval(x[0], x[1])}; }},
    {"sinc", [](auto& x, auto&) -> arrays { return {sn::sinc(x[0])}; }},
    {"heaviside", [](auto& x, auto&) -> arrays { return {sn::heaviside(x[0], x[1])}; }},
    {"logaddexp2", [](auto& x, auto&) -> arrays { return {sn::logaddexp2(x[0], x[1])}; }},
    {"isposinf", [](auto& x, auto&) -> arrays { return {detail::is_infinity(x[0], true, {})}; }},
    {"isneginf", [](auto& x, auto&) -> arrays { return {detail::is_infinity(x[0], false, {})}; }},
    {"modf",
     [](auto& x, auto&) {
       return typed_pair(x[0], [](const auto& a) {
         using T = typename std::remove_cvref_t<decltype(a)>::value_type;
         if constexpr (std::integral<T>) return std::pair(a, a);
         else return sn::modf(a);
       });
     }},
    {"divmod",
     [](auto& x, auto&) {
       return typed_pair(x[0], [&](const auto& a) {
         return sn::divmod(a, std::remove_cvref_t<decltype(a)>(x[1]));
       });
     }},
    {"bartlett", window<detail::window::bartlett>},
    {"blackman", window<detail::window::blackman>},
    {"hamming", window<detail::window::hamming>},
    {"hanning", window<detail::window::hanning>},
};

}  // namespace

TEST_CASE("rearrangements are NumPy's") {
  compare_calls("language.py", "rearrangements", true, 500, rearrangements);
}
TEST_CASE("sums of products are NumPy's") {
  compare_calls("language.py", "products", false, 400, products);
}
TEST_CASE("more reductions are NumPy's") {
  compare_calls("language.py", "reductions", false, 600, reductions);
}
TEST_CASE("statistics are NumPy's") {
  compare_calls("language.py", "statistics", false, 300, statistics);
}
TEST_CASE("comparisons of wholes and views of bits are NumPy's") {
  compare_calls("language.py", "wholes", true, 250, wholes);
}
TEST_CASE("NumPy's smaller tools are NumPy's") {
  compare_calls("language.py", "numerics", false, 80, numerics);
}
TEST_CASE("grids are NumPy's") {
  compare_calls("language.py", "grids", false, 100, grids);
}

TEST_CASE("casting rules are NumPy's") {
  const auto folder = oracle_folder("language.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "casts.txt"));
  int pairs = 0;
  for (std::string a, b; in >> a >> b; ++pairs) {
    for (int rule = 0; rule < 5; ++rule) {
      int expected = 0;
      in >> expected;
      INFO(a << " to " << b << " by rule " << rule);
      CHECK(sn::can_cast(type_named(a), type_named(b), static_cast<sn::casting>(rule)) ==
            (expected != 0));
    }
  }
  CHECK(pairs == 14 * 14);
}

TEST_CASE("facts about float types are NumPy's") {
  const auto folder = oracle_folder("language.py");
  if (folder.empty()) return;
  std::istringstream in(read_text(folder / "facts.txt"));
  std::string name;
  for (int bits = 0; in >> name >> bits;) {
    double eps = 0, max = 0, min = 0, normal = 0;
    std::string subnormal;
    in >> eps >> max >> min >> normal >> subnormal;
    const auto f = sn::finfo(type_named(name));
    CHECK(f.bits == bits);
    CHECK(f.eps == eps);
    CHECK(f.max == max);
    CHECK(f.min == min);
    CHECK(f.smallest_normal == normal);
    CHECK(f.smallest_subnormal == std::strtod(subnormal.c_str(), nullptr));
  }
}

}  // namespace numpy_language_test
