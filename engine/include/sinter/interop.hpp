#pragma once
// Sharing memory with other libraries without a copy: pointers and strides, DLPack, mdspan.
//
// Imported memory is borrowed: sinter reads it and never writes it, and its owner must not change
// it while an array needs it. Exported memory belongs to an array, which is an immutable value, so
// it must not be written. On a GPU both directions name the stream that the other side works on:
// its CUstream, 1 for CUDA's legacy default stream, 2 for the per-thread one, or `no_stream` if the
// other side orders the work itself.

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <sinter/arguments.hpp>
#include <sinter/device.hpp>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace sinter {

/// A CUstream as an integer.
using stream_handle = std::uintptr_t;
inline constexpr stream_handle default_stream = 1, no_stream = ~stream_handle{0};

namespace detail {

/// Strided memory with strides in elements; empty strides: row-major without gaps.
struct memory_view {
  const void* data = nullptr;
  dtype type = dtype::float32;
  std::vector<std::int64_t> shape, strides;
  sinter::device where;
  stream_handle stream = default_stream;
};
any_array adopt_memory(const memory_view& m, std::shared_ptr<void> owner, const char* op,
                       location where);
any_array copy_strided(const memory_view& m, location where);
[[noreturn]] void throw_extents(const char* op, shape_view shape, location where);

}  // namespace detail

struct pointer_options {
  int_list strides = {};                  // in elements; none: row-major without gaps
  sinter::device device = {};             // where the memory is
  stream_handle stream = default_stream;  // the stream that writes it
  std::shared_ptr<void> owner = {};       // released with the last array that needs the memory
};

/// Wraps the elements at `data` as an array, without a copy. Reads wait for the work that the
/// stream holds now. Without an owner the memory must outlive the array and everything computed
/// from it. Throws shape_error; value_error for a pointer that is null, not aligned for T, or not
/// accessible to the device; device_error.
/// `from_pointer(p, {3, 4}, {.device = "cuda", .stream = stream})`
template <element T>
array<T> from_pointer(const T* data, const int_list& shape, const pointer_options& o = {},
                      location where = location::current()) {
  const detail::memory_view m{data,
                              dtype_of<T>,
                              {shape.begin(), shape.end()},
                              {o.strides.begin(), o.strides.end()},
                              o.device,
                              o.stream};
  return array<T>(detail::adopt_memory(m, o.owner, "from_pointer", where));
}

/// The contents of `__cuda_array_interface__` (version 3) and of NumPy's `__array_interface__`.
struct array_interface {
  const void* data = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in bytes; none: row-major without gaps
  std::string typestr;                // "<f4", "|b1"; "<V2" is bfloat16
  sinter::device device;
  stream_handle stream = default_stream;
  std::shared_ptr<void> owner;  // keeps the memory alive
};

struct stream_options {
  stream_handle stream = default_stream;  // the stream that will use the elements
};

/// The location of x's elements, ready for work queued on the stream from now on; a view is not
/// copied. Evaluates. Throws memory_error, device_error.
/// `array_interface i = interface_of(x, {.stream = s});`
array_interface interface_of(const any_array& x, const stream_options& options = {},
                             location where = location::current());
template <detail::expression X>
array_interface interface_of(const X& x, const stream_options& options = {},
                             location where = location::current()) {
  return interface_of(static_cast<const any_array&>(x.to_array(where)), options, where);
}
/// Wraps the array that an interface describes, without a copy. Throws dtype_error for a typestr
/// that sinter does not have, value_error for strides that are not multiples of the element size,
/// and as from_pointer does.
any_array from_interface(const array_interface& i, location where = location::current());

/// Exports x as DLPack 1.x, without a copy, also if x is a view; any thread may call the deleter.
/// The tensor is flagged read-only; `.copy` exports a copy that the consumer may write. After the
/// deleter, the memory is reused only once the work that the stream holds then is done. Evaluates.
/// Throws memory_error, device_error. `DLManagedTensorVersioned* t = to_dlpack(x, {.stream = s});`
struct dlpack_options {
  stream_handle stream = default_stream;  // the stream that the consumer works on
  bool copy = false;
};
DLManagedTensorVersioned* to_dlpack(const any_array& x, const dlpack_options& options = {},
                                    location where = location::current());
/// The same for consumers of DLPack before 1.0, which has no read-only flag.
DLManagedTensor* to_dlpack_unversioned(const any_array& x, const dlpack_options& options = {},
                                       location where = location::current());

