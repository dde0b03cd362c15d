#pragma once
// The functions and types that emitted text may use, as a header would, but only those the kernel
// needs. Names start with sinter_, so that none clashes with the kernel's; only element types have
// the names they have everywhere in sinter.

#include <span>
#include <string>
#include <string_view>

namespace sinter::codegen::cuda_text {

struct prelude_piece {
  std::string_view name;  // the identifier it defines; several pieces may share one
  std::string_view text;
  bool primitive = false;  // contains PTX: a build of the text for the host supplies its own
                           // version
};

std::span<const prelude_piece> prelude_pieces();

/// The pieces that `body` uses, and those they use in turn, in dependency order.
std::string prelude_for(std::string_view body);

}  // namespace sinter::codegen::cuda_text
