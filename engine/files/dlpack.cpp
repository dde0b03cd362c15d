// DLPack in both directions: https://dmlc.github.io/dlpack/latest/

#include <sinter/dlpack_abi.hpp>

#include <algorithm>

#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/lent.hpp"

namespace sinter {
namespace detail {
namespace {

struct dl_row {
  DLDataTypeCode code;
  std::uint8_t bits;
  dtype type;
};
constexpr dl_row dl_types[] = {
    {kDLBool, 8, dtype::bool_},       {kDLInt, 8, dtype::int8},
    {kDLInt, 16, dtype::int16},       {kDLInt, 32, dtype::int32},
    {kDLInt, 64, dtype::int64},       {kDLUInt, 8, dtype::uint8},
    {kDLUInt, 16, dtype::uint16},     {kDLUInt, 32, dtype::uint32},
    {kDLUInt, 64, dtype::uint64},     {kDLFloat, 16, dtype::float16},
    {kDLBfloat, 16, dtype::bfloat16}, {kDLFloat, 32, dtype::float32},
    {kDLFloat, 64, dtype::float64},   {kDLComplex, 64, dtype::complex64},
    {kDLComplex, 128, dtype::complex128},
};
constexpr std::uint32_t our_major = 1, our_minor = 1;
constexpr std::uint64_t read_only = 1, is_copied = 2;

dtype type_of(const DLTensor& t, location where) {
  const auto found = std::ranges::find_if(dl_types, [&](const dl_row& r) {
    return r.code == t.dtype.code && r.bits == t.dtype.bits && t.dtype.lanes == 1;
  });
  if (found != std::end(dl_types)) return found->type;
  fail<dtype_error>(error_code::bad_dtype, "from_dlpack",
                    "DLPack's type code " + std::to_string(t.dtype.code) + " with " +
                        std::to_string(t.dtype.bits) + " bits and " +
                        std::to_string(t.dtype.lanes) + " lanes is no dtype of sinter",
                    where);
}

sinter::device device_of(const DLTensor& t, location where) {
  switch (t.device.device_type) {
    case kDLCPU:
    case kDLCUDAHost:
      return {sinter::device::kind::cpu, 0};
    case kDLCUDA:
    case kDLCUDAManaged:
      return {sinter::device::kind::cuda, t.device.device_id};
    default:
      break;
  }
  fail<device_error>(error_code::device_missing, "from_dlpack",
                     "DLPack's device type " + std::to_string(t.device.device_type) +
                         " is none of sinter's: CPU and CUDA memory are",
                     where);
}

/// Calls the tensor's deleter when the array is gone.
template <class Tensor>
struct borrowed {
  Tensor* tensor;
  bool ours = false;
  explicit borrowed(Tensor* t) : tensor(t) {}
  borrowed(const borrowed&) = delete;
  ~borrowed() {
    if (ours && tensor->deleter) tensor->deleter(tensor);
  }
};

template <class Tensor>
any_array import(Tensor* tensor, stream_handle stream, location where) {
  const DLTensor& t = tensor->dl_tensor;
  if (t.ndim < 0 || (t.ndim > 0 && !t.shape)) {
    fail<shape_error>(error_code::shape_mismatch, "from_dlpack",
                      "a tensor of " + std::to_string(t.ndim) + " dimensions without a shape",
                      where);
  }
  memory_view m;
  m.type = type_of(t, where);
  m.where = device_of(t, where);
  m.stream = stream;
  if (t.data) m.data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  m.shape.assign(t.shape, t.shape + t.ndim);
  if (t.strides) m.strides.assign(t.strides, t.strides + t.ndim);
  auto owner = std::make_shared<borrowed<Tensor>>(tensor);
  any_array x = adopt_memory(m, owner, "from_dlpack", where);
  owner->ours = true;
  return x;
}

/// The state behind an exported tensor.
template <class Tensor>
struct lent_out {
  Tensor tensor{};
  exposed elements;
  std::vector<std::int64_t> shape;
  stream_handle stream = no_stream;

  static void take_back(Tensor* t) {
    std::unique_ptr<lent_out> self(static_cast<lent_out*>(t->manager_ctx));
    if (self->stream == no_stream) return;
    node& n = *self->elements.base.get();
    try {  // the consumer may still be reading on its stream
      n.device->follow(self->stream == 0 ? default_stream : self->stream);
      n.device->use(*n.buffer);
    } catch (...) {  // its stream is gone, with all its work
    }
  }
};

template <class Tensor>
lent_out<Tensor>* lend(const any_array& x, const dlpack_options& o, const char* op,
                       location where) {
  const any_array out = o.copy ? duplicate(x, op, where) : x;
  auto t = std::make_unique<lent_out<Tensor>>();
  t->elements = expose(out, o.stream, false, op, where);
  t->shape.assign(x.extents().begin(), x.extents().end());
  t->stream = o.stream;
  const auto row = std::ranges::find(dl_types, x.dtype(), &dl_row::type);
  const auto where_it_is = t->elements.base.get()->device->id();
  const bool cpu = where_it_is.kind == runtime::device_kind::cpu;
  DLTensor& d = t->tensor.dl_tensor;
  d.data = x.size() > 0 ? const_cast<std::byte*>(t->elements.data) : nullptr;
  d.device = {cpu ? kDLCPU : kDLCUDA, cpu ? 0 : where_it_is.index};
  d.ndim = x.ndim();
  d.dtype = {static_cast<std::uint8_t>(row->code), row->bits, 1};
  d.shape = t->shape.data();
  d.strides = t->elements.strides.data();
  t->tensor.manager_ctx = t.get();
  t->tensor.deleter = &lent_out<Tensor>::take_back;
  return t.release();
}

}  // namespace
}  // namespace detail

any_array from_dlpack(DLManagedTensorVersioned* tensor, const stream_options& o, location where) {
  if (!tensor || tensor->version.major != detail::our_major) {
    detail::fail<value_error>(
        error_code::bad_argument, "from_dlpack",
        tensor ? "a tensor of DLPack " + std::to_string(tensor->version.major) + "." +
                     std::to_string(tensor->version.minor) + ": version 1 is understood"
               : "a null pointer",
        where);
  }
  return detail::import(tensor, o.stream, where);
}

any_array from_dlpack(DLManagedTensor* tensor, const stream_options& o, location where) {
  if (!tensor) {
    detail::fail<value_error>(error_code::bad_argument, "from_dlpack", "a null pointer", where);
  }
  return detail::import(tensor, o.stream, where);
}

DLManagedTensorVersioned* to_dlpack(const any_array& x, const dlpack_options& o, location where) {
  auto* t = detail::lend<DLManagedTensorVersioned>(x, o, "to_dlpack", where);
  t->tensor.version = {detail::our_major, detail::our_minor};
  t->tensor.flags = o.copy ? detail::is_copied : detail::read_only;
  return &t->tensor;
}

DLManagedTensor* to_dlpack_unversioned(const any_array& x, const dlpack_options& o,
                                       location where) {
  return &detail::lend<DLManagedTensor>(x, o, "to_dlpack_unversioned", where)->tensor;
}

}  // namespace sinter
