#pragma once
// The functions and types that emitted text may use: all that a header would give, and no more than
// the kernel at hand needs. Names start with sinter_, so that none meets a name of the kernel; only
// types of elements are called as everywhere in sinter.

#include <span>
#include <string>
#include <string_view>

namespace sinter::codegen::cuda_text {

struct prelude_piece {
  std::string_view name;  // the identifier it defines; several pieces may share one
  std::string_view text;
  bool primitive = false;  // holds PTX: whoever compiles the text for a host brings its own
};

std::span<const prelude_piece> prelude_pieces();

/// The pieces that `body` uses, and what they use in turn, in an order that compiles.
std::string prelude_for(std::string_view body);

}  // namespace sinter::codegen::cuda_text
