#include "ir/kernel_choices.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace sinter::ir {

namespace {

class choice_finder {
 public:
  choice_finder(const kernel& k, const std::vector<int>& among, const lane_step& steps)
      : k_(k), among_(k.body.size()), edges_(k.body.size()), uses_(k.body.size()) {
    for (int i : among) among_[at(i)] = true;
    const lane_values found = find_edges(k, steps);
    shared_ = found.shared;
    for (const edge& e : found.edges) {
      const op code = inst_at(e.instruction).code;
      const bool once = code != op::equal && code != op::not_equal;
      edges_[at(e.instruction)] = once && !e.computed;
    }
    for (const inst& i : k.body) {
      for (int a : arguments_of(i)) ++uses_[at(a)];
    }
    for (int i = 0; i < static_cast<int>(k.body.size()); ++i) {
      alike_.push_back(is_alike(i));
      choices_.push_back(is_choice(i));
    }
  }

  row_choices run() {
    std::vector<bool> taken(k_.body.size());
    for (int i = static_cast<int>(k_.body.size()); i-- > 0;) {
      if (!choices_[at(i)] || taken[at(i)]) continue;
      std::set<int> conditions, ends;
      take(i, taken, conditions);
      std::vector<bool> seen(k_.body.size());
      for (int c : conditions) find_ends(c, seen, ends);
      roots_.emplace(i, std::vector<int>(ends.begin(), ends.end()));
      conditions_.merge(conditions), ends_.merge(ends);
    }
    row_choices all{{}, {conditions_.begin(), conditions_.end()}, {ends_.begin(), ends_.end()}, {}};
    for (auto& [root, ends] : roots_) {
      all.roots.push_back(root);
      all.ends_of.push_back(std::move(ends));
    }
    return all;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const inst& inst_at(int i) const { return k_.body[at(i)]; }

  /// Is the value the same for all lanes of a vector that contains no edge?
  bool is_alike(int i) const {
    if (edges_[at(i)] || shared_[at(i)]) return true;
    const inst& x = inst_at(i);
    return x.kind == inst_kind::compute && is_bool(x.result) &&
           std::ranges::all_of(arguments_of(x), [&](int a) {
             return is_bool(inst_at(a).result) && alike_[at(a)];
           });
  }

  bool is_condition(int i) const { return (among_[at(i)] || shared_[at(i)]) && alike_[at(i)]; }

  /// May it be nested in another choice?
  bool is_part(int i) const {
    return reads_nothing(k_, i) || (choices_[at(i)] && uses_[at(i)] == 1);
  }

  bool is_choice(int i) const {
    if (!among_[at(i)]) return false;
    const inst& x = inst_at(i);
    if (is_guarded_gather(k_, i)) return is_condition(x.args[1]);
    return x.kind == inst_kind::compute && x.code == op::where && is_condition(x.args[0]) &&
           is_part(x.args[1]) && is_part(x.args[2]) &&
           !(reads_nothing(k_, x.args[1]) && reads_nothing(k_, x.args[2]));
  }

  void take(int i, std::vector<bool>& taken, std::set<int>& conditions) {
    if (reads_nothing(k_, i)) return;
    taken[at(i)] = true;
    const bool leaf = is_guarded_gather(k_, i);
    conditions.insert(inst_at(i).args[leaf ? 1 : 0]);
    if (leaf) return;
    take(inst_at(i).args[1], taken, conditions);
    take(inst_at(i).args[2], taken, conditions);
  }

  void find_ends(int i, std::vector<bool>& seen, std::set<int>& ends) {
    if (seen[at(i)]) return;
    seen[at(i)] = true;
    if (edges_[at(i)]) {
      ends.insert(i);
    } else if (!shared_[at(i)]) {
      for (int a : arguments_of(inst_at(i))) find_ends(a, seen, ends);
    }
  }

  const kernel& k_;
  std::vector<bool> among_, shared_, edges_, alike_, choices_;  // per instruction
  std::vector<int> uses_;
  std::map<int, std::vector<int>> roots_;  // with their ends
  std::set<int> conditions_, ends_;
};

}  // namespace

bool is_guarded_gather(const kernel& k, int i) {
  const inst& x = k.body[static_cast<std::size_t>(i)];
  return x.kind == inst_kind::gather && x.args[0] < 0 && x.args[1] >= 0 &&
         !is_complex(k.operands[static_cast<std::size_t>(x.which)].type);
}

std::vector<int> chosen_among(const kernel& k, int choice) {
  if (reads_nothing(k, choice)) return {};
  if (is_guarded_gather(k, choice)) return {choice};
  const inst& x = k.body[static_cast<std::size_t>(choice)];
  std::vector<int> all = chosen_among(k, x.args[1]);
  const std::vector<int> others = chosen_among(k, x.args[2]);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

bool reads_nothing(const kernel& k, int i) {
  const inst& x = k.body[static_cast<std::size_t>(i)];
  return x.kind == inst_kind::constant && x.bits == 0;
}

row_choices find_choices(const kernel& k, const std::vector<int>& among, const lane_step& steps) {
  return choice_finder(k, among, steps).run();
}

}  // namespace sinter::ir
