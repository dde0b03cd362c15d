#pragma once
// Outer values: one per row, computed before the walk that needs them.

#include "codegen/cuda_text/reduce_layout.hpp"

namespace sinter::codegen::cuda_text {

class outer_writer {
 public:
  outer_writer(const ir::kernel& k, const reduce_layout& l, access_writer& a, body_writer& b,
               writer& out)
      : kernel_(k), layout_(l), accesses_(a), body_(b), out_(out) {}

  /// Row offsets of all operands, and loads of those that do not move along reduced axes.
  void begin();
  /// Outer values before walk `number`.
  void section(const inst_list& outer, std::size_t number);

 private:
  inst_list outliving(const inst_list& outer, std::size_t number) const;

  const ir::kernel& kernel_;
  const reduce_layout& layout_;
  access_writer& accesses_;
  body_writer& body_;
  writer& out_;
};

}  // namespace sinter::codegen::cuda_text
