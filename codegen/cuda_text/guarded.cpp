#include "codegen/cuda_text/guarded.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "codegen/cuda_text/spelling.hpp"
#include "ir/kernel_choices.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// The most statements of conditions: they are emitted for the first lane, the last one and each.
constexpr std::size_t most_conditions = 96;

/// The most lanes to unroll where they disagree: among many that is rare, and unrolling takes
/// registers.
constexpr int most_unrolled = 4;

class guarded_writer {
 public:
  guarded_writer(body_writer& body, const access_writer& accesses, const frame& f,
                 const inst_list& list, writer& out)
      : body_(body), kernel_(body.kernel()), accesses_(accesses), frame_(f), list_(list),
        out_(out), found_(ir::find_choices(kernel_, list, [&](int o) {
          const ir::access& a = kernel_.operands[static_cast<std::size_t>(o)].access;
          return a.unravel > 0 ? ir::step::any : a.steps[static_cast<std::size_t>(f.axis)];
        })) {
    if (!kernel_.schedule.pieces) keep_aligned();
    halves_ = std::ranges::all_of(found_.roots, [&](int t) { return beyond(t) >= 0; });
  }

  void write() {
    const inst_list conditions = needed_for(kernel_, found_.conditions, list_);
    if (found_.roots.empty() || conditions.size() > most_conditions) return;
    const bool asked = halves_ ? ask_halves() : ask();
    for (int t : found_.roots) {
      out_.line("sinter_lanes<", storage_type(type_of(t)), ", ", frame_.vector, "> ",
                vector_of(t), " = {};");
    }
    {
      const auto alike = asked ? out_.block("if (alike)") : out_.block();
      if (halves_) read_halves(conditions);
      else read_vectors(conditions);
    }
    if (asked) {
      const auto apart = out_.otherwise("else");
      const auto lanes = frame_.vector > most_unrolled ? out_.each("k", frame_.vector)
                                                       : out_.lanes("k", frame_.vector);
      body_.statements(needed_for(kernel_, found_.roots, list_));
      for (int t : found_.roots) {
        body_.statement(t, cat(vector_of(t), ".put(k, ", body_.value(t), ");"));
      }
    }
    for (int t : found_.roots) supply(t);
  }

 private:
  /// Without testing lanes: only aligned vectors, under conditions that are the same all along a
  /// row.
  void keep_aligned() {
    ir::row_choices kept;
    for (std::size_t r = 0; r < found_.roots.size(); ++r) {
      if (!found_.ends_of[r].empty() || beyond(found_.roots[r]) != 0) continue;
      kept.roots.push_back(found_.roots[r]);
      kept.ends_of.emplace_back();
    }
    found_ = std::move(kept);
    for (int t : found_.roots) add_conditions(t);
    std::ranges::sort(found_.conditions);
  }
  void add_conditions(int i) {
    if (is_zero(i)) return;
    const int condition = at(i).args[is_leaf(i) ? 1 : 0];
    if (std::ranges::find(found_.conditions, condition) == found_.conditions.end()) {
      found_.conditions.push_back(condition);
    }
    if (is_leaf(i)) return;
    add_conditions(at(i).args[1]), add_conditions(at(i).args[2]);
  }

  static constexpr int apart = -1, nothing = -2, anywhere = -3;

  const ir::inst& at(int i) const { return body_.inst(i); }
  std::string vector_of(int t) const { return body_.label(t) + "_v"; }
  bool is_leaf(int i) const { return ir::is_guarded_gather(kernel_, i); }
  bool is_zero(int i) const { return ir::reads_nothing(kernel_, i); }

  dtype type_of(int i) const {
    while (!is_leaf(i)) i = at(i).args[is_zero(at(i).args[1]) ? 2 : 1];
    return kernel_.operands[static_cast<std::size_t>(at(i).which)].type;
  }

  /// How far after an aligned address all alternatives begin, in elements, or `anywhere`; `apart`:
  /// at different distances, or strided; `nothing`: none is read.
  int beyond(int i) const {
    if (is_zero(i)) return nothing;
    if (is_leaf(i)) {
      const ir::operand& o = kernel_.operands[static_cast<std::size_t>(at(i).which)];
      if (!accesses_.is_consecutive(frame_, at(i).which)) return apart;
      if (o.reach == ir::reach::aligned) return 0;
      return o.beyond > 0 ? o.beyond : anywhere;
    }
    const int a = beyond(at(i).args[1]), b = beyond(at(i).args[2]);
    return a == nothing ? b : b == nothing || a == b ? a : apart;
  }
  bool at_once(int i) const { return beyond(i) != apart && beyond(i) != nothing; }

  static std::string load(int of) {
    if (of == 0) return "sinter_load_aligned(";
    return of > 0 ? cat("sinter_load_beyond<", of, ">(") : "sinter_load_anywhere(";
  }

