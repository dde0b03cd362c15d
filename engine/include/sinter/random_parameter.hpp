#pragma once
// Parameters of distributions: included by <sinter/random.hpp>.

#include <optional>

#include <sinter/arguments.hpp>

namespace sinter::detail {

template <element T>
inline constexpr bool is_real_float = is_real(dtype_of<T>);

}  // namespace sinter::detail

namespace sinter::random {

/// A parameter of a distribution: a number, or an array of real numbers, one per element.
class parameter {
 public:
  template <class V>
    requires(std::is_arithmetic_v<V>)
  parameter(V v) : number_(static_cast<double>(v)) {}
  parameter(any_array x) : is_number_(false), array_(std::move(x)) {}
  template <detail::expression X>
  parameter(X&& x, location where = location::current())
      : is_number_(false), array_(detail::to_any(std::forward<X>(x), where)) {}

  bool is_number() const { return is_number_; }
  double number() const { return number_; }
  const any_array& values() const { return array_; }

 private:
  bool is_number_ = true;
  double number_ = 0;
  any_array array_;
};

/// The same for integers, which must be exact.
template <element T>
class integer_parameter {
 public:
  integer_parameter(T v) : number_(v) {}
  integer_parameter(array<T> x) : is_number_(false), array_(std::move(x)) {}
  template <detail::expression X>
    requires(std::integral<detail::value_of<X>>)
  integer_parameter(X&& x, location where = location::current())
      : is_number_(false),
        array_(detail::astype(detail::to_any(std::forward<X>(x), where), dtype_of<T>, where)) {}

  bool is_number() const { return is_number_; }
  T number() const { return number_; }
  const any_array& values() const { return array_; }

 private:
  bool is_number_ = true;
  T number_ = 0;
  any_array array_;
};

/// The requested shape of a result, if the operands do not determine it.
class asked_shape {
 public:
  asked_shape() = default;
  asked_shape(std::initializer_list<std::int64_t> v) : given_(true), values_(v) {}
  asked_shape(int_list v) : given_(true), values_(std::move(v)) {}
  template <std::integral I> asked_shape(I v) : given_(true), values_(v) {}
  bool given() const { return given_; }
  shape_view values() const { return values_; }

 private:
  bool given_ = false;
  int_list values_;
};

}  // namespace sinter::random
