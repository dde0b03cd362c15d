#include "engine/evaluation/checks.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "engine/evaluation/evaluate.hpp"
#include "engine/evaluation/guard.hpp"
#include "engine/evaluation/read_words.hpp"
#include "engine/evaluation/session.hpp"
#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {
namespace {

/// The most unseen checks of an array. Two steps of Euler's equations between 1,000 cells with four
/// neighbours have 144; reading them one by one, each with a synchronous copy, took 2.7 ms.
constexpr std::size_t most_unseen = 256;

void use(const node& n) {
  if (n.buffer->home() != n.device->current_stream()) n.device->use(*n.buffer);
}

/// The statuses of a check; empty if the check holds.
std::vector<std::int32_t> found_by(check& c) {
  if (c.good) return {};
  any_array status;
  {
    const std::scoped_lock lock(the_session().evaluation);
    status = c.status;
  }
  if (!status.valid()) return {};
  evaluate({&status, 1});
  const node& n = *status.get();
  std::vector<std::int32_t> found(static_cast<std::size_t>(n.size()) * size_of(n.type) /
                                  sizeof(std::int32_t));
  if (!found.empty()) {
    guarded(c.op, c.where, [&] {
      use(n);
      read_buffer(*n.buffer, *n.device, found.data(), found.size() * sizeof found[0]);
    });
  }
  if (std::ranges::any_of(found, [](std::int32_t s) { return s != 0; })) return found;
  c.good = true;
  return {};
}

/// Statuses that share one buffer.
struct words_of_one {
  std::vector<std::pair<check*, any_array>> all;

  const node& first() const { return *all[0].second.get(); }
  static const std::byte* begin(const any_array& status) {
    return static_cast<const std::byte*>(status.get()->buffer->data());
  }

  /// Marks the checks that hold.
  void look(const runtime::buffer& whole) const {
    const std::byte *from = begin(all[0].second), *to = from;
    for (const auto& [c, status] : all) {
      use(*status.get());
      from = std::min(from, begin(status));
      to = std::max(to, begin(status) + status.get()->buffer->bytes());
    }
    std::vector<std::byte> words(static_cast<std::size_t>(to - from));
    const auto offset =
        static_cast<std::size_t>(from - static_cast<const std::byte*>(whole.data()));
    first().device->copy_to_host(words.data(), whole, offset, words.size());
    for (const auto& [c, status] : all) {
      const std::byte* const word = words.data() + (begin(status) - from);
      c->good = std::all_of(word, word + status.get()->buffer->bytes(),
                            [](std::byte b) { return b == std::byte{0}; });
    }
  }
};

/// Reads the statuses of many checks with one copy per buffer, if they are words of one buffer, as
/// those of gathers are. Marks the checks that hold.
void look_together(const check_list& list) {
  std::map<const runtime::buffer*, words_of_one> found;
  {
    const std::scoped_lock lock(the_session().evaluation);
    for (const auto& c : list) {
      const runtime::buffer* const b =
          c->status.valid() && !c->good ? c->status.get()->buffer.get() : nullptr;
      if (b && b->whole()) found[b->whole()].all.push_back({c.get(), c->status});
    }
  }
  for (const auto& [whole, words] : found) {
    if (words.all.size() < 2) continue;
    const check& c = *words.all[0].first;
    guarded(c.op, c.where, [&] { words.look(*whole); });
  }
}

check_list checks_of(const node& n) {
  const std::scoped_lock lock(the_session().evaluation);
  return n.checks;
}

/// The checks that the nodes of a snapshot carry, as one bit per check. Lists per node would make a
/// chain of statements that each add one quadratic, and looking each check up at every source took
/// half the time of recording 168 gathers.
class check_sets {
 public:
  check_sets(const snapshot& s, same_checks same) : s_(s), same_(same) {
    for (const auto& [which, as] : same) {
      meet(check_of(as));
      check_of(which)->number = check_of(as)->number;
    }
    for (node* n : s.sources) meet(*n);
    for (node* n : s.pending) meet(*n);
    width_ = (all_.size() + 63) / 64;
    bits_.resize(width_ * (s.sources.size() + s.pending.size()));
    for (node* n : s.sources) set(*n);
    for (node* n : s.pending) set(*n);
  }
  check_sets(const check_sets&) = delete;
  check_sets& operator=(const check_sets&) = delete;
  ~check_sets() {
    for (const auto& c : all_) c->number = -1;
    for (const auto& [which, as] : same_) check_of(which)->number = -1;
    for (node* n : s_.sources) n->mark.id = -1;
    for (node* n : s_.pending) n->mark.id = -1;
  }

