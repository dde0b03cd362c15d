// Philox 4x32-10: random bits from a counter and a key (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011).

#include <array>
#include <string>

#include "codegen/llvm/coder.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

using words = std::array<Value*, 4>;

constexpr std::uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
constexpr std::uint64_t key_steps[2] = {0x9E3779B9, 0xBB67AE85};
constexpr std::uint64_t low_half = 0xffffffff;

Value* low(coder& c, Value* v) { return c.b.CreateAnd(v, low_half); }

/// The words are the low halves of 64-bit lanes, so that products need no shuffles; the high halves
/// hold garbage until they are masked.
words philox(coder& c, Value* block, Value* key) {
  llvm::IRBuilder<>& b = c.b;
  const int lanes = std::max(lanes_of(block), lanes_of(key));
  block = c.spread(block, lanes);
  Value* const zero = llvm::Constant::getNullValue(block->getType());
  words x = {block, b.CreateLShr(block, 32), zero, zero};
  // The keys of the rounds as vectors: an addition to one is cheaper than a broadcast, ten times.
  Value* k0 = c.spread(key, lanes);
  Value* k1 = b.CreateLShr(k0, 32);
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      k0 = b.CreateAdd(k0, llvm::ConstantInt::get(k0->getType(), key_steps[0]));
      k1 = b.CreateAdd(k1, llvm::ConstantInt::get(k1->getType(), key_steps[1]));
    }
    Value* const p0 =
        b.CreateMul(low(c, x[0]), llvm::ConstantInt::get(zero->getType(), multipliers[0]));
    Value* const p1 =
        b.CreateMul(low(c, x[2]), llvm::ConstantInt::get(zero->getType(), multipliers[1]));
    x = {b.CreateXor(b.CreateXor(b.CreateLShr(p1, 32), x[1]), k0), p1,
         b.CreateXor(b.CreateXor(b.CreateLShr(p0, 32), x[3]), k1), p0};
  }
  return x;
}

Value* is_set(coder& c, Value* counter, std::uint64_t bit) {
  return c.b.CreateICmpNE(c.b.CreateAnd(counter, bit),
                          llvm::Constant::getNullValue(counter->getType()));
}

/// One block per lane, of which one element is used.
Value* scattered(coder& c, Value* counter, Value* key, bool wide) {
  llvm::IRBuilder<>& b = c.b;
  const words x = philox(c, b.CreateLShr(counter, wide ? 1 : 2), key);
  Value* const odd = is_set(c, counter, 1);
  if (wide) {
    Value* const lower = b.CreateSelect(odd, x[2], x[0]);
    Value* const upper = b.CreateSelect(odd, x[3], x[1]);
    return b.CreateOr(b.CreateShl(upper, 32), low(c, lower));
  }
  Value* const first = b.CreateSelect(odd, x[1], x[0]);
  Value* const second = b.CreateSelect(odd, x[3], x[2]);
  Value* const word = b.CreateSelect(is_set(c, counter, 2), second, first);
  return b.CreateTrunc(word, coder::with_lanes(b.getInt32Ty(), lanes_of(counter)));
}

/// Adjacent counters share blocks: half as many lanes as counters are more than enough. The first
/// counter's word may be anywhere in the first block. A third faster. The first counter may be
/// negative, if nothing reads its number, while others are not: hence the signed shift.
Value* neighbours(coder& c, Value* counter, Value* key) {
  llvm::IRBuilder<>& b = c.b;
  const int lanes = lanes_of(counter), blocks = lanes / 2;
  Value* const first = c.lane(counter, 0);
  Value* const block = c.spread(b.CreateAShr(first, 2), blocks);
  const words x = philox(c, b.CreateAdd(block, c.iota(64, blocks)), key);
  llvm::SmallVector<Value*, 4> narrow;
  for (Value* v : x) {
    narrow.push_back(b.CreateTrunc(v, coder::with_lanes(b.getInt32Ty(), blocks)));
  }
  Value* const parts = c.join({narrow.data(), narrow.size()});
  Value* result = nullptr;
  for (int skip = 0; skip < 4; ++skip) {
    llvm::SmallVector<int, 64> order;
    for (int i = skip; i < skip + lanes; ++i) order.push_back(i % 4 * blocks + i / 4);
    Value* const from = b.CreateShuffleVector(parts, order);
    Value* const here = b.CreateICmpEQ(b.CreateAnd(first, 3), c.integer(skip));
    result = result ? b.CreateSelect(here, from, result) : from;
  }
  return result;
}

void write_random(coder& c, llvm::Function* f, bool wide) {
  llvm::IRBuilder<>& b = c.b;
  Value* const counter = f->getArg(0);
  const int lanes = lanes_of(counter);
  flow loops(b, f);
  const variable result = loops.make(f->getReturnType(), "bits");
  // With two elements per block there is nothing to gain.
  if (wide || lanes < 4) {
    result.set(b, scattered(c, counter, f->getArg(1), wide));
  } else {
    Value* const expected = b.CreateAdd(c.spread(c.lane(counter, 0), lanes), c.iota(64, lanes));
    Value* const apart = b.CreateOrReduce(b.CreateICmpNE(counter, expected));
    llvm::BasicBlock* const near = loops.block("neighbours");
    llvm::BasicBlock* const far = loops.block("scattered");
    llvm::BasicBlock* const done = loops.block("done");
    b.CreateCondBr(apart, far, near);
    b.SetInsertPoint(near);
    result.set(b, neighbours(c, counter, f->getArg(1)));
    b.CreateBr(done);
    b.SetInsertPoint(far);
    result.set(b, scattered(c, counter, f->getArg(1), wide));
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }
  b.CreateRet(result.get(b));
  loops.promote();
}

}  // namespace

/// A function of its own: it is long, and the same for every vector in flight.
Value* coder::random(Value* counter, Value* key, dtype result) {
  const int lanes = std::max(lanes_of(counter), lanes_of(key));
  counter = spread(counter, lanes);
  const bool wide = size_of(result) == 8;
  llvm::Type* const bits = with_lanes(wide ? b.getInt64Ty() : b.getInt32Ty(), lanes);
  const std::string name = std::string(wide ? "random64.x" : "random32.x") + std::to_string(lanes) +
                           (lanes_of(key) > 1 ? ".keys" : "");
  llvm::Function* const f =
      helper(name, llvm::FunctionType::get(bits, {counter->getType(), key->getType()}, false),
             [&](llvm::Function* self) { write_random(*this, self, wide); });
  return b.CreateCall(f, {counter, key});
}

}  // namespace sinter::codegen::cpu
