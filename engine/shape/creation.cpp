#include <cmath>

#include <sinter/creation.hpp>
#include <sinter/operators.hpp>

#include "engine/nodes/node.hpp"
#include "engine/nodes/report.hpp"

namespace sinter::detail {
namespace {

array<std::int64_t> iota(std::int64_t count, std::string_view op, location where) {
  const std::int64_t shape[] = {count};
  check_shape(shape, dtype::int64, op, where);
  return array<std::int64_t>(make_iota(shape, where));
}

template <class E>
any_array recorded_as(E&& e, dtype type, location where) {
  return make_cast(record_expression(std::forward<E>(e), where), type, where);
}

}  // namespace

any_array full(shape_view shape, dtype type, const scalar_word& value, std::string_view op,
               location where) {
  check_shape(shape, type, op, where);
  return make_broadcast(make_scalar(value, type, where), shape, op, where);
}

any_array from_scalar(const scalar_word& value, dtype type, location where) {
  return make_scalar(value, type, where);
}

any_array arange(dtype type, std::int64_t start, std::uint64_t count, std::int64_t step,
                 location where) {
  const auto i = iota(static_cast<std::int64_t>(count), "arange", where);
  if (start == 0 && step == 1) return make_cast(i, type, where);
  return recorded_as(i * step + start, type, where);
}

any_array arange(dtype type, double start, double stop, double step, location where) {
  if (step == 0) throw_zero_step(where);
  const double count = std::ceil((stop - start) / step);
  if (!(count < 0x1p62)) {
    fail<value_error>(error_code::bad_argument, "arange", "the range has no finite length", where);
  }
  const auto i = iota(count > 0 ? static_cast<std::int64_t>(count) : 0, "arange", where);
  return recorded_as(astype<double>(i) * step + start, type, where);
}

any_array linspace(dtype type, double start, double stop, std::int64_t count, bool endpoint,
                   location where) {
  if (count < 0) {
    fail<value_error>(error_code::bad_argument, "linspace",
                      "a count of " + std::to_string(count) + " is negative", where);
  }
  const auto i = iota(count, "linspace", where);
  const std::int64_t steps = endpoint ? count - 1 : count;
  const double step = steps > 0 ? (stop - start) / static_cast<double>(steps) : 0;
  // The last value must be exactly `stop`.
  const std::int64_t last = endpoint && count > 1 ? count - 1 : -1;
  array<double> x(sinter::where(i == last, stop, astype<double>(i) * step + start), where);
  if (is_integer(type)) x = sinter::floor(x);
  return make_cast(x, type, where);
}

any_array eye(dtype type, std::int64_t rows, std::int64_t columns, std::int64_t k,
              location where) {
  const std::int64_t shape[] = {rows, columns};
  check_shape(shape, type, "eye", where);
  const array<std::int64_t> row(make_view(iota(rows, "eye", where), shape, {0, {1, 0}}, where));
  const array<std::int64_t> column(
      make_view(iota(columns, "eye", where), shape, {0, {0, 1}}, where));
  return recorded_as(column - row == k, type, where);
}

void throw_zero_step(location where) {
  fail<value_error>(error_code::bad_argument, "arange", "the step is 0", where);
}

}  // namespace sinter::detail
