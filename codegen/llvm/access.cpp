// Loads and stores of a body's operands.

#include <algorithm>
#include <bit>
#include <string>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/flow.hpp"

namespace sinter::codegen::cpu {
namespace {

unsigned bytes(llvm::Type* t) { return t->getScalarSizeInBits() / 8; }

llvm::Align natural(llvm::Type* t) { return llvm::Align(bytes(t)); }

}  // namespace

llvm::SmallVector<int, 64> every_second(int first, int count) {
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < count; ++i) mask.push_back(first + 2 * i);
  return mask;
}

Value* body::scratch(llvm::Type* t) {
  llvm::BasicBlock& entry = c_.b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  c_.b.SetInsertPoint(&entry, entry.begin());
  return c_.b.CreateAlloca(t, nullptr, "scratch");
}

/// `count` adjacent elements; those outside the mask are 0.
Value* body::read(llvm::Type* element, int count, Value* pointer, Value* mask) {
  llvm::Type* const t = coder::with_lanes(element, count);
  if (!mask) return c_.b.CreateAlignedLoad(t, pointer, natural(element));
  Value* const zero = llvm::Constant::getNullValue(t);
  if (c_.machine().masks(bytes(element))) {
    return c_.b.CreateMaskedLoad(t, pointer, natural(element), mask, zero);
  }
  Value* const copy = scratch(t);
  c_.b.CreateStore(zero, copy);
  Value* const size = c_.b.CreateMul(active_, c_.integer(bytes(element) * count / lanes()));
  c_.b.CreateMemCpy(copy, llvm::Align(16), pointer, natural(element), size);
  return c_.b.CreateLoad(t, copy);
}

/// Elements at `offsets` from a pointer. Inactive lanes read the first lane's element.
Value* body::gather(llvm::Type* element, Value* pointer, Value* offsets) {
  if (lanes_of(offsets) == 1) {
    Value* const p = c_.b.CreateInBoundsGEP(element, pointer, offsets);
    return c_.b.CreateAlignedLoad(element, p, natural(element));
  }
  if (mask_) {
    Value* const first = c_.b.CreateExtractElement(offsets, std::uint64_t{0});
    Value* const fill = c_.b.CreateVectorSplat(static_cast<unsigned>(lanes()), first);
    offsets = c_.b.CreateSelect(mask_, offsets, fill);
  }
  llvm::Type* const t = coder::with_lanes(element, lanes());
  if (c_.machine().avx512f && bytes(element) >= 4) {
    Value* const all =
        llvm::Constant::getAllOnesValue(coder::with_lanes(c_.b.getInt1Ty(), lanes()));
    Value* const each = c_.b.CreateGEP(element, pointer, offsets);
    return c_.b.CreateMaskedGather(t, each, natural(element), all, llvm::PoisonValue::get(t));
  }
  Value* result = llvm::PoisonValue::get(t);
  for (int i = 0; i < lanes(); ++i) {
    Value* const p = c_.b.CreateInBoundsGEP(element, pointer, c_.lane(offsets, i));
    Value* const x = c_.b.CreateAlignedLoad(element, p, natural(element));
    result = c_.b.CreateInsertElement(result, x, c_.b.getInt64(static_cast<std::uint64_t>(i)));
  }
  return result;
}

/// Complex elements, real and imaginary parts interleaved.
Value* body::load_wide(int o, int copy) {
  Value*& known = wide_[at(o)][at(copy)];
  if (known) return known;
  const ir::operand& operand = kernel_.operands[at(o)];
  llvm::Type* const element = c_.memory_type(operand.type);
  Value* const p = cursor(o, home(o), copy);
  return known = read(element, 2 * lanes(), p, wide_mask(2));
}