  /// In order of first occurrence.
  check_list of(const node& n) const {
    const std::uint64_t* const row = bits_.data() + begin(n);
    const auto carried = [](int n, std::uint64_t word) { return n + std::popcount(word); };
    const int count = std::accumulate(row, row + width_, 0, carried);
    check_list list;
    list.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < width_; ++i) {
      for (std::uint64_t left = row[i]; left != 0; left &= left - 1) {
        list.push_back(all_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
      }
    }
    return list;
  }

 private:
  const std::shared_ptr<check>& check_of(std::int32_t gather) const {
    return s_.gathers[static_cast<std::size_t>(gather)]->details->in_range;
  }

  void meet(const std::shared_ptr<check>& c) {
    if (c->good || c->number >= 0) return;
    c->number = static_cast<std::int32_t>(all_.size());
    all_.push_back(c);
  }
  void meet(const node& n) {
    for (const auto& c : n.checks) meet(c);
  }

  /// REQUIRES: its pending inputs are set.
  void set(node& n) {
    n.mark.id = next_++;
    std::uint64_t* const row = bits_.data() + begin(n);
    for (const auto& c : n.checks) {
      if (c->number >= 0) row[c->number / 64] |= std::uint64_t{1} << (c->number % 64);
    }
    for (const any_array& x : n.inputs) {
      if (x.get()->mark.id < 0) continue;
      const std::uint64_t* const from = bits_.data() + begin(*x.get());
      for (std::size_t i = 0; i < width_; ++i) row[i] |= from[i];
    }
  }

  std::size_t begin(const node& n) const { return width_ * static_cast<std::size_t>(n.mark.id); }

  const snapshot& s_;
  same_checks same_;
  check_list all_;
  std::size_t width_ = 0;            // of a node's bits, in words
  std::vector<std::uint64_t> bits_;  // by the nodes' marks
  std::int32_t next_ = 0;
};

}  // namespace

void add_checks(check_list& to, const check_list& from) {
  // Lists that are merged mostly share a prefix: search from where the last match was.
  std::size_t next = 0;
  for (const auto& c : from) {
    if (c->good) continue;
    if (next >= to.size() || to[next] != c) {
      next = static_cast<std::size_t>(std::ranges::find(to, c) - to.begin());
      if (next == to.size()) to.push_back(c);
    }
    ++next;
  }
}

void attach(const any_array& x, const std::shared_ptr<check>& c) {
  node& n = *x.get();
  n.checks.push_back(c);
  n.unchecked.store(true, std::memory_order_release);
}

void inherit_checks(const any_array& to, const any_array& from) {
  if (!from.get()->unchecked.load(std::memory_order_acquire)) return;
  const std::scoped_lock lock(the_session().evaluation);
  check_list all = to.get()->checks;
  add_checks(all, from.get()->checks);
  carry(*to.get(), std::move(all));
}

void carry(node& n, check_list list) {
  n.checks = std::move(list);
  n.unchecked.store(!n.checks.empty(), std::memory_order_release);
}

void found_status(node& gather, std::shared_ptr<runtime::buffer> word, runtime::device& device) {
  check& c = *gather.details->in_range;
  const std::int64_t one[] = {1};
  if (!c.status.valid()) c.status = make_source(std::move(word), device, dtype::int64, one);
}

void verify_checks(const any_array& x) {
  node& n = *x.get();
  if (!n.unchecked.load(std::memory_order_acquire)) return;
  const check_list all = checks_of(n);
  look_together(all);
  for (const auto& c : all) {
    const auto found = found_by(*c);
    if (!found.empty()) c->raise(found, *c);
  }
  const std::scoped_lock lock(the_session().evaluation);
  std::erase_if(n.checks, [](const auto& c) { return c->good.load(); });
  if (n.checks.empty()) n.unchecked = false;
}

void shorten_checks(const any_array& x) {
  node& n = *x.get();
  if (!n.unchecked.load(std::memory_order_acquire)) return;
  check_list all;
  {
    const std::scoped_lock lock(the_session().evaluation);
    if (n.checks.size() <= most_unseen) return;
    all = n.checks;
  }
  look_together(all);
  const auto bad = std::ranges::find_if(all, [](const auto& c) { return !found_by(*c).empty(); });
  const std::scoped_lock lock(the_session().evaluation);
  carry(n, bad == all.end() ? check_list() : check_list{*bad});
}

std::vector<check_list> inherited_checks(const snapshot& s, same_checks same) {
  if (!s.checked) return {};
  const check_sets sets(s, same);
  std::vector<check_list> out;
  for (const node* o : s.outputs) out.push_back(sets.of(*o));
  return out;
}

}  // namespace sinter::detail
