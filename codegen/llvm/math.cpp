// Where SLEEF 3.5 misses 2 ulp (gamma and lgamma: 4) or a special value, and how that is repaired;
// the numbers are from bench/ulp. And where libm is slow.

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

using operands = coder::operands;

bool is_single(dtype t) { return t == dtype::float32; }

Value* absolute(coder& c, Value* v) { return c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); }
Value* with_sign(coder& c, Value* size, Value* sign) {
  return c.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, sign);
}

Value* multiply_add(coder& c, Value* a, Value* b, Value* d) {
  // Without the instruction, an fma is a call per lane; one more rounding does no harm here.
  if (!c.machine().fma) return c.b.CreateFAdd(c.b.CreateFMul(a, b), d);
  return c.b.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, d});
}

/// v times e, with e in two parts.
Value* times_e(coder& c, Value* v, dtype t) {
  constexpr long double e = std::numbers::e_v<long double>;
  const double high = is_single(t) ? static_cast<float>(e) : static_cast<double>(e);
  const double low = is_single(t) ? static_cast<double>(e - high) : 1.4456468917292502e-16;
  return multiply_add(c, v, c.number(v, high), c.b.CreateFMul(v, c.number(v, low)));
}

/// sinh and cosh return infinity a little before they overflow (float64: from 710 on, float32: from
/// 89): there the result is e times the function of an argument smaller by one.
Value* grow(coder& c, std::string_view name, dtype t, operands args) {
  Value* const x = args[0];
  Value* const far = c.b.CreateFCmpOGT(absolute(c, x), c.number(x, is_single(t) ? 88 : 709));
  Value* const nearer = c.b.CreateFSub(x, with_sign(c, c.number(x, 1), x));
  Value* const from = c.b.CreateSelect(far, nearer, x);
  Value* const y = c.plain_sleef(name, t, {&from, 1});
  return c.b.CreateSelect(far, times_e(c, y, t), y);
}

/// The root of two squares, scaled by a power of two where these would leave the range: 1.16 ulp.
/// SLEEF's takes seven times as long (magnitudes of 0.5M complex64: 1.1 ms of a thread, 0.15 so).
Value* length(coder& c, std::string_view, dtype t, operands args) {
  const bool single = is_single(t);
  Value *const x = absolute(c, args[0]), *const y = absolute(c, args[1]);
  const auto number = [&](double v) { return c.number(x, v); };
  Value* const most = c.b.CreateSelect(c.b.CreateFCmpOGT(x, y), x, y);
  Value* const large = c.b.CreateFCmpOGT(most, number(single ? 0x1p62 : 0x1p500));
  Value* const small = c.b.CreateFCmpOLT(most, number(single ? 0x1p-60 : 0x1p-400));
  const auto scale = [&](double down, double up) {
    return c.b.CreateSelect(large, number(down),
                            c.b.CreateSelect(small, number(up), number(1)));
  };
  Value* const by = single ? scale(0x1p-66, 0x1p86) : scale(0x1p-600, 0x1p600);
  Value* const back = single ? scale(0x1p66, 0x1p-86) : scale(0x1p600, 0x1p-600);
  Value *const a = c.b.CreateFMul(x, by), *const b = c.b.CreateFMul(y, by);
  Value* const squares = multiply_add(c, a, a, c.b.CreateFMul(b, b));
  Value* const root = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, squares);
  Value* const inf = number(std::numeric_limits<double>::infinity());
  Value* const infinite =
      c.b.CreateOr(c.b.CreateFCmpOEQ(x, inf), c.b.CreateFCmpOEQ(y, inf));
  return c.b.CreateSelect(infinite, inf, c.b.CreateFMul(root, back));
}

/// exp does the same in float64, from 709.782711 on.
Value* grow_exp(coder& c, std::string_view name, dtype t, operands args) {
  if (is_single(t)) return c.plain_sleef(name, t, args);
  Value* const x = args[0];
  Value* const far = c.b.CreateFCmpOGT(x, c.number(x, 709));
  Value* const from = c.b.CreateSelect(far, c.b.CreateFSub(x, c.number(x, 1)), x);
  Value* const y = c.plain_sleef(name, t, {&from, 1});
  return c.b.CreateSelect(far, times_e(c, y, t), y);
}

