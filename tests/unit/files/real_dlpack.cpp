// Uses DLPack's own header, if installed, instead of sinter's copy. It must be included first.

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#define SINTER_TEST_REAL_DLPACK
#endif

#include <sinter/dlpack_abi.hpp>
#include <sinter/sinter.hpp>

#include "tests/catch.hpp"

namespace real_dlpack_test {

namespace sn = sinter;

#if defined(SINTER_TEST_REAL_DLPACK)

namespace {

/// A typical producer: rows of four floats, with every other column visible.
struct producer {
  std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7};
  std::int64_t shape[2] = {2, 2}, strides[2] = {4, 2};
  int deleted = 0;

  template <class Tensor> Tensor* tensor() {
    auto* t = new Tensor{};
    t->dl_tensor.data = values.data();
    t->dl_tensor.device = {kDLCPU, 0};
    t->dl_tensor.ndim = 2;
    t->dl_tensor.dtype = {kDLFloat, 32, 1};
    t->dl_tensor.shape = shape;
    t->dl_tensor.strides = strides;
    t->dl_tensor.byte_offset = sizeof(float);
    t->manager_ctx = this;
    t->deleter = [](Tensor* self) {
      ++static_cast<producer*>(self->manager_ctx)->deleted;
      delete self;
    };
    return t;
  }
};

}  // namespace

TEST_CASE("tensors of DLPack's own header go in, and are deleted once") {
  const auto scope = sn::use("cpu");
  producer p;
  {
    const sn::array<float> x(sn::from_dlpack(p.tensor<DLManagedTensor>()));
    const sn::array<float> row = x(1), twice = row * 2;
    CHECK(twice.to_host() == std::vector<float>{10, 14});
    CHECK(p.deleted == 0);
    CHECK(x.to_host() == std::vector<float>{1, 3, 5, 7});
  }
  CHECK(p.deleted == 1);
  auto* t = p.tensor<DLManagedTensorVersioned>();
  t->version = {1, 0};
  CHECK(sn::sum(sn::array<float>(sn::from_dlpack(t))).item() == 16);
  CHECK(p.deleted == 2);
}

TEST_CASE("tensors of DLPack's own header come out") {
  const auto scope = sn::use("cpu");
  const sn::array<double> x = sn::arange<double>(6).reshape({2, 3});
  const auto before = sn::memory().used;
  {
    DLManagedTensor* t = sn::to_dlpack_unversioned(sn::array<double>(x + 1).T());
    CHECK(t->dl_tensor.device.device_type == kDLCPU);
    CHECK(t->dl_tensor.dtype.code == kDLFloat);
    CHECK(t->dl_tensor.dtype.bits == 64);
    CHECK(t->dl_tensor.ndim == 2);
    const auto* data = static_cast<const double*>(t->dl_tensor.data);
    CHECK(data[t->dl_tensor.strides[0] * 2 + t->dl_tensor.strides[1]] == 6);
    t->deleter(t);
  }
  CHECK(sn::memory().used <= before + 64);  // nothing but x itself
}

#else

TEST_CASE("DLPack's own header") {
  WARN("left out: no <dlpack/dlpack.h> here (libdlpack-dev has it)");
}

#endif

}  // namespace real_dlpack_test
