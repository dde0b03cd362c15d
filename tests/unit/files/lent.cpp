// Memory in and out without copies: pointers, interfaces, DLPack, mdspan.

#include <cmath>
#include <list>
#include <thread>

#include <sinter/dlpack_abi.hpp>
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"
#include "tests/unit/files/spans.hpp"

namespace lent_test {

namespace sn = sinter;

namespace {

using shape_list = std::vector<std::int64_t>;

/// An owner that records its release.
std::shared_ptr<void> watched(bool& gone) {
  return std::shared_ptr<void>(nullptr, [&gone](void*) { gone = true; });
}

struct tensor_store {
  std::vector<float> values;
  shape_list shape, strides;
  int deleted = 0;
};

template <class Tensor> void fill(Tensor& t, tensor_store& s) {
  t.dl_tensor = {s.values.data(), {kDLCPU, 0}, static_cast<std::int32_t>(s.shape.size()),
                 {kDLFloat, 32, 1}, s.shape.data(), s.strides.empty() ? nullptr : s.strides.data(),
                 0};
  t.manager_ctx = &s;
  t.deleter = [](Tensor* self) { ++static_cast<tensor_store*>(self->manager_ctx)->deleted; };
}

}  // namespace

TEST_CASE("a pointer becomes an array without a copy") {
  const auto scope = sn::use("cpu");
  std::vector<float> v(12);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i);
  bool gone = false;
  {
    const auto before = sn::memory().used;
    const auto x = sn::from_pointer(v.data(), {3, 4}, {.owner = watched(gone)});
    CHECK(sn::memory().used == before);
    CHECK(x.data() == v.data());
    CHECK(sn::sum(x).item() == 66);
    const sn::array<float> y = x.T() + 1;
    const auto row = x(1);
    CHECK_FALSE(gone);
    CHECK(row.to_host() == std::vector<float>{4, 5, 6, 7});
    CHECK(y(3, 2).item() == 12);
  }
  CHECK(gone);
}

TEST_CASE("strides of any sign") {
  const auto scope = sn::use("cpu");
  const std::vector<int> v = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto at = [&](std::size_t i, const sn::int_list& shape, const sn::int_list& strides) {
    return sn::from_pointer(v.data() + i, shape, {.strides = strides}).to_host();
  };
  CHECK(at(0, {2, 3}, {1, 4}) == std::vector<int>{0, 4, 8, 1, 5, 9});
  CHECK(at(11, {4}, {-3}) == std::vector<int>{11, 8, 5, 2});
  CHECK(at(5, {2, 3}, {-4, 1}) == std::vector<int>{5, 6, 7, 1, 2, 3});
  CHECK(at(3, {2, 2}, {0, 0}) == std::vector<int>{3, 3, 3, 3});
  CHECK(at(3, {2, 0}, {9999, 1}).empty());
  CHECK(at(7, {}, {}) == std::vector<int>{7});
  CHECK(at(2, {1, 3}, {1 << 30, 2}) == std::vector<int>{2, 4, 6});
}

TEST_CASE("lent memory is never written") {
  const auto scope = sn::use("cpu");
  std::vector<double> v(1000, 1);
  sn::array<double> x = sn::from_pointer(v.data(), {1000});
  x(sn::slice(0, 10)) = 5;
  sn::eval(x);
  sn::array<double> y = sn::from_pointer(v.data(), {1000});
  y = y * 2 + 1;
  sn::eval(y);
  y = sn::from_pointer(v.data(), {1000});
  y(3) += 7;
  CHECK(sn::sum(y).item() == 1007);
  const auto twice = sn::fuse([](const sn::array<double>& a) { return sn::array<double>(a * 2); });
  for (int i = 0; i < 3; ++i) {
    CHECK(sn::sum(twice(sn::from_pointer(v.data(), {1000}))).item() == 2000);
  }
  CHECK(v == std::vector<double>(1000, 1));
}

