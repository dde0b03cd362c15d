// Conversions between element types.

#include <cmath>

#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/coder.hpp"

namespace sinter::codegen::cpu {

using llvm::Type;

namespace {

Type* same_lanes(Value* v, Type* t) { return coder::with_lanes(t, lanes_of(v)); }

/// binary16 to float in integer arithmetic (Giesen, "Half to float done quick", 2012).
Value* half_to_float(coder& c, Value* v) {
  llvm::IRBuilder<>& b = c.b;
  Type* const real = same_lanes(v, b.getFloatTy());
  Type* const word = same_lanes(v, b.getInt32Ty());
  Value* const bits = b.CreateZExt(b.CreateBitCast(v, same_lanes(v, b.getInt16Ty())), word);
  Value* const size = b.CreateAnd(bits, 0x7fff);
  Value* const sign = b.CreateShl(b.CreateXor(bits, size), 16);
  Value* const moved = b.CreateAdd(b.CreateShl(size, 13), c.number(size, 112 << 23));
  Value* const beyond = b.CreateAdd(moved, c.number(size, 112 << 23));
  Value* const tiny =
      b.CreateFMul(b.CreateUIToFP(size, real), llvm::ConstantFP::get(real, 0x1p-24));
  Value* normal = b.CreateSelect(b.CreateICmpUGE(size, c.number(size, 0x7c00)), beyond, moved);
  normal = b.CreateSelect(b.CreateICmpULT(size, c.number(size, 0x400)), b.CreateBitCast(tiny, word),
                          normal);
  return b.CreateBitCast(b.CreateOr(normal, sign), real);
}

/// Float to binary16, to nearest even: subnormal results are rounded by adding 0.5.
Value* float_to_half(coder& c, Value* v) {
  llvm::IRBuilder<>& b = c.b;
  Type* const real = v->getType();
  Type* const word = same_lanes(v, b.getInt32Ty());
  Value* const bits = b.CreateBitCast(v, word);
  Value* const size = b.CreateAnd(bits, 0x7fffffff);
  Value* const sign = b.CreateLShr(b.CreateXor(bits, size), 16);
  Value* const odd = b.CreateAnd(b.CreateLShr(size, 13), 1);
  Value* const rounded = b.CreateAdd(b.CreateSub(size, c.number(size, 112 << 23)),
                                     b.CreateAdd(odd, c.number(size, 0xfff)));
  Value* const sum = b.CreateFAdd(b.CreateBitCast(size, real), llvm::ConstantFP::get(real, 0.5));
  Value* const tiny = b.CreateSub(b.CreateBitCast(sum, word), c.number(size, 0x3f000000));
  Value* const nan = b.CreateICmpUGT(size, c.number(size, 0x7f800000));
  Value* const beyond = b.CreateSelect(nan, c.number(size, 0x7e00), c.number(size, 0x7c00));
  Value* half = b.CreateSelect(b.CreateICmpUGE(size, c.number(size, 0x47800000)), beyond,
                               b.CreateLShr(rounded, 13));
  half = b.CreateSelect(b.CreateICmpULT(size, c.number(size, 0x38800000)), tiny, half);
  Value* const result = b.CreateTrunc(b.CreateOr(half, sign), same_lanes(v, b.getInt16Ty()));
  return b.CreateBitCast(result, same_lanes(v, b.getHalfTy()));
}

}  // namespace

Value* coder::widen_half(Value* v, dtype t) {
  if (t == dtype::float16) {
    return machine_.f16c ? b.CreateFPExt(v, same_lanes(v, b.getFloatTy()))
                         : half_to_float(*this, v);
  }
  Value* const wide = b.CreateZExt(v, same_lanes(v, b.getInt32Ty()));
  return b.CreateBitCast(b.CreateShl(wide, 16), same_lanes(v, b.getFloatTy()));
}

/// From float, to nearest even.
Value* coder::narrow_half(Value* v, dtype t) {
  if (t == dtype::float16) {
    return machine_.f16c ? b.CreateFPTrunc(v, same_lanes(v, b.getHalfTy()))
                         : float_to_half(*this, v);
  }
  Type* const word = same_lanes(v, b.getInt32Ty());
  Value* const bits = b.CreateBitCast(v, word);
  Value* const kept = b.CreateLShr(bits, 16);
  Value* const bias = b.CreateAdd(b.CreateAnd(kept, number(kept, 1)), number(kept, 0x7fff));
  Value* const rounded = b.CreateLShr(b.CreateAdd(bits, bias), 16);
  Value* const quiet = b.CreateOr(kept, number(kept, 0x40));
  Value* const result = b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded);
  return b.CreateTrunc(result, same_lanes(v, b.getInt16Ty()));
}

/// Rounds a double to a float whose last bit is set if anything was cut off, so that rounding once
/// more, to a half type, gives the same as rounding the double.
Value* coder::round_to_odd(Value* v) {
  Value* const near = b.CreateFPTrunc(v, same_lanes(v, b.getFloatTy()));
  Value* const back = b.CreateFPExt(near, v->getType());
  Type* const word = same_lanes(v, b.getInt32Ty());
  Value* const above = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                       b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v));
  Value* const inexact = b.CreateFCmpONE(back, v);
  Value* const cut = b.CreateAdd(b.CreateBitCast(near, word), b.CreateSExt(above, word));
  return b.CreateBitCast(b.CreateOr(cut, b.CreateZExt(inexact, word)), near->getType());
}

