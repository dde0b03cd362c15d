#pragma once
// A buffer for the words of a plan's key: some ten per node, for every evaluation. A vector's
// push_back is a call each; here only growing is one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::detail {

class key_words {
 public:
  void push_back(std::uint64_t w) {
    if (size_ == room_.size()) grow();
    room_[size_++] = w;
  }
  /// Empty again; keeps its memory.
  void clear() { size_ = 0; }
  std::span<const std::uint64_t> all() const { return {room_.data(), size_}; }

 private:
  [[gnu::noinline, gnu::cold]] void grow() { room_.resize(size_ == 0 ? 256 : 2 * size_); }

  std::vector<std::uint64_t> room_;
  std::size_t size_ = 0;
};

}  // namespace sinter::detail
