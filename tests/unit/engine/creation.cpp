#include <array>
#include <deque>
#include <list>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace creation_test {

namespace sn = sinter;

namespace {

template <class X>
std::vector<std::int64_t> shape_of(const X& x) {
  const auto s = x.shape();
  return {s.begin(), s.end()};
}
using extents = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("constant arrays") {
  CHECK(sn::zeros<float>({2, 2}).to_host() == std::vector<float>(4, 0));
  CHECK(sn::ones<int>(3).to_host() == std::vector<int>(3, 1));
  CHECK(sn::full<float>({2}, 7).to_host() == std::vector<float>(2, 7));
  CHECK(sn::full({2}, 2.5f).dtype() == sn::dtype::float32);
  CHECK(sn::full({}, 3).item() == 3);
  CHECK(sn::zeros({2}).dtype() == sn::dtype::float64);
  CHECK(sn::zeros<float>({0, 3}).to_host().empty());
  CHECK(sn::ones<bool>({2}).to_host() == std::vector<bool>{true, true});
  CHECK(sn::full<std::complex<float>>({1}, {1, 2}).item() == std::complex<float>(1, 2));
  CHECK(static_cast<float>(sn::ones<sn::float16>({1}).item()) == 1);
  CHECK(shape_of(sn::empty<float>({4, 5})) == extents{4, 5});
}

TEST_CASE("arrays like others do not compute them") {
  const auto x = sn::arange<float>(6).reshape({2, 3});
  const auto before = sn::session_statistics().launches;
  const auto z = sn::zeros_like(sn::exp(x) + 1);
  const auto f = sn::full_like(x, 3);
  CHECK(shape_of(z) == extents{2, 3});
  CHECK(shape_of(sn::ones_like(x * 2)) == extents{2, 3});
  CHECK(sn::session_statistics().launches == before);
  CHECK(f.to_host() == std::vector<float>(6, 3));
  CHECK(sn::empty_like(x).dtype() == sn::dtype::float32);
}

TEST_CASE("counting") {
  CHECK(sn::arange(5).to_host() == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(sn::arange(2, 11, 3).to_host() == std::vector<int>{2, 5, 8});
  CHECK(sn::arange(5, 0, -2).to_host() == std::vector<int>{5, 3, 1});
  CHECK(sn::arange(5, 0).to_host().empty());
  CHECK(sn::arange<std::uint64_t>(5, 0, -2).to_host() == std::vector<std::uint64_t>{5, 3, 1});
  CHECK(sn::arange<std::uint8_t>(4, 0, -3).to_host() == std::vector<std::uint8_t>{4, 1});
  CHECK(sn::arange<std::uint8_t>(3, 250, 200).to_host() == std::vector<std::uint8_t>{3, 203});
  CHECK(sn::arange(std::size_t{3}, 0, -1).to_host() == std::vector<std::size_t>{3, 2, 1});
  CHECK(sn::arange(1, 2, 0.5).to_host() == std::vector<double>{1, 1.5});
  CHECK(sn::arange<std::uint8_t>(250, 255).to_host() ==
        std::vector<std::uint8_t>{250, 251, 252, 253, 254});
  CHECK(sn::arange<std::uint64_t>(~0ull - 2, ~0ull).to_host() ==
        std::vector<std::uint64_t>{~0ull - 2, ~0ull - 1});
  CHECK(sn::arange(0.0, 1.0, 0.25).to_host() == std::vector<double>{0, 0.25, 0.5, 0.75});
  CHECK(sn::arange<float>(3).to_host() == std::vector<float>{0, 1, 2});
  CHECK(sn::arange(1.0, 2.0, 0.1)(3).item() == 1 + 3 * 0.1);
  const auto lowest = std::numeric_limits<std::int64_t>::min(),
             highest = std::numeric_limits<std::int64_t>::max();
  CHECK(sn::arange(lowest, highest, highest).to_host() ==
        std::vector<std::int64_t>{lowest, -1, highest - 1});
}

TEST_CASE("evenly spaced values") {
  CHECK(sn::linspace(0, 1, 5).to_host() == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  CHECK(sn::linspace<float>(0, 1, 4, {.endpoint = false}).to_host() ==
        std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  CHECK(sn::linspace(2, 3, 1).to_host() == std::vector<double>{2});
  CHECK(sn::linspace(2, 3, 0).to_host().empty());
  CHECK(sn::linspace(0, 0.1, 7)(-1).item() == 0.1);
  CHECK(sn::linspace<int>(0, 9, 4).to_host() == std::vector<int>{0, 3, 6, 9});
  CHECK(sn::linspace<int>(-1, 1, 4).to_host() == std::vector<int>{-1, -1, 0, 1});
}

TEST_CASE("diagonals") {
  CHECK(sn::eye<int>(2).to_host() == std::vector<int>{1, 0, 0, 1});
  CHECK(sn::eye<int>(2, 3, 1).to_host() == std::vector<int>{0, 1, 0, 0, 0, 1});
  CHECK(sn::eye<int>(3, 2, -1).to_host() == std::vector<int>{0, 0, 1, 0, 0, 1});
  CHECK(sn::eye<bool>(1).item() == true);
  CHECK(sn::eye(0).size() == 0);
}

TEST_CASE("arrays from host memory") {
  const std::vector<float> v = {1, 2, 3, 4, 5, 6};
  CHECK(sn::asarray(v).to_host() == v);
  CHECK(shape_of(sn::asarray(v, {2, 3})) == extents{2, 3});
  CHECK(sn::asarray(std::span<const float>(v).first(2)).to_host() == std::vector<float>{1, 2});
  CHECK(sn::asarray(std::array<int, 2>{3, 4}).to_host() == std::vector<int>{3, 4});
  const double plain[] = {1.5, 2.5};
  CHECK(sn::asarray(plain).to_host() == std::vector<double>{1.5, 2.5});
  CHECK(sn::asarray(std::list<short>{7, 8}).to_host() == std::vector<short>{7, 8});
  CHECK(sn::asarray(std::vector<bool>{true, false}).to_host() == std::vector<bool>{true, false});
  CHECK(shape_of(sn::asarray(std::vector<std::deque<int>>{{1, 2}, {3, 4}, {5, 6}})) ==
        extents{3, 2});
  CHECK(sn::asarray(2.5f).item() == 2.5f);
  CHECK(sn::array<int>({{1, 2}, {3, 4}}).to_host() == std::vector<int>{1, 2, 3, 4});
  CHECK(shape_of(sn::array<int>({{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {0, 1, 2}}})) ==
        extents{2, 2, 3});
  CHECK(sn::array<float>({1, 2, 3}).to_host() == std::vector<float>{1, 2, 3});
  CHECK(sn::asarray(sn::array<int>({1, 2}) * 2).to_host() == std::vector<int>{2, 4});
}

TEST_CASE("lists of lists of one or two numbers are matrices") {
  using complex = std::complex<double>;
  const sn::array half{{0.5}};
  CHECK(shape_of(half) == extents{1, 1});
  CHECK(half.dtype() == sn::dtype::float64);
  CHECK(shape_of(sn::array<int>{{1}}) == extents{1, 1});
  const sn::array<complex> z{{1, 2}, {3, 4}};
  CHECK(shape_of(z) == extents{2, 2});
  CHECK(z.to_host() == std::vector<complex>{1, 2, 3, 4});
  CHECK(shape_of(sn::array<complex>{complex(1, 2), complex(3, 4)}) == extents{2});
  CHECK(shape_of(sn::array<complex>{1, 2}) == extents{2});
}

TEST_CASE("what was copied from the host stays") {
  std::vector<int> v = {1, 2};
  const auto x = sn::asarray(v);
  v[0] = 9;
  CHECK(x.to_host() == std::vector<int>{1, 2});
}

}  // namespace creation_test
