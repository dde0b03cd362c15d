#include "runtime/pool.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "runtime/round_up.hpp"
#include "runtime/text.hpp"

namespace sinter::runtime {

memory_pool::memory_pool(memory_source& source, stream_events* events, pool_options options)
    : source_(source), events_(events), options_(options) {}

memory_pool::~memory_pool() {
  assert(live_ == 0 && "a buffer outlives its device");
  for (pool_block* block : waiting_) {
    for (auto token : block->users) events_->forget(token);
  }
  for (block_queue& queue : queues_) {
    if (queue.mark) events_->forget(*queue.mark);
  }
  for (pool_segment& segment : segments_) source_.release(segment.base, segment.bytes);
}

pool_bin memory_pool::bin_of(std::size_t bytes) const {
  if (bytes <= options_.small_limit) return pool_bin::small;
  return bytes <= options_.medium_limit ? pool_bin::medium : pool_bin::large;
}

block_queue& memory_pool::queue(stream_id stream) {
  while (queues_.size() <= stream) queues_.emplace_back();
  return queues_[stream];
}

pool_block* memory_pool::allocate(std::size_t bytes, stream_id stream) {
  lock hold(mutex_);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw_out_of_memory(bytes);
  bytes = (bytes + options_.alignment - 1) & ~(options_.alignment - 1);
  // One descriptor for a new segment, one for the remainder of a split block.
  store_.reserve(2);
  block_queue& own = queue(stream);
  // Without events work is done when it is queued, and nothing is keyed by addresses.
  const auto which = events_ ? taken_first::lowest : taken_first::latest;
  if (pool_block* block = own.fresh.take(bytes, which)) return lend(block, bytes, stream);
  const pool_bin bin = bin_of(bytes);
  pool_block* block = find(bin, bytes, stream);
  // For large blocks, search all for the best fit: a worse one leaves a large remainder.
  if (!block || (bin == pool_bin::large && block->bytes != bytes)) {
    put_away(own);
    block = find(bin, bytes, stream);
  }
  if (block) return hand_out(block, bytes, stream);
  return allocate_slowly(bytes, stream, hold);
}

pool_block* memory_pool::allocate_slowly(std::size_t bytes, stream_id stream, lock& hold) {
  const pool_bin bin = bin_of(bytes);
  poll_waiting();
  poll_streams();
  pool_block* block = find(bin, bytes, stream);
  if (!block) block = grow(preferred_segment(bytes, bin), bytes, bin);
  if (!block) block = grow(round_up(bytes, options_.granularity), bytes, bin);
  if (!block) block = find_in_larger_bins(bin, bytes, stream);
  // Twice: a block may first wait for the streams that used it and then for its own.
  for (int round = 0; round < 2 && !block; ++round) {
    if (release_segments() > 0) block = grow(round_up(bytes, options_.granularity), bytes, bin);
    if (block) break;
    wait_for_streams(hold);
    store_.reserve(2);
    block = find_in_larger_bins(bin, bytes, stream);
  }
  if (!block && release_segments() > 0) {
    block = grow(round_up(bytes, options_.granularity), bytes, bin);
  }
  if (!block) throw_out_of_memory(bytes);
  return hand_out(block, bytes, stream);
}

pool_block* memory_pool::find(pool_bin bin, std::size_t bytes, stream_id stream) {
  pool_block* own = queues_[stream].find(bin, bytes);
  pool_block* common = common_.find(bin, bytes);
  if (!own || !common) return own ? own : common;
  return common->bytes < own->bytes ? common : own;
}

pool_block* memory_pool::find_in_larger_bins(pool_bin bin, std::size_t bytes, stream_id stream) {
  for (int i = static_cast<int>(bin); i < pool_bins; ++i) {
    if (pool_block* block = find(static_cast<pool_bin>(i), bytes, stream)) return block;
  }
  return nullptr;
}

std::size_t memory_pool::smallest_remainder(pool_bin bin) const {
  return bin == pool_bin::small ? options_.alignment : options_.small_limit;
}

pool_block* memory_pool::hand_out(pool_block* block, std::size_t bytes, stream_id stream) {
  block_queue& from = block->where == pool_block::state::common ? common_ : queues_[block->stream];
  if (block->bytes - bytes >= smallest_remainder(block->segment->bin)) {
    pool_block* rest = store_.take();
    rest->data = block->data + bytes;
    rest->bytes = block->bytes - bytes;
    rest->segment = block->segment;
    rest->where = block->where;
    rest->stream = block->stream;
    rest->epoch = block->epoch;
    rest->previous = block;
    rest->next = block->next;
    if (rest->next) rest->next->previous = rest;
    block->next = rest;
    from.replace(block, rest);
    block->bytes = bytes;
  } else {
    from.remove(block);
  }
  return lend(block, bytes, stream);
}

pool_block* memory_pool::lend(pool_block* block, std::size_t bytes, stream_id stream) {
  block->where = pool_block::state::used;
  block->stream = stream;
  block->asked = bytes;
  ++live_;
  statistics_.used_bytes += bytes;
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.used_bytes);
  tell(memory_event::kind::allocate, block->data, bytes);
  return block;
}

