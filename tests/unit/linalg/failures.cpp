// Unsolvable systems are reported when they are read, invalid arguments at once.
#include "samples.hpp"

namespace failures_test {

using namespace linalg_tests;

namespace {

template <class Call> std::string message_of(Call call) {
  try {
    call();
  } catch (const sn::error& e) {
    const std::string text = e.what();
    return text.substr(0, text.rfind(" ("));
  }
  return "";
}

sn::array<double> not_positive() {
  sn::array<double> a = sn::zeros<double>({5, 20, 20});
  a = a + sn::eye<double>(20);
  a(3, 16, 16) = -1.0;
  return a;
}

}  // namespace

TEST_CASE("a matrix that is not positive definite is named, with its minor") {
  const sn::array<double> l = la::cholesky(not_positive());
  sn::eval(l);  // reports nothing
  for (int i = 0; i < 2; ++i) {
    CHECK(message_of([&] { l.to_host(); }) ==
          "[cholesky] matrix 3 of the batch is not positive definite: leading minor 17");
  }
  CHECK_THROWS_AS(sn::sum(l).item(), sn::linalg_error);
  CHECK(message_of([] { la::cholesky(-sn::eye<double>(1)).to_host(); }) ==
        "[cholesky] the matrix is not positive definite: leading minor 1");
}

TEST_CASE("singular matrices") {
  CHECK(message_of([] {
          la::inv(sn::array<double>{{1, 2}, {2, 4}}).to_host();
        }) == "[inv] the matrix is singular: pivot 2 is zero");
  CHECK(message_of([] {
          la::solve(sn::zeros<float>({2, 2}), sn::ones<float>({2})).to_host();
        }) == "[solve] the matrix is singular: pivot 1 is zero");
  const sn::array<double> t{{1, 5}, {0, 0}};
  CHECK(message_of([&] { la::solve_triangular(t, sn::ones<double>({2})).to_host(); }) ==
        "[solve_triangular] the matrix is singular: pivot 2 is zero");
  CHECK(la::matrix_rank(t).item() == 1);
  CHECK(la::cond(t).item() == la::inf);
  CHECK(la::cond(t, 1).item() == la::inf);
  CHECK(la::det(t).item() == 0);
}

TEST_CASE("what is not finite") {
  const sn::array<double> bad{{1, std::nan("")}, {2, la::inf}};
  CHECK_THROWS_AS(la::svdvals(bad).to_host(), sn::linalg_error);
  CHECK_THROWS_AS(la::svd(bad).u.to_host(), sn::linalg_error);
  CHECK_THROWS_AS(la::eig(bad).eigenvectors.to_host(), sn::linalg_error);
  CHECK_THROWS_AS(la::eigvals(bad).to_host(), sn::linalg_error);
  CHECK_THROWS_AS(la::eigvalsh(bad).to_host(), sn::linalg_error);
  CHECK(std::isnan(la::det(bad).item()));
  const std::vector<double> x = la::solve(bad, sn::ones<double>({2})).to_host();
  CHECK((std::isnan(x[0]) || std::isnan(x[1])));
  CHECK(std::isnan(la::norm(bad).item()));
}

TEST_CASE("pivots that are no numbers are no zeros") {
  for (const std::int64_t n : {2, 3, 40}) {
    for (const std::int64_t batch : {1, 2}) {
      const sn::array<double> all = sn::zeros<double>({batch, n, n}) + la::inf;
      sn::array<double> one = sn::random::normal<double>({batch, n, n}, {.seed = 3});
      one(sn::ellipsis, n - 1, n - 1) = std::nan("");
      for (const sn::array<double>& a : {all, one}) {
        CHECK(sn::all(sn::isnan(la::inv(a))).item());
        CHECK(sn::all(sn::isnan(la::solve(a, a + 1))).item());
      }
      CHECK_THROWS_AS(la::inv(sn::zeros<double>({batch, n, n})).to_host(), sn::linalg_error);
    }
  }
}

TEST_CASE("an array that fails leaves the others alone") {
  const sn::array<double> good = sn::eye<double>(3) * 4.0, bad = -good;
  const sn::array<double> a = la::cholesky(good), b = la::cholesky(bad);
  sn::eval(a, b);
  CHECK(a.to_host()[0] == 2);
  CHECK_THROWS_AS(b.to_host(), sn::linalg_error);
  CHECK(good.to_host()[0] == 4);
}

TEST_CASE("rejected calls of sn::linalg") {
  const sn::array<double> v = sn::ones<double>({3}), m = sn::ones<double>({2, 3});
  CHECK(message_of([&] { la::inv(m); }) == "[inv] shape (2, 3) is not square in its last two axes");
  CHECK(message_of([&] { la::svd(v); }) ==
        "[svd] shape (3,) is no matrix: it has fewer than two axes");
  CHECK(message_of([&] { la::solve(sn::eye<double>(2), v); }) ==
        "[solve] shape (3,) does not fit matrices of shape (2, 2): axis 0 is 3, not 2");
  CHECK(message_of([&] {
          la::solve(sn::ones<double>({2, 3, 3}), sn::ones<double>({4, 3, 1}));
        }) == "[solve] shape (4, 3, 1) does not broadcast with matrices of shape (2, 3, 3)");
  const sn::any_array half = sn::zeros<sn::float16>({2, 2});
  CHECK(message_of([&] { sn::detail::inv(half, sn::location::current()); }) ==
        "[inv] float16 is not taken: convert it to float32");
  CHECK(message_of([&] { la::norm(m, {.ord = "abc"}); }) ==
        "[norm] 'abc' is no norm: a number, fro or nuc");
  CHECK(message_of([&] {
          la::norm(m, {.ord = 3, .axis = {0, 1}});
        }) == "[norm] a matrix has no norm 3");
  CHECK(message_of([&] { la::norm(v, {.ord = "fro", .axis = 0}); }) ==
        "[norm] fro and nuc are norms of matrices");
  CHECK(message_of([&] { la::cross(m, v, 0); }) ==
        "[cross] shape (2, 3) has no vectors of three along axis 0");
  CHECK(message_of([&] {
          la::multi_dot({m, m});
        }) == "[multi_dot] shape (2, 3) does not align with (2, 3) before it");
  CHECK(message_of([&] {
          la::matrix_power(sn::ones<int>({2, 2}), -1);
        }) ==
        "[matrix_power] a negative power of integers is not one of integers: convert them first");
  CHECK_THROWS_AS(la::null_space(sn::ones<double>({2, 2, 2})), sn::shape_error);
}

}  // namespace failures_test
