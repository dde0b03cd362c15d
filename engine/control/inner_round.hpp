#pragma once
// Records a round of a loop with tables as part of another loop's round (nested_loops.hpp).

#include <vector>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

/// The program of a loop node of rank 0 on other values. If there is no round it reads the first
/// elements of its operands, and writes nothing.
class inner_round {
 public:
  /// `given`: the loop's carries, the number of the round and the invariants; `sliced`: the arrays
  /// of which it reads one element per round; `tables`: as they are before the round. REQUIRES:
  /// rank 0.
  inner_round(const node& loop, std::vector<any_array> given, std::vector<any_array> sliced,
              const std::vector<any_array>& tables, location);

  /// Is there a round?
  const any_array& goes() const { return goes_; }
  /// Value v of the program; if it reads tables REQUIRES `write`.
  any_array value(int v);
  /// The tables after the round.
  std::vector<any_array> write();

 private:
  any_array read(std::size_t slice);
  any_array computed(const ir::instruction&);
  any_array place(int by, std::int64_t along);
  any_array integer(std::int64_t v) const;

  const node& n_;
  const ir::loop& l_;
  const location where_;
  const std::size_t first_slice_;  // among the program's inputs
  std::vector<any_array> known_;   // per value of the program
  std::vector<any_array> sliced_;
  std::vector<std::vector<any_array>> tables_;  // per table: after each number of writes to all
  any_array goes_;
};

/// Is a nested loop better as a kernel of its own, once per round of the outer loop? A round of
/// both takes 10 ns where one of the inner loop takes 2, and a kernel of a played loop 0.3 us (two
/// cores of an EPYC; a GPU's round 0.3 us where a kernel of a graph takes 1). Inside another traced
/// loop, a loop of kernels is traced again for each round.
bool stands_alone(const node& loop, const std::vector<any_array>& inputs);

}  // namespace sinter::detail
