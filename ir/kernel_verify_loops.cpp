// Loops: their bodies, their arguments, and the results picked from them.
#include <algorithm>

#include "ir/kernel_verifier.hpp"

namespace sinter::ir::detail {

void kernel_verifier::list_rules(const inst& i, int k) const {
  const inst_kind of = argument(i, k).kind;
  const bool wants_pack = (i.kind == inst_kind::pack || i.kind == inst_kind::loop) && k == 0;
  require((of == inst_kind::pack) == wants_pack, "pack", "a list where a value is wanted");
  require((of == inst_kind::loop) == (i.kind == inst_kind::pick), "loop", "a loop has no value");
}

void kernel_verifier::loop_code_rules(const loop_code& l) {
  loop_ = &l;
  body_ = &l.body;
  const auto inside = [](inst_kind k) {
    return k == inst_kind::carry || k == inst_kind::given || k == inst_kind::constant ||
           k == inst_kind::compute || k == inst_kind::gather || k == inst_kind::store;
  };
  for (at_ = 0; at_ < l.body.size(); ++at_) {
    const inst& i = l.body[at_];
    require(inside(i.kind) && !i.inner, "loop-body", "no loop does this");
    require(i.kind != inst_kind::gather || (i.args[0] >= 0 && i.args[1] < 0), "loop-body",
            "a gather in a loop has an index and no condition");
    require(i.kind != inst_kind::store || (i.args[2] >= 0 && i.args[1] < 0), "loop-body",
            "a store in a loop has an index and no condition");
    inst_rules(i);
  }
  const auto value = [&](std::int32_t v) {
    return v >= 0 && static_cast<std::size_t>(v) < l.body.size() &&
           l.body[static_cast<std::size_t>(v)].kind != inst_kind::store;
  };
  const auto type = [&](std::int32_t v) { return l.body[static_cast<std::size_t>(v)].result; };
  at_ = 0;
  require(value(l.condition) && is_bool(type(l.condition)), "loop-condition",
          "the condition is no bool of the body");
  for (std::size_t i = 0; i <= static_cast<std::size_t>(l.condition); ++i) {
    const inst_kind k = l.body[i].kind;
    require(k != inst_kind::gather && k != inst_kind::store, "loop-condition",
            "what decides whether there is a round reads nothing of it");
  }
  require(l.next.size() == l.carries.size(), "loop-carry", "a carry has no next value");
  for (std::size_t k = 0; k < l.next.size(); ++k) {
    require(!is_complex(l.carries[k]) && value(l.next[k]) && type(l.next[k]) == l.carries[k],
            "loop-carry", "a carry becomes another type");
  }
  loop_ = nullptr;
}

void kernel_verifier::place_rules(const inst& i) const {
  require(loop_ != nullptr, "loop-body", "carries and givens are values of a loop's body");
  const auto& types = i.kind == inst_kind::carry ? loop_->carries : loop_->givens;
  const auto k = static_cast<std::size_t>(i.which);
  const bool round = i.kind == inst_kind::carry && k == types.size();
  require(i.which >= 0 && (round || k < types.size()), "loop-place",
          "the loop has no such value");
  require(i.result == (round ? dtype::int64 : types[k]), "loop-place",
          "the loop has it in another type");
}

void kernel_verifier::loop_rules(const inst& i) const {
  require(i.which >= 0 && static_cast<std::size_t>(i.which) < k_.loops.size(), "loop",
          "the kernel has no such loop");
  require(i.args[1] < 0 || is_bool(argument(i, 1).result), "loop-guard", "a condition is bool");
  const loop_code& l = k_.loops[static_cast<std::size_t>(i.which)];
  const bool stores = std::any_of(l.body.begin(), l.body.end(), [](const inst& x) {
    return x.kind == inst_kind::store;
  });
  require(!stores || !i.inner, "loop-store", "a loop that stores is in no walk");
  const auto values = packed(k_.body, i.args[0]);
  require(values.size() == l.carries.size() + l.givens.size(), "loop-inputs",
          "the loop takes another number of values");
  for (std::size_t k = 0; k < values.size(); ++k) {
    const dtype wanted =
        k < l.carries.size() ? l.carries[k] : l.givens[k - l.carries.size()];
    require(k_.body[static_cast<std::size_t>(values[k])].result == wanted, "loop-types",
            "the loop takes another type");
  }
}

void kernel_verifier::pick_rules(const inst& i) const {
  require(argument(i, 0).kind == inst_kind::loop, "pick", "only a loop has outputs");
  const loop_code& l = k_.loops[static_cast<std::size_t>(argument(i, 0).which)];
  require(i.which >= 0 && static_cast<std::size_t>(i.which) < l.carries.size() &&
              l.carries[static_cast<std::size_t>(i.which)] == i.result,
          "pick", "the loop carries no such value");
}

}  // namespace sinter::ir::detail