/// Wraps a DLPack tensor as an array, without a copy. The deleter is called when no array needs the
/// memory any more. If this throws, the caller keeps the tensor. Throws value_error for another
/// major version or a null pointer; dtype_error or device_error, naming it, for a dtype or device
/// that sinter does not have; shape_error. `array<float> x(from_dlpack(t));`
any_array from_dlpack(DLManagedTensorVersioned* tensor, const stream_options& options = {},
                      location where = location::current());
any_array from_dlpack(DLManagedTensor* tensor, const stream_options& options = {},
                      location where = location::current());

namespace detail {

/// std::mdspan, cuda::std::mdspan and types with the same interface.
template <class M>
concept mdspan_like = requires(const M& m) {
  typename M::element_type;
  typename M::extents_type;
  { m.data_handle() } -> std::convertible_to<const typename M::element_type*>;
  { M::rank() } -> std::convertible_to<std::size_t>;
  m.extent(0);
};

template <mdspan_like M>
memory_view view_of(const M& m) {
  memory_view v;
  v.data = m.data_handle();
  v.type = dtype_of<std::remove_cv_t<typename M::element_type>>;
  for (std::size_t r = 0; r < M::rank(); ++r) {
    v.shape.push_back(static_cast<std::int64_t>(m.extent(r)));
    v.strides.push_back(static_cast<std::int64_t>(m.stride(r)));
  }
  return v;
}

template <class M, class T>
M mdspan_over(const T* data, shape_view shape, const char* op, location where) {
  static_assert(std::is_const_v<typename M::element_type>, "arrays are values: use const elements");
  bool fits = shape.size() == M::rank();
  for (std::size_t r = 0; fits && r < M::rank(); ++r) {
    const auto fixed = M::static_extent(r);
    fits = fixed == static_cast<std::size_t>(-1) ||
           static_cast<std::int64_t>(fixed) == shape[r];
  }
  if (!fits) throw_extents(op, shape, where);
  const M m = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return M(data, static_cast<typename M::index_type>(shape[I])...);
  }(std::make_index_sequence<M::rank()>());
  std::int64_t dense = 1;  // the layout must be row-major
  for (std::size_t r = M::rank(); r-- > 0; dense *= shape[r]) {
    if (shape[r] > 1 && static_cast<std::int64_t>(m.stride(r)) != dense) {
      throw_extents(op, shape, where);
    }
  }
  return m;
}

}  // namespace detail

/// Copies the host elements of an mdspan with any layout to an array. Throws memory_error.
/// `from_mdspan(m)`
template <detail::mdspan_like M>
auto from_mdspan(const M& m, location where = location::current()) {
  return array<std::remove_cv_t<typename M::element_type>>(
      detail::copy_strided(detail::view_of(m), where));
}

/// x's host elements as an mdspan of const elements in row-major layout, valid while x keeps its
/// value. Evaluates. Throws shape_error if the extents do not match, device_error on a GPU.
/// `to_mdspan<std::mdspan<const float, std::dextents<int, 2>>>(x)`
template <detail::mdspan_like M, element T>
M to_mdspan(const array<T>& x, location where = location::current()) {
  return detail::mdspan_over<M>(x.data(where), x.shape(), "to_mdspan", where);
}
/// The same on a GPU, for kernels queued on the stream from now on.
template <detail::mdspan_like M, element T>
M to_device_mdspan(const array<T>& x, stream_handle stream = default_stream,
                   location where = location::current()) {
  return detail::mdspan_over<M>(x.device_pointer(stream, where), x.shape(), "to_device_mdspan",
                                where);
}

/// x's host elements, row-major, valid while x keeps its value. Evaluates. Throws device_error on a
/// GPU. `for (float v : as_span(x))`
template <element T>
std::span<const T> as_span(const array<T>& x, location where = location::current()) {
  return {x.data(where), static_cast<std::size_t>(x.size())};
}
/// A temporary's elements would be gone before they are read: name the array first.
template <element T>
std::span<const T> as_span(const array<T>&& x, location where = location::current()) = delete;

/// Copies the values of any single-pass range to a one-dimensional array; for nested ranges use
/// `asarray`. Throws memory_error. `from_range(v | std::views::filter(is_odd))`
template <class R>
  requires requires(R& r) { r.begin() != r.end(); }
auto from_range(R&& range, location where = location::current()) {
  using T = std::iter_value_t<decltype(range.begin())>;
  std::vector<std::conditional_t<std::same_as<T, bool>, unsigned char, T>> values;
  for (auto&& v : range) values.push_back(static_cast<T>(v));
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
  return array<T>(detail::from_host(values.data(), dtype_of<T>, shape, where));
}

}  // namespace sinter
