// The stream ordering of the pool: when a block may be reused, and by which stream.

#include <vector>

#include "runtime/pool.hpp"

namespace sinter::runtime {

// Other streams used the block: it stays unavailable until they have passed this point.
void memory_pool::start_waiting(pool_block* block) {
  block->where = pool_block::state::waiting;
  for (auto& user : block->users) user = events_->record(static_cast<stream_id>(user));
  waiting_.push_back(block);
}

bool memory_pool::settled(pool_block* block) {
  auto& tokens = block->users;
  while (!tokens.empty() && events_->done(tokens.back())) {
    events_->forget(tokens.back());
    tokens.pop_back();
  }
  return tokens.empty();
}

void memory_pool::poll_waiting() {
  std::size_t kept = 0;
  for (pool_block* block : waiting_) {
    if (settled(block)) {
      make_free(block);
    } else {
      waiting_[kept++] = block;
    }
  }
  waiting_.resize(kept);
}

void memory_pool::make_common_up_to(block_queue& queue, std::uint64_t epoch) {
  while (!queue.empty() && queue.oldest()->epoch <= epoch) {
    pool_block* block = queue.oldest();
    queue.remove(block);
    make_common(block);
  }
}

void memory_pool::harvest(stream_id stream) {
  block_queue& queue = queues_[stream];
  put_away(queue);
  if (!events_) return make_common_up_to(queue, queue.epoch);
  if (!queue.mark && !queue.empty()) {
    queue.mark = events_->record(stream);
    queue.marked = queue.epoch++;
  }
  if (queue.mark && events_->done(*queue.mark)) {
    events_->forget(*queue.mark);
    queue.mark.reset();
    make_common_up_to(queue, queue.marked);
  }
}

void memory_pool::poll_streams() {
  for (stream_id stream = 0; stream < queues_.size(); ++stream) harvest(stream);
}

// Waits on events of its own: another thread may meanwhile forget those of the queues.
void memory_pool::wait_for_streams(lock& hold) {
  struct point {
    stream_events::token token;
    std::uint64_t epoch;
  };
  std::vector<point> points;
  if (events_) {
    points.reserve(queues_.size());
    for (stream_id stream = 0; stream < queues_.size(); ++stream) {
      put_away(queues_[stream]);
      points.push_back({events_->record(stream), queues_[stream].epoch++});
    }
    hold.unlock();
    for (const point& each : points) events_->wait(each.token);
    hold.lock();
  }
  for (stream_id stream = 0; stream < points.size(); ++stream) {
    events_->forget(points[stream].token);
    make_common_up_to(queues_[stream], points[stream].epoch);
  }
  poll_waiting();
  poll_streams();
}

std::size_t memory_pool::release_segments() {
  std::size_t released = 0;
  for (int bin = 0; bin < pool_bins; ++bin) {
    const free_set& blocks = common_.of(static_cast<pool_bin>(bin));
    for (auto it = blocks.begin(); it != blocks.end();) {
      pool_block* block = *it++;
      if (block->bytes != block->segment->bytes) continue;
      common_.remove(block);
      source_.release(block->data, block->bytes);
      released += block->bytes;
      statistics_.reserved_bytes -= block->bytes;
      tell(memory_event::kind::release, block->data, block->bytes);
      if (block->segment->bin == pool_bin::small) small_reserved_ -= block->bytes;
      segments_.erase(block->segment->self);
      store_.give(block);
    }
  }
  return released;
}

memory_statistics memory_pool::statistics() const {
  lock hold(mutex_);
  return statistics_;
}

void memory_pool::reset_peak() {
  lock hold(mutex_);
  statistics_.peak_bytes = statistics_.used_bytes;
}

std::size_t memory_pool::trim() {
  lock hold(mutex_);
  // Twice, as in allocate_slowly.
  wait_for_streams(hold);
  if (events_) wait_for_streams(hold);
  return release_segments();
}

void memory_pool::limit(std::size_t bytes) {
  lock hold(mutex_);
  limit_ = bytes;
}

void memory_pool::observe(memory_observer& observer) {
  lock hold(mutex_);
  observers_.push_back(&observer);
}

void memory_pool::forget(memory_observer& observer) noexcept {
  lock hold(mutex_);
  std::erase(observers_, &observer);
}

}  // namespace sinter::runtime
