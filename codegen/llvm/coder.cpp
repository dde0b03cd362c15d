#include "codegen/llvm/coder.hpp"

#include <string>
#include <utility>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/compiler.hpp"
#include "ir/formula.hpp"

namespace sinter::codegen::cpu {

using llvm::Type;

int lanes_of(const Value* v) {
  const auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return t ? static_cast<int>(t->getNumElements()) : 1;
}

coder::coder(llvm::Module& module, const host& machine)
    : b(module.getContext()), module_(module), machine_(machine) {}

Type* coder::with_lanes(Type* t, int lanes) {
  return lanes == 1 ? t : llvm::FixedVectorType::get(t, static_cast<unsigned>(lanes));
}

Type* coder::memory_type(dtype t) {
  t = real_of(t);
  if (is_bool(t)) return b.getInt8Ty();
  if (t == dtype::float16) return b.getHalfTy();
  if (t == dtype::float32) return b.getFloatTy();
  if (t == dtype::float64) return b.getDoubleTy();
  return b.getIntNTy(static_cast<unsigned>(8 * size_of(t)));
}

Type* coder::type(dtype t, int lanes) {
  return with_lanes(is_bool(t) ? b.getInt1Ty() : memory_type(t), lanes);
}

Value* coder::constant(dtype t, std::uint64_t bits) {
  Type* const kind = type(t);
  if (is_bool(t)) return b.getInt1(bits & 1);
  const unsigned width = kind->getScalarSizeInBits();
  const llvm::APInt word = llvm::APInt(64, bits).trunc(width);
  if (kind->isIntegerTy()) return llvm::ConstantInt::get(kind, word);
  return llvm::ConstantFP::get(kind, llvm::APFloat(kind->getFltSemantics(), word));
}

/// A product of integers; factors of 1 are left out, to keep the emitted text readable.
Value* coder::times(Value* x, Value* y) {
  const auto is_one = [](Value* v) {
    const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
    return c && c->isOne();
  };
  return is_one(x) ? y : is_one(y) ? x : b.CreateMul(x, y);
}

llvm::Constant* coder::iota(unsigned bits, int lanes, int step, int start) {
  Type* const t = b.getIntNTy(bits);
  if (lanes == 1) return llvm::ConstantInt::get(t, static_cast<std::uint64_t>(start));
  std::vector<llvm::Constant*> values;
  for (int i = 0; i < lanes; ++i) {
    values.push_back(llvm::ConstantInt::get(t, static_cast<std::uint64_t>(start + i * step)));
  }
  return llvm::ConstantVector::get(values);
}

llvm::Constant* coder::number(const Value* like, double value) {
  Type* const t = like->getType();
  if (t->isFPOrFPVectorTy()) return llvm::ConstantFP::get(t, value);
  return llvm::ConstantInt::get(t, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)),
                                true);
}

Value* coder::spread(Value* v, int lanes) {
  if (lanes == 1 || lanes_of(v) == lanes) return v;
  const auto count = llvm::ElementCount::getFixed(static_cast<unsigned>(lanes));
  if (auto* c = llvm::dyn_cast<llvm::Constant>(v)) return llvm::ConstantVector::getSplat(count, c);
  Value*& found = spread_[{v, lanes}];
  if (found) return found;
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  if (auto* i = llvm::dyn_cast<llvm::Instruction>(v)) {
    llvm::BasicBlock* const block = i->getParent();
    b.SetInsertPoint(block, llvm::isa<llvm::PHINode>(i) ? block->getFirstInsertionPt()
                                                        : std::next(i->getIterator()));
  } else {
    llvm::BasicBlock& entry = llvm::cast<llvm::Argument>(v)->getParent()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  }
  Value* const copies = b.CreateVectorSplat(count, v, v->getName() + ".all");
  return spread_[{v, lanes}] = copies;
}

