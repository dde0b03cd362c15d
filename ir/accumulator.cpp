#include "ir/accumulator.hpp"

#include <cmath>
#include <cstring>

namespace sinter::ir::detail {

void accumulator::wide::add(double x) {
  const double sum = value + x;
  lost += std::abs(value) >= std::abs(x) ? (value - sum) + x : (x - sum) + value;
  value = sum;
}

double accumulator::wide::total() const {
  // Past infinity the compensation is NaN, and -0 + 0 would be 0.
  return std::isfinite(value) && lost != 0 ? value + lost : value;
}

accumulator::accumulator(op code, dtype type, bool arg, std::int64_t first)
    : code_(code), type_(type), next_(first) {
  const bool narrow = type == dtype::float32 || type == dtype::float64;
  if (arg) way_ = way::position;
  else if (code == op::add && (narrow || is_complex(type))) way_ = way::sum;
  else if (code == op::multiply && narrow) way_ = way::product;
  else way_ = way::plain;
  if (way_ == way::plain) value_ = identity_of(code, type);
  if (way_ == way::product) parts_[0].value = 1;
}

accumulator accumulator::scan(op code, dtype type) {
  accumulator a(code, type, false);
  if (a.way_ == way::sum) a.parts_[0].value = a.parts_[1].value = -0.0;
  return a;
}

template <class T>
void accumulator::add_wide(const T* values, std::int64_t n) {
  if (way_ == way::product) {
    for (std::int64_t i = 0; i < n; ++i) parts_[0].value *= static_cast<double>(values[i]);
    return;
  }
  const int parts = is_complex(type_) ? 2 : 1;
  for (std::int64_t i = 0; i < n; ++i) {
    for (int p = 0; p < parts; ++p) parts_[p].add(static_cast<double>(values[parts * i + p]));
  }
}

void accumulator::add_position(const void* values, std::int64_t n) {
  const strip_function combine = strip_of(code_, type_), differ = strip_of(op::not_equal, type_);
  const auto* bytes = static_cast<const std::byte*>(values);
  for (std::int64_t i = 0; i < n; ++i, ++next_) {
    scalar_value x;
    std::memcpy(x.bits, bytes + i * static_cast<std::int64_t>(size_of(type_)), size_of(type_));
    if (best_ < 0) {
      best_ = next_;
      value_ = x;
      continue;
    }
    scalar_value both;
    bool better = false, nan = false;
    const void* pair[] = {value_.bits, x.bits};
    combine(both.bits, pair, 1);
    const void* change[] = {both.bits, value_.bits};
    differ(&better, change, 1);
    // NaN differs from itself, but the first one stays.
    const void* self[] = {value_.bits, value_.bits};
    differ(&nan, self, 1);
    if (!better || nan) continue;
    best_ = next_;
    value_ = both;
  }
}

void accumulator::add(const void* values, std::int64_t n) {
  if (way_ == way::position) return add_position(values, n);
  if (way_ != way::plain) {
    if (real_of(type_) == dtype::float32) add_wide(static_cast<const float*>(values), n);
    else add_wide(static_cast<const double*>(values), n);
    return;
  }
  const strip_function combine = strip_of(code_, type_);
  const auto* bytes = static_cast<const std::byte*>(values);
  for (std::int64_t i = 0; i < n; ++i) {
    const void* args[] = {value_.bits, bytes + i * static_cast<std::int64_t>(size_of(type_))};
    combine(value_.bits, args, 1);
  }
}

scalar_value accumulator::result() const {
  if (way_ == way::plain) return value_;
  if (way_ == way::position) return scalar_of(best_ < 0 ? std::int64_t{0} : best_);
  const dtype part = real_of(type_);
  // A product has no compensation, and -0 + 0 would be 0.
  const double first = way_ == way::product ? parts_[0].value : parts_[0].total();
  const scalar_value re = convert(scalar_of(first), dtype::float64, part);
  if (!is_complex(type_)) return re;
  const scalar_value im = convert(scalar_of(parts_[1].total()), dtype::float64, part);
  scalar_value both = re;
  std::memcpy(reinterpret_cast<std::byte*>(both.bits) + size_of(part), im.bits, size_of(part));
  return both;
}

}  // namespace sinter::ir::detail
