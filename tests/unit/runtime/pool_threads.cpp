// Several threads on one pool: no byte has two owners, and there are no races (run under TSan).

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "pool_fakes.hpp"

namespace pool_threads_test {

using namespace sinter::runtime;

namespace {

class heap_source final : public memory_source {
 public:
  void* allocate(std::size_t bytes) override { return std::aligned_alloc(256, bytes); }
  void release(void* data, std::size_t) noexcept override { std::free(data); }
};

void fill(pool_block* block, std::size_t bytes, unsigned char value) {
  std::memset(block->data, value, bytes);
}

bool holds(const pool_block* block, std::size_t bytes, unsigned char value) {
  for (std::size_t i = 0; i < bytes; i += 61) {
    if (static_cast<unsigned char>(block->data[i]) != value) return false;
  }
  return true;
}

/// Adds up the pool's events independently.
struct ledger final : memory_observer {
  void on(const memory_event& e) noexcept override {
    const auto bytes = static_cast<std::int64_t>(e.bytes);
    switch (e.what) {
      case memory_event::kind::allocate:
        used += bytes;
        break;
      case memory_event::kind::free:
        used -= bytes;
        break;
      case memory_event::kind::reserve:
        reserved += bytes;
        break;
      case memory_event::kind::release:
        reserved -= bytes;
        break;
    }
    const bool same = used == static_cast<std::int64_t>(e.after.used_bytes) &&
                      reserved == static_cast<std::int64_t>(e.after.reserved_bytes);
    if (!same) ++mistakes;
    ++events;
  }
  std::int64_t used = 0, reserved = 0, mistakes = 0, events = 0;  // guarded by the pool's lock
};

}  // namespace

TEST_CASE("observers hear of every event in order, while others come and go") {
  heap_source source;
  fake_streams streams;
  memory_pool pool(source, &streams);
  ledger all;
  pool.observe(all);
  const auto work = [&](stream_id stream) {
    std::mt19937 random(stream);
    for (int i = 0; i < 1000; ++i) {
      ledger passing;
      if (i % 8 == 0) pool.observe(passing);
      pool_block* const block = pool.allocate(1 + random() % 100000, stream);
      pool.free(block);
      streams.complete(stream);
      if (i % 100 == 99) pool.trim();
      if (i % 8 == 0) pool.forget(passing);
    }
  };
  std::vector<std::thread> threads;
  for (stream_id s = 0; s < 4; ++s) threads.emplace_back(work, s);
  for (std::thread& t : threads) t.join();
  for (stream_id s = 0; s < 4; ++s) streams.complete(s);
  pool.trim();
  CHECK(all.mistakes == 0);
  CHECK(all.used == 0);
  CHECK(all.reserved == 0);
  CHECK(all.events >= 8000);
  pool.forget(all);
}

TEST_CASE("threads with streams of their own never share a byte") {
  heap_source source;
  fake_streams streams;
  memory_pool pool(source, &streams);
  std::atomic<int> mistakes{0};
  const auto work = [&](stream_id stream) {
    std::mt19937 random(stream);
    std::vector<std::pair<pool_block*, std::size_t>> held;
    const auto value = static_cast<unsigned char>(stream + 1);
    for (int i = 0; i < 2000; ++i) {
      if (held.size() < 20 && random() % 2) {
        const std::size_t bytes = 1 + random() % (random() % 8 ? 4000 : 2000000);
        held.emplace_back(pool.allocate(bytes, stream), bytes);
        fill(held.back().first, bytes, value);
      } else if (!held.empty()) {
        const auto [block, bytes] = held.back();
        held.pop_back();
        if (!holds(block, bytes, value)) ++mistakes;
        pool.free(block);
        streams.queue_work(stream);
        if (i % 16 == 0) streams.complete(stream);
      }
      if (i % 500 == 499) pool.trim();
    }
    for (const auto& [block, bytes] : held) pool.free(block);
  };
  std::vector<std::thread> threads;
  for (stream_id stream = 0; stream < 4; ++stream) threads.emplace_back(work, stream);
  for (std::thread& thread : threads) thread.join();
  CHECK(mistakes == 0);
  CHECK(pool.statistics().used_bytes == 0);
}

TEST_CASE("a block may be freed by another thread than the one that took it") {
  heap_source source;
  fake_streams streams;
  memory_pool pool(source, &streams);
  std::vector<pool_block*> blocks(1000);
  std::atomic<int> ready{0};
  std::thread freer([&] {
    for (int i = 0; i < 1000; ++i) {
      while (ready.load(std::memory_order_acquire) <= i) std::this_thread::yield();
      pool.free(blocks[i]);
    }
  });
  for (int i = 0; i < 1000; ++i) {
    blocks[i] = pool.allocate(1000 + i, 0);
    if (i % 3 == 0) pool.use(blocks[i], 1);
    ready.store(i + 1, std::memory_order_release);
  }
  freer.join();
  CHECK(pool.statistics().used_bytes == 0);
}

TEST_CASE("allocating and freeing on the fast path", "[.benchmark]") {
  heap_source source;
  fake_streams streams;
  memory_pool pool(source, &streams);
  constexpr int rounds = 1000000;
  for (const std::size_t bytes : {1000u, 5000000u, 100000000u}) {
    pool_block* neighbours[3];
    for (auto& block : neighbours) block = pool.allocate(bytes, 0);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) pool.free(pool.allocate(bytes, 0));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    WARN(bytes << " bytes: " << time.count() / rounds << " ns for a pair");
    for (auto* block : neighbours) pool.free(block);
  }
}

}  // namespace pool_threads_test
