// Between arrays and host memory.

#include <algorithm>
#include <cstring>

#include <sinter/array.hpp>

#include "engine/checks.hpp"
#include "engine/evaluate.hpp"
#include "engine/guard.hpp"
#include "engine/node.hpp"
#include "engine/report.hpp"

namespace sinter::detail {

runtime::device& current_device();

void read(const any_array& x, void* to, location where) {
  node& n = checked(x, "read", where);
  evaluate({&x, 1});
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  if (bytes == 0) return verify_checks(x);
  guarded("read", where, [&] {
    runtime::buffer& from = *n.buffer;
    if (from.home() != n.device->current_stream()) n.device->use(from);
    n.device->copy_to_host(to, from, 0, bytes);
  });
  verify_checks(x);
}

any_array from_host(const void* data, dtype type, shape_view shape, location where) {
  check_shape(shape, type, "asarray", where);
  std::size_t bytes = size_of(type);
  for (std::int64_t e : shape) bytes *= static_cast<std::size_t>(e);
  runtime::device& device = current_device();
  return guarded("asarray", where, [&] {
    auto buffer = device.allocate(bytes);
    if (bytes > 0) device.copy_from_host(*buffer, 0, data, bytes);
    return make_source(std::move(buffer), device, type, shape);
  });
}

any_array with_dtype(any_array x, dtype expected, location where) {
  if (x.valid() && x.get()->type != expected) {
    fail<dtype_error>(error_code::bad_dtype, "array",
                      "an array of " + std::string(name(x.get()->type)) + " is not one of " +
                          std::string(name(expected)),
                      where);
  }
  return x;
}

any_array astype(const any_array& x, dtype to, location where) { return make_cast(x, to, where); }

void check_count(std::size_t count, shape_view shape, location where) {
  check_shape(shape, dtype::bool_, "array", where);
  std::size_t size = 1;
  for (std::int64_t e : shape) size *= static_cast<std::size_t>(e);
  if (size == count) return;
  fail<shape_error>(error_code::shape_mismatch, "array",
                    std::to_string(count) + " values do not fill shape " + text_of(shape), where);
}

std::int64_t checked_size(const any_array& x, const char* op, location where) {
  return checked(x, op, where).size();
}

void throw_not_scalar(const any_array& x, location where) {
  fail<shape_error>(error_code::shape_mismatch, "item",
                    "shape " + text_of(x.shape()) + " has " + std::to_string(x.size()) +
                        " elements, not one",
                    where);
}

void throw_ragged(location where) {
  fail<shape_error>(error_code::shape_mismatch, "array", "the rows differ in length", where);
}

void throw_scalar_range(long long value, dtype type) {
  fail<value_error>(error_code::bad_argument, "scalar",
                    std::to_string(value) + " is not a value of " + std::string(name(type)), {});
}

}  // namespace sinter::detail
