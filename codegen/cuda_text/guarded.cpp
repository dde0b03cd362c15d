#include "codegen/cuda_text/guarded.hpp"

#include <algorithm>
#include <string>
#include <set>

#include "codegen/cuda_text/spelling.hpp"
#include "ir/kernel_pieces.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Statements that conditions may take: they are written for the first lane, the last one and each.
constexpr std::size_t most_conditions = 96;

/// Lanes that are written out where they do not agree: of many that is seldom, and takes registers.
constexpr int most_unrolled = 4;

class guarded_writer {
 public:
  guarded_writer(body_writer& body, const access_writer& accesses, const frame& f,
                 const inst_list& list, writer& out)
      : body_(body), kernel_(body.kernel()), accesses_(accesses), frame_(f), list_(list),
        out_(out) {
    const ir::lane_values found = ir::find_edges(kernel_, [&](int o) {
      const ir::access& a = kernel_.operands[static_cast<std::size_t>(o)].access;
      return a.unravel > 0 ? ir::step::any : a.steps[static_cast<std::size_t>(f.axis)];
    });
    shared_ = found.shared;
    edges_.resize(kernel_.body.size());
    for (const ir::edge& e : found.edges) {
      const ir::op code = body.inst(e.instruction).code;
      const bool once = code != ir::op::equal && code != ir::op::not_equal;
      edges_[static_cast<std::size_t>(e.instruction)] = once && !e.computed;
    }
    count_uses();
  }

  void write() {
    find_trees();
    if (trees_.empty() || needed_for(kernel_, conditions_, list_).size() > most_conditions) return;
    ask();
    for (int t : trees_) {
      out_.line("sinter_lanes<", storage_type(leaf_type(t)), ", ", frame_.vector, "> ",
                vector_of(t), " = {};");
    }
    {
      const auto alike = out_.block("if (alike)");
      out_.line("const int k = 0;");
      body_.statements(needed_for(kernel_, conditions_, list_));
      for (int t : trees_) beyond(t) < 0 ? read(t, vector_of(t)) : read_at_once(t);
    }
    {
      const auto apart = out_.otherwise("else");
      const auto lanes = frame_.vector > most_unrolled ? out_.each("k", frame_.vector)
                                                       : out_.lanes("k", frame_.vector);
      body_.statements(needed_for(kernel_, {trees_.begin(), trees_.end()}, list_));
      for (int t : trees_) {
        body_.statement(t, cat(vector_of(t), ".put(k, ", body_.value(t), ");"));
      }
    }
    for (int t : trees_) supply(t);
  }

 private:
  const ir::inst& at(int i) const { return body_.inst(i); }
  std::string vector_of(int t) const { return body_.label(t) + "_v"; }

  void count_uses() {
    uses_.resize(kernel_.body.size());
    for (const ir::inst& i : kernel_.body) {
      for (int a : arguments_of(i)) ++uses_[static_cast<std::size_t>(a)];
    }
  }

  /// Is the value one for all lanes of a vector that no edge lies in? Notes the edges.
  bool is_alike(int i, std::set<int>& edges) const {
    const auto n = static_cast<std::size_t>(i);
    if (edges_[n]) {
      edges.insert(i);
      return true;
    }
    if (shared_[n]) return true;
    if (at(i).kind != ir::inst_kind::compute || !is_bool(at(i).result)) return false;
    return std::ranges::all_of(arguments_of(at(i)), [&](int a) {
      return is_bool(at(a).result) && is_alike(a, edges);
    });
  }

  bool is_condition(int i, std::set<int>& edges) const {
    std::set<int> own;
    if (!std::ranges::binary_search(list_, i) && !shared_[static_cast<std::size_t>(i)]) {
      return false;
    }
    if (!is_alike(i, own)) return false;
    edges.insert(own.begin(), own.end());
    return true;
  }

  bool is_leaf(int i) const {
    const ir::inst& x = at(i);
    return x.kind == ir::inst_kind::gather && x.args[0] < 0 && x.args[1] >= 0 && !body_.is_part(i);
  }

  bool is_zero(int i) const {
    return at(i).kind == ir::inst_kind::constant && at(i).bits == 0;
  }

  static constexpr int apart = -1, zero = -2;

  /// How many elements after an aligned place all that a tree reads begins, 0 if that is not known;
  /// `apart`: not the same, or not along a row; `zero`: nothing is read.
  int beyond(int i) const {
    if (is_zero(i)) return zero;
    if (is_leaf(i)) {
      const ir::operand& o = kernel_.operands[static_cast<std::size_t>(at(i).which)];
      return accesses_.is_consecutive(frame_, at(i).which) ? o.beyond : apart;
    }
    const int a = beyond(at(i).args[1]), b = beyond(at(i).args[2]);
    return a == zero ? b : b == zero || a == b ? a : apart;
  }

  std::string load(int of) const {
    return of > 0 ? cat("sinter_load_beyond<", of, ">(") : "sinter_load_anywhere(";
  }

  /// A gather, or a choice among some of which nobody else reads any; or, inside, zero.
  bool is_tree(int i, std::set<int>& edges, bool inner = false) const {
    if (inner && is_zero(i)) return true;
    if (inner && uses_[static_cast<std::size_t>(i)] != 1) return false;
    if (!std::ranges::binary_search(list_, i)) return false;
    if (is_leaf(i)) return is_condition(at(i).args[1], edges);
    const bool chooses = at(i).kind == ir::inst_kind::compute && at(i).code == ir::op::where;
    if (!chooses || (is_zero(at(i).args[1]) && is_zero(at(i).args[2]))) return false;
    return is_condition(at(i).args[0], edges) && is_tree(at(i).args[1], edges, true) &&
           is_tree(at(i).args[2], edges, true);
  }

