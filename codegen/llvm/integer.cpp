// Integer division and powers, which have no vector instructions.

#include <string>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {

using llvm::Type;

namespace {

/// In doubles if all lanes are below 2^53, where a quotient never rounds up to the next integer;
/// else lane by lane. A million by numbers up to 1000: 1.02 ms lane by lane, 0.44 in doubles.
void write_wide_quotient(coder& c, llvm::Function* f, bool has_sign) {
  llvm::IRBuilder<>& b = c.b;
  Value *const a = f->getArg(0), *const d = f->getArg(1);
  auto* const near = llvm::BasicBlock::Create(b.getContext(), "near", f);
  auto* const far = llvm::BasicBlock::Create(b.getContext(), "far", f);
  const auto size = [&](Value* x) -> Value* {
    return has_sign ? b.CreateXor(x, b.CreateAShr(x, 63)) : x;
  };
  Value* const sizes = b.CreateOr(size(a), size(d));
  Value* const large = b.CreateICmpUGE(sizes, c.number(a, std::int64_t{1} << 53));
  b.CreateCondBr(b.CreateOrReduce(large), far, near);
  b.SetInsertPoint(near);
  Type* const real = c.type(dtype::float64, lanes_of(a));
  const auto double_of = [&](Value* x) {
    return has_sign ? b.CreateSIToFP(x, real) : b.CreateUIToFP(x, real);
  };
  b.CreateRet(b.CreateFPToSI(b.CreateFDiv(double_of(a), double_of(d)), a->getType()));
  b.SetInsertPoint(far);
  b.CreateRet(has_sign ? b.CreateSDiv(a, d) : b.CreateUDiv(a, d));
}

}  // namespace

/// Division by zero gives 0, and that of the most negative number by -1 wraps.
Value* coder::quotient(Value* a, Value* d, dtype t) {
  Type* const word = a->getType();
  const int lanes = lanes_of(a);
  Value* const zero = number(a, 0);
  Value* const one = number(a, 1);
  Value* const none = b.CreateICmpEQ(d, zero);
  Value* const minus = is_signed(t) ? b.CreateICmpEQ(d, llvm::Constant::getAllOnesValue(word))
                                    : static_cast<Value*>(b.getFalse());
  Value* const skip = is_signed(t) ? b.CreateOr(none, minus) : none;
  Value* const safe = b.CreateSelect(skip, one, d);
  Value* q = nullptr;
  if (lanes > 1 && size_of(t) == 8 && machine().avx512f) {
    const std::string name = std::string(is_signed(t) ? "quotient.i64.x" : "quotient.u64.x");
    auto* const type = llvm::FunctionType::get(word, {word, word}, false);
    llvm::Function* const f =
        helper(name + std::to_string(lanes), type,
               [&](llvm::Function* self) { write_wide_quotient(*this, self, is_signed(t)); });
    q = b.CreateCall(f, {a, safe});
  } else if (lanes == 1 || size_of(t) == 8) {
    q = is_signed(t) ? b.CreateSDiv(a, safe) : b.CreateUDiv(a, safe);
  } else {
    // Exact: a quotient of integers below 2^24 (2^53) is never rounded up to the next integer.
    const dtype real = size_of(t) <= 2 ? dtype::float32 : dtype::float64;
    Type* const wide = type(real, lanes);
    Value* const x = is_signed(t) ? b.CreateSIToFP(a, wide) : b.CreateUIToFP(a, wide);
    Value* const y = is_signed(t) ? b.CreateSIToFP(safe, wide) : b.CreateUIToFP(safe, wide);
    Type* const whole = size_of(t) <= 2 ? with_lanes(b.getInt32Ty(), lanes) : word;
    Value* const ratio = b.CreateFDiv(x, y);
    q = t == dtype::uint32 ? b.CreateFPToUI(ratio, whole) : b.CreateFPToSI(ratio, whole);
    q = b.CreateTrunc(q, word);
  }
  if (is_signed(t)) q = b.CreateSelect(minus, b.CreateNeg(a), q);
  return b.CreateSelect(none, zero, q);
}

