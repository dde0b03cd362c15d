#pragma once
// What values an array of integers can have, as far as how it was recorded says so.
//
// Why: indices are checked, and the check of computed ones costs kernels of their own (base64 of 60
// MB, H200: half of 950 us) or a word in every round of a loop. Those of `clip(k, 0, n - 1)`,
// `k % n`, `k & 63`, `argmax(x)`, `arange(n)` or of a loop's counter need none; nor do those of
// `astype<int>(floor(clip(y, 0, n - 1)))`, which every resampling of an image has four of.

#include <cstdint>
#include <optional>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

struct value_range {
  std::int64_t lo, hi;
  bool within(std::int64_t least, std::int64_t most) const { return least <= lo && hi <= most; }
};

/// All values lie in it; those of an empty array need not. What is not known is what the type has,
/// of uint64 as an int64 has it after a cast. Looks at a few nodes, whatever x was made of. Of
/// floats: all values that are numbers.
value_range range_of(const any_array& x);

/// While it lives, the calling thread knows that all values of x, a stand-in, lie there.
class [[nodiscard]] known_range {
 public:
  known_range(const any_array& x, value_range);
  ~known_range();
  known_range(const known_range&) = delete;
  known_range& operator=(const known_range&) = delete;

  /// What is known of it.
  static std::optional<value_range> of(const node&);

 private:
  const node* of_;
  value_range range_;
  const known_range* outer_;
};

}  // namespace sinter::detail
