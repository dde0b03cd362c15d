#pragma once
// Strings concatenated from text and numbers.

#include <string>
#include <string_view>
#include <type_traits>

namespace sinter::ir::detail {

template <class Part>
void append_part(std::string& out, const Part& part) {
  if constexpr (std::is_integral_v<Part> && !std::is_same_v<Part, bool>) {
    out += std::to_string(part);
  } else if constexpr (requires { part.peek(); }) {
    out += std::to_string(part.peek());
  } else {
    out += std::string_view(part);
  }
}

template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append_part(out, parts), ...);
  return out;
}

}  // namespace sinter::ir::detail
