#pragma once
// Which groups wait for which: a fuser asks it of every pair that it might join. With one set of
// bits a group, of all that it waits for through others, an answer is one word and a new pair one
// pass over the groups: functions of 400 statements were planned for a second, of 1,600 for a
// minute, when each question walked the graph.

#include <cstdint>
#include <set>
#include <vector>

namespace sinter::ir {

class group_waits {
 public:
  /// A group more, which waits for none.
  void add();
  /// Group a waits for group b: reads what it stores, or writes after it has read. O(groups) where
  /// that is new. REQUIRES: b does not wait for a.
  void wait(std::int32_t a, std::int32_t b);

  /// Does a wait for b itself, or perhaps through others?
  bool itself(std::int32_t a, std::int32_t b) const { return of(a).count(b) > 0; }
  bool through(std::int32_t a, std::int32_t b) const;
  /// What a group waits for itself.
  const std::set<std::int32_t>& of(std::int32_t a) const {
    return needs_[static_cast<std::size_t>(a)];
  }

  /// Group b becomes a part of a. REQUIRES: neither waits for the other.
  void join(std::int32_t a, std::int32_t b);
  /// Group i is number `place[i]` of `count`; -1: it is no more, and nothing waits for it.
  void renumber(const std::vector<std::int32_t>& place, std::int32_t count);

 private:
  using bits = std::vector<std::uint64_t>;
  static bool has(const bits&, std::int32_t);
  static void put(bits&, std::int32_t);
  static void unite(bits&, const bits&);

  std::vector<std::set<std::int32_t>> needs_;  // per group: those it waits for itself
  std::vector<bits> all_;                      // and through others
};

}  // namespace sinter::ir