/// The element offsets, in units of parts, for a linear index.
Value* body::offsets(int o, Value* linear, int part) {
  const ir::operand& operand = kernel_.operands[at(o)];
  const int count = lanes_of(linear);
  Value* sum = nullptr;
  // Quotients of element numbers, below 2^53, are exact in double, and vectors divide doubles.
  Value* rest = linear;
  for (int d = operand.access.unravel; d-- > 0;) {
    Value* coordinate = rest;
    if (d > 0) {
      Value* const extent = c_.spread(slot(ir::slot_kind::unravel_extent, o, d), count);
      Value* const ratio = c_.b.CreateFDiv(c_.double_of(rest), c_.double_of(extent));
      Value* const quotient = c_.whole_part(ratio);
      coordinate = c_.b.CreateSub(rest, c_.b.CreateMul(quotient, extent));
      rest = quotient;
    }
    Value* const step = c_.spread(slot(ir::slot_kind::unravel_stride, o, d), count);
    Value* const term = c_.b.CreateMul(coordinate, step);
    sum = sum ? c_.b.CreateAdd(sum, term) : term;
  }
  if (!is_complex(operand.type)) return sum;
  return c_.b.CreateAdd(c_.b.CreateShl(sum, 1), c_.spread(c_.integer(part), count));
}

Value* body::load_strided(int o, int part, int copy) {
  const ir::operand& operand = kernel_.operands[at(o)];
  llvm::Type* const element = c_.memory_type(operand.type);
  if (operand.access.unravel > 0) {
    return gather(element, slot(ir::slot_kind::pointer, o), offsets(o, linear(o, copy), part));
  }
  Value* p = cursor(o, home(o), copy);
  if (part) p = c_.b.CreateConstInBoundsGEP1_64(element, p, 1);
  const bool varies = step_of_lanes(o).kind != ir::step::zero && lanes() > 1;
  return gather(element, p, varies ? lane_offsets(o) : c_.integer(0));
}

/// The lanes' offsets from the first lane's element, in units of parts.
Value* body::lane_offsets(int o) {
  Value*& known = strides_[at(o)];
  if (known) return known;
  llvm::IRBuilderBase::InsertPointGuard guard(c_.b);
  place(level::entry);
  Value* step = step_of_lanes(o).stride;
  if (is_complex(kernel_.operands[at(o)].type)) step = c_.b.CreateMul(step, c_.integer(2));
  return known = c_.b.CreateMul(c_.iota(64, lanes()), c_.spread(step, lanes()), "apart");
}

Value* body::load(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const ir::operand& operand = kernel_.operands[at(i.which)];
  const bool dense = operand.access.unravel == 0 && varies(instruction) && lanes() > 1 &&
                     step_of_lanes(i.which).kind == ir::step::one;
  Value* v = nullptr;
  if (goes_on(i.which)) {
    v = load_over(i.which);
  } else if (dense && is_complex(operand.type)) {
    Value* const wide = load_wide(i.which, copy);
    v = c_.b.CreateShuffleVector(wide, every_second(i.part, lanes()));
  } else if (dense) {
    Value* const p = cursor(i.which, home(i.which), copy);
    v = read(c_.memory_type(operand.type), lanes(), p, mask_);
  } else if (strip_row_ && strips_[at(i.which)]) {
    v = load_of_strip(i.which);
  } else if (varies(instruction) && takes_turns(i.which)) {
    v = load_turn(i.which, copy);
  } else if (varies(instruction) && runs_back(i.which)) {
    v = load_backwards(i.which, copy);
  } else {
    v = load_strided(i.which, i.part, copy);
  }
  if (!v->hasName()) {
    v->setName(ir::name_of(kernel_, i.which) + ".v");
  }
  return c_.from_memory(v, operand.type);
}

bool body::may_store_twice(std::span<const int> instructions) {
  const auto masks = [&](const ir::operand& o) {
    const bool memory = o.role != ir::operand_role::index;
    return !memory || (c_.machine().masks(static_cast<unsigned>(size_of(o.type))) && o.apart == 0);
  };
  const auto plain = [&](int n) {
    const ir::inst& i = kernel_.body[at(n)];
    return i.kind == ir::inst_kind::store && i.args[1] < 0 && i.args[2] < 0 &&
           kernel_.operands[at(i.which)].access.unravel == 0 &&
           step_of_lanes(i.which).kind == ir::step::one;
  };
  return lanes() > 1 && std::all_of(kernel_.operands.begin(), kernel_.operands.end(), masks) &&
         std::all_of(instructions.begin(), instructions.end(), plain);
}

void body::ready(std::span<const int> instructions) {
  for (int n : instructions) {
    const ir::inst& i = kernel_.body[at(n)];
    value(i.args[0], 0);
    cursor(i.which, home(i.which), 0);
  }
}

