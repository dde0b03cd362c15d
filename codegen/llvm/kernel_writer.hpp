#pragma once
// Emits the loops of a kernel around the values of its body.

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/llvm/body.hpp"
#include "codegen/llvm/flow.hpp"
#include "codegen/llvm/reducer.hpp"

namespace sinter::codegen::cpu {

/// The entry point; other functions in a module are private.
inline constexpr std::string_view entry_name = "kernel";

/// A function of slots and a range of blocks, up to its first basic block, where the builder
/// stands.
llvm::Function* begin_function(coder&, std::string_view name);

/// Emits a kernel without parts as a function of a coder's module. Each coder emits one function.
class kernel_writer {
 public:
  kernel_writer(coder&, const ir::kernel&, std::string_view name = entry_name);
  void write();

 private:
  void write_split(Value* first_block, Value* last_block);
  void write_chain(Value* first_block, Value* last_block);
  void write_range(Value* begin, Value* end);
  struct strip {
    std::vector<Value*> corner;
    Value *rows, *columns;
  };
  int strip_rows() const;
  void write_strips(std::span<Value* const> extents, Value* begin, Value* end);
  void write_strip(const strip& s);
  void in_strip(const strip& s, Value* row, Value* column,
                const std::function<void(Value* width, Value* place)>& write);
  Value* is_turned();
  void write_turned(std::span<Value* const> extents, Value* begin, Value* end, Value* turned);
  void write_flat(std::span<Value* const> extents, Value* begin, Value* end);
  void write_whole_rows(std::span<Value* const> extents, Value* begin, Value* end);
  void write_flat_vectors(std::span<Value* const> extents, Value* begin, Value* end,
                          bool streaming);
  void write_run(Value* length);
  Value* write_abreast(Value* length);
  void in_pieces(Value* length, const std::function<void(Value* first, Value* last)>& write);
  Value* write_whole(Value* first, Value* length, int unroll, const char* name);
  void write_vectors(Value* first, Value* length, int unroll);
  bool is_large();
  void write_large(Value* first, Value* length);
  void write_point(int copies, bool streaming);
  Value* write_streaming(Value* first, Value* length);
  bool is_flag(int operand) const;
  Value* passes_caches();
  std::int64_t streamed_vector(const ir::operand&) const;
  Value* may_stream(Value* first, Value* length);
  Value* may_stream_from(Value* begin);

  Value* total(int first, int count);
  Value* smaller(Value* a, Value* b);

  coder& c_;
  const ir::kernel& kernel_;
  llvm::Function* function_;
  flow loops_;
  body body_;
  reducer reducer_;
  std::vector<int> stores_;  // the outer ones
  Value* passes_ = nullptr;  // may runs bypass the caches? null: none may
  std::int64_t streamed_bytes_ = 0;  // bytes of one element of all outputs
  Value* reduced_begin_ = nullptr;
  Value* reduced_end_ = nullptr;
  Value* chunk_ = nullptr;      // of a chained scan: its number, and its words in the state
  Value* record_ = nullptr;
};

}  // namespace sinter::codegen::cpu
