#pragma once
// Tables: carries of a loop that a round reads and writes element by element.
//
// Why: dynamic programs, sieves, sorts and elementwise solvers carry an array of which each round
// accesses a few elements. As part of the loop's own node all rounds are one kernel, which works in
// the array's memory (ir::loop).

#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/control/traced_loop.hpp"
#include "engine/nodes/traced_region.hpp"

namespace sinter::detail {

class loop_tables {
 public:
  struct write {
    std::size_t table;
    any_array index;          // int64, rank 0; none: 0
    std::int64_t offset;      // the element is this + index
    any_array value;          // rank 0
    any_array where;          // if it holds; none: always
    ir::op code;              // cast: the value is assigned, else combined with the old one
    const node* before;       // the version it writes to
  };
  /// The state of a table at some point of a round.
  struct version {
    std::size_t table;
    std::size_t writes;  // of this table
  };

  /// The tables of a round, if it has any: then every carry with a shape is one, and is written one
  /// element at a time.
  loop_tables(const traced_loop&, const region&);

  /// Their numbers among the carries.
  const std::vector<std::size_t>& carries() const { return carries_; }
  /// In execution order.
  const std::vector<write>& writes() const { return writes_; }
  /// An update or scatter as a write to one element, if it is one.
  static std::optional<write> write_of(const any_array& x, const region&, std::size_t table);
  std::optional<version> version_of(const any_array& x) const { return version_of(x.get()); }
  std::optional<version> version_of(const node*) const;

 private:
  bool add(const traced_loop&, const region&, std::size_t carry);

  std::vector<std::size_t> carries_;
  std::vector<write> writes_;
  std::unordered_map<const node*, version> versions_;
};

}  // namespace sinter::detail
