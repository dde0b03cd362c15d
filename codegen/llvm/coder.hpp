#pragma once
// Emits arithmetic: one value at a time, for any number of lanes.
//
// A value of one lane is an LLVM scalar, of more a vector. In registers bool is i1, float16 is half
// and bfloat16 is i16; in memory bool is a byte.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/host.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cpu {

using llvm::Value;

/// Copies, slots and instructions count in int; containers do not.
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The number of lanes of a value.
int lanes_of(const Value*);

/// void* (std::int64_t which, std::int64_t bytes), provided by the object loader.
inline constexpr std::string_view thread_memory_name = "sinter_thread_memory";

class coder {
 public:
  using operands = std::span<Value* const>;

  coder(llvm::Module&, const host&);

  llvm::IRBuilder<> b;

  llvm::Module& module() const { return module_; }
  const host& machine() const { return machine_; }

  /// The register type of a dtype; never complex, whose parts are separate values.
  llvm::Type* type(dtype, int lanes = 1);
  /// The type of one element in memory; for complex types, of one part.
  llvm::Type* memory_type(dtype);
  static llvm::Type* with_lanes(llvm::Type*, int lanes);

  Value* constant(dtype, std::uint64_t bits);
  Value* integer(std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); }
  Value* times(Value* a, Value* b);
  /// 0, 1, 2, ... as integers of `bits`.
  llvm::Constant* iota(unsigned bits, int lanes, int step = 1, int start = 0);
  /// A floating-point number or integer in the type of `like`.
  llvm::Constant* number(const Value* like, double value);

  /// Broadcasts one lane to `lanes`. The broadcast is placed where the value is, outside of loops.
  Value* spread(Value*, int lanes);
  /// Lanes [first, first + count) of a vector; lanes past its end are zero.
  Value* slice(Value*, int first, int count);
  /// Concatenates vectors.
  Value* join(std::span<Value* const>);
  Value* lane(Value*, int index);

  Value* from_memory(Value*, dtype);
  Value* to_memory(Value*, dtype);

  Value* cast(Value*, dtype from, dtype to);
  Value* double_of(Value* int64);
  Value* whole_part(Value* real);
  Value* bitcast(Value*, dtype from, dtype to);

  /// Announces the next kernel, so that formulas of few functions are inlined.
  void expect(const ir::kernel&);
  /// One row of the op table. Throws compile_error for an op that should have been expanded.
  Value* apply(ir::op, dtype type, dtype result, operands args);

  /// The identity of a reduction.
  Value* identity(ir::op, dtype);
  /// What a scan starts from: its first element passes through unchanged, -0 too.
  Value* neutral(ir::op, dtype);
  /// A reduction's op on two values.
  Value* combine(ir::op, dtype, Value* a, Value* b);
  /// minimum or maximum of floats.
  Value* extremum(ir::op, Value* a, Value* b);
  Value* either_but_sign(Value* first, Value* second);

  /// See ir/kernel.hpp; `result` is uint32 or uint64.
  Value* random(Value* counter, Value* key, dtype result);

  /// A function of the module's own, emitted on first use by `write` into its empty first block.
  llvm::Function* helper(std::string_view name, llvm::FunctionType*,
                         const std::function<void(llvm::Function*)>& write);
  /// A name for one that handles vectors: "scatter.32f16".
  static std::string helper_name(std::string_view what, llvm::Type* element, int lanes);
  /// An external function.
  llvm::FunctionCallee external(std::string_view name, llvm::FunctionType*, bool pure = true);
  void set_attributes(llvm::Function&) const;

  /// Memory of the calling thread, aligned to 64 bytes and kept for the thread's lifetime, of
  /// number `which`: for what would take much of its stack. Other kernels may use it afterwards.
  Value* thread_memory(int which, std::int64_t bytes);

  /// SLEEF's function or a better one within 2 ulp (codegen/llvm/math.cpp); and SLEEF's own.
  Value* call_sleef(std::string_view name, dtype, operands);
  Value* plain_sleef(std::string_view name, dtype, operands);
  /// The faster function of glibc, if it has one; else null.
  Value* call_glibc(std::string_view name, dtype, operands);
  /// SLEEF's sine, cosine or tangent; for small angles that of a row of the op table.
  Value* call_periodic(std::string_view name, std::optional<ir::op> near, dtype, Value* angle);
  /// The formula of a row of the op table, inlined or in a function of its own.
  Value* call_formula(ir::op, dtype, operands);
  /// libm's function for each lane, or a better one; and libm's own.
  Value* call_libm(std::string_view name, dtype, operands);
  Value* plain_libm(std::string_view name, dtype, operands);
  Value* quotient(Value* a, Value* b, dtype);
  Value* floor_quotient(Value* a, Value* b, dtype);
  Value* modulus(Value* a, Value* b, dtype);
  Value* power(Value* base, Value* exponent, dtype);
  /// x times 2 to the power k, by an instruction or by a row's formula.
  Value* scaled(Value* x, Value* k, ir::op row, dtype);

 private:
  /// The expansion of an op into rows that have an instruction: its operands, then instructions.
  struct formula {
    std::vector<ir::inst> body;
    std::int32_t result;
  };
  static formula formula_of(ir::op, dtype, std::size_t operands);
  Value* write_out(const formula&, operands);
  /// Calls a function of `native` lanes as often as the lanes of `args` need.
  Value* in_vectors(std::string_view symbol, int native, operands args);
  Value* widen_half(Value*, dtype);
  Value* narrow_half(Value*, dtype);
  Value* to_half(Value*, dtype from, dtype to);
  Value* round_to_odd(Value*);
  Value* to_integer(Value*, dtype to);

  llvm::Module& module_;
  const host& machine_;
  bool in_place_ = false;  // inline formulas
  llvm::DenseMap<std::pair<Value*, int>, Value*> spread_;
};

}  // namespace sinter::codegen::cpu
