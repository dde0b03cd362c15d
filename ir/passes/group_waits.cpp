#include "ir/passes/group_waits.hpp"

#include <algorithm>

namespace sinter::ir {

void group_waits::add() {
  needs_.emplace_back();
  all_.emplace_back();
}

bool group_waits::has(const bits& b, std::int32_t i) {
  const auto word = static_cast<std::size_t>(i) / 64;
  return word < b.size() && (b[word] >> (i % 64) & 1) != 0;
}

void group_waits::put(bits& b, std::int32_t i) {
  const auto word = static_cast<std::size_t>(i) / 64;
  if (word >= b.size()) b.resize(word + 1);
  b[word] |= std::uint64_t{1} << (i % 64);
}

void group_waits::unite(bits& to, const bits& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t w = 0; w < from.size(); ++w) to[w] |= from[w];
}

void group_waits::wait(std::int32_t a, std::int32_t b) {
  needs_[static_cast<std::size_t>(a)].insert(b);
  if (through(a, b)) return;
  const bits& behind = all_[static_cast<std::size_t>(b)];
  for (std::size_t x = 0; x < all_.size(); ++x) {
    if (static_cast<std::int32_t>(x) != a && !has(all_[x], a)) continue;
    unite(all_[x], behind);
    put(all_[x], b);
  }
}

bool group_waits::through(std::int32_t a, std::int32_t b) const {
  return has(all_[static_cast<std::size_t>(a)], b);
}

void group_waits::join(std::int32_t a, std::int32_t b) {
  const auto into = static_cast<std::size_t>(a), gone = static_cast<std::size_t>(b);
  needs_[into].merge(needs_[gone]);
  needs_[gone].clear();
  unite(all_[into], all_[gone]);
  all_[gone].clear();
  const bits behind = all_[into];
  for (std::size_t x = 0; x < all_.size(); ++x) {
    if (needs_[x].erase(b) > 0) needs_[x].insert(a);
    if (!has(all_[x], a) && !has(all_[x], b)) continue;
    unite(all_[x], behind);
    put(all_[x], a);
  }
}

void group_waits::renumber(const std::vector<std::int32_t>& place, std::int32_t count) {
  std::vector<std::set<std::int32_t>> needs(static_cast<std::size_t>(count));
  std::vector<bits> all(needs.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] < 0) continue;
    const auto to = static_cast<std::size_t>(place[i]);
    for (std::int32_t n : needs_[i]) needs[to].insert(place[static_cast<std::size_t>(n)]);
    for (std::size_t n = 0; n < place.size(); ++n) {
      if (place[n] >= 0 && has(all_[i], static_cast<std::int32_t>(n))) put(all[to], place[n]);
    }
  }
  needs_ = std::move(needs);
  all_ = std::move(all);
}

}  // namespace sinter::ir
