#pragma once
// One running reduction of the interpreter; order and precision are documented in
// ir/interpreter.hpp.

#include <cstdint>

#include "ir/reference.hpp"

namespace sinter::ir::detail {

class accumulator {
 public:
  /// `first` is the position of the first value that will be added; `arg` asks for a position.
  accumulator(op code, dtype type, bool arg, std::int64_t first = 0);

  /// For a scan: the first value passes through unchanged, -0 too.
  static accumulator scan(op code, dtype type);

  /// Combines `n` dense values.
  void add(const void* values, std::int64_t n);

  /// A value of the type, or an int64 position.
  scalar_value result() const;

 private:
  /// Neumaier's running sum, or a plain running product.
  struct wide {
    double value = 0, lost = 0;
    void add(double x);
    double total() const;
  };
  enum class way : std::uint8_t { sum, product, position, plain };

  template <class T>
  void add_wide(const T* values, std::int64_t n);
  void add_position(const void* values, std::int64_t n);

  op code_;
  dtype type_;
  way way_;
  scalar_value value_;  // plain: the result; position: the extremum so far
  wide parts_[2];       // sum and product: real and imaginary part
  std::int64_t next_ = 0, best_ = -1;
};

}  // namespace sinter::ir::detail
