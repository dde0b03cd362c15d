// Braced lists where NumPy takes a tuple or a list.
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace braces_test {

namespace sn = sinter;

namespace {

std::vector<std::int64_t> shape_of(const sn::any_array& x) {
  return x.shape();
}
using shape = std::vector<std::int64_t>;

sn::array<float> volume_of() {
  return sn::reshape(sn::arange<float>(24), {2, 3, 4});
}

}  // namespace

TEST_CASE("several axes in braces are a list of axes, whatever numbers they are") {
  const sn::array<float> volume = volume_of();
  const std::int64_t last = 2;
  CHECK(shape_of(sn::sum(volume, {0, 1})) == shape{4});
  CHECK(shape_of(sn::sum(volume, {1, 0})) == shape{4});
  CHECK(shape_of(sn::max(volume, {-2, -1})) == shape{2});
  CHECK(shape_of(sn::mean(volume * 2, {0, last})) == shape{3});
  CHECK(shape_of(sn::var(volume, {1})) == shape{2, 4});
  CHECK(shape_of(sn::median(volume, {0, 1})) == shape{4});
  CHECK(shape_of(sn::sum(sn::any_array(volume), {0, 2})) == shape{3});
  CHECK(shape_of(sn::sum(volume, {})) == shape{});
  CHECK(shape_of(sn::sum(volume, {.axis = 0, .keepdims = true})) == shape{1, 3, 4});
  CHECK(shape_of(sn::sum(volume, std::vector<std::int64_t>{0, 1})) == shape{4});
  CHECK(shape_of(sn::all(volume >= 0, sn::axis_list{1, 2})) == shape{2});
  CHECK(sn::sum(volume, {0, 1}).to_host() == sn::sum(volume, {.axis = {0, 1}}).to_host());
  const sn::array<float> weights = sn::sum(sn::softmax(volume, {0, 1}), {0, 1});
  CHECK(sn::allclose(weights, sn::ones<float>({4})).item());
  CHECK_THROWS_AS(sn::sum(volume, {0, 3}), sn::axis_error);
  CHECK_THROWS_AS(sn::sum(volume, {1, 1}), sn::axis_error);
}

TEST_CASE("expressions and arrays of several dtypes are joined in braces") {
  const sn::array<float> x{1, 2, 3};
  const sn::array<std::int64_t> i{0, 1, 0};
  const sn::array<float> row = sn::concatenate({x, 2 * x});
  CHECK(row.to_host() == std::vector<float>{1, 2, 3, 2, 4, 6});
  const sn::array<double> columns = sn::stack({x, i}, 1);
  CHECK(columns.to_host() == std::vector<double>{1, 0, 2, 1, 3, 0});
  const sn::array<float> last = sn::stack({x, -x}, {.axis = -1});
  CHECK(shape_of(last) == shape{3, 2});
  CHECK(shape_of(sn::array<float>(sn::vstack({x, -x}))) == shape{2, 3});
  CHECK(shape_of(sn::array<float>(sn::hstack({x, -x}))) == shape{6});
  CHECK(shape_of(sn::array<float>(sn::dstack({x, -x}))) == shape{1, 3, 2});
  CHECK(shape_of(sn::array<float>(sn::column_stack({x, -x}))) == shape{3, 2});
  CHECK(sn::array<double>(sn::sum(sn::concatenate({x, i * 1.5}))).item() == 7.5);
  const sn::array<float> chosen = sn::choose(i, {x, 10 * x});
  CHECK(chosen.to_host() == std::vector<float>{1, 20, 3});
  CHECK(sn::lexsort({-x, i}).to_host() == std::vector<std::int64_t>{2, 0, 1});
  CHECK(sn::ravel_multi_index({i, i + 1}, {2, 3}).to_host() == std::vector<std::int64_t>{1, 5, 1});
  CHECK_THROWS_AS(sn::array<float>(sn::stack({x, i})), sn::dtype_error);
  CHECK_THROWS_AS(sn::stack({x, row + 1}), sn::shape_error);
}

TEST_CASE("arrays of one dtype in braces keep their type") {
  const sn::array<float> x{1, 2};
  static_assert(std::same_as<decltype(sn::stack({x, x})), sn::array<float>>);
  static_assert(std::same_as<decltype(sn::concatenate({x, x}, 0)), sn::array<float>>);
  static_assert(std::same_as<decltype(sn::concatenate<float>({x + 1, x})), sn::array<float>>);
}

}  // namespace braces_test
