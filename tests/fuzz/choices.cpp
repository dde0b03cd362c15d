#include "tests/fuzz/choices.hpp"

#include <algorithm>

namespace sinter::fuzz {

std::uint64_t random_bits::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

bool choices::next_step() {
  if (replay_ && taken_.steps.size() >= given_.steps.size()) return false;
  taken_.steps.emplace_back();
  return true;
}

std::uint32_t choices::below(std::uint32_t n) {
  if (taken_.steps.empty()) taken_.steps.emplace_back();
  std::vector<std::uint32_t>& step = taken_.steps.back();
  std::uint32_t value = 0;
  if (n > 1) {
    if (!replay_) {
      value = static_cast<std::uint32_t>(random_.next() >> 32) % n;
    } else if (taken_.steps.size() <= given_.steps.size()) {
      const auto& given = given_.steps[taken_.steps.size() - 1];
      if (step.size() < given.size()) value = std::min(given[step.size()], n - 1);
    }
  }
  step.push_back(value);
  return value;
}

}  // namespace sinter::fuzz
