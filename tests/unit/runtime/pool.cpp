#include "runtime/pool.hpp"

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "pool_fakes.hpp"

namespace pool_test {

using namespace sinter::runtime;

namespace {

struct fixture {
  explicit fixture(std::size_t capacity = 16 * GiB) : source(capacity), pool(source, &streams) {}
  pool_block* get(std::size_t bytes, stream_id stream = 0) { return pool.allocate(bytes, stream); }
  fake_source source;
  fake_streams streams;
  memory_pool pool;
};

std::string message_of(memory_pool& pool, std::size_t bytes) {
  try {
    pool.free(pool.allocate(bytes, 0));
  } catch (const out_of_memory& error) {
    CHECK(error.asked >= bytes);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a freed block is what the same stream gets next, without an event") {
  fixture f;
  pool_block* a = f.get(1000);
  void* const data = a->data;
  f.streams.queue_work(0);
  f.pool.free(a);
  pool_block* b = f.get(900);
  CHECK(b->data == data);
  CHECK(f.streams.records == 0);
  CHECK(f.source.calls == 1);
  f.pool.free(b);
}

TEST_CASE("of freed blocks of a size the lowest is taken, where nothing is queued the latest") {
  for (const bool queues : {true, false}) {
    fake_source source(1 * GiB);
    fake_streams streams;
    memory_pool pool(source, queues ? &streams : nullptr);
    pool_block* blocks[6];
    for (int i = 0; i < 6; ++i) blocks[i] = pool.allocate(i < 3 ? 1000 : 2000, 0);
    void *const first = blocks[0]->data, *const last = blocks[2]->data;
    for (pool_block* each : blocks) pool.free(each);
    pool_block* const again = pool.allocate(1000, 0);
    CHECK(again->data == (queues ? first : last));
    CHECK(source.calls == 1);
    pool.free(again);
  }
}

TEST_CASE("more freed blocks than are kept whole are joined, and nothing is lost") {
  fixture f;
  std::vector<pool_block*> blocks;
  for (int i = 0; i < 512; ++i) blocks.push_back(f.get(4096));  // a whole segment
  CHECK(f.pool.statistics().reserved_bytes == 2 * MiB);
  for (pool_block* each : blocks) f.pool.free(each);
  pool_block* const half = f.get(1 * MiB);
  pool_block* const other = f.get(1 * MiB);
  CHECK(f.pool.statistics().reserved_bytes == 2 * MiB);
  f.pool.free(half);
  f.pool.free(other);
}

TEST_CASE("arrays that take turns come back to where they were") {
  fixture f;
  // A step allocates five arrays, or four, with up to three others in between: seven arrangements,
  // and 36 if the most recently freed block is reused first.
  std::vector<pool_block*> kept;
  for (int i = 0; i < 5; ++i) kept.push_back(f.get(4096));
  std::set<std::vector<void*>> places;
  for (int step = 0; step < 400; ++step) {
    std::deque<pool_block*> between;
    for (std::size_t i = 0; i < (step % 3 ? 5u : 4u); ++i) {
      between.push_back(f.get(4096));
      pool_block* const made = f.get(4096);
      f.pool.free(kept[i]);
      kept[i] = made;
      if (between.size() <= 3) continue;
      f.pool.free(between.front());
      between.pop_front();
    }
    for (pool_block* each : between) f.pool.free(each);
    std::vector<void*> here;
    for (const pool_block* each : kept) here.push_back(each->data);
    places.insert(here);
  }
  CHECK(places.size() <= 8);
  for (pool_block* each : kept) f.pool.free(each);
}

TEST_CASE("another stream gets a freed block only after its event") {
  fixture f;
  pool_block* a = f.get(40 * MiB, 0);
  void* const data = a->data;
  f.streams.queue_work(0);
  f.pool.free(a);
  pool_block* b = f.get(40 * MiB, 1);
  CHECK(b->data != data);
  f.streams.complete(0);
  pool_block* c = f.get(40 * MiB, 1);
  CHECK(c->data == data);
  f.pool.free(b);
  f.pool.free(c);
}

TEST_CASE("an event recorded before a block was freed says nothing about the block") {
  fixture f;
  pool_block* a = f.get(40 * MiB, 0);
  pool_block* later = f.get(40 * MiB, 0);
  void* const data = later->data;
  f.streams.queue_work(0);
  f.pool.free(a);
  pool_block* b = f.get(40 * MiB, 1);  // marks stream 0
  f.streams.queue_work(0);
  f.pool.free(later);
  f.streams.complete(0, 1);  // the mark, but not the work queued after it
  pool_block* c = f.get(40 * MiB, 1);
  pool_block* d = f.get(40 * MiB, 1);
  CHECK(c->data != data);
  CHECK(d->data != data);
  for (pool_block* block : {b, c, d}) f.pool.free(block);
}

TEST_CASE("a block that other streams used waits for them") {
  fixture f;
  pool_block* a = f.get(40 * MiB, 0);
  void* const data = a->data;
  f.pool.use(a, 1);
  f.pool.use(a, 1);
  f.pool.use(a, 2);
  f.streams.queue_work(1);
  f.streams.queue_work(2);
  f.pool.free(a);
  pool_block* b = f.get(40 * MiB, 0);
  CHECK(b->data != data);
  f.streams.complete(1);
  pool_block* c = f.get(40 * MiB, 0);
  CHECK(c->data != data);
  f.streams.complete(2);
  pool_block* d = f.get(40 * MiB, 0);
  CHECK(d->data == data);
  for (pool_block* block : {b, c, d}) f.pool.free(block);
}

TEST_CASE("a moved block belongs to the stream it was moved to") {
  fixture f;
  pool_block* a = f.get(40 * MiB, 0);
  void* const data = a->data;
  f.pool.use(a, 1);
  f.pool.move(a, 1);
  f.streams.queue_work(0);
  f.streams.queue_work(1);
  f.pool.free(a);
  pool_block* b = f.get(40 * MiB, 1);
  CHECK(b->data == data);
  f.pool.free(b);
}

TEST_CASE("neighbours coalesce") {
  fixture f;
  // 64 MiB segments: sixteen blocks of 4 MiB fill one.
  std::vector<pool_block*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(f.get(4 * MiB));
  CHECK(f.source.calls == 1);
  for (int i = 0; i < 16; i += 2) f.pool.free(blocks[i]);
  for (int i = 1; i < 16; i += 2) f.pool.free(blocks[i]);
  pool_block* whole = f.get(32 * MiB);
  CHECK(f.source.calls == 1);
  pool_block* rest = f.get(32 * MiB);
  CHECK(f.source.calls == 1);
  f.pool.free(whole);
  f.pool.free(rest);
}

TEST_CASE("the best fit is taken") {
  fixture f;
  pool_block* blocks[5];
  const std::size_t sizes[] = {20 * MiB, 2 * MiB, 12 * MiB, 2 * MiB, 16 * MiB};
  for (int i = 0; i < 5; ++i) blocks[i] = f.get(sizes[i]);
  pool_block* const rest = f.get(12 * MiB);  // of the segment
  void* const fit = blocks[2]->data;
  f.pool.free(blocks[0]);
  f.pool.free(blocks[2]);
  f.pool.free(blocks[4]);
  pool_block* block = f.get(11 * MiB);
  CHECK(block->data == fit);
  for (pool_block* each : {block, blocks[1], blocks[3], rest}) f.pool.free(each);
}

TEST_CASE("of large blocks the best fit is taken, also if it was freed a moment ago") {
  fixture f;
  pool_block* const far = f.get(500 * MiB);
  pool_block* const near = f.get(120 * MiB);
  void* const fit = near->data;
  f.pool.free(far);
  pool_block* const held = f.get(50 * MiB);  // of the far one, whose remainder would suffice
  f.pool.free(near);
  pool_block* const block = f.get(110 * MiB);
  CHECK(block->data == fit);
  CHECK(f.source.calls == 2);
  f.pool.free(held);
  f.pool.free(block);
}

TEST_CASE("small requests leave large segments alone") {
  fixture f;
  f.pool.free(f.get(1 * GiB));
  pool_block* small = f.get(100);
  pool_block* large = f.get(1 * GiB);
  CHECK(f.source.calls == 2);
  f.pool.free(small);
  f.pool.free(large);
}

TEST_CASE("statistics count live buffers, segments and the peak") {
  fixture f;
  pool_block* a = f.get(1000);
  pool_block* b = f.get(3 * MiB);
  CHECK(f.pool.statistics().used_bytes == 1024 + 3 * MiB);
  CHECK(f.pool.statistics().reserved_bytes == 66 * MiB);
  CHECK(f.source.held_bytes() == 66 * MiB);
  f.pool.free(b);
  CHECK(f.pool.statistics().used_bytes == 1024);
  CHECK(f.pool.statistics().peak_bytes == 1024 + 3 * MiB);
  f.pool.reset_peak();
  CHECK(f.pool.statistics().peak_bytes == 1024);
  f.pool.free(a);
}

TEST_CASE("trim gives back what is free, after waiting for its streams") {
  fixture f;
  pool_block* a = f.get(40 * MiB, 0);
  pool_block* b = f.get(40 * MiB, 1);
  pool_block* kept = f.get(100, 0);
  f.pool.use(a, 1);
  f.streams.queue_work(0);
  f.streams.queue_work(1);
  f.pool.free(a);
  f.pool.free(b);
  CHECK(f.pool.trim() == 80 * MiB);
  CHECK(f.pool.statistics().reserved_bytes == 2 * MiB);
  CHECK(f.streams.waits > 0);
  CHECK(f.pool.trim() == 0);
  f.pool.free(kept);
}

TEST_CASE("out of memory: cached blocks are released first") {
  fixture f(1 * GiB);
  f.pool.free(f.get(600 * MiB));
  pool_block* a = f.get(900 * MiB);
  CHECK(f.source.mistakes == 0);
  f.pool.free(a);
}

TEST_CASE("out of memory: work of other streams is waited for") {
  fixture f(1 * GiB);
  pool_block* a = f.get(600 * MiB, 0);
  pool_block* b = f.get(300 * MiB, 1);
  f.pool.use(b, 0);
  f.streams.queue_work(0);
  f.streams.queue_work(1);
  f.pool.free(a);
  f.pool.free(b);
  pool_block* c = f.get(1000 * MiB, 2);
  CHECK(f.streams.waits > 0);
  f.pool.free(c);
}

TEST_CASE("out of memory: a larger bin serves as a last resort") {
  fixture f(100 * MiB);
  pool_block* large = f.get(60 * MiB);
  pool_block* other = f.get(40 * MiB);
  f.pool.free(large);
  pool_block* half = f.get(33 * MiB);  // holds the segment of 60 MiB
  pool_block* small = f.get(100);
  pool_block* medium = f.get(3 * MiB);
  for (pool_block* block : {half, small, medium, other}) f.pool.free(block);
}

TEST_CASE("out of memory says what was asked and what is held, and changes nothing else") {
  fixture f(8 * GiB);
  pool_block* a = f.get(6 * GiB);
  pool_block* b = f.get(512 * MiB);
  CHECK(message_of(f.pool, 4 * GiB) ==
        "out of memory: asked 4.0 GiB; 6.5 GiB in use in 2 buffers, 0 B cached, 8.0 GiB on the "
        "device");
  CHECK(message_of(f.pool, 1000) == "");
  f.pool.free(b);
  CHECK(message_of(f.pool, 2 * GiB) == "");
  f.pool.free(a);
  CHECK(message_of(f.pool, 7 * GiB) == "");
}

TEST_CASE("no size is too large to be refused") {
  fixture f;
  for (const std::size_t bytes : {~std::size_t{0}, ~std::size_t{0} / 2 + 1, ~std::size_t{0} / 2}) {
    CHECK_THROWS_AS(f.pool.allocate(bytes, 0), out_of_memory);
  }
}

TEST_CASE("a limit holds, also when it is less than a segment") {
  fixture f;
  f.pool.limit(1 * MiB);
  pool_block* a = f.get(600 * KiB);
  CHECK(message_of(f.pool, 600 * KiB) ==
        "out of memory: asked 600.0 KiB; 600.0 KiB in use in 1 buffer, 424.0 KiB cached, limit "
        "1.0 MiB, 16.0 GiB on the device");
  CHECK(f.source.held_bytes() <= 1 * MiB);
  f.pool.limit(0);
  pool_block* b = f.get(600 * KiB);
  f.pool.free(a);
  f.pool.free(b);
}

TEST_CASE("a source that throws leaves the pool in order") {
  fixture f;
  f.source.broken = true;
  CHECK_THROWS_AS(f.pool.allocate(100, 0), device_error);
  f.source.broken = false;
  f.pool.free(f.get(100));
  CHECK(f.pool.statistics().used_bytes == 0);
}

TEST_CASE("a steady loop takes nothing more from the source") {
  fixture f;
  std::size_t sizes[] = {100, 5000, 3 * MiB, 40 * MiB, 700 * KiB, 1 * GiB};
  for (int round = 0; round < 100; ++round) {
    std::vector<pool_block*> blocks;
    for (const std::size_t bytes : sizes) blocks.push_back(f.get(bytes));
    f.streams.queue_work(0);
    for (pool_block* block : blocks) f.pool.free(block);
  }
  CHECK(f.source.calls == 4);
}

}  // namespace pool_test
