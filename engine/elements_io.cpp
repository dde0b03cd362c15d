#include "engine/elements_io.hpp"

#include <algorithm>

#include "engine/evaluate.hpp"
#include "engine/guard.hpp"
#include "engine/session.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

/// What the file's bytes are in memory.
void to_native(std::byte* bytes, std::size_t count, const stored_elements& e) {
  const std::size_t size = is_complex(e.type) ? size_of(e.type) / 2 : size_of(e.type);
  if (e.big_endian && size > 1) {
    for (std::size_t i = 0; i < count; i += size) std::reverse(bytes + i, bytes + i + size);
  }
  if (is_bool(e.type)) {
    std::transform(bytes, bytes + count, bytes,
                   [](std::byte b) { return std::byte(b != std::byte{0}); });
  }
}

/// Elements as they lie, as the array they are.
any_array ordered(std::shared_ptr<runtime::buffer> buffer, runtime::device& device,
                  const stored_elements& e, location where) {
  auto shape = e.shape;
  if (e.columns) std::ranges::reverse(shape);
  any_array x = make_source(std::move(buffer), device, e.type, shape);
  if (!e.columns) return x;
  auto strides = dense_strides(shape);
  std::ranges::reverse(strides);
  return make_view(x, e.shape, {0, std::move(strides)}, where);
}

/// Any byte but 0 is true in a file, 1 alone in memory; so a mapped bool is the answer of a
/// comparison, computed where it is read.
any_array as_bool(const any_array& bytes, location where) {
  return make_op(ir::op::not_equal, {bytes, make_scalar({}, dtype::uint8, where)}, where);
}

}  // namespace

std::optional<std::int64_t> bytes_of(dtype type, shape_view shape) {
  auto reach = static_cast<std::int64_t>(size_of(type));
  for (std::int64_t e : shape) {
    if (__builtin_mul_overflow(reach, std::max<std::int64_t>(e, 1), &reach)) return std::nullopt;
  }
  return std::ranges::find(shape, 0) == shape.end() ? reach : 0;
}

any_array read_elements(byte_source& from, const stored_elements& e, const file_task& task) {
  return guarded(task.op, task.where, [&] {
    runtime::device& device = current_device();
    const auto total = static_cast<std::size_t>(e.bytes);
    auto buffer = device.allocate(total);
    const bool here = device.id().kind == runtime::device_kind::cpu;
    std::vector<std::byte> room(here ? 0 : std::min(total, chunk_bytes));
    for (std::size_t done = 0; done < total;) {
      const std::size_t count = std::min(total - done, chunk_bytes);
      std::byte* to = here ? static_cast<std::byte*>(buffer->data()) + done : room.data();
      from.read(to, count);
      to_native(to, count, e);
      if (!here) device.copy_from_host(*buffer, done, to, count);
      done += count;
    }
    return ordered(std::move(buffer), device, e, task.where);
  });
}

any_array map_elements(std::shared_ptr<const mapped_file> from, std::uint64_t at,
                       const stored_elements& e, const file_task& task) {
  const std::size_t part = is_complex(e.type) ? size_of(e.type) / 2 : size_of(e.type);
  if (e.big_endian && part > 1) {
    task.refuse("elements in big-endian order cannot be mapped: read them, without .mmap");
  }
  if (at % part != 0) {
    task.refuse("its elements begin at byte " + std::to_string(at) +
                ", which is not aligned for " + std::string(name(e.type)) +
                ": read them, without .mmap");
  }
  return guarded(task.op, task.where, [&] {
    runtime::device& device = current_device();
    const auto total = static_cast<std::size_t>(e.bytes);
    stored_elements seen = e;
    if (is_bool(e.type)) seen.type = dtype::uint8;
    // The buffer's memory is never written: `adopt` lends it.
    auto* data = const_cast<std::byte*>(from->data()) + at;
    std::shared_ptr<runtime::buffer> buffer;
    if (device.id().kind == runtime::device_kind::cpu) {
      buffer = device.adopt(data, total, std::const_pointer_cast<mapped_file>(std::move(from)));
    } else {
      buffer = device.allocate(total);
      if (total > 0) device.copy_from_host(*buffer, 0, data, total);
    }
    const any_array x = ordered(std::move(buffer), device, seen, task.where);
    return is_bool(e.type) ? as_bool(x, task.where) : x;
  });
}

element_stream::element_stream(const any_array& x, std::string op, location where)
    : x_(x), op_(std::move(op)), where_(where), total_(static_cast<std::uint64_t>(x.nbytes())) {}

std::size_t element_stream::read(void* to, std::size_t bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left()));
  if (count == 0) return 0;
  guarded(op_, where_, [&] {
    const node& n = *x_.get();
    if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
    n.device->copy_to_host(to, *n.buffer, static_cast<std::size_t>(done_), count);
  });
  done_ += count;
  return count;
}

void write_elements(file& to, element_stream from) {
  std::vector<std::byte> chunk(
      static_cast<std::size_t>(std::min<std::uint64_t>(from.left(), chunk_bytes)));
  while (const std::size_t count = from.read(chunk.data(), chunk.size())) {
    to.write(chunk.data(), count);
  }
}

}  // namespace sinter::detail
