// Views and slice assignment: the effect on other handles, and views of views.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

#include "engine/nodes/node.hpp"

namespace slices_test {

namespace sn = sinter;
using sn::_;
using sn::slice;
using floats = sn::array<float>;

namespace {

sn::array<int> counting(const sn::int_list& shape) {
  std::int64_t n = 1;
  for (auto e : shape) n *= e;
  return sn::reshape(sn::arange(static_cast<int>(n)), shape);
}

}  // namespace

TEST_CASE("parts of a slice are assigned to as in NumPy, whose slices are views") {
  auto z = sn::zeros<float>({3, 4});
  const auto before = z;
  z(0)(sn::array<bool>{true, false, true, false}) = 5;
  z(sn::slice(1, 3))(0)(sn::slice(1, 3)) = 7.5;
  z(2)(sn::array<int>{0, 3}) += 2;
  z(sn::_, 3)(z(sn::_, 3) > 0) *= -1;
  CHECK(z.to_host() == std::vector<float>{5, 0, 5, 0, 0, 7.5, 7.5, 0, 2, 0, 0, -2});
  CHECK_FALSE(sn::any(before != 0).item());
  CHECK(z(0)(2).to_array().item() == 5);
  CHECK(z(sn::array<int>{2, 0})(0)(3).to_array().item() == -2);
}

TEST_CASE("a slice is an operand by whatever reference it comes") {
  const floats x = sn::arange<float>(6);
  const auto minus = [](const auto& part) { return floats(-part); };
  const auto doubled = [](const auto& part) { return floats(part) * 2.0f; };
  CHECK(sn::array_equal(minus(x(sn::slice(2, 4))), floats({-2, -3})));
  CHECK(sn::array_equal(floats(doubled(x(sn::slice(2, 4)))), floats({4, 6})));
  floats y = sn::arange<float>(6);
  CHECK(sn::array_equal(minus(y(sn::slice(2, 4))), floats({-2, -3})));
}

TEST_CASE("parts of a copy are refused when they are assigned to") {
  auto z = sn::zeros<float>({3, 4});
  const sn::array<int> rows{0, 1};
  CHECK_THROWS_WITH(z(rows)(0) = 1,
                    says("[assign] x(indices) is a copy, and x stays what it is"));
  CHECK_THROWS_AS(z(rows)(sn::ones<bool>({2, 4})) = 1, sn::value_error);
  CHECK_FALSE(sn::any(z != 0).item());
  static_assert(!std::is_assignable_v<sn::array<float>, sn::array<float>>);
}

TEST_CASE("a slice that is assigned changes its array alone") {
  auto x = sn::array<int>({1, 2, 3, 4, 5});
  const auto y = x;
  auto part = x(slice(1, 3)).to_array();
  x(slice(1, 4)) = 0;
  CHECK(x.to_host() == std::vector<int>{1, 0, 0, 0, 5});
  CHECK(y.to_host() == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(part.to_host() == std::vector<int>{2, 3});
  x(-1) = 7;
  x(slice(0, 5, 2)) += 10;
  CHECK(x.to_host() == std::vector<int>{11, 0, 10, 0, 17});
}

TEST_CASE("one value is assigned to several places") {
  sn::array<int> x = counting({6});
  x(0) = x(1) = -1;
  x(slice(2, 4)) = x(x > 4) = x(0) + 8;
  CHECK(x.to_host() == std::vector<int>{-1, -1, 7, 7, 4, 7});
  floats y = sn::zeros<float>({3});
  y(2) = x(4) = y(0) = x(3);
  CHECK((x(4).item() == 7 && y.to_host() == std::vector<float>{7, 0, 7}));
}

TEST_CASE("values are broadcast and converted") {
  auto x = sn::zeros<float>({2, 3});
  x(1) = sn::array<double>({1.5, 2, 3});
  x(_, 0) = sn::array<int>({8, 9});
  CHECK(x.to_host() == std::vector<float>{8, 0, 0, 9, 2, 3});
  x(_) = 4;
  CHECK(x.to_host() == std::vector<float>(6, 4));
  x(slice(0, 0)) = 9;
  CHECK(x.to_host() == std::vector<float>(6, 4));
}

TEST_CASE("a slice may be assigned from its own array") {
  auto x = sn::array<int>({1, 2, 3, 4, 5});
  x(slice(1, 5)) = x(slice(0, 4));
  CHECK(x.to_host() == std::vector<int>{1, 1, 2, 3, 4});
  x(slice(slice::unset, slice::unset, -1)) = x;
  CHECK(x.to_host() == std::vector<int>{4, 3, 2, 1, 1});
}

TEST_CASE("slices of views are assigned in the view") {
  auto x = counting({3, 4});
  auto t = x.T();
  t(1, slice(0, 2)) = -1;
  CHECK(t.T().to_host() == std::vector<int>{0, -1, 2, 3, 4, -1, 6, 7, 8, 9, 10, 11});
  auto r = sn::flip(x);
  r(slice(slice::unset, slice::unset, -1), slice(slice::unset, slice::unset, -1)) = 5;
  CHECK(r.to_host() == std::vector<int>(12, 5));
  auto s = sn::reshape(x.T(), {2, 6});
  s(0, slice(0, 6, 5)) = 100;
  CHECK(s.to_host() == std::vector<int>{100, 4, 8, 1, 5, 100, 2, 6, 10, 3, 7, 11});
  auto b = sn::broadcast_to(sn::array<int>({1, 2}), {2, 2});
  b(0, 0) = 9;
  CHECK(b.to_host() == std::vector<int>{9, 2, 1, 2});
}

TEST_CASE("many assignments evaluate in bounded depth") {
  auto x = sn::zeros<int>({10});
  for (int i = 0; i < 1000; ++i) x(i % 10) = i;
  CHECK(x.to_host() == std::vector<int>{990, 991, 992, 993, 994, 995, 996, 997, 998, 999});
}

TEST_CASE("views of views are one view") {
  const auto x = sn::array<int>({{1, 2, 3}, {4, 5, 6}});
  const auto y = sn::flip(x.T()(slice(1, 3)))(_, 0);
  CHECK(y.get()->inputs[0].get() == x.get());
  CHECK(y.to_host() == std::vector<int>{6, 5});
  CHECK(x.T().T().get() == x.get());
  CHECK(sn::reshape(sn::ravel(x), {2, 3}).get() == x.get());
  CHECK(sn::flip(sn::flip(x, 0), 0).get() == x.get());
  const auto z = sn::broadcast_to(x(_, sn::newaxis, 0), {4, 2, 1});
  CHECK(z.get()->inputs[0].get() == x.get());
}

TEST_CASE("a view of a view that no single map describes stays a view of a view") {
  const auto x = counting({3, 4}).to_host();
  const auto a = sn::asarray(x, {3, 4});
  const auto y = sn::ravel(a.T());
  CHECK(y.get()->inputs[0].get() != a.get());
  CHECK(y.to_host() == std::vector<int>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  CHECK(y(slice(0, 12, 3)).to_host() == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("shapes can be read without computing") {
  const auto x = sn::arange<float>(6).reshape({2, 3});
  const auto before = sn::session_statistics().launches;
  const auto e = sn::exp(x) + x(0);
  CHECK(e.shape() == std::vector<std::int64_t>{2, 3});
  CHECK(e.size() == 6);
  CHECK(e.ndim() == 2);
  CHECK(e.dtype() == sn::dtype::float32);
  CHECK(e.T().shape(0) == 3);
  CHECK(sn::session_statistics().launches == before);
}

TEST_CASE("rank 32 works") {
  std::vector<std::int64_t> shape(32, 1);
  for (std::size_t d : {0, 15, 16, 31}) shape[d] = 2;
  const auto x = sn::reshape(sn::arange(16), shape);
  const auto y = x.T() + sn::flip(x, 31);
  CHECK(y.ndim() == 32);
  std::vector<int> expected;
  for (int i = 0; i < 16; ++i) {
    const int reversed = (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3;
    expected.push_back(reversed + (i ^ 1));
  }
  CHECK(y.to_host() == expected);
  CHECK(sn::sum(y, {.axis = 31}).ndim() == 31);
}

TEST_CASE("axes of indices come first where an ellipsis for no axis stands between them") {
  auto x = counting({3, 4, 5});
  const sn::array<int> i{0, 1};
  const auto shape = [](const sn::array<int>& y) { return y.to_array().shape<2>(); };
  using extents = std::array<std::int64_t, 2>;
  CHECK(shape(x(_, i, sn::ellipsis, i)) == extents{2, 3});
  CHECK(shape(x(_, 2, sn::ellipsis, i)) == extents{2, 3});
  CHECK(shape(x(_, i, sn::ellipsis, 2)) == extents{2, 3});
  CHECK(shape(x(_, i, i, sn::ellipsis)) == extents{3, 2});
  CHECK(shape(x(0, sn::ellipsis, i, _)) == extents{2, 5});
  x(_, 2, sn::ellipsis, i) = sn::array<int>{{1, 2, 3}, {4, 5, 6}};
  CHECK(x(1, 2, i).to_array().to_host() == std::vector<int>{2, 5});
}

TEST_CASE("an end of a slice may be left out") {
  const auto x = sn::arange<int>(6);
  CHECK(sn::to_string(x(slice(4, sn::_))) == "[4 5]");
  CHECK(sn::to_string(x(slice(-2, sn::_, -1))) == "[4 3 2 1 0]");
  CHECK(sn::to_string(x(slice(sn::_, -4))) == "[0 1]");
  CHECK(sn::to_string(x(slice(sn::_, 5, 2))) == "[0 2 4]");
  CHECK(sn::to_string(x(slice(sn::_, sn::_, -2))) == "[5 3 1]");
}

}  // namespace slices_test