  void find_trees() {
    std::set<int> taken;
    for (auto i = list_.rbegin(); i != list_.rend(); ++i) {
      std::set<int> edges;
      if (taken.contains(*i) || !is_tree(*i, edges)) continue;
      trees_.insert(trees_.begin(), *i);
      ends_.insert(edges.begin(), edges.end());
      take(*i, taken);
    }
    std::ranges::sort(conditions_);
    const auto again = std::ranges::unique(conditions_);
    conditions_.erase(again.begin(), again.end());
  }

  void take(int i, std::set<int>& taken) {
    if (is_zero(i)) return;
    taken.insert(i);
    conditions_.push_back(at(i).args[is_leaf(i) ? 1 : 0]);
    if (is_leaf(i)) return;
    take(at(i).args[1], taken);
    take(at(i).args[2], taken);
  }

  dtype leaf_type(int i) const {
    while (!is_leaf(i)) i = at(i).args[is_zero(at(i).args[1]) ? 2 : 1];
    return kernel_.operands[static_cast<std::size_t>(at(i).which)].type;
  }

  /// Whether every edge says the same of all lanes, and of those that aligned vectors around them
  /// would have: then these lie in the array too.
  void ask() {
    for (int e : ends_) out_.line("bool ", body_.label(e), "_ends[2];");
    if (!ends_.empty()) {
      const auto both = out_.lanes("e", 2);
      out_.line("const int k = e == 0 ? ", 1 - frame_.vector, " : ", 2 * frame_.vector - 2, ";");
      body_.statements(needed_for(kernel_, {ends_.begin(), ends_.end()}, list_));
      for (int e : ends_) {
        body_.statement(e, cat(body_.label(e), "_ends[e] = ", body_.value(e), ";"));
      }
    }
    out_.line("bool alike = ", accesses_.surrounded(frame_), ";");
    for (int e : ends_) {
      const std::string ends = body_.label(e) + "_ends";
      out_.line("alike &= ", ends, "[0] == ", ends, "[1];");
    }
  }

  /// By one load, from wherever it is.
  void read_at_once(int t) {
    const std::string from = body_.label(t) + "_from";
    out_.line("const ", storage_type(leaf_type(t)), "* const ", from, " = ", place_of(t), ";");
    out_.line("if (", from, ") ", load(beyond(t)), vector_of(t), ", ", from, ");");
  }

  /// Where the vector begins; 0 where nothing is read. `known`: a condition that holds here.
  std::string place_of(int i, int known = -1) const {
    if (is_zero(i)) return "0";
    const int condition = at(i).args[is_leaf(i) ? 1 : 0];
    const std::string& holds = body_.value(condition);
    if (!is_leaf(i)) {
      return cat(holds, " ? ", place_of(at(i).args[1], condition), "\n", std::string(8, ' '), ": ",
                 place_of(at(i).args[2]));
    }
    const gather_place& from = body_.place(i);
    const std::string first = cat(from.array, " + ", from.position);
    return condition == known ? first : cat(holds, " ? ", first, " : 0");
  }

  /// Where some lie backwards, or far apart: each in its own way.
  void read(int i, const std::string& to) {
    if (is_leaf(i)) return read_leaf(i, to);
    const std::string& holds = body_.value(at(i).args[0]);
    const int first = at(i).args[1], second = at(i).args[2];
    if (!is_zero(first)) {
      const auto chosen = out_.block("if (", holds, ")");
      read(first, to);
    }
    if (is_zero(second)) return;
    const auto other = is_zero(first) ? out_.block("if (!", holds, ")") : out_.otherwise("else");
    read(second, to);
  }

  void read_leaf(int i, const std::string& to) {
    const auto holds = out_.block("if (", body_.value(at(i).args[1]), ")");
    const gather_place& from = body_.place(i);
    if (const int own = beyond(i); own != apart) {
      return out_.line(load(own), to, ", ", from.array, " + ", from.position, ");");
    }
    const auto lanes = out_.lanes("k", frame_.vector);
    out_.line(to, ".put(k, ", from.array, "[", from.position, "]);");
  }

  void supply(int i) {
    if (!is_leaf(i)) hide(i);
    const std::string lane = vector_of(i) + ".get(k)";
    body_.supply(i, is_bool(at(i).result) ? cat("(", lane, " != 0)") : lane);
  }

  /// Of a choice, what nobody else reads.
  void hide(int i) {
    for (int part : {at(i).args[1], at(i).args[2]}) {
      if (is_zero(part)) continue;
      if (!is_leaf(part)) hide(part);
      body_.supply(part, "");
    }
  }

  body_writer& body_;
  const ir::kernel& kernel_;
  const access_writer& accesses_;
  const frame& frame_;
  const inst_list& list_;
  writer& out_;
  std::vector<bool> shared_, edges_;  // by instruction
  std::vector<int> uses_;
  inst_list trees_, conditions_;
  std::set<int> ends_;  // edges that trees hang on
};

}  // namespace

void write_guarded_vectors(body_writer& body, const access_writer& accesses, const frame& f,
                           const inst_list& list, writer& out) {
  if (f.vector == 1 || !body.kernel().schedule.pieces) return;
  guarded_writer(body, accesses, f, list, out).write();
}

}  // namespace sinter::codegen::cuda_text
