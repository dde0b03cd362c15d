#pragma once
// The array that a named expression was recorded as. `const auto a = ...;` is an operand wherever
// the name is used, and copying it there copies all its arrays: fifty operations in three named
// steps read ninety arrays instead of two. Large expressions are therefore recorded once, when they
// first become an operand, and are one array to every statement that names them.

#include <sinter/any_array.hpp>

namespace sinter::detail {

/// Expressions of up to this many arrays are copied, which is as cheap as a node.
inline constexpr int copied_arrays = 4;

/// Owns a reference to the node and belongs to one object: copies of an expression, and the target
/// of a move, begin without one. Thread safety: all functions, from any thread.
class operand_memo {
 public:
  operand_memo() = default;
  operand_memo(const operand_memo&) noexcept {}
  operand_memo& operator=(const operand_memo&) noexcept {
    forget();
    return *this;
  }
  ~operand_memo() { forget(); }

  /// Returns no array before the first keep().
  any_array get() const noexcept;
  /// Stores x unless another thread was first; returns the stored array. Only the expression holds
  /// it, so holding it is no reason to materialise its value.
  any_array keep(any_array x) const noexcept;

 private:
  void forget() noexcept {
    if (node_) release(std::exchange(node_, nullptr));
  }

  mutable node* node_ = nullptr;  // read and written atomically: no <atomic> in a public header
};

/// Replaces the memo where expressions are copied. A distinct type per expression, because equal
/// empty members need distinct addresses.
template <class E>
struct no_memo {};

/// A named expression that could not be recorded. It is recorded again, and throws, with the
/// statement that uses it, whose location the error names.
struct unrecorded {
  virtual ~unrecorded() = default;
  virtual any_array record(location where) const = 0;
};

}  // namespace sinter::detail
