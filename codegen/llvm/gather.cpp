// Loads and stores whose address or condition depends on other values; flags.

#include <algorithm>
#include <string>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/llvm/body.hpp"

namespace sinter::codegen::cpu {
/// A zero on the function's stack, which a suppressed load reads instead.
Value* body::zero_place(llvm::Type* t) {
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  llvm::BasicBlock& entry = c_.b.GetInsertBlock()->getParent()->getEntryBlock();
  c_.b.SetInsertPoint(&entry, entry.begin());
  Value* const place = c_.b.CreateAlloca(t, nullptr, "zero");
  c_.b.CreateStore(llvm::Constant::getNullValue(t), place);
  return place;
}

/// The addresses of the lanes' elements of an operand, given the indices added to its own offset.
body::lane_places body::places_of(const ir::inst& i, std::int32_t index, std::int32_t condition,
                                  int count, int copy) {
  const ir::operand& operand = kernel_.operands[at(i.which)];
  const int o = i.which;
  lane_places p{nullptr, c_.integer(0), nullptr};
  if (operand.access.unravel > 0) {
    p.pointer = slot(ir::slot_kind::pointer, o);
    p.offsets = offsets(o, linear(o, copy), i.part);
  } else {
    p.pointer = cursor(o, home(o), copy);
    if (count > 1 && step_of_lanes(o).kind != ir::step::zero) p.offsets = lane_offsets(o);
    if (i.part) {
      p.offsets = c_.b.CreateAdd(p.offsets, c_.spread(c_.integer(1), lanes_of(p.offsets)));
    }
  }
  p.offsets = c_.spread(p.offsets, count);
  if (index >= 0) {
    Value* added = c_.spread(value(index, copy), count);
    if (is_complex(operand.type)) added = c_.b.CreateShl(added, 1);
    p.offsets = c_.b.CreateAdd(p.offsets, added);
  }
  if (condition >= 0) p.condition = c_.spread(value(condition, copy), count);
  if (count > 1 && mask_) p.condition = p.condition ? c_.b.CreateAnd(p.condition, mask_) : mask_;
  return p;
}

/// Are the lanes' elements adjacent, and is a masked load of them one instruction?
bool body::neighbours(int o) {
  const ir::operand& operand = kernel_.operands[at(o)];
  return operand.access.unravel == 0 && !is_complex(operand.type) &&
         step_of_lanes(o).kind == ir::step::one &&
         c_.machine().masks(static_cast<unsigned>(size_of(operand.type)));
}

/// Do all lanes of a gather or store share one index, or have none, so that they are adjacent?
bool body::moves_together(const ir::inst& i, std::int32_t index) {
  return (index < 0 || !varies(index)) && neighbours(i.which);
}

/// The address of the first lane of such a gather or store.
Value* body::first_of(const ir::inst& i, std::int32_t index, int copy) {
  Value* const p = cursor(i.which, home(i.which), copy);
  if (index < 0) return p;
  const dtype type = kernel_.operands[at(i.which)].type;
  return c_.b.CreateGEP(c_.memory_type(type), p, value(index, copy));
}

/// p, or memory on the stack if no lane is active: an EPYC takes hundreds of cycles for an access
/// whose mask is false everywhere, if the page is not mapped (a join of one element and 400,000 and
/// its maximum: 8 to 15 ms, 0.1 where a page happened to be there).
Value* body::there(Value* p, llvm::Type* vector, Value* holds) {
  return c_.b.CreateSelect(c_.b.CreateOrReduce(holds), p, scratch(vector));
}

/// Is there a condition, the same for all lanes? Then it selects an address, and is no mask.
bool body::for_all(std::int32_t condition) { return condition >= 0 && !varies(condition); }

/// The lanes for which a condition holds and which are in range.
Value* body::lanes_where(std::int32_t condition, int copy) {
  Value* const holds = c_.spread(value(condition, copy), lanes());
  return mask_ ? c_.b.CreateAnd(holds, mask_) : holds;
}

/// Loads what pads read, and rows that an index selects: adjacent elements, 0 where the condition
/// is false.
Value* body::load_where(const ir::inst& i, int copy) {
  const dtype type = kernel_.operands[at(i.which)].type;
  llvm::Type* const vector = coder::with_lanes(c_.memory_type(type), lanes());
  Value* p = first_of(i, i.args[0], copy);
  Value* holds = mask_;
  if (for_all(i.args[1])) {
    p = c_.b.CreateSelect(value(i.args[1], copy), p, zero_place(vector));
  } else if (i.args[1] >= 0) {
    holds = lanes_where(i.args[1], copy);
    p = there(p, vector, holds);
  }
  return c_.from_memory(read(c_.memory_type(type), lanes(), p, holds), type);
}

/// Do all lanes that read anything read the same element?
bool body::stands_still(const ir::inst& i) {
  const ir::operand& operand = kernel_.operands[at(i.which)];
  return operand.access.unravel == 0 && (i.args[0] < 0 || !varies(i.args[0])) &&
         step_of_lanes(i.which).kind == ir::step::zero;
}

/// Loads that element once for all lanes that read it: parts that are joined along a short row are
/// such, and a gather of eight lanes takes a Zen 4 as long as ten loads.
Value* body::load_still(const ir::inst& i, int copy) {
  const ir::operand& operand = kernel_.operands[at(i.which)];
  llvm::Type* const element = c_.memory_type(operand.type);
  const lane_places p = places_of(i, i.args[0], -1, 1, copy);
  Value* const holds = lanes_where(i.args[1], copy);
  Value* const place = c_.b.CreateSelect(c_.b.CreateOrReduce(holds),
                                         c_.b.CreateGEP(element, p.pointer, p.offsets),
                                         zero_place(element));
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  Value* const v = c_.spread(c_.b.CreateAlignedLoad(element, place, align), lanes());
  return c_.from_memory(
      c_.b.CreateSelect(holds, v, llvm::Constant::getNullValue(v->getType())), operand.type);
}

/// Stores to rows that an index selects, a vector at a time, or combines a vector with their
/// values, if no other thread does.
void body::store_where(const ir::inst& i, int copy) {
  const dtype type = kernel_.operands[at(i.which)].type;
  Value* p = first_of(i, i.args[2], copy);
  Value* v = c_.to_memory(c_.spread(value(i.args[0], copy), lanes()), type);
  llvm::Type* const element = c_.memory_type(type);
  Value* holds = mask_;
  if (for_all(i.args[1])) {
    p = c_.b.CreateSelect(value(i.args[1], copy), p, scratch(v->getType()));
  } else if (i.args[1] >= 0) {
    holds = lanes_where(i.args[1], copy);
    p = there(p, v->getType(), holds);
  }
  if (i.code != ir::op::cast) {
    v = c_.combine(i.code, i.type, read(element, lanes(), p, holds), v);
  }
  const llvm::Align align(size_of(type));
  if (!holds) {
    c_.b.CreateAlignedStore(v, p, align);
  } else {
    c_.b.CreateMaskedStore(v, p, align, holds);
  }
}

Value* body::gather(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const ir::operand& operand = kernel_.operands[at(i.which)];
  const int count = varies(instruction) ? lanes() : 1;
  if (count > 1 && moves_together(i, i.args[0])) return load_where(i, copy);
  if (count > 1 && i.args[0] < 0 && i.args[1] >= 0 && uniform(i.args[1])) {
    Value* const v = takes_turns(i.which) ? load_turn(i.which, copy, i.args[1])
                     : runs_back(i.which) ? load_backwards(i.which, copy, i.args[1])
                                          : nullptr;
    if (v) return c_.from_memory(v, operand.type);
  }
  if (count > 1 && i.args[1] >= 0 && varies(i.args[1]) && stands_still(i)) {
    return load_still(i, copy);
  }
  const lane_places p = places_of(i, i.args[0], i.args[1], count, copy);
  Value* const v = read_where(c_.memory_type(operand.type), p.pointer, p.offsets, p.condition);
  return c_.from_memory(v, operand.type);
}

/// Stores the lanes' values at their indices, or combines them with the values there.
void body::scatter_to(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  // A combination counts once per element, even if all values are the same.
  bool many = i.code != ir::op::cast || step_of_lanes(i.which).kind != ir::step::zero;
  for (std::int32_t a : i.args) many |= a >= 0 && varies(a);
  const int count = many ? lanes() : 1;
  const bool shared = i.code != ir::op::cast && kernel_.schedule.tile != ir::whole_domain;
  if (count > 1 && !shared && moves_together(i, i.args[2])) return store_where(i, copy);
  const lane_places p = places_of(i, i.args[2], i.args[1], count, copy);
  Value* const v =
      c_.to_memory(c_.spread(value(i.args[0], copy), count), kernel_.operands[at(i.which)].type);
  if (i.code != ir::op::cast) return combine_lanes(i, p, v);
  write_where(v, p.pointer, p.offsets, p.condition);
}

/// Stores lanes at offsets from a pointer, where the condition, if any, holds.
void body::write_where(Value* v, Value* pointer, Value* offsets, Value* condition) {
  const int count = lanes_of(offsets);
  llvm::Type* const element = v->getType()->getScalarType();
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  if (count > 1 && c_.machine().avx512f && align.value() >= 4) {
    Value* const all = llvm::Constant::getAllOnesValue(coder::with_lanes(c_.b.getInt1Ty(), count));
    Value* const each = c_.b.CreateGEP(element, pointer, offsets);
    c_.b.CreateMaskedScatter(v, each, align, condition ? condition : all);
    return;
  }
  Value* const nowhere = condition ? scratch(element) : nullptr;
  for (int k = 0; k < count; ++k) {
    Value* to = c_.b.CreateGEP(element, pointer, c_.lane(offsets, k));
    if (condition) to = c_.b.CreateSelect(c_.lane(condition, k), to, nowhere);
    c_.b.CreateAlignedStore(c_.lane(v, k), to, align);
  }
}

/// An address that the compiler computes before its use, instead of folding it into the uses.
Value* body::made(Value* place) {
  auto* const type = llvm::FunctionType::get(place->getType(), {place->getType()}, false);
  return c_.b.CreateCall(llvm::InlineAsm::get(type, "", "=r,0", false), {place});
}

/// Lane by lane, because lanes may collide. With base + index as the address of both the load and
/// the store a Zen 4 takes 3.7 to 7.4 ns per lane, with a computed address 0.5.
void body::combine_lanes(const ir::inst& i, const lane_places& p, Value* v) {
  llvm::Type* const element = v->getType()->getScalarType();
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  const bool alone = kernel_.schedule.tile == ir::whole_domain;
  Value* const nowhere = p.condition ? zero_place(element) : nullptr;
  for (int k = 0; k < lanes_of(v); ++k) {
    Value* to = c_.b.CreateGEP(element, p.pointer, c_.lane(p.offsets, k));
    to = p.condition ? c_.b.CreateSelect(c_.lane(p.condition, k), to, nowhere) : made(to);
    if (!alone) {
      c_.b.CreateCall(combiner(i.code, i.type), {to, c_.lane(v, k)});
      continue;
    }
    Value* const there = c_.b.CreateAlignedLoad(element, to, align);
    c_.b.CreateAlignedStore(c_.combine(i.code, i.type, there, c_.lane(v, k)), to, align);
  }
}

/// The function that combines a value with memory that other threads may update: compare and
/// exchange until no other thread came between.
llvm::Function* body::combiner(ir::op code, dtype t) {
  llvm::Type* const element = c_.memory_type(t);
  const std::string name = "combine." + std::string(ir::name(code)) + "." +
                           std::string(sinter::name(t));
  auto* const type = llvm::FunctionType::get(c_.b.getVoidTy(), {c_.b.getPtrTy(), element}, false);
  return c_.helper(name, type, [&](llvm::Function* f) {
    const llvm::Align align(element->getScalarSizeInBits() / 8);
    Value* const place = f->getArg(0);
    Value* const first = c_.b.CreateAlignedLoad(element, place, align);
    llvm::Type* const word = c_.b.getIntNTy(element->getScalarSizeInBits());
    llvm::BasicBlock* const entry = c_.b.GetInsertBlock();
    auto* const again = llvm::BasicBlock::Create(c_.b.getContext(), "again", f);
    auto* const done = llvm::BasicBlock::Create(c_.b.getContext(), "done", f);
    Value* const bits = c_.b.CreateBitCast(first, word);
    c_.b.CreateBr(again);
    c_.b.SetInsertPoint(again);
    llvm::PHINode* const before = c_.b.CreatePHI(word, 2, "before");
    before->addIncoming(bits, entry);
    Value* const there = c_.b.CreateBitCast(before, element);
    Value* const after = c_.b.CreateBitCast(c_.combine(code, t, there, f->getArg(1)), word);
    Value* const swapped =
        c_.b.CreateAtomicCmpXchg(place, before, after, align, llvm::AtomicOrdering::Monotonic,
                                 llvm::AtomicOrdering::Monotonic);
    before->addIncoming(c_.b.CreateExtractValue(swapped, 0), c_.b.GetInsertBlock());
    c_.b.CreateCondBr(c_.b.CreateExtractValue(swapped, 1), done, again);
    c_.b.SetInsertPoint(done);
    c_.b.CreateRetVoid();
  });
}

/// The elements at offsets from a pointer, 0 where the condition, if any, is false.
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

/// Raises a flag to the greatest word of the lanes whose condition holds. Nearly always there is
/// none, so the words are computed after the branch, and without calls, which would cost the loop
/// its registers.
void body::raise_greatest(const ir::inst& i, int copy) {
  Value* holds = value(i.args[1], copy);
  Value* word = value(i.args[0], copy);
  Value* const flag = slot(ir::slot_kind::pointer, i.which);
  const int count = std::max(lanes_of(holds), lanes_of(word));
  holds = c_.spread(holds, count);
  if (count > 1 && mask_) holds = c_.b.CreateAnd(holds, mask_);
  llvm::BasicBlock* const here = c_.b.GetInsertBlock();
  llvm::Function* const around = here->getParent();
  auto* const found = llvm::BasicBlock::Create(c_.b.getContext(), "found", around);
  auto* const behind = llvm::BasicBlock::Create(c_.b.getContext(), "behind", around);
  c_.b.CreateCondBr(count > 1 ? c_.b.CreateOrReduce(holds) : holds, found, behind,
                    llvm::MDBuilder(c_.b.getContext()).createBranchWeights(1, 1 << 20));
  c_.b.SetInsertPoint(found);
  if (count > 1) {
    word = c_.spread(word, count);
    Value* const none = llvm::Constant::getNullValue(word->getType());
    word = c_.b.CreateIntMaxReduce(c_.b.CreateSelect(holds, word, none), false);
  }
  c_.b.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, flag, word, llvm::Align(8),
                       llvm::AtomicOrdering::Monotonic);
  c_.b.CreateBr(behind);
  c_.b.SetInsertPoint(behind);
  // Code of the next vector in flight has to follow what it depends on.
  std::replace(std::begin(blocks_), std::end(blocks_), here, behind);
}

/// Stores a flag if its condition holds in any active lane; if values differ, the bitwise or of
/// those lanes' values.
void body::raise(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  if (i.code != ir::op::cast) return raise_greatest(i, copy);
  Value* holds = value(i.args[1], copy);
  Value* v = value(i.args[0], copy);
  if (lanes_of(holds) > 1 && mask_) holds = c_.b.CreateAnd(holds, mask_);
  if (lanes_of(v) > 1 && lanes_of(holds) > 1) {
    Value* const none = llvm::Constant::getNullValue(v->getType());
    v = c_.b.CreateOrReduce(c_.b.CreateSelect(holds, v, none));
  }
  if (lanes_of(holds) > 1) holds = c_.b.CreateOrReduce(holds);
  v = c_.to_memory(c_.lane(v, 0), kernel_.operands[at(i.which)].type);
  Value* const flag = slot(ir::slot_kind::pointer, i.which);
  c_.b.CreateStore(v, c_.b.CreateSelect(holds, flag, scratch(v->getType())));
}

}  // namespace sinter::codegen::cpu
