// Exponentials, chains, contractions, laziness, precision.
#include <algorithm>

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

TEMPLATE_TEST_CASE("exponentials of matrices far from normal keep their digits", "", float,
                   double) {
  using T = TestType;
  const T eps = std::numeric_limits<T>::epsilon(), e = std::exp(T(1));
  for (const T k : {1e2, 1e4, 1e6, 1e8}) {  // its square is the identity
    CAPTURE(k);
    const auto found = la::expm(sn::array<T>{{1, k}, {0, -1}}).to_host();
    CHECK(std::abs(found[0] - e) < 8 * e * eps);
    CHECK(std::abs(found[1] - k * std::sinh(T(1))) < 8 * k * eps);
    CHECK(std::abs(found[3] - 1 / e) < 32 * eps);
  }
  const sn::array<T> stiff = T(0.01) * sn::array<T>{{0, 1}, {T(-1e6), T(-2000.001)}};
  const sn::array<double> wanted = la::expm(sn::astype<double>(stiff));
  CHECK(sn::max(sn::abs(la::expm(stiff) - wanted)).item() < 64 * eps);
}

TEST_CASE("a chain is multiplied in the cheapest order") {
  const auto a = sample<double>({30, 2}), b = sample<double>({2, 40}), c = sample<double>({40, 1});
  const sn::array<double> chain = la::multi_dot({a, b, c});
  CHECK(error<double>(chain, sn::matmul(sn::matmul(a, b), c), 40) < bound);
  // b @ c first: the larger product is never computed.
  CHECK(sn::explain(chain, {.source = false}).find("(30, 40)") == std::string::npos);
  const auto v = sample<double>({30});
  CHECK(la::multi_dot({v, a, b}).ndim() == 1);
}

TEST_CASE("windows are multiplied in the order in which they lie in memory") {
  // Channels last: along them and the window's columns memory is contiguous.
  const auto image = sample<float>({20, 21, 16});
  const auto weights = sample<float>({12, 16, 3, 3});
  const auto windows = sn::sliding_window_view(image, {3, 3}, {0, 1});
  const sn::array<float> sums = sn::einsum("xycij,ocij->xyo", windows, weights);
  sn::array<float> expected = sn::zeros<float>({18, 19, 12});
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const sn::slice down(i, i + 18), along(j, j + 19);
      const sn::array<float> tap = weights(sn::_, sn::_, i, j);
      expected += sn::matmul(image(down, along), tap.T());
    }
  }
  CHECK(error<float>(sums, expected, 144) < bound);
  const sn::array<float> same =
      sn::tensordot(windows, weights, {{2, 3, 4}, {1, 2, 3}});
  CHECK(error<float>(same, expected, 144) < bound);
}

/// The launches for reading x, with its operands evaluated.
std::uint64_t launches_of(const sn::array<double>& x) {
  const auto before = sn::session_statistics().launches;
  x.to_host();
  return sn::session_statistics().launches - before;
}

TEST_CASE("einsum computes partial sums in the dtype of the result") {
  using bytes = sn::array<std::int8_t>;
  const sn::array<double> one = {1, 1};
  const bytes x = {100, 100}, y = {2, 3};
  CHECK(sn::einsum("i,i,i->i", x, y, one).to_host() == std::vector<double>{200, 300});
  CHECK(sn::einsum("ii,j->j", bytes{{100, 1}, {1, 100}}, one).to_host() ==
        std::vector<double>{200, 200});
  CHECK(sn::einsum("i,j->j", sn::array<bool>{true, true}, one).to_host() ==
        std::vector<double>{2, 2});
  const sn::array<float> large = {1e30f, 1};
  CHECK(sn::einsum("i,i,i->i", large, large, one)(0).item() == Approx(1e60));
}

TEST_CASE("einsum writes its result in the order that is asked for, without a copy") {
  const auto x = sample<double>({2, 4, 9, 16}), w = sample<double>({3, 4}, 8),
             v = sample<double>({2, 3, 9, 16}, 9);
  sn::eval(x, w, v);
  CHECK(launches_of(sn::einsum("nchw,oc->nohw", x, w)) == 1);
  CHECK(launches_of(sn::einsum("oc,nchw->nohw", w, x)) == 1);
  CHECK(launches_of(sn::einsum("oc,nohw->nchw", w, v)) == 1);
  CHECK(launches_of(sn::einsum("nchw,nohw->nco", x, v)) == 1);
  CHECK(launches_of(sn::einsum("nchw,nohw->noc", x, v)) == 1);
  const auto a = sample<double>({6, 7}), b = sample<double>({7, 5}, 8);
  sn::eval(a, b);
  CHECK(launches_of(sn::einsum("ij,jk->ki", a, b)) == 1);
  CHECK(launches_of(sn::einsum("ji,kj->ik", b, a)) == 1);
}

