#include "engine/files/elements_io.hpp"

#include <algorithm>
#include <cstring>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/term.hpp"

namespace sinter::detail {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

/// Bytes of a number, or of one part of a complex number.
std::size_t part_size(dtype type) {
  return is_complex(type) ? size_of(type) / 2 : size_of(type);
}

/// Converts the file's bytes to native order in place.
void to_native(std::byte* bytes, std::size_t count, const stored_elements& e) {
  const std::size_t size = part_size(e.type);
  if (e.big_endian && size > 1) {
    for (std::size_t i = 0; i < count; i += size) std::reverse(bytes + i, bytes + i + size);
  }
  if (is_bool(e.type)) {
    std::transform(bytes, bytes + count, bytes,
                   [](std::byte b) { return std::byte(b != std::byte{0}); });
  }
}

/// The shape of the elements in storage order, row-major.
std::vector<std::int64_t> lying(const stored_elements& e) {
  auto shape = e.shape;
  if (e.columns) std::ranges::reverse(shape);
  return shape;
}

/// Elements in storage order as an array of the logical shape.
any_array by_axes(const any_array& x, const stored_elements& e, location where) {
  if (!e.columns) return x;
  auto strides = dense_strides(x.extents());
  std::ranges::reverse(strides);
  return make_view(x, e.shape, {0, std::move(strides)}, where);
}

/// In a file any byte but 0 is true, in memory only 1: a mapped bool is a comparison, computed
/// where it is read.
any_array as_bool(const any_array& bytes, location where) {
  return make_op(ir::op::not_equal, {bytes, make_scalar({}, dtype::uint8, where)}, where);
}

/// Byte-swaps unsigned integers: swaps neighbouring bytes, then pairs, then quadruples.
any_array turned(any_array x, location where) {
  const dtype type = x.dtype();
  const auto constant = [&](std::uint64_t v) { return make_scalar({{v, 0}}, type, where); };
  const auto width = 8 * size_of(type);
  for (std::size_t by = 8; by < width; by *= 2) {
    std::uint64_t low = (std::uint64_t{1} << by) - 1;  // mask of the lower of each two parts
    for (std::size_t at = 2 * by; at < width; at *= 2) low |= low << at;
    const auto shifted = [&](ir::op shift, const any_array& v) {
      return make_op(shift, {v, constant(by)}, where);
    };
    const auto masked = [&](const any_array& v) {
      return make_op(ir::op::bitwise_and, {v, constant(low)}, where);
    };
    x = make_op(ir::op::bitwise_or, {shifted(ir::op::shift_left, masked(x)),
                                     masked(shifted(ir::op::shift_right, x))},
                where);
  }
  return x;
}

/// Byte-swaps elements where they are read. `bits` holds them as unsigned integers, the two parts
/// of a complex number next to each other along a last axis.
any_array from_other_order(const any_array& bits, dtype type, location where) {
  const any_array x = turned(bits, where);
  const dtype part = is_complex(type) ? real_of(type) : type;
  const any_array parts = is_integer(part) ? make_cast(x, part, where)
                                           : make_bitcast(x, part, where);
  if (!is_complex(type)) return parts;
  const extents shape = extents_of(parts);
  const auto half = [&](std::int64_t i) {
    return make_reshape(cut(parts, shape.size() - 1, i, 1, where),
                        {shape.begin(), shape.end() - 1}, where);
  };
  return make_complex(half(0), half(1), where);
}

/// Reads mapped bytes sequentially.
class page_source final : public byte_source {
 public:
  page_source(const std::byte* data, std::size_t bytes, const file_task& task)
      : data_(data), left_(bytes), task_(task) {}
  void read(void* to, std::size_t bytes) override {
    std::memcpy(to, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
  }
  std::uint64_t left() const override { return left_; }
  [[noreturn]] void refuse(const std::string& why) const override { task_.refuse(why); }

 private:
  const std::byte* data_;
  std::size_t left_;
  const file_task& task_;
};

/// A mapped file's elements, with a type that can represent them unchanged: bools as bytes,
/// byte-swapped elements as integers.
any_array as_it_lies(std::shared_ptr<const mapped_file> from, std::uint64_t at,
                     const stored_elements& e, bool swapped) {
  runtime::device& device = current_device();
  const auto total = static_cast<std::size_t>(e.bytes);
  // `adopt` lends the buffer: its memory is never written.
  auto* data = const_cast<std::byte*>(from->data()) + at;
  std::shared_ptr<runtime::buffer> buffer;
  if (device.id().kind == runtime::device_kind::cpu) {
    buffer = device.adopt(data, total, std::const_pointer_cast<mapped_file>(std::move(from)));
  } else {
    buffer = device.allocate(total);
    if (total > 0) device.copy_from_host(*buffer, 0, data, total);
  }
  auto shape = lying(e);
  if (!swapped) {
    return make_source(std::move(buffer), device, is_bool(e.type) ? dtype::uint8 : e.type, shape);
  }
  if (is_complex(e.type)) shape.push_back(2);
  return make_source(std::move(buffer), device, integer_of(false, part_size(e.type)), shape);
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
    return by_axes(make_source(std::move(buffer), device, e.type, lying(e)), e, task.where);
  });
}

any_array map_elements(std::shared_ptr<const mapped_file> from, std::uint64_t at,
                       const stored_elements& e, const file_task& task) {
  const std::size_t part = part_size(e.type);
  if (at % part != 0) {
    task.refuse("its elements begin at byte " + std::to_string(at) +
                ", which is not aligned for " + std::string(name(e.type)) +
                ": read them, without .mmap");
  }
  const bool swapped = e.big_endian && part > 1;
  // Kernels process halves only as floats, which would not keep the bits of NaNs.
  if (swapped && is_half(e.type)) {
    page_source pages(from->data() + at, static_cast<std::size_t>(e.bytes), task);
    return read_elements(pages, e, task);
  }
  return guarded(task.op, task.where, [&] {
    any_array x = as_it_lies(std::move(from), at, e, swapped);
    if (swapped) x = from_other_order(x, e.type, task.where);
    else if (is_bool(e.type)) x = as_bool(x, task.where);
    return by_axes(x, e, task.where);
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
