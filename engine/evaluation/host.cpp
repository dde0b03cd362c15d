// Copies between arrays and host memory.

#include <algorithm>
#include <cstring>

#include <sinter/array.hpp>

#include "engine/evaluation/checks.hpp"
#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/read_words.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"
#include "runtime/cpu/host.hpp"
#include "runtime/text.hpp"

namespace sinter::detail {

namespace {

/// Querying the available memory costs some 20 us; this much is always assumed to be there.
constexpr std::size_t worth_asking = std::size_t{64} << 20;

}  // namespace

void read(const any_array& x, void* to, location where, const char* op) {
  node& n = checked(x, op, where);
  note_read(x);
  evaluate({&x, 1}, op, where);
  const auto bytes = static_cast<std::size_t>(x.nbytes());
  if (bytes == 0) return verify_checks(x);
  guarded(op, where, [&] {
    runtime::buffer& from = *n.buffer;
    if (from.home() != n.device->current_stream()) n.device->use(from);
    read_buffer(from, *n.device, to, bytes);
  });
  verify_checks(x);
}

// A system that overcommits kills the process when it touches the memory, so catching an allocation
// failure is not enough.
void check_host_room(const any_array& x, std::size_t bytes, std::string_view op, location where) {
  if (bytes < worth_asking || bytes <= runtime::host_memory_available()) return;
  target& cpu = the_session().target_of(sinter::device(sinter::device::kind::cpu), where);
  cpu.device->trim();
  const std::size_t available = runtime::host_memory_available();
  if (bytes <= available) return;
  fail<memory_error>(error_code::out_of_memory, op,
                     text_of(x) + ": out of memory: " + runtime::byte_text(bytes) +
                         " on the host, which has " + runtime::byte_text(available) + " left",
                     where);
}

std::size_t host_size(const any_array& x, const char* op, location where) {
  const auto count = static_cast<std::size_t>(checked(x, op, where).size());
  check_host_room(x, static_cast<std::size_t>(x.nbytes()), op, where);
  return count;
}

void throw_no_host_memory(const any_array& x, const char* op, location where) {
  fail<memory_error>(error_code::out_of_memory, op, text_of(x) + ": no host memory left", where);
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
                          std::string(name(expected)) + ": use astype",
                      where);
  }
  return x;
}

any_array astype(const any_array& x, dtype to, location where) { return make_cast(x, to, where); }

any_array assigned(const any_array& x, dtype to, location where) {
  if (is_complex(x.dtype()) && !is_complex(to)) {
    fail<dtype_error>(error_code::bad_dtype, "assign",
                      std::string(name(x.dtype())) + " does not fit into " +
                          std::string(name(to)) + ": assign real(z) or abs(z)",
                      where);
  }
  return make_cast(x, to, where);
}

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
  const std::string_view cure = is_bool(x.dtype()) ? "; say any(x) or all(x)" : "";
  fail<shape_error>(error_code::shape_mismatch, "item",
                    "shape " + text_of(x.extents()) + " has " + std::to_string(x.size()) +
                        " elements, not one" + std::string(cure),
                    where);
}

void copy_shape(const any_array& x, std::span<std::int64_t> extents, location where) {
  const shape_view shape = checked(x, "shape", where).shape;
  check_rank(shape, extents.size(), "shape", where);
  std::ranges::copy(shape, extents.begin());
}

void check_rank(shape_view shape, std::size_t rank, const char* op, location where) {
  if (shape.size() == rank) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    "shape " + text_of(shape) + " has another rank than " + std::to_string(rank),
                    where);
}

void check_in_place_shape(const any_array& a, const any_array& result, const char* op) {
  const shape_view there = a.extents(), given = result.extents();
  if (there.empty() || std::ranges::equal(there, given)) return;
  fail<shape_error>(error_code::shape_mismatch, op,
                    "an array of shape " + text_of(there) + " has no room for what has shape " +
                        text_of(given) + ": write x = x " + std::string(op, 1) + " y",
                    {});
}

void throw_ragged(location where) {
  fail<shape_error>(error_code::shape_mismatch, "array", "the rows differ in length", where);
}

void throw_scalar_range(long long value, dtype type, location where) {
  fail<value_error>(error_code::bad_argument, "scalar",
                    std::to_string(value) + " is not a value of " + std::string(name(type)), where);
}

void throw_negative_power(std::int64_t exponent, location where) {
  fail<value_error>(error_code::bad_argument, "pow",
                    "integers to the power " + std::to_string(exponent) +
                        " are no integers: use float_power, or astype<double> first",
                    where);
}

}  // namespace sinter::detail
