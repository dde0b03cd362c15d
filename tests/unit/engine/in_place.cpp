// x op= v on arrays, slices, indexed elements and masks: all ten operators, compared with C++'s.

#include <sinter/sinter.hpp>

#include "engine/nodes/node.hpp"
#include "tests/catch.hpp"

namespace in_place_test {

namespace sn = sinter;
using whole = sn::array<int>;
using floats = sn::array<float>;

namespace {

using list = std::vector<int>;

const list start{13, -7, 22, 5, 9, -1};

/// `start` with f(x, v) at these places.
template <class F>
list changed(std::initializer_list<std::size_t> places, F f) {
  list all = start;
  for (std::size_t p : places) f(all[p]);
  return all;
}

/// The same statement on an array, a slice, elements by index and elements by mask.
template <class Array, class Scalar>
void check_all_forms(Array statement, Scalar scalar) {
  whole x(start);
  statement(x);
  CHECK(x.to_host() == changed({0, 1, 2, 3, 4, 5}, scalar));
  x = whole(start);
  statement(x(sn::slice(1, 6, 2)));
  CHECK(x.to_host() == changed({1, 3, 5}, scalar));
  x = whole(start);
  statement(x(whole{4, 0, -1}));
  CHECK(x.to_host() == changed({4, 0, 5}, scalar));
  x = whole(start);
  statement(x(x > 8));
  CHECK(x.to_host() == changed({0, 2, 4}, scalar));
}

/// Rounds down, like NumPy's remainder.
int remainder(int a, int b) { return ((a % b) + b) % b; }

}  // namespace

TEST_CASE("the ten compound assignments, whatever they assign to") {
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) += 3; }, [](int& v) { v += 3; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) -= 3; }, [](int& v) { v -= 3; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) *= 3; }, [](int& v) { v *= 3; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) %= 4; },
                  [](int& v) { v = remainder(v, 4); });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) &= 6; }, [](int& v) { v &= 6; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) |= 6; }, [](int& v) { v |= 6; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) ^= 6; }, [](int& v) { v ^= 6; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) <<= 2; }, [](int& v) { v *= 4; });
  check_all_forms([](auto&& x) { std::forward<decltype(x)>(x) >>= 1; }, [](int& v) { v >>= 1; });
  floats x{1, 2, 3, 4};
  x(sn::slice(0, 2)) /= 2;
  x(x == 4) /= whole{8};
  x(whole{2}) /= 4;
  CHECK(x.to_host() == std::vector<float>{0.5f, 1, 0.75f, 0.5f});
}

TEST_CASE("what is added in place is computed in the type of both, and rounded once") {
  floats x{16777216, 1};
  x += sn::array<double>{1.0, 1e-9};
  CHECK(x.to_host() == std::vector<float>{16777216, 1});
  x(sn::slice(0, 1)) += sn::array<double>{3.0};
  CHECK(x.to_host() == std::vector<float>{16777220, 1});
  sn::array<std::complex<float>> z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  z += floats{1, 1};
  z(z == z) *= 2;
  CHECK(z.to_host() == std::vector<std::complex<float>>{{4, 4}, {8, 8}});
  sn::array<bool> b{true, false, true};
  b |= sn::array<bool>{false, true, false};
  b(sn::slice(0, 2)) ^= true;
  b(b) &= false;
  CHECK(b.to_host() == std::vector<bool>{false, false, false});
}

TEST_CASE("an array keeps its shape and its value where a statement has no room in it") {
  floats x{1, 2, 3};
  CHECK_THROWS_AS((x += floats{1, 2}), sn::shape_error);
  CHECK_THROWS_AS((x *= sn::ones<float>({2, 3})), sn::shape_error);
  CHECK_THROWS_WITH((x -= sn::exp(sn::ones<float>({2, 3}))),
                    says("[-=] an array of shape (3,) has no room for what has shape (2, 3)"));
  CHECK(x.to_host() == std::vector<float>{1, 2, 3});
  floats one = sn::ones<float>({1});
  CHECK_THROWS_AS((one += x), sn::shape_error);
  floats number = sn::zeros<float>({});  // a NumPy scalar takes the operand's shape
  number += x;
  CHECK(number.to_host() == std::vector<float>{1, 2, 3});
  x += 2 * x + floats{1};
  CHECK(x.to_host() == std::vector<float>{4, 7, 10});
}

TEST_CASE("a row made of rows of before goes to its place: the rest is not copied") {
  using sn::_;
  const auto place = [](const floats& x) {
    sn::eval(x);
    return x.get()->buffer->data();
  };
  floats u = sn::astype<float>(sn::arange<int>(40 * 500)).reshape({40, 500});
  const void* const before = place(u);
  const auto first = [&](std::int64_t row) { return floats(u(row, 0)).item(); };
  const auto swap = [&](const auto&... at) {
    const floats one = u(at...), two = u((at + 1)...);
    u(at...) = two;
    u((at + 1)...) = one;
  };
  swap(1);
  CHECK(place(u) == before);
  CHECK((first(1) == 1000 && first(2) == 500 && first(3) == 1500));
  u(3) = sn::cumsum(u(0));
  CHECK(place(u) == before);
  CHECK(floats(u(3, -1)).item() == 499.0f * 500 / 2);
  u(4) = sn::roll(u(0), 1) + u(0);
  CHECK(place(u) == before);
  CHECK((first(4) == 499 && floats(u(4, 1)).item() == 1));
  const sn::array<int> turned = 499 - sn::arange<int>(500);
  u(5) = u(0)(turned);
  CHECK(place(u) == before);
  CHECK((first(5) == 499 && first(6) == 3000));
  swap(sn::array<int>(7), sn::array<int>(9));
  CHECK(place(u) == before);
  CHECK((floats(u(7, 9)).item() == 4010 && floats(u(8, 10)).item() == 3509));
}

}  // namespace in_place_test