Value* coder::slice(Value* v, int first, int count) {
  const int have = lanes_of(v);
  if (first == 0 && count == have) return v;
  if (have == 1) {
    Value* const zero = llvm::Constant::getNullValue(with_lanes(v->getType(), count));
    return b.CreateInsertElement(zero, v, b.getInt64(0));
  }
  if (count == 1) return b.CreateExtractElement(v, static_cast<std::uint64_t>(first));
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < count; ++i) mask.push_back(std::min(first + i, have));
  return b.CreateShuffleVector(v, llvm::Constant::getNullValue(v->getType()), mask);
}

Value* coder::join(std::span<Value* const> parts) {
  if (parts.size() == 1) return parts[0];
  const std::size_t half = parts.size() / 2;
  Value* const low = join(parts.first(half));
  Value* const high = join(parts.subspan(half));
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < lanes_of(low) + lanes_of(high); ++i) mask.push_back(i);
  if (lanes_of(low) == 1) {
    Value* const none = llvm::PoisonValue::get(with_lanes(low->getType(), 2));
    return b.CreateInsertElement(b.CreateInsertElement(none, low, b.getInt64(0)), high,
                                 b.getInt64(1));
  }
  return b.CreateShuffleVector(low, high, mask);
}

Value* coder::lane(Value* v, int index) {
  return lanes_of(v) == 1 ? v : b.CreateExtractElement(v, static_cast<std::uint64_t>(index));
}

Value* coder::from_memory(Value* v, dtype t) {
  if (!is_bool(t)) return v;
  return b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

Value* coder::to_memory(Value* v, dtype t) {
  return is_bool(t) ? b.CreateZExt(v, with_lanes(b.getInt8Ty(), lanes_of(v))) : v;
}

void coder::set_attributes(llvm::Function& f) const {
  f.addFnAttr(llvm::Attribute::NoUnwind);
  // The schedule asked for wide registers, even on CPUs where LLVM would prefer narrow ones.
  f.addFnAttr("min-legal-vector-width", "512");
  f.addFnAttr("prefer-vector-width", "512");
}

std::string coder::helper_name(std::string_view what, Type* element, int lanes) {
  return std::string(what) + "." + std::to_string(element->getScalarSizeInBits()) +
         (element->isFloatingPointTy() ? "f" : "i") + std::to_string(lanes);
}

llvm::Function* coder::helper(std::string_view name, llvm::FunctionType* type,
                              const std::function<void(llvm::Function*)>& write) {
  const llvm::StringRef key(name.data(), name.size());
  if (llvm::Function* f = module_.getFunction(key)) return f;
  auto* f = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, key, module_);
  set_attributes(*f);
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", f));
  // Broadcasts belong to one function, and the addresses of deleted values may be reused.
  auto outside = std::exchange(spread_, decltype(spread_)());
  write(f);
  spread_ = std::move(outside);
  return f;
}

llvm::FunctionCallee coder::external(std::string_view name, llvm::FunctionType* type, bool pure) {
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(llvm::StringRef(name.data(), name.size()), type);
  auto* f = llvm::cast<llvm::Function>(callee.getCallee());
  f->setDoesNotThrow();
  if (pure) f->setDoesNotAccessMemory();
  return callee;
}

Value* coder::thread_memory(int which, std::int64_t bytes) {
  auto* const type = llvm::FunctionType::get(b.getPtrTy(), {b.getInt64Ty(), b.getInt64Ty()}, false);
  const llvm::FunctionCallee f = external(thread_memory_name, type, false);
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(&entry, entry.begin());
  return b.CreateCall(f, {integer(which), integer(bytes)}, "room");
}

