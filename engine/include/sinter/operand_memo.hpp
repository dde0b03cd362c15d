#pragma once
// What an expression with a name was recorded as. `const auto a = ...;` is an operand wherever the
// name stands, and a copy of it there copies all its arrays: fifty operations in three named steps
// read ninety arrays, where two were meant. Large expressions are recorded once instead, when
// they first become an operand, and are one array to every statement that names them.

#include <sinter/any_array.hpp>

namespace sinter::detail {

/// Expressions of up to so many arrays are copied: that is as cheap as a node.
inline constexpr int copied_arrays = 4;

/// Owns a reference to the node. It belongs to one object: copies of an expression, and what an
/// expression is moved into, begin without one. Thread safety: all of it, from any thread.
class operand_memo {
 public:
  operand_memo() = default;
  operand_memo(const operand_memo&) noexcept {}
  operand_memo& operator=(const operand_memo&) noexcept {
    forget();
    return *this;
  }
  ~operand_memo() { forget(); }

  /// No array before the first keep().
  any_array get() const noexcept;
  /// Keeps x unless another thread was first; returns what is kept. The array is nobody's but the
  /// expression's: that it is held is no reason to store its value.
  any_array keep(any_array x) const noexcept;

 private:
  void forget() noexcept {
    if (node_) release(std::exchange(node_, nullptr));
  }

  mutable node* node_ = nullptr;  // read and written atomically: no <atomic> in a public header
};

/// In the place of a memo, where copying does. A type for each expression: equal empty members
/// need addresses of their own.
template <class E>
struct no_memo {};

/// A named expression that could not be recorded. It is recorded again, and throws, with the
/// statement it is part of, whose place the error is to name.
struct unrecorded {
  virtual ~unrecorded() = default;
  virtual any_array record(location where) const = 0;
};

}  // namespace sinter::detail
