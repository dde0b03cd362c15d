// Loads whose place, or whether they happen at all, is decided by other values; and flags.

#include <llvm/IR/Constants.h>

#include "codegen/llvm/body.hpp"

namespace sinter::codegen::cpu {
namespace {

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

/// A zero of the function's own: what a load that must not happen reads instead.
Value* body::zero_place(llvm::Type* t) {
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  llvm::BasicBlock& entry = blocks_[0]->getParent()->getEntryBlock();
  c_.b.SetInsertPoint(&entry, entry.begin());
  Value* const place = c_.b.CreateAlloca(t, nullptr, "zero");
  c_.b.CreateStore(llvm::Constant::getNullValue(t), place);
  return place;
}

Value* body::gather(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const ir::operand& operand = kernel_.operands[at(i.which)];
  const int o = i.which, count = varies(instruction) ? lanes() : 1;
  Value* pointer = nullptr;
  Value* offset = c_.integer(0);
  if (operand.access.unravel > 0) {
    pointer = slot(ir::slot_kind::pointer, o);
    offset = offsets(o, linear(o, copy), i.part);
  } else {
    pointer = cursor(o, home(o), copy);
    if (count > 1 && step_of_lanes(o).kind != ir::step::zero) offset = lane_offsets(o);
    if (i.part) offset = c_.b.CreateAdd(offset, c_.spread(c_.integer(1), lanes_of(offset)));
  }
  offset = c_.spread(offset, count);
  if (i.args[0] >= 0) {
    Value* index = c_.spread(value(i.args[0], copy), count);
    if (is_complex(operand.type)) index = c_.b.CreateShl(index, 1);
    offset = c_.b.CreateAdd(offset, index);
  }
  Value* condition = i.args[1] >= 0 ? c_.spread(value(i.args[1], copy), count) : nullptr;
  if (count > 1 && mask_) condition = condition ? c_.b.CreateAnd(condition, mask_) : mask_;
  return c_.from_memory(read_where(c_.memory_type(operand.type), pointer, offset, condition),
                        operand.type);
}

/// The elements at offsets from a pointer, 0 where the condition (if there is one) is false.
Value* body::read_where(llvm::Type* element, Value* pointer, Value* offsets, Value* condition) {
  const int count = lanes_of(offsets);
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  if (count > 1 && c_.machine().avx512f && align.value() >= 4) {
    llvm::Type* const t = coder::with_lanes(element, count);
    Value* const all = llvm::Constant::getAllOnesValue(coder::with_lanes(c_.b.getInt1Ty(), count));
    Value* const each = c_.b.CreateGEP(element, pointer, offsets);
    return c_.b.CreateMaskedGather(t, each, align, condition ? condition : all,
                                   llvm::Constant::getNullValue(t));
  }
  Value* const nowhere = condition ? zero_place(element) : nullptr;
  const auto one = [&](Value* where, Value* holds) -> Value* {
    Value* place = c_.b.CreateGEP(element, pointer, where);
    if (holds) place = c_.b.CreateSelect(holds, place, nowhere);
    return c_.b.CreateAlignedLoad(element, place, align);
  };
  if (count == 1) return one(offsets, condition);
  Value* result = llvm::PoisonValue::get(coder::with_lanes(element, count));
  for (int k = 0; k < count; ++k) {
    Value* const x = one(c_.lane(offsets, k), condition ? c_.lane(condition, k) : nullptr);
    result = c_.b.CreateInsertElement(result, x, c_.b.getInt64(static_cast<std::uint64_t>(k)));
  }
  return result;
}

/// Stores a flag if its condition holds in any lane that counts.
void body::raise(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  Value* holds = value(i.args[1], copy);
  if (lanes_of(holds) > 1) {
    if (mask_) holds = c_.b.CreateAnd(holds, mask_);
    holds = c_.b.CreateOrReduce(holds);
  }
  Value* const v =
      c_.to_memory(c_.lane(value(i.args[0], copy), 0), kernel_.operands[at(i.which)].type);
  Value* const flag = slot(ir::slot_kind::pointer, i.which);
  c_.b.CreateStore(v, c_.b.CreateSelect(holds, flag, scratch(v->getType())));
}

}  // namespace sinter::codegen::cpu
