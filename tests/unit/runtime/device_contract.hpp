#pragma once
// The guarantees of every device about memory and copies.

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/device.hpp"
#include "tests/catch.hpp"

namespace sinter::runtime {

inline std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  unsigned state = seed * 2654435761u + 1;
  for (auto& byte : data) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return data;
}

inline std::vector<unsigned char> read_back(device& on, const buffer& from) {
  std::vector<unsigned char> data(from.bytes());
  on.copy_to_host(data.data(), from, 0, data.size());
  return data;
}

inline void check_allocation(device& on) {
  for (const std::size_t bytes : {1u, 255u, 256u, 257u, 1000000u, 3000000u, 50000000u}) {
    auto block = on.allocate(bytes);
    CHECK(block->bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block->data()) % 256 == 0);
    CHECK(block->home() == on.current_stream());
    CHECK(on.memory().used_bytes >= bytes);
  }
  CHECK(on.memory().used_bytes == 0);
  auto empty = on.allocate(0);
  CHECK(empty->bytes() == 0);
  on.copy_from_host(*empty, 0, nullptr, 0);
  on.copy_to_host(nullptr, *empty, 0, 0);
}

inline void check_copies(device& on) {
  for (const std::size_t bytes : {1u, 7u, 4096u, 65536u, 65537u, 1000003u, 40000001u}) {
    const auto data = pattern(bytes, static_cast<unsigned>(bytes));
    auto a = on.allocate(bytes);
    on.copy_from_host(*a, 0, data.data(), bytes);
    CHECK(read_back(on, *a) == data);
    auto b = on.allocate(bytes + 3);
    on.copy(*b, 3, *a, 0, bytes);
    std::vector<unsigned char> got(bytes);
    on.copy_to_host(got.data(), *b, 3, bytes);
    CHECK(got == data);
    on.copy_from_host(*b, bytes, data.data(), 1);
    on.copy_to_host(got.data(), *b, bytes, 1);
    CHECK(got[0] == data[0]);
  }
}

inline void check_adoption(device& on, device& memory) {
  const auto data = pattern(10000, 5);
  auto storage = memory.allocate(10000);
  bool released = false;
  {
    std::shared_ptr<void> owner(nullptr, [&](void*) { released = true; });
    auto adopted = on.adopt(storage->data(), 10000, std::move(owner));
    CHECK(adopted->data() == storage->data());
    on.copy_from_host(*adopted, 0, data.data(), data.size());
    CHECK(!released);
  }
  CHECK(released);
  CHECK(read_back(on, *storage) == data);
}

inline void check_parts(device& on) {
  const auto data = pattern(1000, 7);
  std::shared_ptr<buffer> whole = on.allocate(4000);
  const void* const begin = whole->data();
  const auto part = on.part(whole, 1024, data.size());
  CHECK(part->data() == static_cast<const std::byte*>(begin) + 1024);
  whole.reset();  // the part keeps it alive
  const auto other = on.allocate(4000);
  CHECK(other->data() != begin);
  on.copy_from_host(*part, 0, data.data(), data.size());
  CHECK(read_back(on, *part) == data);
}

inline void check_limits(device& on) {
  on.trim();
  on.reset_peak();
  const std::size_t before = on.memory().reserved_bytes;
  CHECK_THROWS_AS(on.allocate(std::size_t{1} << 50), out_of_memory);
  CHECK_THROWS_AS(on.allocate(~std::size_t{0}), out_of_memory);
  try {
    on.allocate(std::size_t{1} << 50);
  } catch (const out_of_memory& error) {
    CHECK(error.asked == std::size_t{1} << 50);
    const std::string text = error.what();
    CHECK(text.find("asked 1.0 PiB") != std::string::npos);
    CHECK(text.find("on the device") != std::string::npos);
  }
  on.limit_memory(before + (100u << 20));
  auto kept = on.allocate(60u << 20);
  CHECK_THROWS_AS(on.allocate(60u << 20), out_of_memory);
  kept.reset();
  kept = on.allocate(70u << 20);
  on.limit_memory(0);
  CHECK(on.memory().peak_bytes >= 70u << 20);
  kept.reset();
  CHECK(on.trim() >= 70u << 20);
  CHECK(on.memory().used_bytes == 0);
}

