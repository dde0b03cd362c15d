// The rules a kernel obeys. Each has a name, with which its error begins.
#include <algorithm>
#include <vector>

#include "ir/kernel_rounds.hpp"
#include "ir/kernel_stack.hpp"
#include "ir/kernel_verifier.hpp"
#include "ir/verify.hpp"

namespace sinter::ir::detail {

void kernel_verifier::run() {
  kernel_rule(is_identifier(k_.name), "name", "the name is no C identifier");
  kernel_rule(k_.kept >= 1 && k_.reduced >= 0, "ranks", "at least one axis is kept");
  schedule_rules();
  for (const operand& o : k_.operands) operand_rules(o);
  tile_rules();
  for (int o = 0; o < static_cast<int>(k_.operands.size()); ++o) reach_rules(o);
  for (dtype t : k_.scalars) {
    kernel_rule(!is_complex(t), "scalar-type", "a scalar is complex");
  }
  for (const loop_code& l : k_.loops) loop_code_rules(l);
  body_ = &k_.body;
  for (at_ = 0; at_ < k_.body.size(); ++at_) inst_rules(k_.body[at_]);
  level_rules();
  chain_rules();
}

bool kernel_verifier::is_identifier(const std::string& s) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !s.empty() && letter(s[0]) && std::all_of(s.begin(), s.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

void kernel_verifier::kernel_rule(bool holds, std::string_view rule, std::string_view what) const {
  if (!holds) detail::require(false, rule, cat("kernel ", k_.name), what);
}

void kernel_verifier::require(bool holds, std::string_view rule, std::string_view what) const {
  if (!holds) detail::require(false, rule, cat("v", at_), what);
}

void kernel_verifier::chain_rules() const {
  const auto scans = scan_count(k_);
  const auto states = std::count_if(
      k_.operands.begin(), k_.operands.end(),
      [](const operand& o) { return o.role == operand_role::state && o.type == dtype::uint64; });
  kernel_rule(states == (k_.schedule.split && scans > 0 ? 1 : 0), "state",
              "chained scans, and they alone, have one operand of state");
  if (states == 0) return;
  kernel_rule(k_.schedule.lanes == lane_axis::reduced && k_.schedule.rows == 1, "chain",
              "a block of a chained scan has one row, and lanes along it");
  std::vector<bool> below(k_.body.size());
  for (std::size_t i = 0; i < k_.body.size(); ++i) {
    const inst& x = k_.body[i];
    for (std::int32_t a : x.args) {
      if (a < 0) continue;
      const auto from = static_cast<std::size_t>(a);
      below[i] = below[i] || below[from] || k_.body[from].kind == inst_kind::scan;
    }
    kernel_rule(x.kind != inst_kind::reduce && !(x.kind == inst_kind::scan && below[i]), "chain",
                "a chained scan stands beside a reduction, or below another scan");
  }
}

void kernel_verifier::level_rules() {
  kernel inferred = k_;
  infer_levels(inferred);
  const std::vector<int> phases = phases_of(k_);
  for (at_ = 0; at_ < k_.body.size(); ++at_) {
    const inst& i = k_.body[at_];
    require(i.inner == inferred.body[at_].inner, "level", "marked as of the other level");
    if (i.kind == inst_kind::store) store_rules(i, inferred, phases[at_]);
    if (k_.schedule.split && i.kind == inst_kind::reduce) {
      require(phases[at_] == 0, "split", "no chunk knows the result of its whole row");
    }
  }
}

void kernel_verifier::store_rules(const inst& i, const kernel& inferred, int phase) const {
  const auto& steps = operand_of(i)->access.steps;
  const bool moves = std::any_of(steps.begin() + k_.kept, steps.end(),
                                 [](step s) { return s != step::zero; });
  const bool placed = moves || i.args[1] >= 0 || i.args[2] >= 0;
  require(!argument(i, 0).inner || placed || inferred.reduced == 0, "store-level",
          "an inner value is stored at one place a row");
  if (i.args[1] >= 0) {
    // An index, or whether it is out of range, may depend on the result of a row, `y(y > mean(y))`,
    // which a chunk does not know.
    return require(phase == 0 || !k_.schedule.split, "flag",
                   "a scatter of a chunk waits for no reduction");
  }
  if (!k_.schedule.split) return;
  require(i.inner ? phase == 0 : argument(i, 0).kind == inst_kind::reduce, "split",
          "a chunk stores results of reductions, or values that need none");
}

}  // namespace sinter::ir::detail

namespace sinter::ir {

void verify(const kernel& k) {
  if (is_stack(k)) return verify_stack(k);
  if (is_rounds(k)) return verify_rounds(k);
  if (k.parts.empty()) return detail::kernel_verifier(k).run();
  int threads = 0;
  for (const kernel& p : k.parts) {
    verify(p);
    const schedule& s = p.schedule;
    const bool map = s.target == target::gpu && p.reduced == 0 && s.tile_rows == 0 && s.held == 0;
    detail::require(map && p.loops.empty() && p.parts.empty(), "shared-parts",
                    detail::cat("kernel ", k.name), "shares its launch with what is no plain map");
    threads = std::max(threads, s.threads);
  }
  detail::require(k.body.empty() && k.operands.empty() && k.schedule.threads == threads,
                  "shared-launch", detail::cat("kernel ", k.name),
                  "has as many threads as the widest of its parts, and nothing of its own");
}

}  // namespace sinter::ir
