#include "engine/calls/calls.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace sinter::detail {

void once::say(const std::string& line) {
  const std::lock_guard one(mutex_);
  if (said_.insert(line).second) std::fprintf(stderr, "sinter: %s\n", line.c_str());
}

bool once::is_new(std::span<const std::int64_t> what) {
  const std::lock_guard one(mutex_);
  const auto same = [&](const auto& known) { return std::ranges::equal(known, what); };
  if (std::ranges::any_of(known_, same)) return false;
  if (known_.size() == most_known) known_.clear();
  known_.emplace_back(what.begin(), what.end());
  return true;
}

const call_row& find_call(std::string_view routine) {
  static constexpr std::span<const call_row> (*families[])() = {product_calls, linalg_calls,
                                                                fourier_calls, sort_calls};
  for (const auto family : families) {
    for (const call_row& r : family()) {
      if (r.name == routine) return r;
    }
  }
  throw std::logic_error("no routine is named '" + std::string(routine) + "'");
}

}  // namespace sinter::detail