std::size_t memory_pool::preferred_segment(std::size_t bytes, pool_bin bin) const {
  switch (bin) {
    case pool_bin::small:
      return std::clamp(small_reserved_, options_.small_segment, 4 * options_.small_segment);
    case pool_bin::medium:
      return options_.medium_segment;
    case pool_bin::large:
      break;
  }
  return round_up(bytes, options_.granularity);
}

pool_block* memory_pool::grow(std::size_t segment_bytes, std::size_t bytes, pool_bin bin) {
  if (limit_ != 0) {
    const std::size_t reserved = statistics_.reserved_bytes;
    const std::size_t room = limit_ > reserved ? limit_ - reserved : 0;
    if (room < bytes) return nullptr;
    segment_bytes = std::min(segment_bytes, room);
  }
  segments_.emplace_back();
  void* base = nullptr;
  try {
    base = source_.allocate(segment_bytes);
  } catch (...) {
    segments_.pop_back();
    throw;
  }
  if (!base) {
    segments_.pop_back();
    return nullptr;
  }
  pool_segment& segment = segments_.back();
  segment = {static_cast<char*>(base), segment_bytes, bin, std::prev(segments_.end())};
  statistics_.reserved_bytes += segment_bytes;
  if (bin == pool_bin::small) small_reserved_ += segment_bytes;

  pool_block* block = store_.take();
  block->data = segment.base;
  block->bytes = segment_bytes;
  block->segment = &segment;
  block->previous = block->next = nullptr;
  block->where = pool_block::state::common;
  common_.insert(block);
  tell(memory_event::kind::reserve, segment.base, segment_bytes);
  return block;
}

void memory_pool::throw_out_of_memory(std::size_t bytes) const {
  const std::size_t used = statistics_.used_bytes;
  std::string text = "out of memory: asked " + byte_text(bytes) + "; " + byte_text(used) +
                     " in use in " + std::to_string(live_) +
                     (live_ == 1 ? " buffer, " : " buffers, ") +
                     byte_text(statistics_.reserved_bytes - used) + " cached";
  if (limit_ != 0) text += ", limit " + byte_text(limit_);
  if (source_.capacity() != 0) text += ", " + byte_text(source_.capacity()) + " on the device";
  throw out_of_memory(std::move(text), bytes);
}

void memory_pool::free(pool_block* block) noexcept {
  lock hold(mutex_);
  --live_;
  statistics_.used_bytes -= block->asked;
  tell(memory_event::kind::free, block->data, block->asked);
  if (block->users.empty()) {
    block_queue& own = queues_[block->stream];
    if (own.fresh.full()) make_free(own.fresh.take_oldest());
    block->where = pool_block::state::fresh;
    own.fresh.add(block);
  } else {
    start_waiting(block);
  }
}

void memory_pool::use(pool_block* block, stream_id stream) {
  lock hold(mutex_);
  queue(stream);
  auto& users = block->users;
  if (std::find(users.begin(), users.end(), stream) != users.end()) return;
  // Reserves room among the waiting blocks now, because `free` must not fail.
  waiting_.reserve(std::max(waiting_.capacity(), store_.size()));
  users.push_back(stream);
}

void memory_pool::move(pool_block* block, stream_id stream) {
  lock hold(mutex_);
  queue(stream);
  block->stream = stream;
  block->users.clear();
}

pool_block* memory_pool::absorb(pool_block* into, pool_block* neighbour) {
  const bool common = neighbour->where == pool_block::state::common;
  (common ? common_ : queues_[neighbour->stream]).remove(neighbour);
  if (neighbour == into->previous) {
    into->data = neighbour->data;
    into->previous = neighbour->previous;
    if (into->previous) into->previous->next = into;
  } else {
    into->next = neighbour->next;
    if (into->next) into->next->previous = into;
  }
  into->bytes += neighbour->bytes;
  store_.give(neighbour);
  return into;
}

// A common neighbour joins the stream's block: it was free for that stream anyway, and so a program
// with one stream coalesces everything it frees.
void memory_pool::make_free(pool_block* block) {
  const auto joins = [&](const pool_block* other) {
    return other && (other->where == pool_block::state::common ||
                     (other->where == pool_block::state::free && other->stream == block->stream));
  };
  if (joins(block->previous)) absorb(block, block->previous);
  if (joins(block->next)) absorb(block, block->next);
  block->where = pool_block::state::free;
  block->epoch = queues_[block->stream].epoch;
  queues_[block->stream].insert(block);
}

void memory_pool::put_away(block_queue& own) {
  while (pool_block* block = own.fresh.take_oldest()) make_free(block);
}

// REQUIRES: the block is in no queue.
void memory_pool::make_common(pool_block* block) {
  const auto joins = [](const pool_block* other) {
    return other && other->where == pool_block::state::common;
  };
  if (joins(block->previous)) absorb(block, block->previous);
  if (joins(block->next)) absorb(block, block->next);
  block->where = pool_block::state::common;
  common_.insert(block);
}

}  // namespace sinter::runtime
