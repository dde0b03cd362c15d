#include "engine/evaluation/lent.hpp"

#include <cstring>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/files/npy_stream.hpp"

namespace sinter {
namespace detail {
namespace {

/// A GPU's vector accesses need this alignment, and CUDA's allocations have it. Rounding an address
/// down to it stays within the allocation.
constexpr std::uintptr_t gpu_alignment = 256;

[[noreturn]] void refuse(const char* op, const std::string& why, location where) {
  fail<value_error>(error_code::bad_argument, op, why, where);
}

/// The lowest and highest element offsets that the strides reach.
struct reach {
  std::int64_t low = 0, high = 0;
};

reach reach_of(const memory_view& m, const std::vector<std::int64_t>& strides, const char* op,
               location where) {
  reach r;
  bool beyond = false;
  for (std::size_t d = 0; d < m.shape.size(); ++d) {
    std::int64_t far = 0;
    beyond |= __builtin_mul_overflow(m.shape[d] - 1, strides[d], &far);
    beyond |= __builtin_add_overflow(far < 0 ? r.low : r.high, far, far < 0 ? &r.low : &r.high);
  }
  std::int64_t bytes = 0;
  beyond |= __builtin_sub_overflow(r.high, r.low, &bytes) ||
            __builtin_add_overflow(bytes, 1 + static_cast<std::int64_t>(gpu_alignment), &bytes) ||
            __builtin_mul_overflow(bytes, static_cast<std::int64_t>(size_of(m.type)), &bytes);
  if (beyond) refuse(op, "the strides reach beyond 2^63 - 1 bytes", where);
  return r;
}

bool is_dense(shape_view shape, const std::vector<std::int64_t>& strides) {
  const auto dense = dense_strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1 && strides[d] != dense[d]) return false;
  }
  return true;
}

/// CUDA's stream handle 0 also names its default stream.
stream_handle named(stream_handle s) { return s == 0 ? default_stream : s; }

void check_memory(const memory_view& m, runtime::device& device, const char* op, location where) {
  if (!m.data) refuse(op, "a null pointer for shape " + text_of(m.shape), where);
  const std::size_t part = is_complex(m.type) ? size_of(m.type) / 2 : size_of(m.type);
  if (reinterpret_cast<std::uintptr_t>(m.data) % part != 0) {
    refuse(op, "the pointer is not aligned for " + std::string(name(m.type)), where);
  }
  if (!device.reaches(m.data)) {
    refuse(op, "the pointer is no memory of " + to_string(m.where), where);
  }
}

/// A source over the memory range that the strides reach, and the requested view of it.
any_array adopt_reach(const memory_view& m, const std::vector<std::int64_t>& strides,
                      runtime::device& device, std::shared_ptr<void> owner, const char* op,
                      location where) {
  const reach r = reach_of(m, strides, op, where);
  const auto size = static_cast<std::int64_t>(size_of(m.type));
  std::uintptr_t begin =
      reinterpret_cast<std::uintptr_t>(m.data) + static_cast<std::uintptr_t>(r.low * size);
  std::int64_t offset = -r.low;
  if (device.id().kind == runtime::device_kind::cuda) {
    const std::uintptr_t over = begin % gpu_alignment;
    if (over % static_cast<std::uintptr_t>(size) != 0) {
      refuse(op, "the pointer is not aligned for " + std::string(name(m.type)), where);
    }
    begin -= over;
    offset += static_cast<std::int64_t>(over) / size;
  }
  const std::int64_t count[] = {offset + r.high + 1};
  auto buffer = device.adopt(reinterpret_cast<void*>(begin),
                             static_cast<std::size_t>(count[0] * size), std::move(owner));
  const bool whole = offset == 0 && is_dense(m.shape, strides);
  any_array x = make_source(std::move(buffer), device, m.type,
                            whole ? shape_view(m.shape) : shape_view(count));
  return whole ? x : make_view(x, m.shape, {offset, strides}, where);
}

}  // namespace

sinter::device public_id(const runtime::device& d) {
  const auto id = d.id();
  return {id.kind == runtime::device_kind::cpu ? sinter::device::kind::cpu
                                               : sinter::device::kind::cuda,
          id.index};
}

any_array adopt_memory(const memory_view& m, std::shared_ptr<void> owner, const char* op,
                       location where) {
  check_shape(m.shape, m.type, op, where);
  if (!m.strides.empty() && m.strides.size() != m.shape.size()) {
    fail<shape_error>(error_code::shape_mismatch, op,
                      std::to_string(m.strides.size()) + " strides for shape " + text_of(m.shape),
                      where);
  }
  runtime::device& device = *the_session().target_of(m.where, where).device;
  return guarded(op, where, [&] {
    for (std::int64_t e : m.shape) {
      if (e == 0) return make_source(device.allocate(0), device, m.type, m.shape);
    }
    check_memory(m, device, op, where);
    if (m.stream != no_stream) device.follow(named(m.stream));
    return adopt_reach(m, m.strides.empty() ? dense_strides(m.shape) : m.strides, device,
                       std::move(owner), op, where);
  });
}