TEST_CASE("a product and its reshape are in one memory, and change apart") {
  const auto a = sample<double>({6, 4}), b = sample<double>({4, 10}, 8);
  sn::eval(a, b);
  sn::array<double> m = sn::matmul(a, b), r = m.reshape({3, 2, 10}), again = r.reshape({60});
  const auto before = sn::session_statistics().launches;
  sn::eval(r, m, again);
  CHECK(sn::session_statistics().launches - before == 1);
  const std::vector<double> values = m.to_host();
  CHECK(r.to_host() == values);
  r(0, 0, 0) = 7;
  m += 1;
  std::vector<double> changed = values, more = values;
  changed[0] = 7;
  for (double& x : more) x += 1;
  CHECK(r.to_host() == changed);
  CHECK(m.to_host() == more);
  CHECK(again.to_host() == values);
  // Without a library call: one kernel stores both, once.
  sn::array<double> s = a * 2 + 1, t = s.reshape({24});
  sn::eval(s, t);
  t(3) = 0;
  CHECK(s.to_host()[3] == a.to_host()[3] * 2 + 1);
  CHECK(t.to_host()[3] == 0);
}

TEST_CASE("einsum in any order is einsum in one, transposed") {
  struct product {
    std::string operands, result;
    sn::array<double> a, b;
  };
  const auto a = sample<double>({2, 3, 4, 8});
  const product products[] = {{"bikp,bkjr", "bijpr", a, sample<double>({2, 4, 160, 3})},
                              {"bikp,kc", "bipc", a, sample<double>({4, 2})},
                              {"kc,bikp", "bipc", sample<double>({4, 2}), a},
                              {"cki,kb", "bic", sample<double>({5, 4, 3}), sample<double>({4, 2})},
                              {"bikp,ckb", "bipc", a, sample<double>({160, 4, 2})},
                              {"bikp,ckb", "cip", a, sample<double>({160, 4, 2})},
                              {"bikp,cbk", "cip", a, sample<double>({160, 2, 4})}};
  for (const product& p : products) {
    std::string order = p.result;
    const sn::array<double> whole = sn::einsum(p.operands + "->" + order, p.a, p.b);
    std::ranges::sort(order);
    do {
      INFO(p.operands << " -> " << order);
      const sn::array<double> turned = sn::einsum(p.result + "->" + order, whole);
      CHECK(error<double>(sn::einsum(p.operands + "->" + order, p.a, p.b), turned, 20) < bound);
    } while (std::ranges::next_permutation(order).found);
  }
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
  CHECK(all - after <= 2);  // transposed copies of existing results
  CHECK(skew(u) < bound);
}

TEST_CASE("what surrounds a factorisation fuses with it") {
  const sn::array<double> a = sample<double>({8, 8});
  const sn::array<double> logdet = la::slogdet(sn::exp(a) + 1.0).logabsdet * 2.0;
  CHECK(std::isfinite(logdet.item()));
  const std::string text = sn::explain(logdet, {.source = false});
  CHECK(text.find("2 kernels and 1 library call") == 0);
}

TEST_CASE("solvers multiply in IEEE precision, whatever products do") {
  const sn::array<float> a = sample<float>({300, 200}), b = sample<float>({300, 30});
  const sn::array<float> square = sample<float>({200, 200});
  sn::eval(a, b, square);
  const sn::precision scope({.matmul = sn::matmul_mode::tf32});
  for (const sn::array<float>& x : {la::pinv(a), la::lstsq(a, b).x, la::expm(square)}) {
    CHECK(sn::explain(x, {.source = false}).find("tf32") == std::string::npos);
  }
  const std::string plain = sn::explain(sn::matmul(a, square), {.source = false});
  CHECK(plain.find("tf32") != std::string::npos);
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
  const sn::array<double> a = positive<double>({200, 200}), b = sample<double>({200, 100});
  sn::eval(a, b);
  const std::string plain = sn::explain(sn::matmul(a, b), {.source = false});
  CHECK(plain.find("read transposed") == std::string::npos);
  const std::string turned = sn::explain(sn::matmul(sn::transpose(b), a), {.source = false});
  CHECK(turned.find("a read transposed") != std::string::npos);
  const std::string inverse = sn::explain(sn::matmul(la::inv(a), b), {.source = false});
  CHECK(inverse.find("hint: inv(a) @ b: solve(a, b)") != std::string::npos);
  const sn::array<double> v = b(sn::_, 0);
  const std::string applied = sn::explain(sn::matmul(la::inv(a), v), {.source = false});
  CHECK(applied.find("hint: inv(a) @ b: solve(a, b)") != std::string::npos);
  for (const auto& none : {la::solve(a, b), la::inv(a)}) {
    CHECK(sn::explain(none, {.source = false}).find("hint") == std::string::npos);
  }
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