  /// Tests whether every edge agrees for all lanes, and for the lanes of the aligned vectors around
  /// them: if so, those lie in the array too.
  bool ask() {
    for (int e : found_.ends) out_.line("bool ", body_.label(e), "_ends[2];");
    if (!found_.ends.empty()) {
      const auto both = out_.lanes("e", 2);
      out_.line("const int k = e == 0 ? ", 1 - frame_.vector, " : ", 2 * frame_.vector - 2, ";");
      body_.statements(needed_for(kernel_, found_.ends, list_));
      for (int e : found_.ends) {
        body_.statement(e, cat(body_.label(e), "_ends[e] = ", body_.value(e), ";"));
      }
    }
    out_.line("bool alike = ", accesses_.surrounded(frame_), ";");
    for (int e : found_.ends) {
      const std::string ends = body_.label(e) + "_ends";
      out_.line("alike &= ", ends, "[0] == ", ends, "[1];");
    }
    return true;
  }

  // ---- halves: if all alternatives of a root begin equally far after an aligned address, its
  // lanes lie in two aligned vectors, which an edge may separate

  /// Tests whether every edge agrees for all lanes of either vector. False: there is nothing to
  /// test.
  bool ask_halves() {
    if (found_.ends.empty() && !frame_.guarded()) return false;
    const std::string enough = cat(frame_.left, " >= ", frame_.vector);
    out_.line("bool alike = ", frame_.guarded() ? enough : "true", ";");
    std::map<int, std::set<int>> ends;  // per distance: those of all roots that begin there
    for (std::size_t r = 0; r < found_.roots.size(); ++r) {
      const std::vector<int>& own = found_.ends_of[r];
      ends[beyond(found_.roots[r])].insert(own.begin(), own.end());
    }
    for (const auto& [behind, edges] : ends) {
      if (!edges.empty()) ask_both(behind, {edges.begin(), edges.end()});
    }
    return true;
  }

  void ask_both(int behind, const inst_list& edges) {
    const auto scope = out_.block();
    const int last = frame_.vector - 1, second = frame_.vector - behind;
    for (int e : edges) out_.line("bool ", body_.label(e), "_ends[", behind > 0 ? 4 : 2, "];");
    {
      const auto each = out_.lanes("e", behind > 0 ? 4 : 2);
      if (behind > 0) {
        out_.line("const int k = e == 0 ? 0 : e == 1 ? ", second - 1, " : e == 2 ? ", second,
                  " : ", last, ";");
      } else {
        out_.line("const int k = e == 0 ? 0 : ", last, ";");
      }
      body_.statements(needed_for(kernel_, edges, list_));
      for (int e : edges) {
        body_.statement(e, cat(body_.label(e), "_ends[e] = ", body_.value(e), ";"));
      }
    }
    for (int e : edges) {
      const std::string ends = body_.label(e) + "_ends";
      out_.line("alike &= ", ends, "[0] == ", ends, "[1]",
                behind > 0 ? cat(" && ", ends, "[2] == ", ends, "[3]") : "", ";");
    }
  }

  void read_halves(const inst_list& conditions) {
    const auto from = [&](int t) { return body_.label(t) + "_from"; };
    for (int t : found_.roots) {
      out_.line("const ", storage_type(type_of(t)), "* ", from(t), "[2];");
    }
    {
      const auto both = out_.lanes("e", 2);
      out_.line("const int k = e == 0 ? 0 : ", frame_.vector - 1, ";");
      body_.statements(conditions);
      for (int t : found_.roots) out_.line(from(t), "[e] = ", place_of(t), ";");
    }
    for (int t : found_.roots) {
      const int behind = beyond(t);
      if (behind > 0) {
        out_.line("sinter_load_halves<", behind, ">(", vector_of(t), ", ", from(t), "[0], ",
                  from(t), "[1]);");
      } else {
        out_.line("if (", from(t), "[0]) sinter_load_aligned(", vector_of(t), ", ", from(t),
                  "[0]);");
      }
    }
  }

  // ---- whole vectors

  void read_vectors(const inst_list& conditions) {
    out_.line("const int k = 0;");
    body_.statements(conditions);
    for (int t : found_.roots) at_once(t) ? read_at_once(t) : read(t, vector_of(t));
  }

  /// With one load, wherever the data lies.
  void read_at_once(int t) {
    const std::string from = body_.label(t) + "_from";
    out_.line("const ", storage_type(type_of(t)), "* const ", from, " = ", place_of(t), ";");
    out_.line("if (", from, ") ", load(beyond(t)), vector_of(t), ", ", from, ");");
  }

  /// The address of the vector; 0 if nothing is read. `known`: a condition that holds here.
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

  /// If some alternatives run backwards or are strided: each in its own way.
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

  /// Hides the alternatives of a choice: nothing else reads them.
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
  ir::row_choices found_;
  bool halves_ = false;
};

}  // namespace

void write_guarded_vectors(body_writer& body, const access_writer& accesses, const frame& f,
                           const inst_list& list, writer& out) {
  const auto aligned = [](const ir::operand& o) { return o.reach == ir::reach::aligned; };
  const ir::kernel& k = body.kernel();
  if (f.vector == 1) return;
  if (!k.schedule.pieces && std::ranges::none_of(k.operands, aligned)) return;
  guarded_writer(body, accesses, f, list, out).write();
}

}  // namespace sinter::codegen::cuda_text