/// log1p returns infinity from 1e38 (float64: 1e307) on: there it is log(x / 2^n) + n log 2.
Value* log_one_plus(coder& c, std::string_view name, dtype t, operands args) {
  Value* const x = args[0];
  const int n = is_single(t) ? 32 : 64;
  Value* const far = c.b.CreateFCmpOGT(x, c.number(x, is_single(t) ? 0x1p100 : 0x1p1000));
  Value* const small = c.b.CreateFMul(x, c.number(x, std::ldexp(1.0, -n)));
  Value* const from = c.b.CreateSelect(far, small, x);
  Value* const y = c.plain_sleef(name, t, {&from, 1});
  return c.b.CreateSelect(far, c.b.CreateFAdd(y, c.number(y, n * std::numbers::ln2)), y);
}

/// Selects the lanes where SLEEF's y is not good enough, and computes better values for them.
using choose = Value* (*)(coder&, dtype, Value* x, Value* y);
using improve = Value* (*)(coder&, std::string_view name, dtype, Value* x, Value* y);

/// A function of its own, which takes the slow path only if some lane needs it.
Value* with_detour(coder& c, std::string_view name, dtype t, Value* x, choose slow,
                   improve better) {
  llvm::Type* const type = x->getType();
  const std::string label =
      std::string(name) + (is_single(t) ? ".f32.x" : ".f64.x") + std::to_string(lanes_of(x));
  llvm::Function* const f =
      c.helper(label, llvm::FunctionType::get(type, {type}, false), [&](llvm::Function* self) {
        flow loops(c.b, self);
        Value* const a = self->getArg(0);
        Value* const y = c.plain_sleef(name, t, {&a, 1});
        const variable result = loops.make(type, "result");
        result.set(c.b, y);
        Value* const lanes = slow(c, t, a, y);
        Value* const any = lanes_of(lanes) == 1 ? lanes : c.b.CreateOrReduce(lanes);
        loops.when(any, "detour",
                   [&] { result.set(c.b, c.b.CreateSelect(lanes, better(c, name, t, a, y), y)); });
        c.b.CreateRet(result.get(c.b));
        loops.promote();
      });
  return c.b.CreateCall(f, {x});
}

/// asinh and acosh return infinity from the square root of the largest number on: there they are
/// log |x| + log 2.
Value* area(coder& c, std::string_view name, dtype t, operands args) {
  const choose far = [](coder& d, dtype u, Value* x, Value*) {
    return d.b.CreateFCmpOGT(absolute(d, x), d.number(x, is_single(u) ? 0x1p60 : 0x1p500));
  };
  const improve logarithm = [](coder& d, std::string_view which, dtype u, Value* x, Value* y) {
    Value* const size = absolute(d, x);
    Value* const l =
        d.b.CreateFAdd(d.plain_sleef("log_u10", u, {&size, 1}), d.number(x, std::numbers::ln2));
    // acosh of a negative number is NaN.
    if (which == "acosh_u10") {
      return d.b.CreateSelect(d.b.CreateFCmpOGT(x, d.number(x, 0)), l, y);
    }
    return with_sign(d, l, x);
  };
  return with_detour(c, name, t, args[0], far, logarithm);
}

/// gamma where it underflows: a zero with the sign of the function there, NaN for integers.
Value* vanished_gamma(coder& c, Value* x) {
  Value* const whole = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  Value* const half = c.b.CreateFMul(whole, c.number(x, 0.5));
  Value* const even =
      c.b.CreateFCmpOEQ(c.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, half), half);
  Value* const zero = c.b.CreateSelect(even, c.number(x, 0.0), c.number(x, -0.0));
  Value* const nan = llvm::ConstantFP::getNaN(x->getType());
  return c.b.CreateSelect(c.b.CreateFCmpOEQ(whole, x), nan, zero);
}

/// gamma(x) = gamma(x + 16) / (x (x + 1) ... (x + 15)), the product to twice the precision.
Value* shifted_gamma(coder& c, std::string_view name, Value* x) {
  Value* high = x;
  Value* low = c.number(x, 0);
  for (int i = 1; i < 16; ++i) {
    Value* const factor = c.b.CreateFAdd(x, c.number(x, i));
    Value* const product = c.b.CreateFMul(high, factor);
    Value* const lost = c.b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                            {high, factor, c.b.CreateFNeg(product)});
    low = c.b.CreateFAdd(lost, c.b.CreateFMul(low, factor));
    high = product;
  }
  Value* const shifted = c.b.CreateFAdd(x, c.number(x, 16));
  Value* const g = c.plain_sleef(name, dtype::float64, {&shifted, 1});
  // The correction goes into the dividend, whose rounding is not that of a subnormal result.
  Value* const part = c.b.CreateFDiv(low, high);
  return c.b.CreateFDiv(c.b.CreateFSub(g, c.b.CreateFMul(g, part)), high);
}

