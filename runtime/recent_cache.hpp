#pragma once
// A cache that keeps what was used last, up to a number of entries and a sum of their sizes.

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace sinter::runtime {

/// Not thread-safe. An entry that goes while somebody uses it lives until he lets go of it.
template <typename Key, typename Value> class recent_cache {
 public:
  recent_cache(std::size_t most_entries, std::size_t most_bytes)
      : most_entries_(most_entries), most_bytes_(most_bytes) {}

  /// Null when there is none. The entry becomes the one used last.
  std::shared_ptr<Value> find(const Key& key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->value;
  }

  /// REQUIRES: `key` is not there. The newest entry stays, however large it is.
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
  std::list<entry> entries_;  // the one used last in front
  std::map<Key, typename std::list<entry>::iterator> index_;
  std::size_t bytes_ = 0;
};

}  // namespace sinter::runtime
