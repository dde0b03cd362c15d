// NumPy's results for functions with unique values, as written by tests/numpy/linalg.py.
#include <functional>
#include <set>

#include "samples.hpp"
#include "tests/support/numpy_oracle.hpp"

namespace numpy_test {

using namespace linalg_tests;
using namespace sinter::test;
using sn::any_array;
namespace detail = sinter::detail;

namespace {

sn::norm_order order_of(const oracle_line& l, const std::string& key) {
  const std::string text = l.text(key);
  if (text.empty()) return {};
  if (text == "fro") return "fro";
  if (text == "nuc") return "nuc";
  return std::stod(text);
}

const sn::location here = sn::location::current();
using call = std::function<any_array(const any_array&, const any_array&, const oracle_line&)>;
any_array size_of(const any_array& x) {
  return sn::visit(x, [](const auto& a) -> any_array {
    using T = typename std::remove_cvref_t<decltype(a)>::value_type;
    if constexpr (std::same_as<T, bool>) return a;
    else return sn::abs(a).to_array();
  });
}

/// |<a_i, b_j>| for all columns of two matrices, which removes phases.
any_array alignment_of_all(const any_array& a, const any_array& b) {
  const any_array left = sn::visit(a, [](const auto& x) -> any_array {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    if constexpr (sn::is_complex(sn::dtype_of<T>)) return sn::conj(x).to_array();
    else return x;
  });
  return size_of(sn::matmul(detail::matrix_transpose(left, here), b));
}

/// The same for corresponding columns: ones if they are equal up to a phase.
any_array alignment(const any_array& a, const any_array& b) {
  return detail::diagonal(alignment_of_all(a, b), {0, -2, -1}, here);
}

/// The distance of each element of a to the nearest one of b, along the last axis.
any_array nearest(const any_array& a, const any_array& b) {
  return sn::visit(b, [&](const auto& found) -> any_array {
    using A = std::remove_cvref_t<decltype(found)>;
    if constexpr (sn::is_complex(sn::dtype_of<typename A::value_type>)) {
      const A wanted(sn::expand_dims(a, {-1}));
      return sn::min(sn::abs(wanted - sn::expand_dims(found, {-2})), {.axis = -1});
    } else {
      return {};
    }
  });
}

/// 1 if reading a function's result raises an error.
any_array refused(const any_array& x, const std::string& name) {
  any_array y;
  if (name == "eigvalsh") y = detail::eigvalsh(x, {}, here);
  if (name == "eigvals") y = detail::eigvals(x, here);
  if (name == "svdvals") y = detail::svdvals(x, here);
  if (name == "eigh") y = detail::eigh(x, {}, here).b;
  if (name == "eig") y = detail::eig(x, here).b;
  if (name == "pinv") y = detail::pinv(x, {}, here);
  if (name == "matrix_rank") y = detail::matrix_rank(x, {}, here);
  REQUIRE(y.valid());
  try {
    sn::to_string(y);
  } catch (const sn::linalg_error&) {
    return sn::asarray(std::int64_t{1});
  }
  return sn::asarray(std::int64_t{0});
}

const std::map<std::string, call>& calls() {
  static const std::map<std::string, call> all = {
      {"linalg.inv", [](auto& x, auto&, auto&) { return detail::inv(x, here); }},
      {"linalg.solve", [](auto& x, auto& b, auto&) { return detail::solve(x, b, here); }},
      {"linalg.cholesky", [](auto& x, auto&, auto&) { return detail::cholesky(x, {}, here); }},
      {"linalg.matrix_power",
       [](auto& x, auto&, auto& l) { return detail::matrix_power(x, l.number("n", 0), here); }},
      {"linalg.cond",
       [](auto& x, auto&, auto& l) { return detail::cond(x, order_of(l, "p"), here); }},
      {"linalg.eigvalsh", [](auto& x, auto&, auto&) { return detail::eigvalsh(x, {}, here); }},
      {"linalg.det", [](auto& x, auto&, auto&) { return detail::det(x, here); }},
      {"linalg.slogdet:sign", [](auto& x, auto&, auto&) { return detail::slogdet(x, here).a; }},
      {"linalg.slogdet:log", [](auto& x, auto&, auto&) { return detail::slogdet(x, here).b; }},
      {"linalg.trace",
       [](auto& x, auto&, auto& l) { return detail::trace(x, l.number("offset", 0), here); }},
      {"linalg.svdvals", [](auto& x, auto&, auto&) { return detail::svdvals(x, here); }},
      {"linalg.pinv", [](auto& x, auto&, auto&) { return detail::pinv(x, {.rtol = 1e-6}, here); }},
      {"linalg.matrix_rank",
       [](auto& x, auto&, auto&) { return detail::matrix_rank(x, {}, here); }},
      {"linalg.matrix_norm",
       [](auto& x, auto&, auto& l) {
         return detail::matrix_norm(x, {.ord = order_of(l, "ord")}, here);
       }},
      {"linalg.vector_norm",
       [](auto& x, auto&, auto& l) {
         return detail::vector_norm(x, {.ord = order_of(l, "ord"), .axis = -1}, here);
       }},
      {"linalg.norm", [](auto& x, auto&, auto&) { return detail::norm(x, {}, here); }},
      {"linalg.eigh", [](auto& x, auto&, auto&) { return detail::eigh(x, {}, here).a; }},
      {"linalg.eigh:vectors",
       [](auto& x, auto& b, auto&) { return alignment(b, detail::eigh(x, {}, here).b); }},
      {"linalg.svd", [](auto& x, auto&, auto&) { return detail::svd(x, false, here).b; }},
      {"linalg.svd:u",
       [](auto& x, auto& b, auto&) { return alignment(b, detail::svd(x, false, here).a); }},
      {"linalg.svd:vh",
       [](auto& x, auto& b, auto&) {
         return alignment(b, detail::matrix_transpose(detail::svd(x, false, here).c, here));
       }},
      {"linalg.qr", [](auto& x, auto&, auto&) { return size_of(detail::qr(x, {}, here).b); }},
      {"linalg.qr:q", [](auto& x, auto&, auto&) { return size_of(detail::qr(x, {}, here).a); }},
      {"linalg.eigvals",
       [](auto& x, auto& b, auto&) { return nearest(b, detail::eigvals(x, here)); }},
      {"linalg.eig", [](auto& x, auto& b, auto&) { return nearest(b, detail::eig(x, here).a); }},
      {"linalg.eig:vectors",
       [](auto& x, auto& b, auto&) {
         return sn::detail::max(alignment_of_all(b, detail::eig(x, here).b), {.axis = -1}, here);
       }},
      {"linalg.lstsq", [](auto& x, auto& b, auto&) { return detail::lstsq(x, b, {}, here).a; }},
      {"linalg.lstsq:residuals",
       [](auto& x, auto& b, auto&) { return detail::lstsq(x, b, {}, here).b; }},
      {"linalg.lstsq:rank",
       [](auto& x, auto& b, auto&) { return detail::lstsq(x, b, {}, here).c; }},
      {"linalg.lstsq:s", [](auto& x, auto& b, auto&) { return detail::lstsq(x, b, {}, here).d; }},
      {"linalg.multi_dot",
       [](auto& x, auto& b, auto&) { return detail::multi_dot({x, b, x}, here); }},
      {"linalg.refused", [](auto& x, auto&, auto& l) { return refused(x, l.text("of")); }},
      {"linalg.cross", [](auto& x, auto& b, auto&) { return detail::cross(x, b, -1, here); }},
  };
  return all;
}

bool is_nan(const std::complex<double>& z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}

/// max |a - b| over epsilon max(1, |b|), both as complex doubles; NaN equals only NaN.
double distance(const any_array& a, const any_array& b) {
  using C = std::complex<double>;
  const sn::array<C> x(sn::astype(a, sn::dtype::complex128)),
      y(sn::astype(b, sn::dtype::complex128));
  const std::vector<C> u = x.to_host(), v = y.to_host();
  double most = 0, scale = 1;
  for (const C& e : v) {
    if (std::isfinite(std::abs(e))) scale = std::max(scale, std::abs(e));
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (u[i] == v[i] || (is_nan(u[i]) && is_nan(v[i]))) continue;
    const double off = std::abs(u[i] - v[i]);
    most = std::isnan(off) ? HUGE_VAL : std::max(most, off);
  }
  const bool single = sn::real_of(b.dtype()) == sn::dtype::float32;
  return most / scale / (single ? epsilon<float> : epsilon<double>);
}

}  // namespace

TEST_CASE("linear algebra is NumPy's") {
  const auto folder = oracle_folder("linalg.py");
  if (folder.empty()) return;
  std::set<std::string> seen;
  for (const oracle_line& l : oracle_lines(folder / "calls.txt")) {
    const any_array x = sn::load_npy((folder / l.fields[1]).string());
    const std::string second = l.text("b");
    const any_array b = second.empty() ? any_array() : sn::load_npy((folder / second).string());
    const any_array expected = sn::load_npy((folder / l.fields[3]).string());
    INFO(l.fields[0] << " of " << sn::name(x.dtype()) << " " << l.fields[1] << " " << l.fields[2]);
    const any_array found = calls().at(l.fields[0])(x, b, l);
    REQUIRE(found.shape() == expected.shape());
    CHECK(distance(found, expected) <= std::stod(l.text("tol")));
    seen.insert(l.fields[0]);
  }
  for (const auto& [name, row] : calls()) {
    INFO(name << " is compared with nothing");
    CHECK(seen.contains(name));
  }
}

}  // namespace numpy_test
