#include "engine/evaluation/replayed_checks.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/evaluation/snapshot.hpp"

namespace sinter::detail {

std::shared_ptr<check> copy_of(const check& c) {
  auto copy = std::make_shared<check>();
  copy->raise = c.raise;
  copy->op = c.op;
  copy->where = c.where;
  copy->size = c.size;
  copy->shape = c.shape;
  return copy;
}

namespace {

using carried = replayed_checks::carried;

void merge(std::vector<std::int32_t>& into, const std::vector<std::int32_t>& from) {
  for (const std::int32_t i : from) {
    if (std::ranges::find(into, i) == into.end()) into.push_back(i);
  }
}

template <class List, class Wanted> std::int32_t place_in(const List& list, Wanted wanted) {
  const auto it = std::ranges::find_if(list, wanted);
  return it == list.end() ? -1 : static_cast<std::int32_t>(it - list.begin());
}

class collector {
 public:
  collector(const snapshot& s, same_checks same) : s_(s) {
    for (const auto& [which, as] : same) same_[which] = as;
    for (std::size_t i = 0; i < s.sources.size(); ++i) {
      of_[s.sources[i]].sources = {static_cast<std::int32_t>(i)};
    }
  }

  std::optional<replayed_checks> run() {
    for (const node* n : s_.pending) {
      carried all;
      for (const any_array& in : n->inputs) {
        const auto it = of_.find(in.get());
        if (it == of_.end()) continue;
        merge(all.sources, it->second.sources);
        merge(all.checks, it->second.checks);
      }
      for (const auto& c : n->checks) {
        const std::int32_t at = find(c);
        if (at < 0) return std::nullopt;
        merge(all.checks, {at});
      }
      of_[n] = std::move(all);
    }
    for (const node* o : s_.outputs) out_.outputs.push_back(of_[o]);
    return out_;
  }

 private:
  std::int32_t find(const std::shared_ptr<check>& c) {
    const auto [it, fresh] = known_.try_emplace(c.get(), -1);
    if (fresh) it->second = add(c);
    return it->second;
  }

  std::int32_t add(const std::shared_ptr<check>& c) {
    replayed_checks::one x{copy_of(*c)};
    if (c->status.valid()) {
      x.output = place_in(s_.outputs, [&](const node* o) { return o == c->status.get(); });
    } else {
      x.gather = place_in(s_.gathers, [&](const node* g) { return g->details->in_range == c; });
      const auto as = same_.find(x.gather);
      if (as != same_.end()) return find(gather(as->second).details->in_range);
    }
    if (x.output < 0 && x.gather < 0) return -1;
    out_.checks.push_back(std::move(x));
    return static_cast<std::int32_t>(out_.checks.size()) - 1;
  }

  const node& gather(std::int32_t i) const { return *s_.gathers[static_cast<std::size_t>(i)]; }

  const snapshot& s_;
  std::unordered_map<const node*, carried> of_;
  std::unordered_map<std::int32_t, std::int32_t> same_;
  std::unordered_map<const check*, std::int32_t> known_;
  replayed_checks out_;
};

/// The check that an earlier round of the loop made for this word. One check is enough, unless it
/// was already seen to hold and dropped.
std::shared_ptr<check> known_check(std::span<node* const> sources, const runtime::buffer* word) {
  for (const node* n : sources) {
    for (const auto& c : n->checks) {
      if (!c->good && c->status.valid() && c->status.get()->buffer.get() == word) return c;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<replayed_checks> checks_to_replay(const snapshot& s, same_checks same) {
  return collector(s, same).run();
}

std::vector<check_list> replay_checks(const replayed_checks& r, const replayed_run& run,
                                      runtime::device& device) {
  check_list made;
  for (const auto& [like, gather, output] : r.checks) {
    auto c = copy_of(*like);
    if (gather >= 0) {
      const auto is = [&](const auto& word) { return word.first == gather; };
      const auto word = std::ranges::find_if(run.words, is);
      const std::int64_t one[] = {1};
      if (word != run.words.end()) {
        if (auto known = known_check(run.sources, word->second.get())) {
          made.push_back(std::move(known));
          continue;
        }
        c->status = make_source(word->second, device, dtype::int64, one);
      }
    } else {
      const auto at = static_cast<std::size_t>(output);
      const node& n = *run.like[at].get();
      c->status = make_source(run.outputs[at], device, n.type, n.shape);
    }
    made.push_back(std::move(c));
  }
  std::vector<check_list> lists;
  for (const carried& o : r.outputs) {
    check_list list;
    for (const std::int32_t i : o.sources) {
      add_checks(list, run.sources[static_cast<std::size_t>(i)]->checks);
    }
    for (const std::int32_t i : o.checks) list.push_back(made[static_cast<std::size_t>(i)]);
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace sinter::detail
