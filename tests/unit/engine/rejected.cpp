// Every rejected program: the error's type, its code, and its text with the caller's line.

#include <limits>

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace rejected_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

sn::array<float> zeros(const sn::int_list& shape) { return sn::zeros<float>(shape); }

}  // namespace

TEST_CASE("shapes that do not broadcast are refused where the statement becomes an array") {
  const auto a = zeros({3, 4}), b = zeros({5, 6});
  CHECK(shape_refusal([&] { sn::array<float> c = a + b; }) ==
        "[add] shapes (3, 4) and (5, 6) do not broadcast: axis 1 is 4 against 6");
}

TEST_CASE("the error names the op whose operands clash") {
  const auto a = zeros({3, 4}), b = zeros({4}), c = zeros({7});
  CHECK(shape_refusal([&] { sn::array<float> d = sn::sin(a * b) + sn::maximum(b, c) * 2; }) ==
        "[maximum] shapes (4,) and (7,) do not broadcast: axis 0 is 4 against 7");
}

TEST_CASE("an operation of three names three shapes") {
  const auto m = sn::ones<bool>({2, 1});
  const auto a = zeros({3}), b = zeros({4});
  CHECK(shape_refusal([&] { sn::array<float> d = sn::where(m, a, b); }) ==
        "[where] shapes (2, 1), (3,) and (4,) do not broadcast: axis 1 is 3 against 4");
}

TEST_CASE("an array that was never made is refused") {
  const sn::array<float> none;
  const auto a = zeros({2});
  CHECK(value_refusal([&] { sn::array<float> b = a * none; }) ==
        "[multiply] this handle holds no array");
  CHECK(value_refusal([&] { none.item(); }) == "[item] this handle holds no array");
  CHECK(value_refusal([&] { none.to_host(); }) == "[to_host] this handle holds no array");
  CHECK(value_refusal([&] { sn::sum(none); }) == "[sum] this handle holds no array");
  CHECK(unplaced_refusal([&] { (void)none.shape(); }) == "[shape] this handle holds no array");
}

TEST_CASE("indices out of range are refused") {
  const auto x = zeros({5, 3});
  CHECK(index_refusal([&] { x(7); }) == "[index] index 7 is out of range for axis 0 of extent 5");
  CHECK(index_refusal([&] { x(-6); }) == "[index] index -6 is out of range for axis 0 of extent 5");
  CHECK(index_refusal([&] { x(sn::_, 3); }) ==
        "[index] index 3 is out of range for axis 1 of extent 3");
  CHECK(index_refusal([&] { x(0, 0, 0); }) == "[index] 3 indices for an array of 2 dimensions");
  CHECK(index_refusal([&] { x(sn::ellipsis, sn::ellipsis); }) == "[index] more than one ellipsis");
  CHECK(value_refusal([&] { x(sn::slice(0, 2, 0)); }) == "[index] a slice has step 0");
}

TEST_CASE("values that do not fit a slice are refused") {
  auto x = zeros({4, 3});
  const auto v = zeros({2});
  CHECK(shape_refusal([&] { x(sn::slice(0, 2)) = v; }) ==
        "[assign] shape (2,) does not broadcast to (2, 3): axis 1 is 2 against 3");
  CHECK(shape_refusal([&] {
          x(0) = zeros({1, 1, 3});
        }) == "[assign] shape (1, 1, 3) does not broadcast to (3,): it has more dimensions");
}

TEST_CASE("writes that do not fit are refused") {
  auto x = sn::zeros<float>({3, 4});
  const sn::array<std::int64_t> rows{0, 2};
  const sn::array<float> three{1, 2, 3};
  CHECK(shape_refusal([&] { x(rows) = three; }) ==
        "[assign] shape (3,) does not broadcast to (2, 4): axis 1 is 3 against 4");
  CHECK(shape_refusal([&] { x.at(rows).add(three); }) ==
        "[at] shape (3,) does not broadcast to (2, 4): axis 1 is 3 against 4");
  CHECK(dtype_refusal([&] { x.at(three).set(1); }) ==
        "[at] indices are integers, not float32");
  CHECK(index_refusal([&] { x.at(rows, rows, rows).set(1); }) ==
        "[index] 3 indices for an array of 2 dimensions");
  CHECK(index_refusal([&] { x(sn::array<bool>{true}) = 1; }) ==
        "[assign] a mask of shape (1,) for an array of shape (3, 4)");
  CHECK(shape_refusal([&] { x(x > 0) = x; }) ==
        "[assign] values of shape (3, 4) for what a mask of shape (3, 4) chooses of shape (3, 4)");
  CHECK(index_refusal([&] { sn::zeros<float>({0}).at(rows).set(1); }) ==
        "[at] axis 0 of shape (0,) has nothing to pick from");
}

