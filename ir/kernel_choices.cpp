#include "ir/kernel_choices.hpp"

#include <algorithm>
#include <set>

namespace sinter::ir {

namespace {

std::vector<int> arguments(const inst& i) {
  std::vector<int> all;
  for (std::int32_t a : i.args) {
    if (a >= 0) all.push_back(a);
  }
  return all;
}

class choice_finder {
 public:
  choice_finder(const kernel& k, const std::vector<int>& among, const lane_step& steps)
      : k_(k), among_(among), edges_(k.body.size()), uses_(k.body.size()) {
    const lane_values found = find_edges(k, steps);
    shared_ = found.shared;
    for (const edge& e : found.edges) {
      const op code = at(e.instruction).code;
      const bool once = code != op::equal && code != op::not_equal;
      edges_[static_cast<std::size_t>(e.instruction)] = once && !e.computed;
    }
    for (const inst& i : k.body) {
      for (int a : arguments(i)) ++uses_[static_cast<std::size_t>(a)];
    }
  }

  row_choices run() {
    for (auto i = among_.rbegin(); i != among_.rend(); ++i) {
      std::set<int> ends;
      if (taken_.contains(*i) || !is_choice(*i, ends, false)) continue;
      roots_.insert(*i);
      ends_.insert(ends.begin(), ends.end());
      take(*i);
    }
    return {{roots_.begin(), roots_.end()},
            {conditions_.begin(), conditions_.end()},
            {ends_.begin(), ends_.end()}};
  }

 private:
  const inst& at(int i) const { return k_.body[static_cast<std::size_t>(i)]; }
  bool is_among(int i) const { return std::ranges::binary_search(among_, i); }

  /// Is the value one for all lanes of a vector that no edge lies in? Notes the edges.
  bool is_alike(int i, std::set<int>& ends) const {
    const auto n = static_cast<std::size_t>(i);
    if (edges_[n]) {
      ends.insert(i);
      return true;
    }
    if (shared_[n]) return true;
    if (at(i).kind != inst_kind::compute || !is_bool(at(i).result)) return false;
    return std::ranges::all_of(arguments(at(i)), [&](int a) {
      return is_bool(at(a).result) && is_alike(a, ends);
    });
  }

  bool is_condition(int i, std::set<int>& ends) const {
    return (is_among(i) || shared_[static_cast<std::size_t>(i)]) && is_alike(i, ends);
  }

  bool is_choice(int i, std::set<int>& ends, bool inner) const {
    if (inner && reads_nothing(k_, i)) return true;
    if ((inner && uses_[static_cast<std::size_t>(i)] != 1) || !is_among(i)) return false;
    const inst& x = at(i);
    if (is_guarded_gather(k_, i)) return is_condition(x.args[1], ends);
    const bool chooses = x.kind == inst_kind::compute && x.code == op::where &&
                         !(reads_nothing(k_, x.args[1]) && reads_nothing(k_, x.args[2]));
    return chooses && is_condition(x.args[0], ends) && is_choice(x.args[1], ends, true) &&
           is_choice(x.args[2], ends, true);
  }

  void take(int i) {
    if (reads_nothing(k_, i)) return;
    taken_.insert(i);
    const bool leaf = is_guarded_gather(k_, i);
    conditions_.insert(at(i).args[leaf ? 1 : 0]);
    if (leaf) return;
    take(at(i).args[1]);
    take(at(i).args[2]);
  }

  const kernel& k_;
  const std::vector<int>& among_;
  std::vector<bool> shared_, edges_;  // by instruction
  std::vector<int> uses_;
  std::set<int> roots_, conditions_, ends_, taken_;
};

}  // namespace

bool is_guarded_gather(const kernel& k, int i) {
  const inst& x = k.body[static_cast<std::size_t>(i)];
  return x.kind == inst_kind::gather && x.args[0] < 0 && x.args[1] >= 0 &&
         !is_complex(k.operands[static_cast<std::size_t>(x.which)].type);
}

bool reads_nothing(const kernel& k, int i) {
  const inst& x = k.body[static_cast<std::size_t>(i)];
  return x.kind == inst_kind::constant && x.bits == 0;
}

row_choices find_choices(const kernel& k, const std::vector<int>& among, const lane_step& steps) {
  return choice_finder(k, among, steps).run();
}

}  // namespace sinter::ir
