// The printer of kernels; kernel_words.hpp shows what it prints.
#include <string>
#include <string_view>

#include "ir/kernel_rounds.hpp"
#include "ir/kernel_stack.hpp"
#include "ir/kernel_words.hpp"
#include "ir/text.hpp"

namespace sinter::ir {

namespace detail {
namespace {

std::string list_text(const std::vector<int>& numbers) {
  std::string out;
  for (int n : numbers) out += cat(out.empty() ? "" : ", ", n);
  return cat("[", out, "]");
}

std::string margins_text(const margins& m) {
  return cat("before ", list_text(m.before), " after ", list_text(m.after));
}

class printer {
 public:
  printer(const kernel& k, bool with_names) : k_(k), with_names_(with_names), places_(k.notes) {}

  std::string run() {
    std::string out = head() + schedule_text();
    if (!k_.beyond.before.empty()) {
      out += cat("beyond ", margins_text(k_.beyond), k_.around ? " around" : "", "\n");
    }
    for (std::size_t i = 0; i < k_.operands.size(); ++i) out += operand_text(static_cast<int>(i));
    for (std::size_t i = 0; i < k_.scalars.size(); ++i) {
      out += cat("s", i, " = scalar ", name(k_.scalars[i]), "\n");
    }
    for (std::size_t i = 0; i < k_.loops.size(); ++i) out += loop_text(i);
    for (std::size_t i = 0; i < k_.body.size(); ++i) {
      out += cat("v", i, " = ", inst_text(k_.body[i]));
      if (with_names_) out += places_.reference(k_.body[i].note);
      out += "\n";
    }
    return with_names_ ? out + places_.trailer() : out;
  }

 private:
  std::string head() const {
    const std::string_view target = target_names[static_cast<int>(k_.schedule.target)];
    return cat(with_names_ ? cat("kernel ", k_.name, "\n") : "", "target ", target, ", kept ",
               k_.kept, ", reduced ", k_.reduced, "\n");
  }

  std::string schedule_text() const {
    const schedule& s = k_.schedule;
    std::string out = cat("schedule vector ", s.vector, " unroll ", s.unroll);
    if (s.threads) out += cat(" threads ", s.threads);
    if (s.crowd) out += cat(" crowd ", s.crowd);
    if (s.row_threads) out += cat(" row_threads ", s.row_threads);
    out += cat(" lanes ", lane_names[static_cast<int>(s.lanes)]);
    if (s.split) out += " split";
    if (s.resident) out += " resident";
    if (s.elastic) out += " elastic";
    if (s.filled) out += cat(" filled ", s.filled);
    if (s.cluster > 1) out += cat(" cluster ", s.cluster);
    if (s.ahead) out += cat(" ahead ", s.ahead);
    if (s.staged) out += cat(" staged ", s.staged);
    if (s.packs) out += " packs";
    if (s.abreast) out += cat(" abreast ", s.abreast);
    if (s.whole_row) out += cat(" whole_row ", s.whole_row);
    if (s.pieces) out += " pieces";
    if (s.quick) out += " quick";
    if (s.tile) out += cat(" tile ", s.tile);
    if (s.held) out += cat(" held ", s.held);
    if (s.tile_rows || s.tile_columns) {
      out += cat(" tile_rows ", s.tile_rows, " tile_columns ", s.tile_columns);
    }
    if (s.planes > 1) out += cat(" planes ", s.planes);
    if (s.flat) out += " flat";
    if (s.row_lanes) out += cat(" row_lanes ", s.row_lanes);
    if (s.turn_vector > 1) out += cat(" turn_vector ", s.turn_vector);
    if (s.lead >= 0) out += cat(" lead ", s.lead);
    if (s.early >= 0) out += cat(" early ", s.early);
    return cat(out, " rows ", s.rows, "\n");
  }

