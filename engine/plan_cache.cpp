#include "engine/plan_cache.hpp"

namespace sinter::detail {

std::shared_ptr<ready_plan> plan_cache::find(std::string_view key) {
  const auto it = index_.find(key);
  if (it == index_.end()) {
    ++misses;
    return nullptr;
  }
  ++hits;
  entries_.splice(entries_.begin(), entries_, it->second);
  return it->second->plan;
}

void plan_cache::insert(std::string key, std::shared_ptr<ready_plan> plan) {
  entries_.push_front({std::move(key), std::move(plan)});
  index_[entries_.front().key] = entries_.begin();
  if (entries_.size() > limit) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

void plan_cache::clear() {
  index_.clear();
  entries_.clear();
}

}  // namespace sinter::detail
