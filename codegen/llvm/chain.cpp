// Scans of rows that several threads share. If a chunk's predecessor is done when its turn comes,
// it is walked once. Otherwise it is walked for its total, which is published as soon as the
// predecessor has published its own, and then once more. Either way each element is combined as in
// every other run: within its chunk from the left, then with the total of all chunks before.

#include <algorithm>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/reducer.hpp"

namespace sinter::codegen::cpu {
namespace {

using kind = ir::inst_kind;

}  // namespace

int reducer::record_words() const {
  return 1 + static_cast<int>(std::count_if(kernel_.body.begin(), kernel_.body.end(),
                                            [](const auto& i) { return i.kind == kind::scan; }));
}

void reducer::walk_for_sums(Value* begin, Value* end) {
  std::vector<int> stores;
  std::swap(stores, stores_);
  walk(begin, end, 1);
  std::swap(stores, stores_);
}

void reducer::write_chunk(Value* chunk, Value* record, Value* begin, Value* end) {
  accumulators_.clear();
  stores_.clear();
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    if (kernel_.body[i].kind == kind::store) stores_.push_back(static_cast<int>(i));
  }
  carries_ = make_carries(0, 1);
  Value* const before = c_.b.CreateConstInBoundsGEP1_64(
      c_.b.getInt64Ty(), record, static_cast<std::uint64_t>(-record_words()));
  Value* const first = c_.b.CreateICmpEQ(chunk, c_.integer(0));
  const variable passed = loops_.make(c_.b.getInt1Ty(), "passed");
  const variable late = loops_.make(c_.b.getInt1Ty(), "late");
  passed.set(c_.b, c_.b.getFalse());
  late.set(c_.b, c_.b.getFalse());
  for (carry& s : carries_) {
    const ir::inst& i = kernel_.body[at(s.instruction)];
    s.front = loops_.make(c_.type(i.type), "front");
    s.front.set(c_.b, c_.neutral(i.code, i.type));
  }
  // Values that the whole chunk needs are emitted here, ahead of both walks.
  body_.resume(level::point);
  loops_.when(c_.b.CreateNot(first), "follows", [&] {
    late.set(c_.b, c_.b.CreateICmpEQ(flag(before), c_.integer(0)));
    loops_.when(late.get(c_.b), "late", [&] {
      walk_for_sums(begin, end);
      wait_for(before);
    });
    take(before);
    loops_.when(late.get(c_.b), "pass", [&] { pass_on(record); });
    passed.set(c_.b, late.get(c_.b));
  });
  for (const carry& s : carries_) {
    const ir::inst& i = kernel_.body[at(s.instruction)];
    s.values[0].set(c_.b, c_.neutral(i.code, i.type));
  }
  walk(begin, end, 1);
  loops_.when(c_.b.CreateNot(passed.get(c_.b)), "pass.last", [&] { pass_on(record); });
  body_.resume(level::point);
}

Value* reducer::flag(Value* record) {
  auto* const load = c_.b.CreateAlignedLoad(c_.b.getInt64Ty(), record, llvm::Align(8));
  load->setAtomic(llvm::AtomicOrdering::Acquire);
  return load;
}

Value* reducer::word(Value* record, std::size_t scan) {
  return c_.b.CreateConstInBoundsGEP1_64(c_.b.getInt64Ty(), record, 1 + scan);
}

void reducer::wait_for(Value* record) {
  llvm::BasicBlock* const again = loops_.block("wait");
  llvm::BasicBlock* const done = loops_.block("wait.done");
  const variable tries = loops_.make(c_.b.getInt64Ty(), "tries");
  tries.set(c_.b, c_.integer(0));
  c_.b.CreateBr(again);
  c_.b.SetInsertPoint(again);
  if (c_.machine().x86) c_.b.CreateIntrinsic(llvm::Intrinsic::x86_sse2_pause, {}, {});
  Value* const count = c_.b.CreateAdd(tries.get(c_.b), c_.integer(1));
  tries.set(c_.b, count);
  // The thread that is waited for may have no core: after a few microseconds this one yields its
  // own.
  loops_.when(c_.b.CreateICmpEQ(c_.b.CreateAnd(count, c_.integer(63)), c_.integer(0)), "yield",
              [&] {
                auto* const type = llvm::FunctionType::get(c_.b.getInt32Ty(), {}, false);
                c_.b.CreateCall(c_.external("sched_yield", type, false), {});
              });
  c_.b.CreateCondBr(c_.b.CreateICmpEQ(flag(record), c_.integer(0)), again, done);
  c_.b.SetInsertPoint(done);
}

/// REQUIRES: the record's flag has been seen.
void reducer::take(Value* record) {
  for (std::size_t n = 0; n < carries_.size(); ++n) {
    const dtype t = kernel_.body[at(carries_[n].instruction)].type;
    Value* const v = c_.b.CreateLoad(c_.memory_type(t), word(record, n));
    carries_[n].front.set(c_.b, c_.from_memory(v, t));
  }
}

void reducer::pass_on(Value* record) {
  for (std::size_t n = 0; n < carries_.size(); ++n) {
    const carry& s = carries_[n];
    const ir::inst& i = kernel_.body[at(s.instruction)];
    Value* const all = c_.combine(i.code, i.type, s.front.get(c_.b), s.values[0].get(c_.b));
    c_.b.CreateStore(c_.to_memory(all, i.type), word(record, n));
  }
  auto* const done = c_.b.CreateAlignedStore(c_.integer(1), record, llvm::Align(8));
  done->setAtomic(llvm::AtomicOrdering::Release);
}

}  // namespace sinter::codegen::cpu