  std::string operand_text(int which) const {
    const operand& o = k_.operands[static_cast<std::size_t>(which)];
    std::string steps;
    for (step s : o.access.steps) {
      steps += cat(steps.empty() ? "" : ", ", step_names[static_cast<int>(s)]);
    }
    return cat(name_of(k_, which), " = ", role_names[static_cast<int>(o.role)], " ", name(o.type),
               " [", steps, "]", o.access.unravel ? cat(" unravel ", o.access.unravel) : "",
               o.access.narrow ? " narrow" : "",
               o.reach == reach::whole ? "" : cat(" ", reach_names[static_cast<int>(o.reach)]),
               o.beyond ? cat(" by ", o.beyond) : "",
               o.like >= 0 ? cat(" like ", name_of(k_, o.like)) : "",
               o.apart > 0 ? cat(" apart ", o.apart) : "",
               o.base >= 0 && o.base != which
                   ? cat(" turn ", o.turn, " of ", name_of(k_, o.base)) : "",
               o.tile >= 0 ? cat(" ", o.tile, " shift ", list_text(o.shift)) : "", "\n");
  }

  static std::string types_text(const std::vector<dtype>& types) {
    std::string out;
    for (dtype t : types) out += cat(out.empty() ? "" : ", ", name(t));
    return cat("[", out, "]");
  }

  std::string loop_text(std::size_t which) const {
    const loop_code& l = k_.loops[which];
    std::string out = cat("loop", which, " = carries ", types_text(l.carries), " givens ",
                          types_text(l.givens), "\n");
    for (std::size_t i = 0; i < l.body.size(); ++i) {
      out += cat("v", i, " = ", inst_text(l.body[i]), "\n");
    }
    out += cat("while v", l.condition, " next");
    for (std::size_t k = 0; k < l.next.size(); ++k) out += cat(k ? ", v" : " v", l.next[k]);
    return out + "\n";
  }

  std::string inst_text(const inst& i) const {
    std::string out = i.inner ? "each " : "";
    for (const kind_row& row : kinds) {
      if (row.kind == i.kind) out += cat(row.name, " ");
    }
    if (i.kind == inst_kind::reduce && i.arg) out += "arg ";
    if (i.kind == inst_kind::store && i.code != op::cast) out += "by ";
    if (has_op(i)) out += cat(name(i.code), " ");
    out += name(i.type);
    if (i.result != usual_result(i)) out += cat(" -> ", name(i.result));
    if (has_operand(i.kind)) out += cat(" ", operand_reference(i));
    if (i.kind == inst_kind::scalar) out += cat(" s", i.which);
    if (i.kind == inst_kind::loop) out += cat(" loop", i.which);
    if (has_number(i.kind)) out += cat(" ", i.which);
    if (i.kind == inst_kind::constant) {
      const std::uint64_t bits[2] = {i.bits, 0};
      out += cat(" ", value_text(i.type, bits));
    }
    int last = 3;
    while (last > 0 && i.args[last - 1] == -1) --last;
    for (int k = 0; k < last; ++k) {
      out += i.args[k] < 0 ? std::string(" none") : cat(" v", i.args[k]);
    }
    return out;
  }

  std::string operand_reference(const inst& i) const {
    const bool known = i.which >= 0 && static_cast<std::size_t>(i.which) < k_.operands.size();
    return cat(known ? name_of(k_, i.which) : cat("op", i.which), i.part ? " im" : "");
  }

  const kernel& k_;
  bool with_names_;
  places places_;
};

/// The lines before the parts of a kernel that has some.
std::string parts_head(const kernel& k) {
  const int threads = k.schedule.threads;
  if (is_rounds(k)) {
    return cat("repeats ", threads, " threads ", k.schedule.cluster, " blocks tests ",
               list_text(k.tests), "\n");
  }
  if (!is_stack(k)) return cat("shares ", threads, " threads\n");
  std::string out = cat("stacks ", threads, " threads box ", list_text(k.box), "\n");
  for (std::size_t i = 0; i < k.tiles.size(); ++i) {
    const tile& t = k.tiles[i];
    out += cat("tile", i, " = ", name(t.type), " ", margins_text(t.margins), "\n");
  }
  return out;
}

}  // namespace
}  // namespace detail

std::string print(const kernel& k) {
  if (k.parts.empty()) return detail::printer(k, true).run();
  std::string out = detail::cat("kernel ", k.name, "\n", detail::parts_head(k));
  for (const kernel& p : k.parts) out += print(p);
  return out;
}

std::string key_of(const kernel& k) {
  if (k.parts.empty()) return detail::printer(k, false).run();
  std::string out = detail::parts_head(k);
  for (const kernel& p : k.parts) out += key_of(p);
  return out;
}

}  // namespace sinter::ir
