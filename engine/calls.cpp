#include "engine/calls.hpp"

#include <cstdio>
#include <stdexcept>

namespace sinter::detail {

void once::say(const std::string& line) {
  const std::lock_guard one(mutex_);
  if (said_.insert(line).second) std::fprintf(stderr, "sinter: %s\n", line.c_str());
}

call_function find_call(std::string_view routine) {
  static constexpr std::span<const call_row> (*families[])() = {product_calls, linalg_calls,
                                                                fourier_calls, sort_calls};
  for (const auto family : families) {
    for (const call_row& r : family()) {
      if (r.name == routine) return r.run;
    }
  }
  throw std::logic_error("no routine is named '" + std::string(routine) + "'");
}

}  // namespace sinter::detail
