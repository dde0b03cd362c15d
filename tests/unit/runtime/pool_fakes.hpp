#pragma once
// A source of addresses that must not be accessed, and streams whose work tests complete.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "runtime/pool.hpp"
#include "tests/catch.hpp"

namespace sinter::runtime {

class fake_source final : public memory_source {
 public:
  explicit fake_source(std::size_t capacity) : capacity_(capacity) {}
  ~fake_source() override { CHECK(held_.empty()); }

  void* allocate(std::size_t bytes) override {
    ++calls;
    if (broken) throw device_error("the fake device broke");
    if (held_bytes_ + bytes > capacity_) return nullptr;
    held_bytes_ += bytes;
    // Addresses are never reused, and no two segments are adjacent.
    void* data = reinterpret_cast<void*>(next_);
    next_ += bytes + (1 << 20);
    held_.emplace(data, bytes);
    return data;
  }
  void release(void* data, std::size_t bytes) noexcept override {
    const auto it = held_.find(data);
    const bool known = it != held_.end() && it->second == bytes;
    if (!known) ++mistakes;
    if (known) held_.erase(it);
    held_bytes_ -= bytes;
  }
  std::size_t capacity() const override { return capacity_; }

  std::size_t held_bytes() const { return held_bytes_; }
  bool holds(const void* data, std::size_t bytes) const {
    auto it = held_.upper_bound(const_cast<void*>(data));
    if (it == held_.begin()) return false;
    --it;
    const auto offset = static_cast<const char*>(data) - static_cast<const char*>(it->first);
    return static_cast<std::size_t>(offset) + bytes <= it->second;
  }

  bool broken = false;
  int calls = 0;
  int mistakes = 0;

 private:
  std::size_t capacity_;
  std::size_t held_bytes_ = 0;
  std::uintptr_t next_ = 1 << 20;
  std::map<void*, std::size_t> held_;
};

/// For each stream, the amounts of queued and completed work.
class fake_streams final : public stream_events {
 public:
  ~fake_streams() override { CHECK(tokens_.empty()); }

  token record(stream_id stream) noexcept override {
    std::lock_guard one(mutex_);
    ++records;
    tokens_[++last_] = {stream, queued_[stream]};
    return last_;
  }
  bool done(token of) noexcept override {
    std::lock_guard one(mutex_);
    const auto& [stream, point] = tokens_.at(of);
    return completed_[stream] >= point;
  }
  void wait(token of) noexcept override {
    std::lock_guard one(mutex_);
    ++waits;
    const auto& [stream, point] = tokens_.at(of);
    completed_[stream] = std::max(completed_[stream], point);
  }
  void forget(token of) noexcept override {
    std::lock_guard one(mutex_);
    tokens_.erase(of);
  }

  void queue_work(stream_id stream) {
    std::lock_guard one(mutex_);
    ++queued_[stream];
  }
  void complete(stream_id stream, std::uint64_t up_to = ~0ull) {
    std::lock_guard one(mutex_);
    completed_[stream] = std::max(completed_[stream], std::min(up_to, queued_[stream]));
  }
  std::uint64_t queued(stream_id stream) {
    std::lock_guard one(mutex_);
    return queued_[stream];
  }
  std::uint64_t completed(stream_id stream) {
    std::lock_guard one(mutex_);
    return completed_[stream];
  }

  int records = 0;
  int waits = 0;

 private:
  std::mutex mutex_;
  std::map<stream_id, std::uint64_t> queued_;
  std::map<stream_id, std::uint64_t> completed_;
  std::map<token, std::pair<stream_id, std::uint64_t>> tokens_;
  token last_ = 0;
};

inline constexpr std::size_t KiB = 1 << 10;
inline constexpr std::size_t MiB = 1 << 20;
inline constexpr std::size_t GiB = 1 << 30;

}  // namespace sinter::runtime
