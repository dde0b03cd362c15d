// Rejected programs of the functions made of views, maps and reductions.

#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/refusal.hpp"

namespace rejected_language_test {

namespace sn = sinter;
using namespace sinter::test;

namespace {

sn::array<float> zeros(const sn::int_list& shape) {
  return sn::zeros<float>(shape);
}

}  // namespace

TEST_CASE("parts that do not come out even are refused") {
  const auto x = zeros({4, 3});
  CHECK(shape_refusal([&] { sn::split(x, 3); }) ==
        "[split] axis 0 of extent 4 has no 3 equal parts (array_split makes unequal ones)");
  CHECK(value_refusal([&] { sn::array_split(x, 0); }) ==
        "[array_split] 0 parts are fewer than one");
  CHECK(axis_refusal([&] { sn::split(x, 2, 2); }) ==
        "[split] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::unstack(x, -3); }) ==
        "[unstack] axis -3 is out of range for 2 dimensions");
}

TEST_CASE("repeats that cannot be are refused") {
  const auto x = zeros({4});
  const std::int64_t quarter = std::int64_t{1} << 62;
  CHECK(value_refusal([&] {
          sn::repeat(sn::ones<float>({4}), sn::full<std::int64_t>({4}, quarter));
        }) == "[repeat] more elements than an int64 counts");
  CHECK(value_refusal([&] { sn::repeat(x, -1); }) == "[repeat] a negative count of repeats");
  CHECK(value_refusal([&] { sn::tile(x, {2, -1}); }) == "[tile] a negative count of repeats");
  CHECK(value_refusal([&] { sn::tile(x, 1LL << 62); }) ==
        "[tile] more elements than an int64 counts");
  CHECK(shape_refusal([&] { sn::repeat(x, 1LL << 60); }) ==
        "[repeat] shape (4611686018427387904,) has more than 2^63 - 1 bytes");
}

TEST_CASE("matrices are asked for where one is needed") {
  const auto x = zeros({4});
  CHECK(shape_refusal([&] { sn::tril(x); }) == "[tril] shape (4,) has no two axes");
  CHECK(shape_refusal([&] { sn::diagonal(x); }) == "[diagonal] shape (4,) has no two axes");
  CHECK(shape_refusal([&] { sn::trace(x); }) == "[trace] shape (4,) has no two axes");
  CHECK(shape_refusal([&] { x.mT(); }) == "[matrix_transpose] shape (4,) has no two axes");
  CHECK(axis_refusal([&] { sn::fliplr(x); }) == "[fliplr] axis 1 is out of range for 1 dimension");
  CHECK(shape_refusal([&] {
          sn::diag(zeros({2, 2, 2}));
        }) == "[diag] shape (2, 2, 2) is neither a vector's nor a matrix's");
  CHECK(axis_refusal([&] {
          sn::diagonal(zeros({2, 2}), {.axis1 = 1, .axis2 = -1});
        }) == "[diagonal] axis 1 is given twice");
  CHECK(axis_refusal([&] {
          sn::rot90(zeros({2, 2}), {.axis1 = 0, .axis2 = 0});
        }) == "[rot90] axis 0 is given twice");
}

TEST_CASE("windows that do not fit are refused") {
  const auto x = zeros({4, 3});
  CHECK(shape_refusal([&] {
          sn::sliding_window_view(x, {5, 1});
        }) == "[sliding_window_view] a window (5, 1) does not fit shape (4, 3)");
  CHECK(shape_refusal([&] { sn::sliding_window_view(x, 2); }) ==
        "[sliding_window_view] a window (2,) for 2 axes");
}

TEST_CASE("differences continued with what does not go with them are refused") {
  const auto x = zeros({4, 3});
  CHECK(dtype_refusal([&] { sn::diff(x, {.prepend = sn::zeros<double>({4, 1})}); }) ==
        "[diff] float64 in prepend for float32");
  CHECK(shape_refusal([&] { sn::diff(x, {.append = zeros({3, 1})}); }).starts_with("[diff]"));
}

TEST_CASE("grids of what is no vector are refused") {
  const auto x = zeros({4, 3}), v = zeros({2});
  CHECK(shape_refusal([&] { sn::meshgrid(x, v); }) ==
        "[meshgrid] shape (4, 3) has more than one dimension");
  CHECK(shape_refusal([&] { sn::broadcast_arrays(x, v); }) ==
        "[broadcast_arrays] shapes (4, 3) and (2,) do not broadcast: axis 1 is 3 against 2");
  CHECK(shape_refusal([&] { sn::vander(x); }) == "[vander] shape (4, 3) is no vector's");
  CHECK(shape_refusal([&] {
          sn::ravel_multi_index({sn::arange(3)}, {2, 2});
        }) == "[ravel_multi_index] 1 index arrays for shape (2, 2)");
  CHECK(dtype_refusal([&] { sn::ravel_multi_index({v}, {2}); }) ==
        "[ravel_multi_index] indices are float32, not integers");
  CHECK(value_refusal([&] { sn::geomspace(-1, 1); }) ==
        "[geomspace] start and stop have different signs");
  CHECK(value_refusal([&] { sn::geomspace(0, 1); }) ==
        "[geomspace] no multiple of 0 is another number");
  CHECK(value_refusal([&] { sn::logspace(0, 1, -1); }) == "[logspace] a count of -1 is negative");
}

TEST_CASE("products that do not align are refused") {
  const auto a = zeros({3, 4}), b = zeros({5, 6});
  CHECK(shape_refusal([&] { sn::dot(a, b); }) ==
        "[dot] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 0 is 5");
  CHECK(shape_refusal([&] { sn::inner(a, b); }) ==
        "[inner] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 1 is 6");
  CHECK(shape_refusal([&] { sn::vdot(a, b); }) ==
        "[vdot] shapes (3, 4) and (5, 6) have different numbers of elements");
  CHECK(shape_refusal([&] { sn::vecdot(a, b); }) ==
        "[vecdot] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 1 is 6");
  CHECK(shape_refusal([&] { sn::matvec(a, b); }) ==
        "[matvec] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 1 is 6");
  CHECK(shape_refusal([&] { sn::matvec(a(0), b); }) ==
        "[matvec] shapes (4,) and (5, 6) have too few axes");
  CHECK(shape_refusal([&] { sn::tensordot(a, b, 1); }) ==
        "[tensordot] shapes (3, 4) and (5, 6) do not align: axis 1 is 4, axis 0 is 5");
  CHECK(shape_refusal([&] { sn::tensordot(a, b, 3); }) ==
        "[tensordot] shapes (3, 4) and (5, 6) have no 3 axes to sum over");
  CHECK(shape_refusal([&] { sn::cross(a, b); }) ==
        "[cross] shapes (3, 4) and (5, 6) are no vectors of 3");
  CHECK(axis_refusal([&] { sn::vecdot(a, b, {.axis = 2}); }) ==
        "[vecdot] axis 2 is out of range for 2 dimensions");
}

TEST_CASE("einsum formats that mean nothing are refused") {
  const auto a = zeros({3, 4}), b = zeros({4, 5});
  CHECK(value_refusal([&] { sn::einsum("ij,jk-ik", a, b); }) ==
        "[einsum] \"ij,jk-ik\": '-' without '>'");
  CHECK(value_refusal([&] { sn::einsum("ij,j1", a, b); }) == "[einsum] \"ij,j1\": unexpected '1'");
  CHECK(value_refusal([&] { sn::einsum("i..,jk", a, b); }) ==
        "[einsum] \"i..,jk\": a '.' that is no part of \"...\"");
  CHECK(value_refusal([&] { sn::einsum("ij", a, b); }) ==
        "[einsum] \"ij\": 1 terms for 2 operands");
  CHECK(value_refusal([&] { sn::einsum("ijk,jk", a, b); }) ==
        "[einsum] \"ijk,jk\": term 0 has 3 labels, the operand (3, 4)");
  CHECK(value_refusal([&] { sn::einsum("ij,jk->il", a, b); }) ==
        "[einsum] \"ij,jk->il\": no operand has the output's 'l'");
  CHECK(value_refusal([&] { sn::einsum("ij,jk->ii", a, b); }) ==
        "[einsum] \"ij,jk->ii\": the output has 'i' twice");
  CHECK(value_refusal([&] { sn::einsum("...j->j", a); }) ==
        "[einsum] \"...j->j\": the output has no \"...\" for the operands' axes");
  CHECK(shape_refusal([&] { sn::einsum("ij,ij->ij", a, b); }) == "[einsum] 'i' is 3 against 4");
  CHECK(shape_refusal([&] { sn::einsum("ii", a); }) == "[einsum] 'i' is 3 against 4");
}

TEST_CASE("statistics of what has none are refused") {
  const auto x = zeros({0, 3});
  const std::string why =
      " shape (0, 3) has no elements to reduce, and there is no value that stands for none";
  CHECK(empty_refusal([&] { sn::ptp(x); }) == "[ptp]" + why);
  CHECK(axis_refusal([&] { sn::softmax(x, {.axis = 2}); }) ==
        "[softmax] axis 2 is out of range for 2 dimensions");
  CHECK(axis_refusal([&] { sn::nanmax(x, {.axis = 2}); }) ==
        "[nanmax] axis 2 is out of range for 2 dimensions");
  CHECK(value_refusal([&] { sn::diff(zeros({3}), {.n = -1}); }) ==
        "[diff] a count of -1 is negative");
  CHECK(shape_refusal([&] {
          sn::average(zeros({2, 3}), zeros({3}));
        }) ==
        "[average] weights of shape (3,) for shape (2, 3): without an axis the shapes must be "
        "equal");
  CHECK(shape_refusal([&] {
          sn::average(zeros({2, 3}), zeros({2}), {.axis = 1});
        }) == "[average] weights of shape (2,) for shape (2, 3)");
  CHECK(shape_refusal([&] {
          sn::cov(zeros({2, 2, 2}));
        }) == "[cov] shape (2, 2, 2) has more than two dimensions");
  const sn::any_array z = sn::zeros<std::complex<float>>({2});
  CHECK(dtype_refusal([&] { sn::softmax(z); }) == "[softmax] complex64 numbers have no order");
  const sn::any_array b = sn::zeros<bool>({2});
  CHECK(dtype_refusal([&] { sn::ptp(b); }) == "[ptp] bool has no difference: use != or ^");
}

TEST_CASE("conversions that a rule forbids are refused, with the rule that allows them") {
  const auto x = zeros({3});
  CHECK(dtype_refusal([&] { sn::astype<int>(x, sn::casting::safe); }) ==
        "[astype] float32 does not become int32 by casting::safe; casting::unsafe allows it");
  CHECK(dtype_refusal([&] { sn::astype<sn::float16>(x, sn::casting::safe); }) ==
        "[astype] float32 does not become float16 by casting::safe; casting::same_kind allows it");
  CHECK(sn::astype<double>(x, sn::casting::safe).dtype() == sn::dtype::float64);
  CHECK(dtype_refusal([&] { sn::view<double>(x); }) ==
        "[view] float32 cannot be seen as float64: use astype");
  CHECK(shape_refusal([&] { sn::view<std::complex<float>>(x); }) ==
        "[view] shape (3,) has no last axis of even extent");
  CHECK(dtype_refusal([&] { sn::finfo(sn::dtype::int8); }) ==
        "[finfo] int8 is no float type: use iinfo");
  CHECK(dtype_refusal([&] { sn::iinfo(sn::dtype::float16); }) ==
        "[iinfo] float16 is no integer type: use finfo");
}

TEST_CASE("closeness of shapes that do not broadcast is refused") {
  CHECK(shape_refusal([&] { sn::isclose(zeros({2}), zeros({3})); }) ==
        "[isclose] shapes (2,) and (3,) do not broadcast: axis 0 is 2 against 3");
  CHECK_FALSE(sn::array_equiv(zeros({2}), zeros({3})).item());
}

TEST_CASE("indices out of range are refused when they are read") {
  const auto index = sn::array<int>({3, 12});
  const auto rows_and_columns = sn::unravel_index(index, {3, 4});
  try {
    rows_and_columns[1].to_host();
    FAIL("no error");
  } catch (const sn::index_error& e) {
    CHECK(std::string(e.what()).starts_with(
        "[unravel_index] index 12 is out of range for shape (3, 4) (rejected_lang"));
  }
  const auto flat = sn::ravel_multi_index({sn::array<int>({1, -1})}, {3});
  const auto there = sn::location::current(__FILE__, __LINE__ - 1);
  CHECK(index_refusal([&] { sn::sum(flat).item(); }, there) ==
        "[ravel_multi_index] index -1 is out of range for axis 0 of extent 3");
}

}  // namespace rejected_language_test
