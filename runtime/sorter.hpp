#pragma once
// Sorting, from whichever library the device has. Only unsigned keys are known here: callers map
// numbers to keys with the same order (engine/sorting/sort_keys.hpp).

#include <cstdint>

namespace sinter::runtime {

/// Rows of keys, dense and consecutive. Each is sorted separately, ascending, and its first
/// `wanted` keys and positions are written, again as consecutive rows. REQUIRES: 8-byte positions
/// with 8-byte keys only.
struct sort_call {
  int key_bytes = 4;  // 1, 2, 4 or 8
  int key_bits = 0;   // significant bits of a key, if not all: those above are zero
  std::int64_t rows = 0;
  std::int64_t length = 0;  // of a row
  std::int64_t wanted = length;
  const void* keys = nullptr;
  void* sorted = nullptr;     // the keys in order; null: not needed
  void* positions = nullptr;  // where in its row each was; null: not needed
  int position_bytes = 4;     // int32 or int64, which holds length - 1
};

/// The keys at some ranks of sorted rows: found[row, i] is the key of rank places[row, i].
/// REQUIRES: the ranks are inside a row.
struct select_call {
  int key_bytes = 4;  // 1, 2, 4 or 8
  std::int64_t rows = 0;
  std::int64_t length = 0;  // of a row
  std::int64_t wanted = 0;  // ranks per row
  const void* keys = nullptr;
  const void* places = nullptr;  // int64
  void* found = nullptr;
};

/// Thread-safe and stable; results depend on the keys alone.
class sorter {
 public:
  virtual ~sorter() = default;
  /// Queues the work on the calling thread's stream. No memory of the call overlaps. Throws
  /// device_error: for a missing library, naming what to install; out_of_memory for workspaces,
  /// which come from the device's pool.
  virtual void sort(const sort_call&) = 0;
  /// The same. For long rows and a few ranks it costs less than a sort.
  virtual void select(const select_call&) = 0;
};

}  // namespace sinter::runtime
