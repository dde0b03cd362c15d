#include "codegen/llvm/flow.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace sinter::codegen::cpu {

variable flow::make(llvm::Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(&entry, entry.begin());
  llvm::AllocaInst* const slot = b_.CreateAlloca(type, nullptr, name);
  slots_.push_back(slot);
  return {slot};
}

llvm::BasicBlock* flow::block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, function_);
}

void flow::count(Value* begin, Value* end, Value* step, const llvm::Twine& name,
                 const std::function<void(Value* i)>& body) {
  const variable counter = make(begin->getType(), name);
  counter.set(b_, begin);
  llvm::BasicBlock* const loop = block(name + ".loop");
  llvm::BasicBlock* const done = block(name + ".done");
  b_.CreateCondBr(b_.CreateICmpSLT(begin, end), loop, done);
  b_.SetInsertPoint(loop);
  Value* const i = counter.get(b_);
  body(i);
  Value* const next = b_.CreateAdd(i, step, name + ".next", true, true);
  counter.set(b_, next);
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, done);
  done->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(done);
}

void flow::cut(Value* length, const llvm::Twine& name,
               const std::function<Value*(Value* first)>& end,
               const std::function<void(Value* first, Value* last)>& body) {
  const variable at = make(length->getType(), name);
  at.set(b_, b_.getInt64(0));
  llvm::BasicBlock* const loop = block(name + ".loop");
  llvm::BasicBlock* const done = block(name + ".done");
  b_.CreateCondBr(b_.CreateICmpSGT(length, b_.getInt64(0)), loop, done);
  b_.SetInsertPoint(loop);
  Value* const first = at.get(b_);
  Value* const last = end(first);
  body(first, last);
  at.set(b_, last);
  b_.CreateCondBr(b_.CreateICmpSLT(last, length), loop, done);
  done->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(done);
}

void flow::when(Value* condition, const llvm::Twine& name, const std::function<void()>& body) {
  llvm::BasicBlock* const yes = block(name);
  llvm::BasicBlock* const done = block(name + ".done");
  b_.CreateCondBr(condition, yes, done);
  b_.SetInsertPoint(yes);
  body();
  b_.CreateBr(done);
  done->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(done);
}

void flow::either(Value* condition, const llvm::Twine& name, const std::function<void()>& holds,
                  const std::function<void()>& fails) {
  llvm::BasicBlock* const yes = block(name);
  llvm::BasicBlock* const no = block(name + ".not");
  llvm::BasicBlock* const done = block(name + ".done");
  b_.CreateCondBr(condition, yes, no);
  for (const auto& [begin, body] : {std::pair(yes, &holds), std::pair(no, &fails)}) {
    begin->moveAfter(b_.GetInsertBlock());
    b_.SetInsertPoint(begin);
    (*body)();
    b_.CreateBr(done);
  }
  done->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(done);
}

Value* flow::smaller(Value* a, Value* b) { return b_.CreateSelect(b_.CreateICmpSLT(a, b), a, b); }

/// Variables with the coordinates of a row-major element number.
std::vector<variable> flow::unravel(std::span<Value* const> extents, Value* number,
                                    const llvm::Twine& name) {
  std::vector<variable> coordinates;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    coordinates.push_back(make(b_.getInt64Ty(), name + llvm::Twine(d)));
  }
  for (std::size_t d = extents.size(); d-- > 1;) {
    coordinates[d].set(b_, b_.CreateURem(number, extents[d]));
    number = b_.CreateUDiv(number, extents[d]);
  }
  coordinates[0].set(b_, number);
  return coordinates;
}

/// Advances by `rows` rows, to the start of a row: the last coordinate becomes 0, the others carry.
void flow::advance(std::span<Value* const> extents, std::span<const variable> coordinates,
                   Value* rows) {
  Value* more = rows;
  for (std::size_t d = extents.size() - 1; d-- > 0;) {
    Value* const sum = b_.CreateAdd(coordinates[d].get(b_), more);
    Value* const carry = b_.CreateICmpEQ(sum, extents[d]);
    coordinates[d].set(b_, b_.CreateSelect(carry, b_.getInt64(0), sum));
    more = b_.CreateZExt(carry, b_.getInt64Ty());
  }
  coordinates.back().set(b_, b_.getInt64(0));
}

/// How many whole rows begin here, along the axis before the last; 1 for a part of a row.
Value* flow::whole_rows(std::span<Value* const> extents, std::span<Value* const> at, Value* left,
                        Value* most) {
  const std::size_t last = extents.size() - 1;
  Value* const one = b_.getInt64(1);
  Value* const ahead = b_.CreateSub(extents[last - 1], at[last - 1]);
  Value* rows = smaller(b_.CreateUDiv(left, extents[last]), ahead);
  rows = smaller(rows, most);
  Value* const inside = b_.CreateICmpNE(at[last], b_.getInt64(0));
  Value* const part = b_.CreateOr(inside, b_.CreateICmpSLT(rows, one));
  return b_.CreateSelect(part, one, rows, "rows");
}