Value* coder::identity(ir::op code, dtype t) {
  Type* const kind = type(t);
  const unsigned width = kind->getScalarSizeInBits();
  const bool real = is_real(t), minus = is_signed(t);
  switch (ir::info(code).identity) {
    case ir::op_identity::zero: return llvm::Constant::getNullValue(kind);
    case ir::op_identity::one:
      return real ? llvm::ConstantFP::get(kind, 1.0) : llvm::ConstantInt::get(kind, 1);
    case ir::op_identity::all_ones: return llvm::Constant::getAllOnesValue(kind);
    case ir::op_identity::lowest:
      if (real) return llvm::ConstantFP::getInfinity(kind, true);
      return llvm::ConstantInt::get(
          kind, minus ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getMinValue(width));
    case ir::op_identity::highest:
      if (real) return llvm::ConstantFP::getInfinity(kind);
      return llvm::ConstantInt::get(
          kind, minus ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width));
    case ir::op_identity::none: break;
  }
  throw compile_error("[llvm] no reduction with " + std::string(ir::name(code)));
}

Value* coder::neutral(ir::op code, dtype t) {
  if (code != ir::op::add || !is_real(t)) return identity(code, t);
  return llvm::ConstantFP::getNegativeZero(type(t));
}

/// Uses x86's instruction, which returns its second operand if neither is better, in both orders.
/// The two results differ at zeros, where a minimum is negative if either is and a maximum if both
/// are, and if one operand is NaN, which the bitwise combination with the other keeps.
Value* coder::extremum(ir::op code, Value* x, Value* y) {
  const bool least = code == ir::op::minimum;
  const auto better = [&](Value* one, Value* other) {
    return least ? b.CreateFCmpOLT(one, other) : b.CreateFCmpOGT(one, other);
  };
  const unsigned bits = x->getType()->getScalarSizeInBits();
  Type* const words = with_lanes(b.getIntNTy(bits), lanes_of(x));
  Value* const first = b.CreateBitCast(b.CreateSelect(better(x, y), x, y), words);
  Value* const second = b.CreateBitCast(b.CreateSelect(better(y, x), y, x), words);
  return b.CreateBitCast(least ? b.CreateOr(first, second) : either_but_sign(first, second),
                         x->getType());
}

/// The bits that either has, and the sign if both have it.
Value* coder::either_but_sign(Value* first, Value* second) {
  Type* const words = first->getType();
  const unsigned bits = words->getScalarSizeInBits();
  Value* const sign = llvm::ConstantInt::get(words, llvm::APInt::getSignMask(bits));
  if (!machine_.avx512f || bits * static_cast<unsigned>(lanes_of(first)) != 512) {
    Value* const apart = b.CreateAnd(b.CreateXor(first, second), sign);
    return b.CreateXor(b.CreateOr(first, second), apart);
  }
  // One instruction; LLVM would emit three.
  const llvm::Intrinsic::ID of_three = bits == 32 ? llvm::Intrinsic::x86_avx512_pternlog_d_512
                                                  : llvm::Intrinsic::x86_avx512_pternlog_q_512;
  return b.CreateIntrinsic(of_three, {}, {first, second, sign, b.getInt32(0xd4)});
}

Value* coder::combine(ir::op code, dtype t, Value* x, Value* y) {
  Value* const both[] = {x, y};
  return write_out(formula_of(code, t, 2), both);
}

coder::formula coder::formula_of(ir::op code, dtype t, std::size_t operands) {
  std::vector<ir::inst> body(operands);
  for (ir::inst& i : body) i.kind = ir::inst_kind::scalar, i.result = t;
  const std::int32_t args[] = {0, 1, 2};
  const std::int32_t result = ir::emit(body, code, t, args);
  return {std::move(body), result};
}

Value* coder::write_out(const formula& f, operands given) {
  std::vector<Value*> values(given.begin(), given.end());
  for (std::size_t n = given.size(); n < f.body.size(); ++n) {
    const ir::inst& i = f.body[n];
    if (i.kind == ir::inst_kind::constant) {
      values.push_back(constant(i.result, i.bits));
      continue;
    }
    llvm::SmallVector<Value*, 3> operands;
    for (std::int32_t a : i.args) {
      if (a >= 0) operands.push_back(values[static_cast<std::size_t>(a)]);
    }
    values.push_back(apply(i.code, i.type, i.result, operands));
  }
  return values[static_cast<std::size_t>(f.result)];
}

}  // namespace sinter::codegen::cpu
