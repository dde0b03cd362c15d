#pragma once
// The body of a loop in a kernel, from the program of a loop node.
//
// Why: a loop's values live in numbers of their own, and only what goes in and comes out belongs to
// the kernel around it. What the condition needs is written first, so a round that does not happen
// computes nothing more and reads nothing.

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "ir/passes/emit_op.hpp"

namespace sinter::ir {

class loop_body {
 public:
  explicit loop_body(const node& loop);

  /// The inputs in their order: a value of the kernel's body (`code`), ...
  void input(const std::vector<inst>& code, parts value);
  /// ... then operands that are read a slice a round, `distance` (a value; -1: one element) apart:
  /// the loop says which.
  void slice(const std::vector<inst>& code, std::int32_t operand, std::int32_t distance);
  /// Result `which` of every round is stored, `distance` apart.
  void emit(const std::vector<inst>& code, std::size_t which, std::int32_t operand,
            std::int32_t distance);

  /// Where the next write to a table goes; an element for each. REQUIRES: after all slices.
  void table_store(std::int32_t operand);

  /// Appends the loop, number `which` of the kernel, to its body; `guard`: where it runs, or -1.
  /// What the carries come to.
  std::vector<parts> write(std::vector<inst>& code, std::int32_t guard, std::int32_t which);
  loop_code take() { return std::move(out_); }
  /// The ops, for names and reports.
  std::vector<std::string> ops() const;

 private:
  struct access {
    std::int32_t operand;
    std::optional<std::size_t> distance;  // which given; none: one element
    int by;                // which value of the program it is multiplied by
    dtype type;
    std::size_t result = 0;  // of a store
    int value = -1;          // that is stored; -1: the result
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
  std::vector<parts> carried_;               // by carry: places among the parts of carries
  std::vector<parts> values_;                // by value of the program; {-1, -1}: not yet
  std::vector<access> slices_, stores_, table_stores_;
  std::size_t next_ = 0;                     // input
  std::size_t next_value_ = 0;
};

}  // namespace sinter::ir
