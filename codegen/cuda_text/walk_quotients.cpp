// Quotients of a walk by what its row has in common.

#include <algorithm>
#include <optional>

#include "codegen/cuda_text/walk.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// Is it cheap to emit twice? The compiler sees that both copies are equal.
bool is_plain(const ir::inst& i) {
  return i.kind == ir::inst_kind::compute || !is_statement(i);
}

}  // namespace

/// A float by which many elements are divided: its reciprocal is computed once.
void walk_writer::begin_quotients(const phase& p) {
  quotients_.clear();
  if (layout_.outer.vector > 1 || kernel_.schedule.quick) return;
  for (int i : p.walked) {
    const ir::inst& at = body_.inst(i);
    const bool by_row = at.kind == ir::inst_kind::compute && at.code == ir::op::divide &&
                        at.type == dtype::float32 && !body_.inst(at.args[1]).inner;
    if (!by_row) continue;
    const std::string name = cat("over_", at.args[1]);
    if (reciprocals_.insert(at.args[1]).second) {
      const int by = ir::dividing_scalar(kernel_, at);
      out_.line("const sinter_inverse ", name, " = ",
                by >= 0 ? inverse_of(at.type, by)
                        : cat("sinter_reciprocal(", body_.value(at.args[1]), ")"),
                ";");
    }
    body_.divide_by(i, name);
    quotients_.push_back(i);
  }
}

/// The instructions that the numerator of quotient d needs; none if they cannot be emitted twice.
std::optional<inst_list> walk_writer::numerator(int d, const phase& p) const {
  inst_list needed = needed_for(kernel_, {body_.inst(d).args[0]}, p.walked);
  const bool plain = std::all_of(needed.begin(), needed.end(), [&](int i) {
    return is_plain(body_.inst(i)) && !contains(quotients_, i);
  });
  if (!plain) return {};
  return needed;
}

/// The bfloat16 that is all that becomes of the walk's quotients, or -1. A product with the
/// reciprocal rounds to it as the quotient does, unless it is next to a tie; then all of the row
/// is divided and stored once more, as a branch a vector would keep the vectors one after another.
/// (Softmax of 2^28 bfloat16s in rows of 32,768, H200: 306 us, 290 so; a copy 259.)
int walk_writer::brief_quotient(const phase& p) const {
  if (quotients_.size() != 1 || vector() % 2 != 0 || layout_.scans) return -1;
  const int d = quotients_.front();
  int rounded = -1;
  for (int i : p.walked) {
    const ir::inst& at = body_.inst(i);
    const bool whole = at.kind == ir::inst_kind::store && at.args[1] < 0 && at.args[2] < 0;
    if (!is_plain(at) && !whole) return -1;
    if (!contains(arguments_of(at), d)) continue;
    const bool rounds = at.kind == ir::inst_kind::compute && at.code == ir::op::cast &&
                        at.result == dtype::bfloat16;
    if (rounded >= 0 || !rounds) return -1;
    rounded = i;
  }
  const bool reduced = std::any_of(p.reduces.begin(), p.reduces.end(),
                                   [&](int r) { return contains(arguments_of(body_.inst(r)), d); });
  return !reduced && numerator(d, p) ? rounded : -1;
}

/// Emits the quotients of a whole vector, with one test whether all of them are exact; returns the
/// instructions of the walk that are left.
inst_list walk_writer::write_quotients(const phase& p) {
  std::vector<int> done;
  for (int d : quotients_) {
    const auto needed = numerator(d, p);
    if (!needed) continue;
    const int divisor = body_.inst(d).args[1];
    out_.line("float ", body_.label(d), "[", vector(), "];");
    {
      const auto lanes = out_.lanes("k", vector());
      body_.statements(*needed);
      body_.statement(d, cat(body_.label(d), "[k] = ", body_.value(body_.inst(d).args[0]), ";"));
    }
    if (brief_ >= 0) {
      out_.line("bfloat16 ", body_.label(brief_), "[", vector(), "];");
      out_.line("sinter_brief_ratios(", body_.label(d), ", over_", divisor, ", ",
                body_.label(brief_), ", least);");
      body_.supply(brief_, body_.label(brief_) + "[k]");
      return without(p, {d, brief_});
    }
    out_.line("sinter_ratios(", body_.label(d), ", ", body_.value(divisor), ", over_", divisor,
              ");");
    body_.supply(d, body_.label(d) + "[k]");
    done.push_back(d);
  }
  return done.empty() ? p.walked : without(p, done);
}

/// The instructions that a walk still needs once these values are known.
inst_list walk_writer::without(const phase& p, const inst_list& done) const {
  std::vector<bool> marks(kernel_.body.size());
  for (int r : p.reduces) marks[static_cast<std::size_t>(body_.inst(r).args[0])] = true;
  inst_list left;
  for (auto i = p.walked.rbegin(); i != p.walked.rend(); ++i) {
    const ir::inst& at = body_.inst(*i);
    const bool acts = at.kind == ir::inst_kind::store || at.kind == ir::inst_kind::loop;
    if (contains(done, *i) || !(acts || marks[static_cast<std::size_t>(*i)])) continue;
    left.push_back(*i);
    for (int a : arguments_of(at)) marks[static_cast<std::size_t>(a)] = true;
  }
  return {left.rbegin(), left.rend()};
}

/// The same with exact quotients. Where the row stays in registers for it, other blocks may have no
/// room, so it is read once more (layernorm of rows of 9,999 bfloat16s, H200: 96% of a copy, 76 if
/// it stays) - unless registers are allotted for a number of blocks, which a second row exceeds
/// (softmax of rows of 20,000 96%, 79 if read again). The vectors of odd rows take many registers
/// themselves, and come one by one (layernorm of rows of 50,257 86%, 67 if they stay). It is still
/// there to be read: a kernel of rows overwrites no memory that it reads (lowering::donors_of).
void walk_writer::write_again(const phase& p, const operand_sets& used, const stretches& all) {
  const auto scope = out_.block("if (sinter_is_near_tie(least))");
  beside_.clear();
  one_by_one_ = layout_.lead >= 0;
  if (one_by_one_) {
    beside_ = used.inputs;
  } else if (kernel_.schedule.crowd == 0) {
    load(used.inputs, all);
  }
  compute(p, used, all);
  one_by_one_ = false;
}

}  // namespace sinter::codegen::cuda_text
