#include "engine/evaluation/plan_cache.hpp"

#include <algorithm>
#include <cstring>

namespace sinter::detail {

planned::planned(ir::plan p, ir::recipe r, std::vector<std::shared_ptr<const ready_kernel>> k)
    : plan(std::move(p)), recipe(std::move(r)), kernels(std::move(k)) {
  using from = ir::slot_value::from;
  std::uint32_t at = 0;
  bool open = false;  // has a segment been started?
  for (const ir::plan_step& s : plan.steps) {
    const bool is_kernel = s.what == ir::plan_step::kind::kernel;
    calls.push_back(s.what == ir::plan_step::kind::call ? &find_call(s.routine) : nullptr);
    const bool is_replayed = is_kernel || (calls.back() && calls.back()->is_replayed);
    first_slot.push_back(at);
    for (const ir::slot_value& v : s.slots) {
      if (v.what != from::constant) {
        patches.push_back({at, v.what == from::pointer, v.shift, v.word, v.narrow, v.divides,
                           v.type, v.index});
      }
      ++at;
    }
    // A copy is nearly always done in place, and then queues nothing.
    if (is_replayed && !open) ++segments;
    if (s.what != ir::plan_step::kind::copy) open = is_replayed;
    segment.push_back(segments - 1);
  }
  first_slot.push_back(at);
  replays.resize(segments);
}

namespace {

/// Evaluates the extents of a plan at the sizes that `terms`, the recipe's values, stand for.
class plan_sizer {
 public:
  plan_sizer(const planned& of, std::span<const std::int64_t> terms, ready_plan& out)
      : of_(of), terms_(terms), out_(out) {}

  void run() {
    steps();
    buffers();
    if (std::ranges::any_of(of_.calls, [](const call_row* c) { return c; })) calls();
    for (const ir::kernel_report& r : of_.plan.reports) {
      out_.read.push_back(value(r.bytes_read));
      out_.written.push_back(value(r.bytes_written));
    }
  }

 private:
  std::int64_t value(ir::extent e) const {
    return e.term() == ir::no_term ? e.peek() : terms_[static_cast<std::size_t>(e.term())];
  }

  void steps() {
    const std::vector<ir::plan_step>& all = of_.plan.steps;
    out_.slots.reserve(of_.first_slot.back());
    out_.blocks.reserve(all.size());
    out_.threads.reserve(all.size());
    out_.grains.reserve(all.size());
    for (const ir::plan_step& s : all) {
      out_.blocks.push_back(value(s.blocks));
      out_.threads.push_back(value(s.threads));
      out_.grains.push_back(value(s.grain));
      for (const ir::slot_value& v : s.slots) {
        out_.slots.push_back(static_cast<std::uint64_t>(value(v.bits)));
      }
    }
  }

  void buffers() {
    out_.bytes.reserve(of_.plan.buffers.size());
    for (const ir::plan_buffer& b : of_.plan.buffers) {
      out_.bytes.push_back(static_cast<std::size_t>(value(b.count)) * size_of(b.type));
    }
  }

  void calls() {
    for (std::size_t i = 0; i < of_.calls.size(); ++i) {
      out_.calls.push_back(of_.calls[i] ? of_.plan.steps[i] : ir::plan_step{});
      for (ir::shape_t& shape : out_.calls.back().shapes) {
        for (ir::extent& e : shape) e = value(e);
      }
      for (ir::extent& e : out_.calls.back().attributes) e = value(e);
    }
  }

  const planned& of_;
  std::span<const std::int64_t> terms_;
  ready_plan& out_;
};

}  // namespace

std::shared_ptr<ready_plan> size_plan(const std::shared_ptr<const planned>& of,
                                      std::span<const std::int64_t> numbers,
                                      std::vector<std::int64_t>& values) {
  if (!of->recipe.compute(numbers, values)) return nullptr;
  auto out = std::make_shared<ready_plan>();
  out->of = of;
  out->kernels = of->kernels;
  out->numbers.assign(numbers.begin(), numbers.end());
  plan_sizer(*of, values, *out).run();
  return out;
}

namespace {

std::uint64_t hash_of(std::span<const std::int64_t> numbers) {
  std::uint64_t h = numbers.size();
  for (const std::int64_t n : numbers) {
    h = (h ^ static_cast<std::uint64_t>(n)) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

// Four independent hash chains: a key has some hundred words, and each step waits for its
// multiplication.
plan_cache::key_view::key_view(words k) : key(k) {
  std::uint64_t lanes[4] = {0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull,
                            0xd6e8feb86659fd93ull};
  const auto mix = [](std::uint64_t& h, std::uint64_t w) {
    h = (h ^ w) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  };
  std::size_t i = 0;
  for (; i + 4 <= k.size(); i += 4) {
    for (std::size_t l = 0; l < 4; ++l) mix(lanes[l], k[i + l]);
  }
  for (; i < k.size(); ++i) mix(lanes[0], k[i]);
  for (std::size_t l = 1; l < 4; ++l) mix(lanes[0], lanes[l]);
  hash = lanes[0];
}

bool plan_cache::key_view::operator==(const key_view& o) const {
  return hash == o.hash && key.size() == o.key.size() &&
         std::memcmp(key.data(), o.key.data(), key.size_bytes()) == 0;
}

plan_cache::family* plan_cache::find_family(const key_view& key) {
  const auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  if (it->second != families_.begin()) {
    families_.splice(families_.begin(), families_, it->second);
  }
  return &*it->second;
}

std::shared_ptr<ready_plan> plan_cache::find(words key, std::span<const std::int64_t> numbers) {
  family* f = find_family(key_view(key));
  if (!f) return ++misses, nullptr;
  const std::uint64_t hash = hash_of(numbers);
  for (std::size_t i = 0; i < f->hashes.size(); ++i) {
    if (f->hashes[i] != hash || !std::ranges::equal(f->sized[i]->numbers, numbers)) continue;
    std::swap(f->hashes[i], f->hashes[0]);
    std::swap(f->sized[i], f->sized[0]);
    ++hits;
    return f->sized[0];
  }
  for (auto p = f->plans.begin(); p != f->plans.end(); ++p) {
    auto made = size_plan(*p, numbers, values_);
    if (!made) continue;
    std::rotate(f->plans.begin(), p, p + 1);
    keep(*f, hash, made);
    ++hits;
    ++resized;
    return made;
  }
  ++misses;
  return nullptr;
}

void plan_cache::keep(family& f, std::uint64_t hash, std::shared_ptr<ready_plan> made) {
  if (f.sized.size() < sizes) {
    f.sized.push_back(std::move(made));
    f.hashes.push_back(hash);
    return;
  }
  f.next = (f.next + 1) % sizes;
  f.sized[f.next] = std::move(made);
  f.hashes[f.next] = hash;
}

std::shared_ptr<ready_plan> plan_cache::insert(words key, std::span<const std::int64_t> numbers,
                                               std::shared_ptr<const planned> plan) {
  family* f = find_family(key_view(key));
  if (!f) {
    families_.push_front({{key.begin(), key.end()}, {}, {}, {}});
    f = &families_.front();
    index_.emplace(key_view(f->key), families_.begin());
  }
  if (f->plans.size() == plans) f->plans.pop_back();
  auto made = size_plan(plan, numbers, values_);
  f->plans.insert(f->plans.begin(), std::move(plan));
  keep(*f, hash_of(numbers), made);
  if (families_.size() > structures) {
    index_.erase(key_view(families_.back().key));
    families_.pop_back();
  }
  return made;
}

void plan_cache::clear() {
  index_.clear();
  families_.clear();
}

}  // namespace sinter::detail