inline void check_threads(device& on) {
  std::vector<std::thread> threads;
  std::vector<int> mistakes(4);
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&on, &mistakes, t] {
      for (unsigned round = 0; round < 30; ++round) {
        const std::size_t bytes = 1 + (round * 7919u * (t + 1)) % 3000000u;
        const auto data = pattern(bytes, t * 100 + round);
        auto a = on.allocate(bytes);
        auto b = on.allocate(bytes);
        on.copy_from_host(*a, 0, data.data(), bytes);
        on.copy(*b, 0, *a, 0, bytes);
        a.reset();
        if (read_back(on, *b) != data) ++mistakes[t];
      }
      on.synchronize();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(mistakes == std::vector<int>(4));
}

/// Records all events.
struct event_log final : memory_observer {
  void on(const memory_event& e) noexcept override { events.push_back(e); }
  std::vector<memory_event> events;
};

inline void check_memory_events(device& on) {
  using kind = memory_event::kind;
  on.trim();
  event_log log;
  on.observe_memory(log);
  auto block = on.allocate(50u << 20);
  const void* const data = block->data();
  REQUIRE(log.events.size() == 2);
  CHECK(log.events[0].what == kind::reserve);
  CHECK(log.events[0].after.reserved_bytes >= 50u << 20);
  CHECK(log.events[1].what == kind::allocate);
  CHECK(log.events[1].data == data);
  CHECK(log.events[1].bytes == 50u << 20);
  CHECK(log.events[1].after.used_bytes == 50u << 20);
  block.reset();
  REQUIRE(log.events.size() == 3);
  CHECK(log.events[2].what == kind::free);
  CHECK(log.events[2].data == data);
  CHECK(log.events[2].after.used_bytes == 0);
  const std::size_t released = on.trim();
  REQUIRE(log.events.size() == 4);
  CHECK(log.events[3].what == kind::release);
  CHECK(log.events[3].bytes == released);
  CHECK(log.events[3].after.reserved_bytes == on.memory().reserved_bytes);
  on.forget_observer(log);
  on.allocate(1000).reset();
  CHECK(log.events.size() == 4);
}

/// Work between two marks takes time, and the times add up.
inline void check_time_marks(device& on) {
  const auto data = pattern(40000000, 9);
  auto a = on.allocate(data.size()), b = on.allocate(data.size());
  on.copy_from_host(*a, 0, data.data(), data.size());
  const auto start = on.mark_time();
  for (int i = 0; i < 20; ++i) on.copy(*b, 0, *a, 0, data.size());
  const auto middle = on.mark_time();
  on.copy(*a, 0, *b, 0, data.size());
  const auto end = on.mark_time();
  const double first = on.seconds_between(*start, *middle);
  const double second = on.seconds_between(*middle, *end);
  // No machine moves 1.6 GB in 50 us, or takes ten minutes for it.
  CHECK(first > 50e-6);
  CHECK(first < 600);
  CHECK(second > 0);
  CHECK(second < first);
  CHECK(on.seconds_between(*start, *end) == Approx(first + second).epsilon(1e-3));
  CHECK(on.seconds_between(*start, *start) == 0);
}

/// A buffer written by one thread is read, copied and rewritten by others.
inline void check_handover(device& on) {
  const auto data = pattern(20000000, 3);
  const auto other = pattern(20000000, 4);
  for (int round = 0; round < 5; ++round) {
    auto a = on.allocate(data.size());
    on.copy_from_host(*a, 0, data.data(), data.size());
    std::shared_ptr<buffer> b;
    std::thread([&] {
      on.use(*a);
      b = on.allocate(a->bytes());
      on.copy(*b, 0, *a, 0, a->bytes());
    }).join();
    on.claim(*a);
    on.copy_from_host(*a, 0, other.data(), other.size());
    on.use(*b);
    CHECK(read_back(on, *b) == data);
    std::thread([&] {
      on.claim(*a);
      CHECK(a->home() == on.current_stream());
      on.copy_from_host(*a, 0, data.data(), data.size());
    }).join();
    on.use(*a);
    CHECK(read_back(on, *a) == data);
  }
}

}  // namespace sinter::runtime
