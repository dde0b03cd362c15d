#pragma once
// The transitive order of groups, which a fuser queries for every pair it might join. Each group
// has a bit set of all groups it waits for, directly or not: a query is one word, and a new pair
// costs one pass over the groups. When each query walked the graph, planning took a second for
// functions of 400 statements and a minute for 1,600.

#include <cstdint>
#include <set>
#include <vector>

namespace sinter::ir {

class group_waits {
 public:
  /// Adds a group that waits for none.
  void add();
  /// Group a waits for group b: it reads what b stores, or writes after b has read. O(groups) if
  /// that is new. REQUIRES: b does not wait for a.
  void wait(std::int32_t a, std::int32_t b);

  /// Does a wait for b, directly (`itself`) or possibly through others (`through`)?
  bool itself(std::int32_t a, std::int32_t b) const { return of(a).count(b) > 0; }
  bool through(std::int32_t a, std::int32_t b) const;
  /// The groups that a waits for directly.
  const std::set<std::int32_t>& of(std::int32_t a) const {
    return needs_[static_cast<std::size_t>(a)];
  }

  /// Merges group b into a. REQUIRES: neither waits for the other.
  void join(std::int32_t a, std::int32_t b);
  /// Group i becomes number `place[i]` of `count`; -1: it is removed, and nothing waits for it.
  void renumber(const std::vector<std::int32_t>& place, std::int32_t count);

 private:
  using bits = std::vector<std::uint64_t>;
  static bool has(const bits&, std::int32_t);
  static void put(bits&, std::int32_t);
  static void unite(bits&, const bits&);

  std::vector<std::set<std::int32_t>> needs_;  // per group: those it waits for directly
  std::vector<bits> all_;                      // directly or through others
};

}  // namespace sinter::ir
