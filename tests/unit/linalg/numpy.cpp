// What NumPy gives for functions whose values are unique, as tests/numpy/linalg.py wrote it.
#include <functional>

#include "samples.hpp"
#include "tests/support/numpy_oracle.hpp"

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

using call = std::function<any_array(const any_array&, const any_array&, const oracle_line&)>;
const sn::location here = sn::location::current();

const std::map<std::string, call>& calls() {
  static const std::map<std::string, call> all = {
      {"inv", [](auto& x, auto&, auto&) { return detail::inv(x, here); }},
      {"solve", [](auto& x, auto& b, auto&) { return detail::solve(x, b, here); }},
      {"cholesky", [](auto& x, auto&, auto&) { return detail::cholesky(x, {}, here); }},
      {"matrix_power",
       [](auto& x, auto&, auto& l) { return detail::matrix_power(x, l.number("n", 0), here); }},
      {"cond", [](auto& x, auto&, auto& l) { return detail::cond(x, order_of(l, "p"), here); }},
      {"eigvalsh", [](auto& x, auto&, auto&) { return detail::eigvalsh(x, {}, here); }},
      {"det", [](auto& x, auto&, auto&) { return detail::det(x, here); }},
      {"slogdet_sign", [](auto& x, auto&, auto&) { return detail::slogdet(x, here).a; }},
      {"slogdet_log", [](auto& x, auto&, auto&) { return detail::slogdet(x, here).b; }},
      {"trace",
       [](auto& x, auto&, auto& l) { return detail::trace(x, l.number("offset", 0), here); }},
      {"svdvals", [](auto& x, auto&, auto&) { return detail::svdvals(x, here); }},
      {"pinv", [](auto& x, auto&, auto&) { return detail::pinv(x, {.rtol = 1e-6}, here); }},
      {"matrix_rank", [](auto& x, auto&, auto&) { return detail::matrix_rank(x, {}, here); }},
      {"matrix_norm",
       [](auto& x, auto&, auto& l) {
         return detail::matrix_norm(x, {.ord = order_of(l, "ord")}, here);
       }},
      {"vector_norm",
       [](auto& x, auto&, auto& l) {
         return detail::vector_norm(x, {.ord = order_of(l, "ord"), .axis = -1}, here);
       }},
      {"norm", [](auto& x, auto&, auto&) { return detail::norm(x, {}, here); }},
      {"cross", [](auto& x, auto& b, auto&) { return detail::cross(x, b, -1, here); }},
  };
  return all;
}

/// max |a - b| over epsilon max(1, |b|), both as complex doubles.
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
    if (u[i] != v[i]) most = std::max(most, std::abs(u[i] - v[i]));
  }
  const bool single = sn::real_of(b.dtype()) == sn::dtype::float32;
  return most / scale / (single ? epsilon<float> : epsilon<double>);
}

}  // namespace

TEST_CASE("linear algebra is NumPy's") {
  const auto folder = oracle_folder("linalg.py");
  if (folder.empty()) return;
  for (const oracle_line& l : oracle_lines(folder / "calls.txt")) {
    const any_array x = sn::load_npy((folder / l.fields[1]).string());
    const std::string second = l.text("b");
    const any_array b = second.empty() ? any_array() : sn::load_npy((folder / second).string());
    const any_array expected = sn::load_npy((folder / l.fields[3]).string());
    INFO(l.fields[0] << " of " << sn::name(x.dtype()) << " " << l.fields[1] << " " << l.fields[2]);
    const any_array found = calls().at(l.fields[0])(x, b, l);
    REQUIRE(extents(found.shape().begin(), found.shape().end()) ==
            extents(expected.shape().begin(), expected.shape().end()));
    CHECK(distance(found, expected) <= std::stod(l.text("tol")));
  }
}