TEST_CASE("pointers that cannot be used are refused") {
  const float v[4] = {};
  CHECK_THROWS_WITH(sn::from_pointer<float>(nullptr, {2}),
                    says("[from_pointer] a null pointer for shape (2,) (lent.cpp:"));
  const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(v) + 1);
  CHECK_THROWS_WITH(sn::from_pointer(odd, {2}),
                    says("[from_pointer] the pointer is not aligned for float32"));
  CHECK_THROWS_WITH(sn::from_pointer(v, {2, 2}, {.strides = {1}}),
                    says("[from_pointer] 1 strides for shape (2, 2)"));
  CHECK_THROWS_WITH(sn::from_pointer(v, {2}, {.strides = {std::int64_t{1} << 62}}),
                    says("[from_pointer] the strides reach beyond 2^63 - 1 bytes"));
  CHECK_THROWS_AS(sn::from_pointer(v, {-1}), sn::shape_error);
  CHECK_THROWS_AS(sn::from_pointer(v, {2}, {.device = "cuda:99"}), sn::device_error);
  CHECK(sn::from_pointer<float>(nullptr, {0, 3}).size() == 0);
}

TEST_CASE("an interface goes there and back, views included") {
  const auto scope = sn::use("cpu");
  const auto x = sn::arange(24).reshape({4, 6});
  sn::eval(x);
  const auto whole = sn::interface_of(x);
  CHECK(whole.data == x.data());
  CHECK(whole.strides.empty());
  CHECK(whole.typestr == "<i4");
  CHECK(whole.device == sn::device("cpu"));
  const auto before = sn::memory().used;
  const auto part = sn::interface_of(x(sn::slice(3, {}, -2), sn::slice(1, 6, 2)));
  CHECK(sn::memory().used == before);
  CHECK(part.data == x.data() + 19);
  CHECK(part.strides == shape_list{-48, 8});
  CHECK(sn::array<int>(sn::from_interface(part)).to_host() ==
        std::vector<int>{19, 21, 23, 7, 9, 11});
  CHECK(sn::interface_of(sn::array<bool>{true}).typestr == "|b1");
  CHECK(sn::interface_of(sn::array<sn::bfloat16>{1}).typestr == "<V2");
  sn::array_interface i = whole;
  i.typestr = ">i4";
  CHECK_THROWS_WITH(sn::from_interface(i), says("[from_interface] typestr '>i4' is no dtype"));
  i = part;
  i.strides[0] = 6;
  CHECK_THROWS_WITH(sn::from_interface(i), says("a stride of 6 bytes is no multiple of int32"));
}

TEMPLATE_TEST_CASE("DLPack there and back", "", bool, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   sn::float16, sn::bfloat16, float, double, std::complex<float>,
                   std::complex<double>) {
  const auto x = sn::astype<TestType>(sn::arange<double>(24)).reshape({2, 3, 4});
  sn::eval(x);
  const auto view = x(sn::slice(0, 2), 1, sn::slice(3, {}, -2));
  {
    const sn::array<TestType> back(sn::from_dlpack(sn::to_dlpack(view)));
    CHECK(back.shape(0) == 2);
    CHECK(back.ndim() == 2);
    CHECK(sn::array_equal(back, view).item());
  }
  const sn::array<TestType> back(sn::from_dlpack(sn::to_dlpack_unversioned(x)));
  CHECK(back.device_pointer() == x.device_pointer());
  const sn::array<TestType> copy(sn::from_dlpack(sn::to_dlpack(x, {.copy = true})));
  CHECK(copy.device_pointer() != x.device_pointer());
  CHECK(sn::array_equal(copy, x).item());
}