TEST_CASE("an index out of range is named, with its axis, however it came about") {
  const auto x = sn::arange<float>(60).reshape({3, 4, 5});
  const sn::array<std::int64_t> some{0, 2, 1};
  const auto said = [&](const auto& y) {
    try {
      sn::sum(y).to_array().item();
    } catch (const sn::index_error& e) {
      const std::string text = e.what();
      return text.substr(0, text.rfind(" ("));
    }
    return std::string();
  };
  CHECK(said(x(some * 2)) == "[index] index 4 is out of range for axis 0 of extent 3");
  CHECK(said(x(sn::_, some - 6)) == "[index] index -5 is out of range for axis 1 of extent 4");
  CHECK(said(x(some, sn::_, some + 3)) == "[index] index 5 is out of range for axis 2 of extent 5");
  CHECK(said(x(some, some - 7)) == "[index] index -5 is out of range for axis 1 of extent 4");
  CHECK(said(sn::take(x, {60})) == "[take] index 60 is out of range for axis 0 of extent 60");
  const sn::array<std::int64_t> last{std::numeric_limits<std::int64_t>::min()};
  CHECK(said(sn::take(x, last)) ==
        "[take] index -9223372036854775808 is out of range for axis 0 of extent 60");
  CHECK(said(sn::take_along_axis(x, sn::full({1, 1, 1}, 5), 2)) ==
        "[take_along_axis] index 5 is out of range for axis 2 of extent 5");
  CHECK(said(x.at(0, some + 3, 1).add(1)) == "[at] index 5 is out of range for axis 1 of extent 4");
  const sn::array<std::int64_t> more = some * 3, none = some - some;
  CHECK(said(sn::ravel_multi_index({some, more}, {3, 4})) ==
        "[ravel_multi_index] index 6 is out of range for axis 1 of extent 4");
  CHECK(said(sn::ravel_multi_index({none, some}, {0, 4})) ==
        "[ravel_multi_index] index 0 is out of range for axis 0 of extent 0");
}

TEST_CASE("what is out of range where it is written is refused when it is read") {
  auto x = sn::zeros<float>({3, 4}), y = x, z = x;
  x(sn::array<std::int64_t>{0, 3}) = 1;
  const auto where = sn::location::current(__FILE__, __LINE__ - 1);
  CHECK(index_refusal([&] { sn::eval(x), x.to_host(); }, where) ==
        "[assign] index 3 is out of range for axis 0 of extent 3");
  y = y.at(sn::array<std::int64_t>{0, -4}).add(1);
  const auto there = sn::location::current(__FILE__, __LINE__ - 1);
  CHECK(index_refusal([&] { sn::sum(y).item(); }, there) ==
        "[at] index -4 is out of range for axis 0 of extent 3");
  z(z == 0) = sn::array<float>{1, 2, 3};
  const auto last = sn::location::current(__FILE__, __LINE__ - 1);
  CHECK(shape_refusal([&] { z.to_host(); }, last) ==
        "[assign] the mask chooses another number of elements than the 3 values");
}