/// gamma loses accuracy where 1 / gamma overflows (float32: 2466 ulp below -34, float64: any number
/// below -170.5), and its zeros have the wrong sign there.
Value* gamma(coder& c, std::string_view name, dtype t, operands args) {
  const choose low = [](coder& d, dtype u, Value* x, Value*) {
    return d.b.CreateFCmpOLT(x, d.number(x, is_single(u) ? -30 : -170));
  };
  const improve better = [](coder& d, std::string_view which, dtype u, Value* x, Value*) {
    Value* y = nullptr;
    if (is_single(u)) {
      Value* const twice = d.cast(x, dtype::float32, dtype::float64);
      y = d.cast(d.plain_sleef(which, dtype::float64, {&twice, 1}), dtype::float64, u);
    } else {
      y = shifted_gamma(d, which, x);
    }
    Value* const gone = d.b.CreateFCmpOLT(x, d.number(x, is_single(u) ? -60 : -190));
    return d.b.CreateSelect(gone, vanished_gamma(d, x), y);
  };
  return with_detour(c, name, t, args[0], low, better);
}

/// libm's lgamma, the one that does not write to a global variable, for each lane.
Value* lgamma_of_libm(coder& c, Value* x) {
  llvm::Type* const real = c.b.getDoubleTy();
  const llvm::FunctionCallee callee =
      c.external("lgamma_r", llvm::FunctionType::get(real, {real, c.b.getPtrTy()}, false), false);
  llvm::BasicBlock& entry = c.b.GetInsertBlock()->getParent()->getEntryBlock();
  Value* sign = nullptr;
  {
    llvm::IRBuilderBase::InsertPointGuard guard(c.b);
    c.b.SetInsertPoint(&entry, entry.begin());
    sign = c.b.CreateAlloca(c.b.getInt32Ty());
  }
  llvm::SmallVector<Value*, 16> lanes;
  for (int i = 0; i < lanes_of(x); ++i)
    lanes.push_back(c.b.CreateCall(callee, {c.lane(x, i), sign}));
  return c.join({lanes.data(), lanes.size()});
}

/// lgamma is off by any number of ulp near its roots, which lie below -2; in float32 it is infinite
/// from 0x1p121 on. For float32, float64 has more than enough digits; for float64, libm is used (at
/// most 4.2 ulp there).
Value* log_gamma(coder& c, std::string_view name, dtype t, operands args) {
  const choose slow = [](coder& d, dtype u, Value* x, Value* y) {
    Value* const below = d.b.CreateFCmpOLT(x, d.number(x, -2));
    Value* const root = d.b.CreateFCmpOLT(absolute(d, y), d.number(x, is_single(u) ? 1 : 0.008));
    Value* const near = d.b.CreateAnd(below, root);
    if (!is_single(u)) return near;
    return d.b.CreateOr(near, d.b.CreateFCmpOGT(x, d.number(x, 0x1p100)));
  };
  const improve better = [](coder& d, std::string_view which, dtype u, Value* x, Value*) {
    if (!is_single(u)) return lgamma_of_libm(d, x);
    Value* const twice = d.cast(x, dtype::float32, dtype::float64);
    return d.cast(d.plain_sleef(which, dtype::float64, {&twice, 1}), dtype::float64, u);
  };
  return with_detour(c, name, t, args[0], slow, better);
}

/// a - trunc(a / b) b with one fma, which is exact while the quotient is small; a quotient that was
/// rounded up to an integer is one too large. libm, lane by lane, takes twenty times as long.
void write_fmod(coder& c, llvm::Function* f, std::string_view name, dtype t) {
  llvm::IRBuilder<>& b = c.b;
  Value* const args[] = {f->getArg(0), f->getArg(1)};
  Value* const x = args[0];
  Value* const divisor = absolute(c, args[1]);
  Value* const zero = c.number(x, 0);
  Value* const ratio = b.CreateFDiv(absolute(c, x), divisor);
  Value* const small = b.CreateFCmpOLT(ratio, c.number(x, is_single(t) ? 0x1p22 : 0x1p51));
  Value* const finite = b.CreateFCmpONE(divisor, llvm::ConstantFP::getInfinity(x->getType()));
  Value* const whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, ratio);
  Value* rest = b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                  {b.CreateFNeg(whole), divisor, absolute(c, x)});
  rest = b.CreateSelect(b.CreateFCmpOLT(rest, zero), b.CreateFAdd(rest, divisor), rest);
  rest = with_sign(c, rest, x);
  flow loops(b, f);
  const variable result = loops.make(x->getType(), "result");
  result.set(b, rest);
  Value* const done = b.CreateAnd(small, finite);
  loops.when(b.CreateNot(b.CreateAndReduce(done)), "large", [&] {
    result.set(b, b.CreateSelect(done, rest, c.plain_libm(name, t, args)));
  });
  b.CreateRet(result.get(b));
  loops.promote();
}

