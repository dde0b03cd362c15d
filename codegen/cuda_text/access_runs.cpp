// Operands that are adjacent in one array, like the taps of a filter: a thread loads the elements
// of all of them once, in aligned vectors, and each operand is some lanes of that run. Separately,
// the vectors of 33 taps took 132 registers, since each fills row ends by itself: one block of 256
// threads had an SM to itself.
#include <algorithm>

#include "codegen/cuda_text/access.hpp"
#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {

/// The run that begins at a base; none if no other operand belongs to it, or if the place of a
/// vector in it is not a constant.
std::optional<access_writer::run> access_writer::run_of(const frame& f, int base,
                                                        const operand_list& operands) const {
  run r{base, {}, 0, 0, 0};
  bool shifted = false;
  const auto past = [&](int which) { return operand(which).turn - operand(which).beyond; };
  for (int which = base; which < static_cast<int>(kernel_.operands.size()); ++which) {
    const ir::operand& o = operand(which);
    if (which != base && o.base != base) continue;
    const bool known = o.reach == ir::reach::whole || (is_shifted(which) && o.beyond > 0);
    const bool ready = o.apart == 0 && at(which).place.empty() && at(which).array.empty();
    if (!known || !ready || (past(which) - past(base)) % f.vector != 0) return {};
    if (std::ranges::find(operands, which) == operands.end()) return {};
    r.members.push_back(which);
    r.low = std::min(r.low, o.turn), r.high = std::max(r.high, o.turn);
    r.start = std::min(r.start, past(which));
    shifted = shifted || is_shifted(which);
  }
  r.vectors = (r.high + f.vector - r.start + f.vector - 1) / f.vector;
  const auto most = static_cast<int>(r.members.size());
  if (most < 2 || !shifted || r.vectors > most + 1) return {};
  return r;
}

void access_writer::find_runs(const frame& f, const operand_list& operands) {
  if (f.unroll > 1 || f.vector == 1) return;
  for (int base : operands) {
    const bool may = operand(base).role == ir::operand_role::input && operand(base).base < 0 &&
                     operand(base).access.unravel == 0 && !is_picked(base) &&
                     stride(f, base) == "1";
    const auto r = may ? run_of(f, base, operands) : std::nullopt;
    if (!r) continue;
    const std::string held = name(base) + "_run";
    out_.line(storage_type(operand(base).type), " ", held, "[", r->vectors, "][", f.vector, "];");
    for (int which : r->members) {
      const std::string lane = cat("(k + ", operand(which).turn - r->start, ")");
      supply(which, cat(held, "[", lane, " / ", f.vector, "][", lane, " % ", f.vector, "]"));
      at(which).run = static_cast<int>(runs_.size());
    }
    runs_.push_back(*r);
  }
}

/// The base loads the whole run.
void access_writer::load_run(const frame& f, int which, bool whole) {
  const run& r = runs_[static_cast<std::size_t>(at(which).run)];
  if (which != r.base) return;
  const std::string held = name(which) + "_run",
                    from = cat(name(which), " + ", at(which).offset, " + ", r.start);
  if (whole) {
    const auto each = out_.lanes("c", r.vectors);
    return out_.line("sinter_load(", held, "[c], ", from, " + c * ", f.vector, ");");
  }
  const std::string left = f.guarded() ? f.left : std::to_string(f.vector);
  out_.line("sinter_load_run<", r.low - r.start, ", ", r.high - r.start, ">(", held, ", ", from,
            ", ", left, ");");
}

}  // namespace sinter::codegen::cuda_text