TEST_CASE("axes out of range are refused") {
  const auto x = zeros({5, 3});
  CHECK(axis_refusal([&] { sn::sum(x, {.axis = 2}); }) ==
        "[sum] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] {
          sn::mean(x, {.axis = {0, -3}});
        }) == "[mean] axis -3 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::max(x, {.axis = {1, -1}}); }) == "[max] axis 1 is given twice");
  CHECK(axis_refusal([&] { sn::argmax(x(0), {.axis = 1}); }) ==
        "[argmax] axis 1 is out of range for 1 dimension");
  CHECK(axis_refusal([&] { sn::flip(x, 2); }) == "[flip] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::swapaxes(x, 0, 5); }) ==
        "[swapaxes] axis 5 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::expand_dims(x, 4); }) ==
        "[expand_dims] axis 4 is out of range for 3 dimensions");
  CHECK(axis_refusal([&] { sn::permute_dims(x, {0}); }) ==
        "[permute_dims] 1 axes for an array of 2 dimensions");
  CHECK(axis_refusal([&] { sn::transpose(x, {0, 0}); }) == "[transpose] axis 0 is given twice");
  CHECK(axis_refusal([&] {
          sn::moveaxis(x, {0, 1}, 0);
        }) == "[moveaxis] 2 axes are moved to 1 places");
  CHECK(unplaced_refusal([&] { (void)x.shape(2); }) ==
        "[shape] axis 2 is out of range for 2 dimensions");
}

TEST_CASE("shapes that views cannot have are refused") {
  const auto x = zeros({4, 3});
  CHECK(shape_refusal([&] {
          sn::reshape(x, {5, -1});
        }) == "[reshape] shape (4, 3) of 12 elements does not fit (5, -1)");
  CHECK(shape_refusal([&] { sn::reshape(x, {13}); }) ==
        "[reshape] shape (4, 3) of 12 elements does not fit (13,)");
  CHECK(shape_refusal([&] {
          sn::reshape(x, {-1, -1});
        }) == "[reshape] only one extent of (-1, -1) can be -1");
  CHECK(shape_refusal([&] { sn::squeeze(x, 1); }) ==
        "[squeeze] axis 1 of shape (4, 3) has extent 3, not 1");
  CHECK(shape_refusal([&] {
          sn::broadcast_to(x, {4, 6});
        }) == "[broadcast_to] shape (4, 3) does not broadcast to (4, 6): axis 1 is 3 against 6");
  CHECK(shape_refusal([&] { sn::broadcast_to(x, {3}); }) ==
        "[broadcast_to] shape (4, 3) does not broadcast to (3,): it has more dimensions");
}

TEST_CASE("reductions of nothing without a neutral element are refused") {
  const auto x = zeros({0, 3});
  const std::string why =
      " shape (0, 3) has no elements to reduce, and there is no value that stands for none";
  CHECK(empty_refusal([&] { sn::max(x); }) == "[max]" + why);
  CHECK(empty_refusal([&] { sn::min(x, {.axis = 0}); }) == "[min]" + why);
  CHECK(empty_refusal([&] { sn::argmin(x); }) == "[argmin]" + why);
  CHECK(sn::max(x, {.axis = 1}).shape(0) == 0);
}

TEST_CASE("scans along no axis, or of what has no order, are refused") {
  const auto x = zeros({4, 3});
  CHECK(axis_refusal([&] { sn::cumsum(x, {.axis = 2}); }) ==
        "[cumsum] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::cumulative_sum(x); }) ==
        "[cumulative_sum] an axis is wanted for 2 dimensions: give .axis, or flatten with "
        "reshape(x, {-1})");
  CHECK(axis_refusal([&] { sn::cumulative_prod(x(0, 0)); }) ==
        "[cumulative_prod] an axis is wanted for 0 dimensions: give .axis, or flatten with "
        "reshape(x, {-1})");
  const sn::any_array complex = sn::zeros<std::complex<float>>({3});
  CHECK(dtype_refusal([&] { sn::cummax(complex); }) == "[cummax] complex64 numbers have no order");
  const sn::any_array whole = sn::zeros<std::int32_t>({3});
  CHECK(dtype_refusal([&] { sn::cumulative_logsumexp(whole); }) ==
        "[cumulative_logsumexp] wants floats, not int32: convert with astype<double>(x)");
}

