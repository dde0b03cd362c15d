#pragma once
// Infers the range of values of an integer array from how it was recorded.
//
// Why: indices are checked, and the check of computed ones costs separate kernels (base64 of 60 MB,
// H200: half of 950 us) or a word in every round of a loop. The indices `clip(k, 0, n - 1)`, `k %
// n`, `k & 63`, `argmax(x)`, `arange(n)` or a loop's counter need none; nor does
// `astype<int>(floor(clip(y, 0, n - 1)))`, of which every resampling of an image has four.

#include <cstdint>
#include <optional>

#include "engine/nodes/node.hpp"

namespace sinter::detail {

struct value_range {
  std::int64_t lo, hi;
  bool within(std::int64_t least, std::int64_t most) const { return least <= lo && hi <= most; }
};

/// All values lie in it; those of an empty array need not. If nothing is known it is the range of
/// the type, for uint64 after a cast to int64. Looks at a few nodes only. For floats: all values
/// that are not NaN.
value_range range_of(const any_array& x);

/// While it lives, the calling thread knows that all values of x, a stand-in, lie in the range.
class [[nodiscard]] known_range {
 public:
  known_range(const any_array& x, value_range);
  ~known_range();
  known_range(const known_range&) = delete;
  known_range& operator=(const known_range&) = delete;

  /// The range known for a node.
  static std::optional<value_range> of(const node&);

 private:
  const node* of_;
  value_range range_;
  const known_range* outer_;
};

}  // namespace sinter::detail