Value* coder::to_half(Value* v, dtype from, dtype to) {
  if (from == dtype::float64) return narrow_half(round_to_odd(v), to);
  // Integers reach half types through float, as on a GPU and in the interpreter.
  return narrow_half(cast(v, from, dtype::float32), to);
}

/// Saturates; NaN gives 0. No value out of range reaches the conversion, which would be undefined.
Value* coder::to_integer(Value* v, dtype to) {
  const int width = static_cast<int>(8 * size_of(to)), digits = width - (is_signed(to) ? 1 : 0);
  const bool single = v->getType()->getScalarType()->isFloatTy();
  const double limit = std::ldexp(1.0, digits), least = is_signed(to) ? -limit : 0.0;
  // The largest value of the float type below the limit; an integer if the type can hold limit - 1.
  const int precision = single ? 24 : 53;
  const double most = limit - (digits <= precision ? 1.0 : std::ldexp(1.0, digits - precision));
  Value* low = b.CreateSelect(b.CreateFCmpOGT(v, number(v, least)), v, number(v, least));
  Value* const held = b.CreateSelect(b.CreateFCmpOLT(low, number(v, most)), low, number(v, most));
  // The vector units convert to 32 and 64 bits only.
  Type* const wide = same_lanes(v, b.getIntNTy(static_cast<unsigned>(std::max(width, 32))));
  const bool plain = is_signed(to) || width < 32;
  Value* n = plain ? b.CreateFPToSI(held, wide) : b.CreateFPToUI(held, wide);
  n = b.CreateTrunc(n, type(to, lanes_of(v)));
  if (digits > precision) {
    const auto bits = static_cast<unsigned>(width);
    Value* const maximum =
        llvm::ConstantInt::get(n->getType(), is_signed(to) ? llvm::APInt::getSignedMaxValue(bits)
                                                           : llvm::APInt::getMaxValue(bits));
    n = b.CreateSelect(b.CreateFCmpOGE(v, number(v, limit)), maximum, n);
  }
  return b.CreateSelect(b.CreateFCmpUNO(v, v), llvm::Constant::getNullValue(n->getType()), n);
}

/// int64 to double. For vectors on machines without an instruction: the high word goes into the
/// fraction of a double near 2^84, the low one into that of a double near 2^52; the excess is
/// subtracted without rounding, and the sum is rounded once.
Value* coder::double_of(Value* v) {
  Type* const real = same_lanes(v, b.getDoubleTy());
  if (lanes_of(v) == 1 || !machine_.x86 || machine_.avx512bw) return b.CreateSIToFP(v, real);
  const auto word = [&](std::uint64_t bits) { return llvm::ConstantInt::get(v->getType(), bits); };
  Value* const high = b.CreateXor(b.CreateLShr(v, word(32)), word(0x4530000080000000));
  Value* const low = b.CreateOr(b.CreateAnd(v, word(0xffffffff)), word(0x4330000000000000));
  Value* const excess = llvm::ConstantFP::get(real, 0x1p84 + 0x1p63 + 0x1p52);
  return b.CreateFAdd(b.CreateFSub(b.CreateBitCast(high, real), excess),
                      b.CreateBitCast(low, real));
}

/// The whole part of a double in [0, 2^52), likewise.
Value* coder::whole_part(Value* v) {
  Type* const word = same_lanes(v, b.getInt64Ty());
  // Without AVX there may be no rounding instruction either.
  if (lanes_of(v) == 1 || !machine_.avx || machine_.avx512bw) return b.CreateFPToSI(v, word);
  Value* const base = llvm::ConstantFP::get(v->getType(), 0x1p52);
  Value* const moved = b.CreateFAdd(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, v), base);
  return b.CreateXor(b.CreateBitCast(moved, word), b.CreateBitCast(base, word));
}

Value* coder::cast(Value* v, dtype from, dtype to) {
  if (from == to) return v;
  if (is_half(from)) return cast(widen_half(v, from), dtype::float32, to);
  if (is_half(to)) return from == dtype::float32 ? narrow_half(v, to) : to_half(v, from, to);
  Type* const t = type(to, lanes_of(v));
  Value* const zero = llvm::Constant::getNullValue(v->getType());
  if (is_bool(to)) return is_real(from) ? b.CreateFCmpUNE(v, zero) : b.CreateICmpNE(v, zero);
  if (is_real(from)) return is_real(to) ? b.CreateFPCast(v, t) : to_integer(v, to);
  if (from == dtype::int64 && to == dtype::float64) return double_of(v);
  if (is_real(to)) return is_signed(from) ? b.CreateSIToFP(v, t) : b.CreateUIToFP(v, t);
  return b.CreateIntCast(v, t, is_signed(from));
}

Value* coder::bitcast(Value* v, dtype from, dtype to) {
  if (is_bool(from)) v = to_memory(v, from);
  v = b.CreateBitCast(v, same_lanes(v, memory_type(to)));
  return from_memory(v, to);
}

}  // namespace sinter::codegen::cpu
