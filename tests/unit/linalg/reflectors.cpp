// Q of many matrices, from reflectors by stacked products: a GPU's method, on any device.
#include "engine/linalg/support.hpp"
#include "samples.hpp"

namespace reflectors_test {

using namespace linalg_tests;
namespace detail = sinter::detail;

namespace {

/// The first k columns of Q of the same reflectors, by both methods.
template <class T> struct two_ways {
  sn::array<T> by_products, by_calls;

  two_ways(const sn::array<T>& a, std::int64_t k) {
    const sn::location here = sn::location::current();
    const detail::routine r{"qr", here};
    const std::int64_t m = a.shape(-2), n = a.shape(-1), least = std::min(m, n);
    const auto out = detail::make_call("geqrf", {r.swapped(a)}, {},
                                       {{sn::dtype::int32, detail::in_front(a)},
                                        {a.dtype(), detail::column_shape(a, m, n)},
                                        {a.dtype(), detail::shape_with(a, 2, {least})}},
                                       here);
    by_products = sn::array<T>(r.swapped(detail::q_by_products(r, out[1], out[2], k)));
    const auto formed =
        detail::make_call("orgqr", {r.part(out[1], -2, 0, std::min(n, k)), out[2]}, {},
                          {{sn::dtype::int32, detail::in_front(a)},
                           {a.dtype(), detail::column_shape(a, m, std::min(n, k))}},
                          here);
    by_calls = sn::array<T>(r.swapped(formed[1]));
  }
};

}  // namespace

TEMPLATE_TEST_CASE("Q by products is Q", "", SINTER_LINALG_TYPES) {
  using T = TestType;
  for (const extents& s :
       {extents{4, 1, 1}, extents{3, 6, 4}, extents{3, 4, 6}, extents{2, 2, 5, 1},
        extents{5, 16, 16}, extents{2, 150, 40}, extents{2, 200, 200}}) {
    INFO(sn::to_string(sn::asarray(s)));
    const sn::array<T> a = sample<T>(s);
    const std::int64_t m = s[s.size() - 2], n = s.back();
    for (const std::int64_t k : {std::min(m, n), m}) {
      const two_ways<T> q(a, k);
      CHECK(skew(q.by_products) < bound);
      const sn::array<T> same = q.by_products(sn::ellipsis, sn::slice(0, q.by_calls.shape(-1)));
      CHECK(error<T>(same, q.by_calls, m) < bound);
    }
  }
}

TEST_CASE("Q by products of matrices without full rank, of zeros, and of NaN") {
  sn::array<double> a = sample<double>({4, 12, 3});
  a = sn::matmul(a, sn::swapaxes(a, -1, -2));  // rank 3
  a(1) = 0.0;
  a(2) = a(2) * 1e-100;  // cuBLAS squares without scaling, rounding errors of the others too
  const sn::array<double> q = two_ways<double>(a, 12).by_products;
  CHECK(skew(q) < bound);
  CHECK(error<double>(sn::array<double>(q(1)), sn::eye<double>(12), 1) == 0);
  a(3) = std::nan("");
  const sn::array<double> other = two_ways<double>(a, 12).by_products;
  CHECK(sn::all(sn::isnan(other(3))).item());
  CHECK(error<double>(sn::array<double>(other(sn::slice(0, 3))),
                      sn::array<double>(q(sn::slice(0, 3))), 1) == 0);
}

TEST_CASE("Q by products stays orthogonal where products are rounded to TF32") {
  const sn::array<float> a = sample<float>({64, 16, 16});
  const sn::precision scope({.matmul = sn::matmul_mode::tf32});
  const two_ways<float> q(a, 16);
  const auto whole = la::qr(a);
  sn::eval(q.by_products, whole.q, whole.r);
  const sn::precision exact({.matmul = sn::matmul_mode::ieee});
  CHECK(skew(q.by_products) < bound);
  CHECK(skew(whole.q) < bound);
  CHECK(error<float>(sn::matmul(whole.q, whole.r), a, 16) < bound);
}

TEST_CASE("Q of a stack is the same bits in every run") {
  const sn::array<double> a = sample<double>({100, 16, 16});
  const std::vector<double> first = la::qr(a).q.to_host();
  for (int again = 0; again < 3; ++again) CHECK(la::qr(scattered(a)).q.to_host() == first);
}

}  // namespace reflectors_test