TEST_CASE("a tensor that goes out describes the array") {
  const auto scope = sn::use("cpu");
  sn::array<double> x = sn::arange<double>(12).reshape({3, 4});
  sn::eval(x);
  const double* data = x.data();
  DLManagedTensorVersioned* t = sn::to_dlpack(x.T());
  CHECK(t->version.major == 1);
  CHECK(t->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
  const DLTensor& d = t->dl_tensor;
  CHECK(d.data == data);
  CHECK(d.device.device_type == kDLCPU);
  CHECK(d.ndim == 2);
  CHECK(shape_list(d.shape, d.shape + 2) == shape_list{4, 3});
  CHECK(shape_list(d.strides, d.strides + 2) == shape_list{1, 4});
  CHECK(d.dtype.code == kDLFloat);
  CHECK(d.dtype.bits == 64);
  // The consumer's data does not change with x.
  x(0, 0) = 99;
  sn::eval(x);
  CHECK(static_cast<const double*>(d.data)[0] == 0);
  x = sn::array<double>();
  std::thread([t] {
    CHECK(static_cast<const double*>(t->dl_tensor.data)[11] == 11);
    t->deleter(t);
  }).join();
  t = sn::to_dlpack(sn::zeros({0, 3}), {.copy = true});
  CHECK(t->dl_tensor.data == nullptr);
  CHECK(t->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
  t->deleter(t);
}

TEMPLATE_TEST_CASE("a tensor that comes in is deleted once, by the last array", "",
                   DLManagedTensor, DLManagedTensorVersioned) {
  const auto scope = sn::use("cpu");
  tensor_store s{{1, 2, 3, 4, 5, 6}, {3, 2}, {1, 3}, 0};
  TestType t{};
  if constexpr (std::is_same_v<TestType, DLManagedTensorVersioned>) t.version = {1, 7};
  fill(t, s);
  {
    sn::array<float> row;
    {
      const sn::array<float> x(sn::from_dlpack(&t));
      row = x(1);
      CHECK((x + 0).to_array().to_host() == std::vector<float>{1, 4, 2, 5, 3, 6});
    }
    CHECK(s.deleted == 0);
    CHECK(row.to_host() == std::vector<float>{2, 5});
  }
  CHECK(s.deleted == 1);
  t.dl_tensor.strides = nullptr;
  t.dl_tensor.byte_offset = 8;
  t.dl_tensor.shape[0] = 2;
  CHECK(sn::array<float>(sn::from_dlpack(&t)).to_host() == std::vector<float>{3, 4, 5, 6});
  CHECK(s.deleted == 2);
  t.deleter = nullptr;
  CHECK(sn::from_dlpack(&t).size() == 4);
}

TEST_CASE("tensors that sinter cannot read are refused and stay the caller's") {
  tensor_store s{{1, 2}, {2}, {}, 0};
  DLManagedTensorVersioned t{};
  t.version = {1, 0};
  fill(t, s);
  const auto refusal = [&] {
    try {
      sn::from_dlpack(&t);
    } catch (const sn::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  t.version.major = 2;
  CHECK_THAT(refusal(), says("[from_dlpack] a tensor of DLPack 2.0: version 1 is understood"));
  t.version.major = 1;
  t.dl_tensor.dtype.lanes = 4;
  CHECK_THAT(refusal(), says("type code 2 with 32 bits and 4 lanes is no dtype of sinter"));
  t.dl_tensor.dtype = {10, 8, 1};
  CHECK_THROWS_AS(sn::from_dlpack(&t), sn::dtype_error);
  t.dl_tensor.dtype = {kDLFloat, 32, 1};
  t.dl_tensor.device.device_type = kDLMetal;
  CHECK_THAT(refusal(), says("DLPack's device type 8 is none of sinter's"));
  t.dl_tensor.device.device_type = kDLCPU;
  t.dl_tensor.data = nullptr;
  CHECK_THAT(refusal(), says("[from_dlpack] a null pointer for shape (2,)"));
  t.dl_tensor.shape = nullptr;
  CHECK_THROWS_AS(sn::from_dlpack(&t), sn::shape_error);
  CHECK_THROWS_AS(sn::from_dlpack(static_cast<DLManagedTensor*>(nullptr)), sn::value_error);
  CHECK(s.deleted == 0);
}

TEST_CASE("spans and ranges of host values") {
  const auto scope = sn::use("cpu");
  std::vector<float> v = {1, 2, 3};
  CHECK(sn::asarray(std::span<float>(v)).to_host() == v);
  CHECK(sn::asarray(std::span<const float>(v)).to_host() == v);
  CHECK(sn::from_range(std::list<int>{4, 5}).to_host() == std::vector<int>{4, 5});
  CHECK(sn::from_range(std::vector<bool>{true, false}).to_host() == std::vector<bool>{true, false});
  const auto x = sn::from_range(v);
  float sum = 0;
  for (float f : sn::as_span(x)) sum += f;
  CHECK(sum == 6);
}

TEST_CASE("mdspans of any layout come in, row-major ones go out") {
  const auto scope = sn::use("cpu");
  const std::vector<int> v = {0, 1, 2, 3, 4, 5};
  using grid = strided_span<const int, 2>;
  CHECK(sn::from_mdspan(grid(v.data(), {3, 2}, {1, 3})).to_host() ==
        std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(sn::from_mdspan(strided_span<const int, 0>(v.data() + 4, {}, {})).item() == 4);
  const auto x = sn::arange(6).reshape({2, 3});
  const auto m = sn::to_mdspan<strided_span<const int, 2>>(x);
  CHECK(m.data_handle() == x.data());
  CHECK(m.extent(0) == 2);
  CHECK(m.stride(0) == 3);
  CHECK_THROWS_WITH((sn::to_mdspan<strided_span<const int, 3>>(x)),
                    says("[to_mdspan] shape (2, 3) does not fit the mdspan"));
}

#if defined(SINTER_TEST_CUDA_MDSPAN)
TEST_CASE("cuda::std::mdspan") {
  const auto scope = sn::use("cpu");
  const auto x = sn::arange<float>(24).reshape({2, 3, 4});
  using span = cuda::std::mdspan<const float, cuda::std::dextents<int, 3>>;
  const auto m = sn::to_mdspan<span>(x);
  CHECK(m(1, 2, 3) == 23);
  CHECK(sn::array_equal(sn::from_mdspan(m), x).item());
  using column_major =
      cuda::std::mdspan<const float, cuda::std::dextents<int, 2>, cuda::std::layout_left>;
  CHECK(sn::from_mdspan(column_major(x.data(), 2, 3)).to_host() ==
        std::vector<float>{0, 2, 4, 1, 3, 5});
  CHECK_THROWS_AS(sn::to_mdspan<column_major>(x(0)), sn::shape_error);
  using fixed = cuda::std::mdspan<const float, cuda::std::extents<int, 2, 3, 5>>;
  CHECK_THROWS_AS(sn::to_mdspan<fixed>(x), sn::shape_error);
}
#endif
#if defined(__cpp_lib_mdspan)
TEST_CASE("std::mdspan") {
  const auto scope = sn::use("cpu");
  const auto x = sn::arange<float>(6).reshape({2, 3});
  const auto m = sn::to_mdspan<std::mdspan<const float, std::dextents<int, 2>>>(x);
  CHECK(sn::array_equal(sn::from_mdspan(m), x).item());
}
#endif

TEST_CASE("on a GPU what comes in is read where it is, at any alignment") {
  if (sn::current_device().what != sn::device::kind::cuda) return;
  const auto x = sn::arange<float>(1000);
  sn::eval(x);
  const float* p = x.device_pointer();
  for (std::int64_t i : {0, 1, 2, 3, 7, 64, 65}) {
    const auto y = sn::from_pointer(p + i, {900}, {.device = sn::current_device()});
    CHECK(sn::array_equal(y + 0, x(sn::slice(i, i + 900))).item());
    CHECK(sn::interface_of(y).data == p + i);
  }
  const float host = 1;
  CHECK_THROWS_WITH(sn::from_pointer(&host, {1}, {.device = sn::current_device()}),
                    says("[from_pointer] the pointer is no memory of cuda:0"));
  CHECK_THROWS_WITH(x.data(), says("[data] the elements are on cuda:0: take to(\"cpu\")"));
}

}  // namespace lent_test
