#pragma once
// Builds the body of a loop in a kernel from the program of a loop node.
//
// Why: a loop's values are numbered apart, and only its inputs and outputs belong to the kernel
// around it. What the condition needs is emitted first, so that a round that does not happen
// computes and reads nothing more.

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "ir/passes/emit_op.hpp"

namespace sinter::ir {

class loop_body {
 public:
  explicit loop_body(const node& loop);

  /// The inputs in order: a value of the kernel's body (`code`), ...
  void input(const std::vector<inst>& code, parts value);
  /// ... then operands of which one slice is read per round, `distance` apart (a value; -1: one
  /// element) along what the loop node says.
  void slice(const std::vector<inst>& code, std::int32_t operand, std::int32_t distance);
  /// Stores result `which` of every round, `distance` apart.
  void emit(const std::vector<inst>& code, std::size_t which, std::int32_t operand,
            std::int32_t distance);

  /// The operand of the next write to a table; each stores one element. REQUIRES: after all slices.
  void table_store(std::int32_t operand);

  /// Appends the loop, number `which` of the kernel, to its body; `guard`: the condition under
  /// which it runs, or -1. Returns the final values of the carries.
  std::vector<parts> write(std::vector<inst>& code, std::int32_t guard, std::int32_t which);
  loop_code take() { return std::move(out_); }
  /// The ops, for kernel names and reports.
  std::vector<std::string> ops() const;

 private:
  struct access {
    std::int32_t operand;
    std::optional<std::size_t> distance;  // which of the givens; none: one element
    int by;                // the program value it is multiplied by
    dtype type;
    std::size_t result = 0;  // of a store
    int value = -1;          // the value stored; -1: the result
  };

  std::size_t give(const std::vector<inst>& code, std::int32_t value);
  parts place(inst_kind kind, std::size_t which, dtype type);
  void write_body();
  std::vector<char> decides() const;
  void write_code(const std::vector<char>& wanted);
  void write_tables();
  void compute(std::size_t instruction);
  parts ready(int value);
  parts read(const access&);
  void store(const access&);
  std::int32_t distance(const access&);
  std::int32_t push(const inst& i);

  const node& n_;
  loop_code out_;
  std::vector<std::int32_t> first_, given_;  // values of the kernel's body
  std::vector<parts> carried_;               // per carry: its parts among all parts of carries
  std::vector<parts> values_;                // per value of the program; {-1, -1}: not yet
  std::vector<access> slices_, stores_, table_stores_;
  std::size_t next_ = 0;                     // the next input
  std::size_t next_value_ = 0;
};

}  // namespace sinter::ir