any_array copy_strided(const memory_view& m, location where) {
  check_shape(m.shape, m.type, "from_mdspan", where);
  const std::size_t size = size_of(m.type), rank = m.shape.size();
  std::int64_t count = 1;
  for (std::int64_t e : m.shape) count *= e;
  std::vector<std::byte> dense(static_cast<std::size_t>(count) * size);
  std::vector<std::int64_t> at(rank, 0);
  const auto* from = static_cast<const std::byte*>(m.data);
  for (std::size_t i = 0; i < dense.size(); i += size) {
    std::memcpy(dense.data() + i, from, size);
    for (std::size_t d = rank; d-- > 0;) {
      from += m.strides[d] * static_cast<std::int64_t>(size);
      if (++at[d] < m.shape[d]) break;
      from -= m.strides[d] * m.shape[d] * static_cast<std::int64_t>(size);
      at[d] = 0;
    }
  }
  return from_host(dense.data(), m.type, m.shape, where);
}

void throw_extents(const char* op, shape_view shape, location where) {
  fail<shape_error>(error_code::shape_mismatch, op,
                    "shape " + text_of(shape) +
                        " does not fit the mdspan: its rank, its static extents, or a layout that "
                        "is not row-major",
                    where);
}

exposed expose(const any_array& x, stream_handle stream, bool dense, std::string_view op,
               location where) {
  checked(x, op, where);
  exposed e;
  std::int64_t offset = 0;  // in bytes
  auto view = dense ? std::nullopt : viewed(x);
  if (view && view->first.get()->depth.load(std::memory_order_acquire) == 0) {
    e.base = std::move(view->first);
    offset = view->second.offset * static_cast<std::int64_t>(size_of(x.dtype()));
    e.strides.assign(view->second.strides.begin(), view->second.strides.end());
  } else {
    evaluate({&x, 1}, op, where);
    e.base = x;
    e.strides = dense_strides(x.extents());
  }
  e.dense = is_dense(x.extents(), e.strides);
  guarded(op, where, [&] {
    node& n = *e.base.get();
    e.data = static_cast<const std::byte*>(n.buffer->data()) + offset;
    if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    if (stream != no_stream) n.device->lead(named(stream));
  });
  verify_checks(e.base);
  verify_checks(x);
  return e;
}

any_array duplicate(const any_array& x, std::string_view op, location where) {
  checked(x, op, where);
  evaluate({&x, 1}, op, where);
  return guarded(op, where, [&] {
    node& n = *x.get();
    const auto bytes = static_cast<std::size_t>(x.nbytes());
    auto buffer = n.device->allocate(bytes);
    if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    if (bytes > 0) n.device->copy(*buffer, 0, *n.buffer, 0, bytes);
    return make_source(std::move(buffer), *n.device, n.type, n.shape);
  });
}

const void* host_pointer(const any_array& x, location where) {
  note_read(x);
  const exposed e = expose(x, no_stream, true, "data", where);
  const runtime::device& device = *e.base.get()->device;
  if (device.id().kind == runtime::device_kind::cpu) return e.data;
  fail<device_error>(error_code::device_failure, "data",
                     "the elements are on " + to_string(public_id(device)) +
                         ": take to(\"cpu\"), or device_pointer(stream)",
                     where);
}

const void* device_pointer(const any_array& x, std::uintptr_t stream, location where) {
  note_read(x);
  return expose(x, stream, true, "device_pointer", where).data;
}

}  // namespace detail

array_interface interface_of(const any_array& x, const stream_options& o, location where) {
  const auto e = detail::expose(x, o.stream, false, "interface_of", where);
  array_interface i;
  i.data = e.data;
  i.shape.assign(x.extents().begin(), x.extents().end());
  if (!e.dense) {
    for (std::int64_t s : e.strides) {
      i.strides.push_back(s * static_cast<std::int64_t>(size_of(x.dtype())));
    }
  }
  i.typestr = detail::typestr_of(x.dtype());
  i.device = detail::public_id(*e.base.get()->device);
  i.stream = o.stream;
  i.owner = std::make_shared<any_array>(e.base);
  return i;
}

any_array from_interface(const array_interface& i, location where) {
  constexpr const char* op = "from_interface";
  const auto type = i.typestr.size() < 2 || i.typestr[0] == '>'
                        ? std::nullopt
                        : detail::dtype_of_npy(std::string_view(i.typestr).substr(1));
  if (!type) {
    detail::fail<dtype_error>(error_code::bad_dtype, op,
                              "typestr '" + i.typestr + "' is no dtype of sinter", where);
  }
  std::vector<std::int64_t> strides;
  for (std::int64_t s : i.strides) {
    const auto size = static_cast<std::int64_t>(size_of(*type));
    if (s % size != 0) {
      detail::refuse(op,
                     "a stride of " + std::to_string(s) + " bytes is no multiple of " +
                         std::string(name(*type)),
                     where);
    }
    strides.push_back(s / size);
  }
  return detail::adopt_memory({i.data, *type, i.shape, std::move(strides), i.device, i.stream},
                              i.owner, op, where);
}

}  // namespace sinter
