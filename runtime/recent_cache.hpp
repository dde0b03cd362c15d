#pragma once
// An LRU cache, bounded by a number of entries and the sum of their sizes.

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace sinter::runtime {

/// Not thread-safe. An evicted entry lives until its last user releases it.
template <typename Key, typename Value> class recent_cache {
 public:
  recent_cache(std::size_t most_entries, std::size_t most_bytes)
      : most_entries_(most_entries), most_bytes_(most_bytes) {}

  /// Null if there is none. The entry becomes the most recently used.
  std::shared_ptr<Value> find(const Key& key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->value;
  }

  /// REQUIRES: `key` is not present. The newest entry is kept, however large it is.
  void add(const Key& key, std::shared_ptr<Value> value, std::size_t bytes) {
    entries_.push_front({key, std::move(value), bytes});
    index_[key] = entries_.begin();
    bytes_ += bytes;
    while (entries_.size() > 1 && (entries_.size() > most_entries_ || bytes_ > most_bytes_)) {
      drop_oldest();
    }
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct entry {
    Key key;
    std::shared_ptr<Value> value;
    std::size_t bytes;
  };

  void drop_oldest() {
    bytes_ -= entries_.back().bytes;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }

  const std::size_t most_entries_;
  const std::size_t most_bytes_;
  std::list<entry> entries_;  // most recently used first
  std::map<Key, typename std::list<entry>::iterator> index_;
  std::size_t bytes_ = 0;
};

}  // namespace sinter::runtime
