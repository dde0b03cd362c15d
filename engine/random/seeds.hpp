#pragma once
// Seeds for calls without one. Asking the system for each takes 25 us, more than making a small
// array.

#include <atomic>
#include <cstdint>
#include <random>

namespace sinter::detail {

/// A fresh seed for every call, from any thread: SplitMix64 (Steele, Lea, Flood 2014) from a start
/// value provided by the system.
class seed_sequence {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_.fetch_add(step, std::memory_order_relaxed) + step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;

  static std::uint64_t start() {
    std::random_device entropy;
    return static_cast<std::uint64_t>(entropy()) << 32 | entropy();
  }

  std::atomic<std::uint64_t> state_{start()};
};

}  // namespace sinter::detail