Value* fmod(coder& c, std::string_view name, dtype t, operands args) {
  if (!c.machine().fma || lanes_of(args[0]) == 1) return c.plain_libm(name, t, args);
  llvm::Type* const type = args[0]->getType();
  const std::string label = std::string(name) + (is_single(t) ? ".f32.x" : ".f64.x") +
                            std::to_string(lanes_of(args[0]));
  llvm::Function* const f =
      c.helper(label, llvm::FunctionType::get(type, {type, type}, false),
               [&](llvm::Function* self) { write_fmod(c, self, name, t); });
  return c.b.CreateCall(f, {args[0], args[1]});
}

struct repair {
  std::string_view name;
  Value* (*write)(coder&, std::string_view, dtype, operands);
};

constexpr repair repairs[] = {
    {"exp_u10", grow_exp}, {"sinh_u10", grow},  {"cosh_u10", grow},    {"log1p_u10", log_one_plus},
    {"asinh_u10", area},   {"acosh_u10", area}, {"tgamma_u10", gamma}, {"lgamma_u10", log_gamma},
    {"hypot_u05", length}, {"fmod", fmod},
};

const repair* find(std::string_view name) {
  for (const repair& r : repairs) {
    if (r.name == name) return &r;
  }
  return nullptr;
}

}  // namespace

Value* coder::call_sleef(std::string_view name, dtype t, operands args) {
  if (Value* const faster = call_glibc(name, t, args)) return faster;
  const repair* const r = find(name);
  return r ? r->write(*this, name, t, args) : plain_sleef(name, t, args);
}

/// SLEEF reduces an angle in one of two ways (float64: three), for all lanes in the one that the
/// largest needs, and the results differ by an ulp. So each lane is computed among lanes of its own
/// magnitude; otherwise a number's neighbours would show in its bits.
Value* coder::call_periodic(std::string_view name, std::optional<ir::op> row, dtype t,
                            Value* angle) {
  llvm::Type* const type = angle->getType();
  const std::string label = std::string(name) + (is_single(t) ? ".f32.x" : ".f64.x") +
                            std::to_string(lanes_of(angle));
  const auto write = [&](llvm::Function* self) {
    flow loops(b, self);
    Value* const x = self->getArg(0);
    Value* const size = absolute(*this, x);
    const variable result = loops.make(type, "result");
    const auto among = [&](Value* lanes, double other) {
      Value* const from = b.CreateSelect(lanes, x, number(x, other));
      return plain_sleef(name, t, {&from, 1});
    };
    const auto detour = [&](Value* lanes, double other) {
      Value* const any = lanes_of(lanes) == 1 ? lanes : b.CreateOrReduce(lanes);
      loops.when(any, "far", [&] {
        Value* const y = among(lanes, other);
        result.set(b, b.CreateSelect(lanes, y, result.get(b)));
      });
    };
    const double of_floats = row ? 0x1p17 : 125, of_doubles = row ? 0x1p30 : 15;
    Value* const near = b.CreateFCmpOLT(size, number(x, is_single(t) ? of_floats : of_doubles));
    Value* const far = b.CreateFCmpUGE(size, number(x, is_single(t) ? of_floats : 1e14));
    result.set(b, row ? call_formula(*row, t, {&x, 1}) : among(near, 0));
    if (!is_single(t)) detour(b.CreateNot(b.CreateOr(near, far)), 1e3);
    detour(far, 1e20);
    b.CreateRet(result.get(b));
    loops.promote();
  };
  return b.CreateCall(helper(label, llvm::FunctionType::get(type, {type}, false), write), {angle});
}

Value* coder::call_libm(std::string_view name, dtype t, operands args) {
  const repair* const r = find(name);
  return r ? r->write(*this, name, t, args) : plain_libm(name, t, args);
}

}  // namespace sinter::codegen::cpu
