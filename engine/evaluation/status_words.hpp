#pragma once
// Status words: 8-byte words in device memory that are 0 until a kernel reports an error.
//
// A plan takes one for every gather that checks its indices. Zeroing each word would cost a launch,
// so words come from a slab that is zeroed as a whole, and none is handed out twice.
//
// Thread safety: under the session's evaluation lock.

#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace sinter::detail {

class status_words {
 public:
  /// A buffer of one word, 0. Throws out_of_memory if a new slab is needed and cannot be allocated.
  std::shared_ptr<runtime::buffer> take(runtime::device&);

 private:
  std::shared_ptr<runtime::buffer> slab_;
  std::size_t next_ = 0;  // bytes
};

}  // namespace sinter::detail
