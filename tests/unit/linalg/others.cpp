// Exponentials, chains, laziness, precision.
#include "samples.hpp"

namespace others_test {

using namespace linalg_tests;

TEMPLATE_TEST_CASE("matrix exponentials", "", double, std::complex<double>) {
  using T = TestType;
  for (const double scale : {0.1, 3.0, 40.0}) {
    for (const extents& s : {extents{4, 4}, extents{3, 5, 5}}) {
      const sn::array<T> x = sample<T>(s), a = (x + adjoint(x)) * T(scale / 10);
      const auto [w, v] = la::eigh(a);
      const sn::array<T> row = sn::expand_dims(sn::array<T>(sn::astype<T>(sn::exp(w))), {-2});
      const sn::array<T> expected = sn::matmul(sn::array<T>(v * row), adjoint(v));
      CHECK(error<T>(la::expm(a), expected, 40) < 1000);
    }
  }
  CHECK(error<T>(la::expm(sn::zeros<T>({3, 3})), sn::eye<T>(3), 1) < 2);
}

TEST_CASE("a chain is multiplied in the cheapest order") {
  const auto a = sample<double>({30, 2}), b = sample<double>({2, 40}), c = sample<double>({40, 1});
  const sn::array<double> chain = la::multi_dot({a, b, c});
  CHECK(error<double>(chain, sn::matmul(sn::matmul(a, b), c), 40) < bound);
  // b @ c first: the larger product never exists.
  CHECK(sn::explain(chain, {.source = false}).find("(30, 40)") == std::string::npos);
  const auto v = sample<double>({30});
  CHECK(la::multi_dot({v, a, b}).ndim() == 1);
}

TEST_CASE("results of one call are computed once, whichever is read") {
  const sn::array<double> a = sample<double>({6, 4});
  sn::eval(a);
  const auto before = sn::session_statistics().launches;
  const auto [u, s, vh] = la::svd(a);
  const double first = s(0).item();
  const auto after = sn::session_statistics().launches;
  CHECK(first > 0);
  u.to_host();
  vh.to_host();
  const auto all = sn::session_statistics().launches;
  CHECK(after > before);
  CHECK(all - after <= 2);  // other orders of what is there
  CHECK(skew(u) < bound);
}

TEST_CASE("what surrounds a factorisation fuses with it") {
  const sn::array<double> a = sample<double>({8, 8});
  const sn::array<double> logdet = la::slogdet(sn::exp(a) + 1.0).logabsdet * 2.0;
  CHECK(std::isfinite(logdet.item()));
  const std::string text = sn::explain(logdet, {.source = false});
  CHECK(text.find("2 kernels and 1 library call") == 0);
}

TEST_CASE("TF32 is asked for, and has fewer digits where there is such a thing") {
  const sn::array<float> a = sample<float>({64, 64}, 1), b = sample<float>({64, 64}, 2);
  const sn::array<float> exact = sn::matmul(a, b);
  sn::array<float> rounded, again;
  {
    const sn::precision scope({.matmul = sn::matmul_mode::tf32});
    rounded = sn::matmul(a, b);
  }
  again = sn::matmul(a, b);
  const double off = largest(sn::array<float>(rounded - exact)) / largest(exact);
  CHECK(off < 4e-3);
  if (sn::current_device().what == sn::device::kind::cpu) CHECK(off == 0);
  CHECK(largest(sn::array<float>(again - exact)) == 0);
}

TEST_CASE("explain says how a product reads its operands, and where solve would pay") {
  const sn::array<double> a = positive<double>({5, 5}), b = sample<double>({5, 2});
  sn::eval(a, b);
  const std::string plain = sn::explain(sn::matmul(a, b), {.source = false});
  CHECK(plain.find("read transposed") == std::string::npos);
  const std::string turned = sn::explain(sn::matmul(sn::transpose(b), a), {.source = false});
  CHECK(turned.find("a read transposed") != std::string::npos);
  const std::string inverse = sn::explain(sn::matmul(la::inv(a), b), {.source = false});
  CHECK(inverse.find("hint: inv(a) @ b: solve(a, b)") != std::string::npos);
  CHECK(sn::explain(la::solve(a, b), {.source = false}).find("hint") == std::string::npos);
}

TEMPLATE_TEST_CASE("factors and determinants are the same bits however the matrix lay, every time",
                   "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s : {extents{17, 17}, extents{70, 70}, extents{300, 300}, extents{40, 3, 3},
                           extents{4, 5, 5}, extents{10, 40, 40}}) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s), apart = scattered(a);
    const std::vector<T> factors = la::lu_factor(a).lu.to_host();
    const auto first = la::slogdet(a);
    sn::eval(first.sign, first.logabsdet);
    for (int again = 0; again < 3; ++again) {
      const sn::array<T>& x = again == 0 ? a : apart;
      CHECK(la::lu_factor(x).lu.to_host() == factors);
      const auto r = la::slogdet(x);
      sn::eval(r.sign, r.logabsdet);
      CHECK(r.sign.to_host() == first.sign.to_host());
      CHECK(r.logabsdet.to_host() == first.logabsdet.to_host());
    }
  }
}

}  // namespace others_test
