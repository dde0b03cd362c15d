#pragma once
// Memory of a loop's rounds.
//
// Why: a round is replayed as a CUDA graph if its addresses recur, but the pool, which searches for
// the best fit, cycles the same few blocks in an order with a long period (n-body: more than 4
// rounds). So each buffer of the round's plan has its own blocks: outputs of a round alternate
// between two, everything else always uses the same.

#include <cstddef>
#include <map>
#include <memory>

#include "engine/evaluation/status_words.hpp"
#include "runtime/device.hpp"

namespace sinter::detail {

/// Its buffers may be released on any thread; the rest is for the loop's, under the evaluation
/// lock.
class loop_memory {
 public:
  loop_memory();
  loop_memory(const loop_memory&) = delete;

  /// A buffer for number `which` of a round's plan; its memory returns here when its last reference
  /// is released, while the loop lives. REQUIRES: one device. Throws out_of_memory.
  std::shared_ptr<runtime::buffer> take(std::size_t which, std::size_t bytes, runtime::device&);

  /// The status word of number `which`, shared by all rounds: an error of one is an error of the
  /// loop. REQUIRES: one device. Throws out_of_memory.
  std::shared_ptr<runtime::buffer> word(std::size_t which, status_words&, runtime::device&);

 private:
  struct shelves;
  std::shared_ptr<shelves> shelves_;
  std::map<std::size_t, std::shared_ptr<runtime::buffer>> words_;
};

}  // namespace sinter::detail
