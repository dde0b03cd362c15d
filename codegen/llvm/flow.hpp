#pragma once
// Loops. Variables are stack slots while code is emitted; `promote` turns them into SSA values.

#include <functional>
#include <span>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace sinter::codegen::cpu {

using llvm::Value;

struct variable {
  llvm::AllocaInst* slot = nullptr;
  Value* get(llvm::IRBuilder<>& b) const { return b.CreateLoad(slot->getAllocatedType(), slot); }
  void set(llvm::IRBuilder<>& b, Value* v) const { b.CreateStore(v, slot); }
};

class flow {
 public:
  using builder = llvm::IRBuilder<>;

  flow(builder& b, llvm::Function* f) : b_(b), function_(f) {}

  variable make(llvm::Type*, const llvm::Twine& name);
  llvm::BasicBlock* block(const llvm::Twine& name);

  /// for (i = begin; i < end; i += step)
  void count(Value* begin, Value* end, Value* step, const llvm::Twine& name,
             const std::function<void(Value* i)>& body);
  /// [0, length) in pieces; `end` gives the end of the piece that begins at `first`, past it.
  void cut(Value* length, const llvm::Twine& name, const std::function<Value*(Value* first)>& end,
           const std::function<void(Value* first, Value* last)>& body);
  void when(Value* condition, const llvm::Twine& name, const std::function<void()>& body);
  void either(Value* condition, const llvm::Twine& name, const std::function<void()>& holds,
              const std::function<void()>& fails);

  /// Walks the elements [begin, end) of a row-major domain in runs along its last axis. `body` gets
  /// the coordinates of a run's first element and the length of the run, at least 1.
  void walk(std::span<Value* const> extents, Value* begin, Value* end, const llvm::Twine& name,
            const std::function<void(std::span<Value* const> coordinates, Value* length)>& body);
  /// The same, with up to `most` adjacent whole rows at a time. REQUIRES: two axes.
  void walk_blocks(std::span<Value* const> extents, Value* begin, Value* end, Value* most,
                   const llvm::Twine& name,
                   const std::function<void(std::span<Value* const> coordinates, Value* length,
                                            Value* rows)>& body);

  /// Walks the elements [begin, end) in runs along the last axis, `lanes` at a time: the tail of a
  /// row is combined with the first elements of the next. `body` gets the coordinates of a run's
  /// first element, its length, at least 1, and those of the next row's first element. REQUIRES:
  /// two axes or more, rows of at least `lanes`, end - begin a multiple of it.
  void walk_on(std::span<Value* const> extents, Value* begin, Value* end, int lanes,
               const llvm::Twine& name,
               const std::function<void(std::span<Value* const> coordinates, Value* length,
                                        std::span<Value* const> next)>& body);

  void promote();

 private:
  Value* smaller(Value* a, Value* b);
  std::vector<variable> unravel(std::span<Value* const> extents, Value* number,
                                const llvm::Twine& name);
  Value* whole_rows(std::span<Value* const> extents, std::span<Value* const> at, Value* left,
                    Value* most);
  void advance(std::span<Value* const> extents, std::span<const variable> coordinates, Value* rows);
  void walk_rows(std::span<Value* const> extents, std::span<const variable> coordinates,
                 const variable& position, Value* end, const llvm::Twine& name,
                 const std::function<void(std::span<Value* const>, Value*)>& body);
  /// Repeats body() while it returns true.
  void again(const llvm::Twine& name, const std::function<Value*()>& body);

  builder& b_;
  llvm::Function* function_;
  std::vector<llvm::AllocaInst*> slots_;
};

}  // namespace sinter::codegen::cpu