void flow::walk(std::span<Value* const> extents, Value* begin, Value* end, const llvm::Twine& name,
                const std::function<void(std::span<Value* const>, Value*)>& body) {
  when(b_.CreateICmpSLT(begin, end), name, [&] {
    if (extents.size() == 1) {
      Value* const first[] = {begin};
      return body(first, b_.CreateSub(end, begin, "length"));
    }
    const std::vector<variable> coordinates = unravel(extents, begin, name);
    const variable position = make(b_.getInt64Ty(), name + ".at");
    position.set(b_, begin);
    again(name + ".plane", [&] {
      walk_rows(extents, coordinates, position, end, name, body);
      advance(extents, coordinates, b_.getInt64(0));  // walk_rows has counted the rows
      return b_.CreateICmpSLT(position.get(b_), end);
    });
  });
}

/// The runs up to the end of the axis before the last. In a loop of its own, in which only the
/// row's number changes, LLVM advances pointers by additions.
void flow::walk_rows(std::span<Value* const> extents, std::span<const variable> coordinates,
                     const variable& position, Value* end, const llvm::Twine& name,
                     const std::function<void(std::span<Value* const>, Value*)>& body) {
  const std::size_t last = extents.size() - 1;
  std::vector<Value*> at;
  for (const variable& c : coordinates) at.push_back(c.get(b_));
  again(name + ".run", [&] {
    at[last - 1] = coordinates[last - 1].get(b_);
    at[last] = coordinates[last].get(b_);
    Value* const here = position.get(b_);
    Value* const length =
        smaller(b_.CreateSub(extents[last], at[last]), b_.CreateSub(end, here));
    body(at, length);
    Value* const next = b_.CreateAdd(here, length);
    Value* const row = b_.CreateAdd(at[last - 1], b_.getInt64(1), "", true, true);
    position.set(b_, next);
    coordinates[last - 1].set(b_, row);
    coordinates[last].set(b_, b_.getInt64(0));
    return b_.CreateAnd(b_.CreateICmpSLT(next, end), b_.CreateICmpSLT(row, extents[last - 1]));
  });
}

void flow::again(const llvm::Twine& name, const std::function<Value*()>& body) {
  llvm::BasicBlock* const loop = block(name);
  llvm::BasicBlock* const done = block(name + ".done");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  b_.CreateCondBr(body(), loop, done);
  done->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(done);
}

void flow::walk_blocks(std::span<Value* const> extents, Value* begin, Value* end, Value* most,
                       const llvm::Twine& name,
                       const std::function<void(std::span<Value* const>, Value*, Value*)>& body) {
  when(b_.CreateICmpSLT(begin, end), name, [&] {
    const std::vector<variable> coordinates = unravel(extents, begin, name);
    const variable position = make(b_.getInt64Ty(), name + ".at");
    position.set(b_, begin);
    again(name + ".run", [&] {
      std::vector<Value*> at;
      for (const variable& c : coordinates) at.push_back(c.get(b_));
      Value* const here = position.get(b_);
      Value* const left = b_.CreateSub(end, here);
      Value* const length = smaller(b_.CreateSub(extents.back(), at.back()), left);
      Value* const rows = whole_rows(extents, at, left, most);
      body(at, length, rows);
      advance(extents, coordinates, rows);
      Value* const next = b_.CreateAdd(here, b_.CreateMul(length, rows));
      position.set(b_, next);
      return b_.CreateICmpSLT(next, end);
    });
  });
}

void flow::walk_on(std::span<Value* const> extents, Value* begin, Value* end, int lanes,
                   const llvm::Twine& name,
                   const std::function<void(std::span<Value* const>, Value*,
                                            std::span<Value* const>)>& body) {
  const std::size_t last = extents.size() - 1;
  Value* const width = b_.getInt64(static_cast<std::uint64_t>(lanes));
  when(b_.CreateICmpSLT(begin, end), name, [&] {
    const std::vector<variable> coordinates = unravel(extents, begin, name);
    const variable position = make(b_.getInt64Ty(), name + ".at");
    position.set(b_, begin);
    again(name + ".row", [&] {
      std::vector<Value*> at, next;
      for (const variable& c : coordinates) at.push_back(c.get(b_));
      Value* const here = position.get(b_);
      Value* const length = smaller(b_.CreateSub(extents[last], at[last]), b_.CreateSub(end, here));
      // Vectors of the last row end with it: none follows.
      advance(extents, coordinates, b_.getInt64(1));
      for (const variable& c : coordinates) next.push_back(c.get(b_));
      body(at, length, next);
      Value* const rest = b_.CreateURem(length, width);
      Value* const over = b_.CreateSelect(b_.CreateICmpEQ(rest, b_.getInt64(0)), rest,
                                          b_.CreateSub(width, rest));
      coordinates[last].set(b_, over);
      Value* const taken = b_.CreateAdd(b_.CreateAdd(here, length), over);
      position.set(b_, taken);
      return b_.CreateICmpSLT(taken, end);
    });
  });
}

void flow::promote() {
  llvm::DominatorTree dominators(*function_);
  llvm::PromoteMemToReg(slots_, dominators);
  slots_.clear();
}

}  // namespace sinter::codegen::cpu
