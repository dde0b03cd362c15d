#pragma once
// Sorting, from whichever library the device has. Only unsigned keys are known here: who sorts
// numbers makes keys of them whose order is the numbers' (engine/sorting/sort_keys.hpp).

#include <cstdint>

namespace sinter::runtime {

/// Rows of keys, dense, one after another. Each is sorted by itself, ascending, and its first
/// `wanted` keys and positions are written, such rows one after another. REQUIRES: keys of 8 bytes
/// with positions of 8.
struct sort_call {
  int key_bytes = 4;  // 1, 2, 4 or 8
  int key_bits = 0;   // of a key, if not all of its bytes: those above are zero
  std::int64_t rows = 0;
  std::int64_t length = 0;  // of a row
  std::int64_t wanted = length;
  const void* keys = nullptr;
  void* sorted = nullptr;     // the keys in order; null: not wanted
  void* positions = nullptr;  // where in its row each was; null: not wanted
  int position_bytes = 4;     // int32 or int64, which holds length - 1
};

/// The keys of some places of sorted rows: found[row, i] is the key of place places[row, i].
/// REQUIRES: those are places of a row.
struct select_call {
  int key_bytes = 4;  // 1, 2, 4 or 8
  std::int64_t rows = 0;
  std::int64_t length = 0;  // of a row
  std::int64_t wanted = 0;  // places of a row
  const void* keys = nullptr;
  const void* places = nullptr;  // int64
  void* found = nullptr;
};

/// Thread-safe. What is written depends on the keys alone: of equal keys the one that came first is
/// first.
class sorter {
 public:
  virtual ~sorter() = default;
  /// Queues the work on the calling thread's stream. No memory of the call overlaps. Throws
  /// device_error: for a library that is not there, naming what to install; out_of_memory for
  /// workspaces, which come from the device's pool.
  virtual void sort(const sort_call&) = 0;
  /// The same. Of long rows and a few places it costs less than a sort.
  virtual void select(const select_call&) = 0;
};

}  // namespace sinter::runtime