void body::store(std::span<const int> instructions, int copy, bool streaming) {
  for (int n : instructions) {
    const ir::inst& i = kernel_.body[at(n)];
    if (i.kind == ir::inst_kind::loop) {
      value(n, copy);
      continue;
    }
    // Conditions and indices too: an output may overwrite the arrays they are read from.
    for (int a : i.args) {
      if (a >= 0) value(a, copy);
    }
  }
  for (int n : instructions) {
    const ir::inst& i = kernel_.body[at(n)];
    if (i.kind == ir::inst_kind::loop) continue;  // its stores are emitted already
    if (i.args[2] >= 0) {
      scatter_to(n, copy);
      continue;
    }
    if (i.args[1] >= 0) {
      raise(n, copy);
      continue;
    }
    if (takes_turns(i.which)) {
      if (kernel_.operands[at(i.which)].base == i.which) {
        store_turns(i.which, instructions, copy, streaming);
      }
      continue;
    }
    const auto other = std::find_if(instructions.begin(), instructions.end(), [&](int m) {
      return kernel_.body[at(m)].which == i.which && kernel_.body[at(m)].part != i.part;
    });
    const bool pair = other != instructions.end();
    if (pair && i.part) continue;
    Value* const imaginary = pair ? stored(*other, copy) : nullptr;
    store_one(i, stored(n, copy), imaginary, copy, streaming);
  }
}

/// The value that a store writes, with as many lanes as it writes.
Value* body::stored(int instruction, int copy) {
  const ir::inst& i = kernel_.body[at(instruction)];
  const bool all = step_of_lanes(i.which).kind != ir::step::zero;
  Value* const v = value(i.args[0], copy);
  return c_.to_memory(all ? c_.spread(v, lanes()) : c_.lane(v, 0),
                      kernel_.operands[at(i.which)].type);
}

void body::store_one(const ir::inst& i, Value* v, Value* imaginary, int copy, bool streaming) {
  const ir::operand& operand = kernel_.operands[at(i.which)];
  const int o = i.which;
  if (operand.access.unravel > 0) {
    Value* const from = slot(ir::slot_kind::pointer, o);
    Value* const index = linear(o, copy);
    scatter(v, from, offsets(o, index, i.part));
    if (imaginary) scatter(imaginary, from, offsets(o, index, 1));
    return;
  }
  Value* const p = cursor(o, home(o), copy);
  const bool dense = lanes_of(v) == 1 || step_of_lanes(o).kind == ir::step::one;
  if (dense && imaginary) {
    Value* const both[] = {v, imaginary};
    llvm::SmallVector<int, 64> turns;
    for (int n = 0; n < 2 * lanes_of(v); ++n) turns.push_back(n / 2 + (n % 2) * lanes_of(v));
    Value* const wide = c_.join(both);
    v = lanes_of(v) == 1 ? wide : c_.b.CreateShuffleVector(wide, turns);
    write_lanes(v, p, lanes_of(wide) == 2 ? nullptr : wide_mask(2), streaming);
  } else if (dense && !is_complex(operand.type)) {
    write_lanes(v, p, lanes_of(v) == 1 ? nullptr : mask_, streaming);
  } else if (lanes_of(v) > 1 && runs_back(o)) {
    store_backwards(o, v, copy);
  } else {
    llvm::Type* const element = c_.memory_type(operand.type);
    const auto part = [&](unsigned n) { return c_.b.CreateConstInBoundsGEP1_64(element, p, n); };
    Value* const apart = lanes_of(v) == 1 ? c_.integer(0) : lane_offsets(o);
    scatter(v, part(i.part), apart, true);
    if (imaginary) scatter(imaginary, part(1), apart, true);
  }
}

void body::write_lanes(Value* v, Value* pointer, Value* mask, bool streaming) {
  llvm::Type* const t = v->getType();
  if (!mask) {
    const unsigned whole = std::min(64u, bytes(t) * static_cast<unsigned>(lanes_of(v)));
    auto* const s =
        c_.b.CreateAlignedStore(v, pointer, streaming ? llvm::Align(whole) : natural(t));
    if (!streaming) return;
    auto* const one = llvm::ConstantAsMetadata::get(c_.b.getInt32(1));
    s->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(c_.b.getContext(), one));
    return;
  }
  if (c_.machine().masks(bytes(t))) {
    c_.b.CreateMaskedStore(v, pointer, natural(t), mask);
    return;
  }
  Value* const copy = scratch(t);
  c_.b.CreateStore(v, copy);
  Value* const size = c_.b.CreateMul(active_, c_.integer(bytes(t) * lanes_of(v) / lanes()));
  c_.b.CreateMemCpy(pointer, natural(t), copy, llvm::Align(16), size);
}

