// The pool against a model that tracks every freed byte and its remaining users.

#include <iterator>
#include <random>
#include <string>

#include "pool_fakes.hpp"

namespace pool_fuzz_test {

using namespace sinter::runtime;

namespace {

struct use_point {
  stream_id stream;
  std::uint64_t point;
};

struct freed_range {
  std::uintptr_t begin;
  std::uintptr_t end;
  stream_id stream;
  std::vector<use_point> points;  // its own stream's and its users'
};

struct live_block {
  pool_block* block;
  std::size_t bytes;
  stream_id stream;
  std::set<stream_id> users;
};

class model {
 public:
  model(unsigned seed, std::size_t capacity, pool_options options)
      : random_(seed), source_(capacity), pool_(source_, &streams_, options) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      REQUIRE(problem_ == "");
    }
    while (!live_.empty()) free_one();
    REQUIRE(pool_.statistics().used_bytes == 0);
    REQUIRE(source_.held_bytes() == pool_.statistics().reserved_bytes);
    pool_.trim();
    pool_.trim();
    REQUIRE(pool_.statistics().reserved_bytes == 0);
    REQUIRE(source_.mistakes == 0);
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  void step() {
    const unsigned choice = below(100);
    if (choice < 45) return allocate();
    if (choice < 80) return live_.empty() ? void() : free_one();
    if (choice < 88) return streams_.queue_work(below(streams));
    if (choice < 92) return use();
    if (choice < 96) return complete();
    if (choice < 98) return move();
    if (choice < 99 && below(20) == 0) return void(pool_.trim());
    if (below(50) == 0) pool_.limit(below(2) ? 0 : source_.capacity() / 2);
  }

  std::size_t random_size() {
    const unsigned kind = below(10);
    if (kind < 6) return 1 + below(5000);
    if (kind < 9) return 1 + below(300000);
    return 1 + below(3000000);
  }

  void allocate() {
    const stream_id stream = below(streams);
    const std::size_t bytes = random_size();
    pool_block* block = nullptr;
    try {
      block = pool_.allocate(bytes, stream);
    } catch (const out_of_memory&) {
      return check_refusal(bytes);
    }
    used_ += block->asked;
    if (block->bytes < bytes || block->asked < bytes) problem_ = "too small";
    if (reinterpret_cast<std::uintptr_t>(block->data) % 256 != 0) problem_ = "not aligned";
    if (!source_.holds(block->data, block->bytes)) problem_ = "outside of every segment";
    check_overlap(*block);
    check_order(*block, stream);
    if (used_ != pool_.statistics().used_bytes) problem_ = "wrong statistics";
    live_.push_back({block, bytes, stream, {}});
  }

  // All work is done by then, so a refused size truly has no contiguous space.
  void check_refusal(std::size_t bytes) {
    if (live_.empty() && bytes <= source_.capacity() / 2) problem_ = "refused with all free";
  }

  void check_overlap(const pool_block& block) {
    for (const live_block& other : live_) {
      if (block.data < other.block->data + other.block->bytes &&
          other.block->data < block.data + block.bytes) {
        problem_ = "overlaps a live block";
      }
    }
  }

  void check_order(const pool_block& block, stream_id stream) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data);
    const std::uintptr_t end = begin + block.bytes;
    std::vector<freed_range> kept;
    for (freed_range& range : freed_) {
      if (range.end <= begin || end <= range.begin) {
        kept.push_back(std::move(range));
        continue;
      }
      for (const use_point& use : range.points) {
        if (use.stream != stream && streams_.completed(use.stream) < use.point) {
          problem_ = "stream " + std::to_string(use.stream) + " still uses it";
        }
      }
      if (range.begin < begin) kept.push_back({range.begin, begin, range.stream, range.points});
      if (end < range.end) kept.push_back({end, range.end, range.stream, range.points});
    }
    freed_ = std::move(kept);
  }

  void free_one() {
    std::swap(live_[below(static_cast<unsigned>(live_.size()))], live_.back());
    const live_block gone = live_.back();
    live_.pop_back();
    const auto begin = reinterpret_cast<std::uintptr_t>(gone.block->data);
    freed_range range{begin, begin + gone.block->bytes, gone.stream, {}};
    range.points.push_back({gone.stream, streams_.queued(gone.stream)});
    for (stream_id user : gone.users) range.points.push_back({user, streams_.queued(user)});
    freed_.push_back(std::move(range));
    used_ -= gone.block->asked;
    pool_.free(gone.block);
  }

  void use() {
    if (live_.empty()) return;
    live_block& block = live_[below(static_cast<unsigned>(live_.size()))];
    const stream_id user = below(streams);
    if (user == block.stream) return;
    pool_.use(block.block, user);
    block.users.insert(user);
  }

  void complete() {
    const stream_id stream = below(streams);
    const std::uint64_t open = streams_.queued(stream) - streams_.completed(stream);
    const std::uint64_t some = open == 0 ? 0 : random_() % (open + 1);
    streams_.complete(stream, streams_.completed(stream) + some);
  }

  // The new stream is ordered after the others, because their work is done.
  void move() {
    if (live_.empty()) return;
    live_block& block = live_[below(static_cast<unsigned>(live_.size()))];
    streams_.complete(block.stream);
    for (stream_id user : block.users) streams_.complete(user);
    block.stream = below(streams);
    block.users.clear();
    pool_.move(block.block, block.stream);
  }

  static constexpr unsigned streams = 4;
  std::mt19937 random_;
  fake_source source_;
  fake_streams streams_;
  memory_pool pool_;
  std::vector<live_block> live_;
  std::vector<freed_range> freed_;
  std::size_t used_ = 0;
  std::string problem_;
};

pool_options small_sizes() {
  pool_options options;
  options.granularity = 64 * KiB;
  options.small_limit = 4 * KiB;
  options.small_segment = 64 * KiB;
  options.medium_limit = 128 * KiB;
  options.medium_segment = 512 * KiB;
  return options;
}

}  // namespace

TEST_CASE("random traffic with room to spare") {
  for (unsigned seed = 0; seed < 10; ++seed) model(seed, 4 * GiB, small_sizes()).run(4000);
}

TEST_CASE("random traffic at the limit of memory") {
  for (unsigned seed = 100; seed < 120; ++seed) model(seed, 12 * MiB, small_sizes()).run(3000);
}

TEST_CASE("random traffic with the sizes that devices use") {
  for (unsigned seed = 200; seed < 210; ++seed) model(seed, 1 * GiB, {}).run(3000);
}

}  // namespace pool_fuzz_test