/// Floor division; division by zero gives 0.
Value* coder::floor_quotient(Value* a, Value* d, dtype t) {
  Value* const q = quotient(a, d, t);
  if (!is_signed(t)) return q;
  Value* const zero = number(a, 0);
  Value* const left = b.CreateSub(a, b.CreateMul(q, d));
  Value* const apart = b.CreateICmpSLT(b.CreateXor(left, d), zero);
  Value* const above = b.CreateAnd(b.CreateICmpNE(left, zero), apart);
  Value* const below = b.CreateAdd(q, b.CreateSExt(above, a->getType()));
  return b.CreateSelect(b.CreateICmpEQ(d, zero), zero, below);
}

/// The remainder of floor division, with the sign of the divisor; division by zero gives 0.
Value* coder::modulus(Value* a, Value* d, dtype t) {
  Value* const zero = number(a, 0);
  Value* const left = b.CreateSub(a, b.CreateMul(quotient(a, d, t), d));
  Value* const m = b.CreateSelect(b.CreateICmpEQ(d, zero), zero, left);
  if (!is_signed(t)) return m;
  Value* const apart = b.CreateXor(b.CreateICmpSLT(d, zero), b.CreateICmpSLT(m, zero));
  Value* const below = b.CreateAnd(b.CreateICmpNE(m, zero), apart);
  return b.CreateSelect(below, b.CreateAdd(m, d), m);
}

namespace {

Value* any_lane(coder& c, Value* v) { return lanes_of(v) == 1 ? v : c.b.CreateOrReduce(v); }

/// base ** exponent by squaring, for exponents taken as unsigned.
void write_power(coder& c, llvm::Function* f) {
  llvm::IRBuilder<>& b = c.b;
  Value* const base = f->getArg(0);
  Type* const word = base->getType();
  flow loops(b, f);
  const variable square = loops.make(word, "square");
  const variable rest = loops.make(word, "rest");
  const variable result = loops.make(word, "result");
  square.set(b, base);
  rest.set(b, f->getArg(1));
  result.set(b, c.number(base, 1));
  llvm::BasicBlock* const loop = loops.block("loop");
  llvm::BasicBlock* const done = loops.block("done");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  Value* const s = square.get(b);
  Value* const e = rest.get(b);
  Value* const odd = b.CreateTrunc(e, coder::with_lanes(b.getInt1Ty(), lanes_of(e)));
  result.set(b, b.CreateSelect(odd, b.CreateMul(result.get(b), s), result.get(b)));
  square.set(b, b.CreateMul(s, s));
  Value* const left = b.CreateLShr(e, 1);
  rest.set(b, left);
  b.CreateCondBr(any_lane(c, b.CreateICmpNE(left, c.number(left, 0))), loop, done);
  b.SetInsertPoint(done);
  b.CreateRet(result.get(b));
  loops.promote();
}

}  // namespace

Value* coder::power(Value* base, Value* exponent, dtype t) {
  Type* const word = base->getType();
  const std::string name =
      "power.i" + std::to_string(8 * size_of(t)) + ".x" + std::to_string(lanes_of(base));
  llvm::Function* const f = helper(name, llvm::FunctionType::get(word, {word, word}, false),
                                   [&](llvm::Function* self) { write_power(*this, self); });
  Value* const whole = b.CreateCall(f, {base, exponent});
  if (!is_signed(t)) return whole;
  // Only 1 and -1 have inverses that are integers; their powers repeat with period 2.
  Value* const odd = b.CreateICmpNE(b.CreateAnd(exponent, number(base, 1)), number(base, 0));
  Value* const minus = b.CreateICmpEQ(base, number(base, -1));
  Value* const unit = b.CreateOr(minus, b.CreateICmpEQ(base, number(base, 1)));
  Value* const sign = b.CreateSelect(b.CreateAnd(minus, odd), number(base, -1), number(base, 1));
  Value* const inverse = b.CreateSelect(unit, sign, number(base, 0));
  return b.CreateSelect(b.CreateICmpSLT(exponent, number(base, 0)), inverse, whole);
}

}  // namespace sinter::codegen::cpu
