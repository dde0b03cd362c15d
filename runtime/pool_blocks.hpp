#pragma once
// The data structures of the pool: segments taken from the system, split into blocks, and queues of
// free blocks. No policy here; see pool.hpp. Not thread-safe: guarded by the pool's mutex.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <vector>

namespace sinter::runtime {

/// A stream as the pool knows it: a small number assigned by the device.
using stream_id = std::uint32_t;

/// Size classes: a bin's requests do not split segments of a larger bin while there is a choice.
enum class pool_bin : std::uint8_t { small, medium, large };
inline constexpr int pool_bins = 3;

struct pool_block;

struct pool_segment {
  char* base = nullptr;
  std::size_t bytes = 0;
  pool_bin bin = pool_bin::small;
  std::list<pool_segment>::iterator self;
};

struct smaller_block {
  bool operator()(const pool_block* a, const pool_block* b) const;
  using is_transparent = void;
  bool operator()(const pool_block* a, std::size_t bytes) const;
  bool operator()(std::size_t bytes, const pool_block* b) const;
};
using free_set = std::set<pool_block*, smaller_block>;

/// A piece of a segment. Adjacent blocks are linked, so that coalescing finds them.
struct pool_block {
  enum class state : std::uint8_t { used, waiting, fresh, free, common };

  char* data = nullptr;
  std::size_t bytes = 0;
  std::size_t asked = 0;  // the requested size, which statistics count; at most `bytes`
  pool_segment* segment = nullptr;
  pool_block* previous = nullptr;
  pool_block* next = nullptr;
  state where = state::used;
  stream_id stream = 0;     // the stream whose order covers its next use
  std::uint64_t epoch = 0;  // events its stream's queue had recorded when it was freed
  /// Used: other streams that use it. Waiting: the events its reuse waits for.
  std::vector<std::uint64_t> users;

  // The set node lives here while the block is not in a set, so moving between sets allocates
  // nothing.
  free_set::node_type node;
  free_set::iterator position;
  pool_block* older = nullptr;  // the queue's list, in order of freeing
  pool_block* newer = nullptr;
};

inline bool smaller_block::operator()(const pool_block* a, const pool_block* b) const {
  return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
}
inline bool smaller_block::operator()(const pool_block* a, std::size_t bytes) const {
  return a->bytes < bytes;
}
inline bool smaller_block::operator()(std::size_t bytes, const pool_block* b) const {
  return bytes < b->bytes;
}

/// Which of several blocks of one size is reused: the one freed last, which is still cached, or the
/// one at the lowest address. By order of freeing, arrays that alternate move around for thousands
/// of rounds, and anything keyed by addresses (graphs of launches) is useless.
enum class taken_first : std::uint8_t { latest, lowest };

/// Recently freed blocks: in no set, and not coalesced with their neighbours yet. A loop that frees
/// what it allocates again reuses them.
class fresh_blocks {
 public:
  /// Null: none was requested with this size.
  pool_block* take(std::size_t asked, taken_first which) {
    std::size_t found = count_;
    for (std::size_t i = count_; i-- > 0;) {
      if (asked_[i] != asked) continue;
      if (which == taken_first::latest) return remove(i);
      if (found == count_ || blocks_[i]->data < blocks_[found]->data) found = i;
    }
    return found == count_ ? nullptr : remove(found);
  }
  /// Null: it is empty.
  pool_block* take_oldest() { return count_ == 0 ? nullptr : remove(0); }
  bool full() const { return count_ == most; }
  /// REQUIRES: it is not full.
  void add(pool_block* block) {
    blocks_[count_] = block;
    asked_[count_++] = block->asked;
  }

 private:
  static constexpr std::size_t most = 64;

  pool_block* remove(std::size_t i) {
    pool_block* const taken = blocks_[i];
    if (i != --count_) {  // mostly it is the last
      std::copy(blocks_ + i + 1, blocks_ + count_ + 1, blocks_ + i);
      std::copy(asked_ + i + 1, asked_ + count_ + 1, asked_ + i);
    }
    return taken;
  }

  std::size_t count_ = 0;  // oldest first
  std::size_t asked_[most];
  pool_block* blocks_[most];
};

/// Free blocks of one stream, or (the common queue) of any: by size, and in order of freeing.
class block_queue {
 public:
  /// The smallest block of at least `bytes`, lowest address first; null if there is none.
  pool_block* find(pool_bin bin, std::size_t bytes) const {
    const free_set& set = sets_[static_cast<int>(bin)];
    auto it = set.lower_bound(bytes);
    return it == set.end() ? nullptr : *it;
  }
  void insert(pool_block* block) {
    block->position = set_of(block).insert(std::move(block->node)).position;
    block->older = newest_;
    block->newer = nullptr;
    (newest_ ? newest_->newer : oldest_) = block;
    newest_ = block;
  }
  void remove(pool_block* block) {
    block->node = set_of(block).extract(block->position);
    (block->older ? block->older->newer : oldest_) = block->newer;
    (block->newer ? block->newer->older : newest_) = block->older;
  }
  /// Puts `rest`, the remainder of `block`, where `block` was in the order of freeing.
  void replace(pool_block* block, pool_block* rest) {
    block->node = set_of(block).extract(block->position);
    rest->position = set_of(rest).insert(std::move(rest->node)).position;
    rest->older = block->older;
    rest->newer = block->newer;
    (rest->older ? rest->older->newer : oldest_) = rest;
    (rest->newer ? rest->newer->older : newest_) = rest;
  }
  bool empty() const { return oldest_ == nullptr; }
  pool_block* oldest() const { return oldest_; }
  const free_set& of(pool_bin bin) const { return sets_[static_cast<int>(bin)]; }

  fresh_blocks fresh;

  // Blocks freed up to `marked` may be used by any stream once the event `mark` has completed.
  std::uint64_t epoch = 0;
  std::uint64_t marked = 0;
  std::optional<std::uint64_t> mark;

 private:
  free_set& set_of(const pool_block* block) { return sets_[static_cast<int>(block->segment->bin)]; }

  free_set sets_[pool_bins];
  pool_block* oldest_ = nullptr;
  pool_block* newest_ = nullptr;
};

/// Block descriptors, recycled. `reserve` is the one member that allocates.
class block_store {
 public:
  /// After this, `count` takes cannot fail. Throws std::bad_alloc, without other effects.
  void reserve(std::size_t count) {
    while (spare_.size() < count) {
      // Room for every descriptor, so that giving one back never allocates.
      if (spare_.capacity() < all_.size() + 1) spare_.reserve(2 * all_.size() + 16);
      pool_block& block = all_.emplace_back();
      try {
        free_set maker;
        block.node = maker.extract(maker.insert(&block).first);
      } catch (...) {
        all_.pop_back();
        throw;
      }
      spare_.push_back(&block);
    }
  }
  pool_block* take() {
    pool_block* block = spare_.back();
    spare_.pop_back();
    return block;
  }
  void give(pool_block* block) { spare_.push_back(block); }
  std::size_t size() const { return all_.size(); }

 private:
  std::deque<pool_block> all_;
  std::vector<pool_block*> spare_;
};

}  // namespace sinter::runtime