TEST_CASE("matrices that do not align are refused") {
  const auto a = zeros({3, 4}), b = zeros({5, 6}), c = zeros({2, 4, 5}), d = zeros({3, 5, 2});
  CHECK(shape_refusal([&] { sn::matmul(a, b); }) ==
        "[matmul] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 0 is 5");
  CHECK(shape_refusal([&] { sn::matmul(a(0), b(0)); }) ==
        "[matmul] shapes (4,) and (6,) do not align: axis 0 is 4, axis 0 is 6");
  CHECK(shape_refusal([&] { sn::matmul(c, d); }) ==
        "[matmul] shapes (2, 4, 5) and (3, 5, 2) do not broadcast: axis 0 is 2 against 3");
  CHECK(shape_refusal([&] { sn::matmul(a, sn::sum(a)); }) ==
        "[matmul] shapes (3, 4) and () need at least one axis each");
}

TEST_CASE("shapes that no array can have are refused") {
  CHECK(shape_refusal([&] {
          sn::zeros<float>({2, -1});
        }) == "[zeros] shape (2, -1) has a negative extent");
  CHECK(shape_refusal([&] { sn::ones<float>(std::vector<std::int64_t>(33, 1)); }) ==
        "[ones] 33 dimensions are more than 32");
  CHECK(shape_refusal([&] {
          sn::full<double>({1LL << 40, 1LL << 30}, 1);
        }) == "[full] shape (1099511627776, 1073741824) has more than 2^63 - 1 bytes");
  CHECK(shape_refusal([&] { sn::random::uniform({-3}); }) ==
        "[uniform] shape (-3,) has a negative extent");
  CHECK(shape_refusal([&] { sn::eye(-1); }) == "[eye] shape (-1, -1) has a negative extent");
}

TEST_CASE("values that do not fill a shape are refused") {
  const std::vector<float> five(5);
  CHECK(shape_refusal([&] {
          sn::array<float>(std::span<const float>(five), {2, 3});
        }) == "[array] 5 values do not fill shape (2, 3)");
  CHECK(shape_refusal([&] {
          sn::asarray(five, {2, 3});
        }) == "[array] 5 values do not fill shape (2, 3)");
  CHECK(shape_refusal([&] {
          sn::array<int>({{1, 2}, {3}});
        }) == "[array] the rows differ in length");
  CHECK(shape_refusal([&] {
          sn::asarray(std::vector<std::vector<int>>{{1}, {2, 3}});
        }) == "[array] the rows differ in length");
}

TEST_CASE("reading one element of many is refused") {
  CHECK(shape_refusal([&] {
          zeros({2, 3}).item();
        }) == "[item] shape (2, 3) has 6 elements, not one");
}

TEST_CASE("an array of another dtype is refused") {
  const sn::any_array x = zeros({2});
  CHECK(dtype_refusal([&] { sn::array<int> y(x); }) ==
        "[array] an array of float32 is not one of int32: use astype");
  const sn::any_array z = sn::zeros<std::complex<float>>({2});
  CHECK(dtype_refusal([&] { sn::max(z); }) == "[max] complex64 numbers have no order");
  CHECK(dtype_refusal([&] { sn::argmin(z); }) == "[argmin] complex64 numbers have no order");
}

TEST_CASE("arguments that mean nothing are refused") {
  CHECK(value_refusal([&] { sn::arange(0, 10, 0); }) == "[arange] the step is 0");
  CHECK(value_refusal([&] { sn::arange(0.0, 1.0, 0.0); }) == "[arange] the step is 0");
  CHECK(value_refusal([&] { sn::arange(0.0, 1e300, 1e-300); }) ==
        "[arange] the range has no finite length");
  CHECK(value_refusal([&] { sn::linspace(0, 1, -1); }) == "[linspace] a count of -1 is negative");
  CHECK(value_refusal([&] { sn::random::uniform({2}, {.low = 1, .high = 1}); }) ==
        "[uniform] [1.000000, 1.000000) is not a range");
  CHECK(value_refusal([&] { sn::random::normal({2}, {.stddev = -1}); }) ==
        "[normal] a stddev of -1.000000");
  CHECK(value_refusal([&] { sn::random::integers<int>({2}, {.low = 3, .high = 3}); }) ==
        "[integers] the range is empty");
}

