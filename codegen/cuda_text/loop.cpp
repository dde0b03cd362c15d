#include "codegen/cuda_text/loop.hpp"

#include <algorithm>

#include "codegen/cuda_text/spelling.hpp"

namespace sinter::codegen::cuda_text {
namespace {

/// The body of a loop, in the form of a kernel.
ir::kernel as_kernel(const ir::kernel& k, const ir::loop_code& l) {
  ir::kernel scratch;
  scratch.operands = k.operands;
  scratch.body = l.body;
  return scratch;
}

class loop_writer {
 public:
  loop_writer(const ir::kernel& k, const body_writer& around, int loop, writer& out)
      : around_(around),
        loop_(loop),
        l_(k.loops[static_cast<std::size_t>(around.inst(loop).which)]),
        out_(out),
        scratch_(as_kernel(k, l_)),
        body_(scratch_, out, cat(loop, "_")) {
    const auto values = ir::packed(k.body, around.inst(loop).args[0]);
    for (int i = 0; i < count(); ++i) {
      const ir::inst& at = body_.inst(i);
      const auto which = static_cast<std::size_t>(at.which);
      if (at.kind == ir::inst_kind::given)
        body_.rename(i, around.value(values[l_.carries.size() + which]));
      if (at.kind == ir::inst_kind::carry)
        body_.rename(i, which == l_.carries.size() ? round() : loop_carry(loop, at.which));
      if (at.kind == ir::inst_kind::gather) body_.aim(i, around.operand_place(at.which));
    }
    for (std::size_t k2 = 0; k2 < l_.carries.size(); ++k2) {
      out_.line(value_type(l_.carries[k2]), " ", loop_carry(loop, static_cast<int>(k2)), " = ",
                around.value(values[k2]), ";");
    }
  }

  void write() {
    const bool counted = is_counted();
    const auto scope = out_.block(head(counted));
    inst_list before, after;
    for (int i = 0; i < count(); ++i) (i <= l_.condition ? before : after).push_back(i);
    if (!counted) {
      body_.statements(before);
      out_.line("if (!(", guarded(body_.value(l_.condition)), ")) break;");
    }
    body_.statements(after, [this](int i) { store(i); });
    step();
  }

 private:
  int count() const { return static_cast<int>(l_.body.size()); }
  std::string round() const { return cat("round_", loop_); }

  /// `condition`, if the lane is in range and the loop's guard holds.
  std::string guarded(const std::string& condition) const {
    const std::string& in_range = around_.lane_in_range(loop_);
    const int wanted = around_.inst(loop_).args[1];
    return cat(in_range, in_range.empty() ? "" : " && ",
               wanted >= 0 ? cat(around_.value(wanted), " && ") : std::string(), condition);
  }

  /// Does the condition only compare the round with a given number?
  bool is_counted() const {
    const ir::inst& c = body_.inst(l_.condition);
    const auto is = [&](int k, ir::inst_kind kind) {
      return body_.inst(c.args[k]).kind == kind;
    };
    return c.kind == ir::inst_kind::compute && c.code == ir::op::less && c.type == dtype::int64 &&
           is(0, ir::inst_kind::carry) && is(1, ir::inst_kind::given) &&
           body_.value(c.args[0]) == round() && !is_used(l_.condition) &&
           std::none_of(l_.body.begin(), l_.body.begin() + l_.condition, is_statement);
  }

  /// Does any other instruction of the body, or a carry, use the value?
  bool is_used(std::int32_t value) const {
    return std::ranges::count(l_.next, value) > 0 ||
           std::any_of(l_.body.begin(), l_.body.end(), [value](const ir::inst& i) {
             return std::ranges::count(i.args, value) > 0;
           });
  }

  std::string head(bool counted) const {
    const std::string r = round();
    if (counted) {
      const ir::inst& c = body_.inst(l_.condition);
      return cat("for (long long ", r, " = 0; ",
                 guarded(cat(r, " < ", body_.value(c.args[1]))), "; ++", r, ")");
    }
    const auto is_round = [&](int a) {
      return a >= 0 && body_.inst(a).kind == ir::inst_kind::carry && body_.value(a) == r;
    };
    const bool used = std::any_of(l_.body.begin(), l_.body.end(), [&](const ir::inst& i) {
      return std::any_of(i.args, i.args + 3, is_round);
    });
    return used ? cat("for (long long ", r, " = 0;; ++", r, ")") : "while (true)";
  }

  void store(int i) {
    const ir::inst& at = body_.inst(i);
    const gather_place& place = around_.operand_place(at.which);
    const std::string_view part = !body_.is_part(i) ? "" : at.part == 0 ? ".re" : ".im";
    out_.line(place.array, "[", place.position == "0" ? "" : cat(place.position, " + "),
              body_.value(at.args[2]), "]", part, " = ", body_.value(at.args[0]), ";");
  }

  /// A carry that becomes another carry goes through a temporary: all are read before any is
  /// assigned.
  void step() {
    std::vector<std::string> next;
    for (std::size_t k = 0; k < l_.next.size(); ++k) {
      const int v = l_.next[k];
      next.push_back(body_.value(v));
      if (body_.inst(v).kind != ir::inst_kind::carry || next[k] == name(k)) continue;
      next[k] = cat("next_", loop_, "_", k);
      out_.line("const ", value_type(l_.carries[k]), " ", next[k], " = ", body_.value(v), ";");
    }
    for (std::size_t k = 0; k < next.size(); ++k) {
      if (next[k] != name(k)) out_.line(name(k), " = ", next[k], ";");
    }
  }
  std::string name(std::size_t k) const { return loop_carry(loop_, static_cast<int>(k)); }

  const body_writer& around_;
  const int loop_;
  const ir::loop_code& l_;
  writer& out_;
  const ir::kernel scratch_;
  body_writer body_;
};

}  // namespace

std::string loop_carry(int loop, int k) {
  return cat("carry_", loop, "_", k);
}

void write_loop(const ir::kernel& k, const body_writer& around, int loop, writer& out) {
  loop_writer(k, around, loop, out).write();
}

}  // namespace sinter::codegen::cuda_text
