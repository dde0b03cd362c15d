#pragma once
// Elements between files and devices.

#include <memory>
#include <string>
#include <vector>

#include "engine/files/file.hpp"
#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The layout of elements in a file: dense, and row-major unless `columns`.
struct stored_elements {
  dtype type = dtype::float64;
  std::vector<std::int64_t> shape;
  bool big_endian = false;
  bool columns = false;
  std::int64_t bytes = 0;
};

/// The shape's size in bytes; nothing if it exceeds 2^63 - 1, or would with every extent of 0 read
/// as 1: strides are products of all of them.
std::optional<std::int64_t> bytes_of(dtype, shape_view shape);

/// The array of the elements that come next. Allocates `e.bytes` bytes: the caller has checked that
/// this many can exist. Throws file_error, memory_error, device_error.
any_array read_elements(byte_source&, const stored_elements& e, const file_task&);

/// The same for elements `at` bytes from the start of a mapped file: on the CPU the array is the
/// file's memory, on a GPU it is copied from there. Bytes in the other order are swapped where they
/// are read; those of halves here. Throws file_error for unaligned elements, which cannot be read
/// in place.
any_array map_elements(std::shared_ptr<const mapped_file>, std::uint64_t at,
                       const stored_elements& e, const file_task&);

/// The elements of an evaluated array, row-major, piece by piece.
class element_stream {
 public:
  element_stream(const any_array& x, std::string op, location where);
  std::uint64_t left() const { return total_ - done_; }
  /// The next bytes, at most so many; returns their number.
  std::size_t read(void* to, std::size_t bytes);
  void rewind() { done_ = 0; }

 private:
  any_array x_;
  std::string op_;
  location where_;
  std::uint64_t total_, done_ = 0;
};

/// Writes all that remains of it.
void write_elements(file&, element_stream);

}  // namespace sinter::detail