void body::scatter(Value* v, Value* pointer, Value* offsets, bool steps) {
  llvm::Type* const element = v->getType()->getScalarType();
  if (lanes_of(offsets) == 1) {
    c_.b.CreateAlignedStore(v, c_.b.CreateInBoundsGEP(element, pointer, offsets), natural(element));
    return;
  }
  if (c_.machine().avx512f && bytes(element) >= 4) {
    Value* const all =
        llvm::Constant::getAllOnesValue(coder::with_lanes(c_.b.getInt1Ty(), lanes()));
    Value* const each = c_.b.CreateGEP(element, pointer, offsets);
    c_.b.CreateMaskedScatter(v, each, natural(element), mask_ ? mask_ : all);
    return;
  }
  // A whole vector is unrolled: a call would cost a walk along short rows its registers.
  if (!active_ && lanes() <= 8) {
    for (int n = 0; n < lanes(); ++n) {
      Value* const p = c_.b.CreateInBoundsGEP(element, pointer, c_.lane(offsets, n));
      c_.b.CreateAlignedStore(c_.lane(v, n), p, natural(element));
    }
    return;
  }
  if (steps) return scatter_by_steps(v, pointer, c_.lane(offsets, 1));
  scatter_by_offsets(v, pointer, offsets);
}

/// A loop over the lanes, once per module: there are no scatter instructions.
void body::scatter_by_offsets(Value* v, Value* pointer, Value* offsets) {
  llvm::Type* const element = v->getType()->getScalarType();
  auto* const type = llvm::FunctionType::get(
      c_.b.getVoidTy(), {v->getType(), pointer->getType(), offsets->getType(), c_.b.getInt64Ty()},
      false);
  const std::string name = coder::helper_name("scatter", element, lanes());
  llvm::Function* const each = c_.helper(name, type, [&](llvm::Function* f) {
    flow loops(c_.b, f);
    loops.count(c_.integer(0), f->getArg(3), c_.integer(1), "lane", [&](Value* i) {
      Value* const offset = c_.b.CreateExtractElement(f->getArg(2), i);
      Value* const p = c_.b.CreateInBoundsGEP(element, f->getArg(1), offset);
      c_.b.CreateAlignedStore(c_.b.CreateExtractElement(f->getArg(0), i), p, natural(element));
    });
    c_.b.CreateRetVoid();
    loops.promote();
  });
  c_.b.CreateCall(each, {v, pointer, offsets, active_ ? active_ : c_.integer(lanes())});
}

/// The same with a step, not offsets: 64 of these fill eight registers, and each lane of them goes
/// through memory (every second byte of a million: 1.31 ms, 0.15 by steps; NumPy 0.22).
void body::scatter_by_steps(Value* v, Value* pointer, Value* step) {
  llvm::Type* const element = v->getType()->getScalarType();
  const std::string name = coder::helper_name("steps", element, lanes());
  llvm::Type* const word = c_.b.getInt64Ty();
  auto* const type = llvm::FunctionType::get(
      c_.b.getVoidTy(), {v->getType(), pointer->getType(), word, word}, false);
  llvm::Function* const each = c_.helper(name, type, [&](llvm::Function* f) {
    Value* const copy = c_.b.CreateAlloca(v->getType());
    c_.b.CreateStore(f->getArg(0), copy);
    flow loops(c_.b, f);
    loops.count(c_.integer(0), f->getArg(3), c_.integer(1), "lane", [&](Value* i) {
      Value* const x =
          c_.b.CreateLoad(element, c_.b.CreateInBoundsGEP(element, copy, i));
      Value* const to = c_.b.CreateInBoundsGEP(element, f->getArg(1),
                                               c_.b.CreateMul(i, f->getArg(2)));
      c_.b.CreateAlignedStore(x, to, natural(element));
    });
    c_.b.CreateRetVoid();
    loops.promote();
  });
  c_.b.CreateCall(each, {v, pointer, step, active_ ? active_ : c_.integer(lanes())});
}

}  // namespace sinter::codegen::cpu