TEST_CASE("scalars that the array's type does not have are refused") {
  const auto x = sn::zeros<std::int8_t>({2});
  CHECK(value_refusal([&] { sn::array<std::int8_t> y = x + 200; }) ==
        "[scalar] 200 is not a value of int8");
  const auto u = sn::zeros<std::uint32_t>({2});
  CHECK(value_refusal([&] { sn::array<std::uint32_t> y = u * -1; }) ==
        "[scalar] -1 is not a value of uint32");
}

TEST_CASE("integers to a negative power are refused where the power is a number") {
  const sn::array<int> i{2, -1, 1};
  const std::string told =
      "[pow] integers to the power -2 are no integers: use float_power, or astype<double> first";
  CHECK(value_refusal([&] { const sn::array<int> y = sn::pow(i, -2); }) == told);
  CHECK(value_refusal([&] { (1 + sn::power(sn::astype<unsigned>(i), -2)).to_array(); }) == told);
  CHECK(value_refusal([&] { sn::pow(i > 0, -2).to_array(); }) == told);
  CHECK(sn::pow(i, 2).to_host() == std::vector<int>{4, 1, 1});
  CHECK(sn::pow(i, -2.0).to_host() == std::vector<double>{0.25, 1, 1});
  CHECK(sn::float_power(i, -2).to_host() == std::vector<double>{0.25, 1, 1});
  CHECK(sn::pow(i, sn::array<int>(-2)).to_host() == std::vector<int>{0, 1, 1});
}

TEST_CASE("devices and stages that there are not are refused") {
  CHECK(value_refusal([&] { sn::device("gpu"); }) ==
        "[device] 'gpu' is no device: cpu, cuda or cuda:N");
  CHECK(value_refusal([&] { sn::device("cuda:x"); }) ==
        "[device] 'cuda:x' is no device: cpu, cuda or cuda:N");
  CHECK(value_refusal([&] { sn::dump("kernel,grph"); }) ==
        "[dump] unknown stage 'grph'; the stages are graph, fusion, kernel, cuda, llvm, ptx, asm, "
        "sass, all");
  const sn::device none(sn::device::kind::cuda, 99);
  const auto missing = [](const std::string& text) {
    INFO(text);
    CHECK(text.starts_with("[use] no device cuda:99: "));
  };
  missing(missing_refusal([&] { const auto scope = sn::use(none); }));
  missing(missing_refusal([&] { zeros({2}).to(none); }));
  missing(missing_refusal([&] { sn::memory(none); }));
  missing(missing_refusal([&] { sn::trim(none); }));
  missing(missing_refusal([&] { sn::limit_memory(1, none); }));
  CHECK(value_refusal([&] { sn::limit_memory(-1); }) ==
        "[limit_memory] -1 bytes: a limit is positive, or 0 for none");
}

TEST_CASE("calls of a list of arrays name the line that they stand on") {
  const sn::array<float> none, x = zeros({3});
  CHECK(value_refusal([&] { sn::eval(none); }) == "[eval] this handle holds no array");
  CHECK(value_refusal([&] { sn::eval(x, none); }) == "[eval] this handle holds no array");
  const auto same = [](const auto& v) { return v; };
  CHECK(shape_refusal([&] { sn::cond(x, same, same, x); }) == "[cond] pred has shape (3,), not ()");
}

TEST_CASE("operands on different devices are refused") {
  const auto list = sn::devices();
  if (list.size() < 2) {
    WARN("left out: one device");
    return;
  }
  auto a = zeros({2}), b = zeros({2});
  sn::eval(a, b);
  b = b.to(list[1]);
  const std::string text = value_refusal([&] { sn::eval(sn::array<float>(a + b)); });
  INFO(text);
  CHECK(text.starts_with("[eval] operands live on different devices: "));
  CHECK(a.to_host() == b.to_host());
}

TEST_CASE("an error leaves every array usable") {
  auto x = sn::arange<float>(6).reshape({2, 3});
  CHECK_THROWS_AS([&] { x(0) = sn::arange<float>(5); }(), sn::shape_error);
  CHECK_THROWS_AS([&] { x = x + sn::arange<float>(4); }(), sn::shape_error);
  CHECK(sn::sum(x).item() == 15);
}

}  // namespace rejected_test
