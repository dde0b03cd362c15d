#pragma once
// What this layer throws. Both mean a mistake inside sinter or in text handed to a parser; the
// engine turns them into its internal error.

#include <stdexcept>
#include <string>

namespace sinter::ir {

struct syntax_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct verify_error : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace sinter::ir
