#pragma once
// Memory of a loop's rounds.
//
// Why: a round is replayed as a CUDA graph where its addresses come again, and the pool, which
// looks for the best fit, hands the same few blocks round in an order that takes long to repeat
// (n-body: more than 4 rounds). So each buffer of the round's plan has blocks of its own: what a
// round gives is in one of two in turn, everything else always in the same.

#include <cstddef>
#include <map>
#include <memory>

#include "engine/evaluation/status_words.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// Its buffers may end on any thread; the rest is for the loop's, under the evaluation lock.
class loop_memory {
 public:
  loop_memory();
  loop_memory(const loop_memory&) = delete;

  /// A buffer for number `which` of a round's plan; its memory comes back here when its last
  /// reference goes, as long as there is a loop. REQUIRES: one device. Throws out_of_memory.
  std::shared_ptr<runtime::buffer> take(std::size_t which, std::size_t bytes, runtime::device&);

  /// The status word of number `which`, the same for all rounds: what one of them finds amiss, the
  /// loop has found. REQUIRES: one device. Throws out_of_memory.
  std::shared_ptr<runtime::buffer> word(std::size_t which, status_words&, runtime::device&);

 private:
  struct shelves;
  std::shared_ptr<shelves> shelves_;
  std::map<std::size_t, std::shared_ptr<runtime::buffer>> words_;
};

}  // namespace sinter::detail
