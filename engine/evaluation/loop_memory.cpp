#include "engine/evaluation/loop_memory.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace sinter::detail {

using block = std::shared_ptr<runtime::buffer>;

struct loop_memory::shelves {
  std::mutex mutex;
  std::vector<std::vector<block>> free;  // by buffer index

  block find(std::size_t which, std::size_t bytes) {
    const std::scoped_lock lock(mutex);
    if (free.size() <= which) free.resize(which + 1);
    auto& shelf = free[which];
    const auto it =
        std::ranges::find_if(shelf, [&](const block& b) { return b->bytes() == bytes; });
    if (it == shelf.end()) return nullptr;
    block found = std::move(*it);
    shelf.erase(it);
    return found;
  }

  /// If the list cannot grow, the memory goes back to the device.
  void put(std::size_t which, block b) noexcept {
    try {
      const std::scoped_lock lock(mutex);
      free[which].push_back(std::move(b));
    } catch (const std::bad_alloc&) {
    }
  }
};

loop_memory::loop_memory() : shelves_(std::make_shared<shelves>()) {}

std::shared_ptr<runtime::buffer> loop_memory::take(std::size_t which, std::size_t bytes,
                                                   runtime::device& device) {
  block memory = shelves_->find(which, bytes);
  if (memory) device.claim(*memory);
  else memory = device.allocate(bytes);
  runtime::buffer* const raw = memory.get();
  return {raw, [memory = std::move(memory), which,
                home = std::weak_ptr(shelves_)](runtime::buffer*) mutable noexcept {
            if (const auto loop = home.lock()) loop->put(which, std::move(memory));
          }};
}

std::shared_ptr<runtime::buffer> loop_memory::word(std::size_t which, status_words& words,
                                                   runtime::device& device) {
  auto& known = words_[which];
  if (!known) known = words.take(device);
  return known;
}

}  // namespace sinter::detail
