#include "ir/passes/unroll_axes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "ir/append.hpp"
#include "ir/formula.hpp"

namespace sinter::ir {

namespace {

/// The most instructions after unrolling, and their cost, in additions: past that compiling takes
/// longer than the kernel would ever save; unless the body was as long before. (Of joins only one
/// piece is left at each place.)
constexpr std::int64_t most_written = 512, most_cost = 2048;

/// How many times as many instructions may arise before known places remove them.
constexpr std::int64_t most_tried = 16;

class unroller {
 public:
  unroller(const body& b, const shape_t& domain, const std::vector<bool>& reduced,
           std::span<const std::size_t> axes)
      : b_(b), domain_(domain), reduced_(reduced), axes_(axes.begin(), axes.end()) {
    for (std::size_t a : axes_) sides_.push_back(domain[a]);
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      if (reduced[axes_[k]]) along_reduced_ |= 1u << k;
    }
    for (std::size_t d = 0; d < domain.size() && along_reduced_; ++d) {
      const bool other = reduced[d] && std::ranges::find(axes_, d) == axes_.end();
      walks_on_ = walks_on_ || (other && domain[d] != 1);
    }
  }

  std::optional<unrolled> run() {
    const std::int64_t longest = std::max<std::int64_t>(most_written, std::ssize(b_.code));
    const std::int64_t dearest = std::max(most_cost, cost_of(b_));
    if (!b_.loops.empty() || !follow() || count() > most_tried * longest) return std::nullopt;
    out_.scalars = b_.scalars;
    out_.scalar_nodes = b_.scalar_nodes;
    out_.ops = b_.ops;
    write_stores();
    unrolled u{std::move(out_), 0, {}, {}};
    u.cost = cost_of(u.whole);
    if (std::ssize(u.whole.code) > longest || u.cost > dearest) return std::nullopt;
    for (std::size_t d = 0; d < domain_.size(); ++d) {
      if (std::ranges::find(axes_, d) != axes_.end()) continue;
      u.domain.push_back(domain_[d]);
      u.reduced.push_back(reduced_[d] && (walks_on_ || along_reduced_ == 0));
    }
    return u;
  }

 private:
  using axis_set = unsigned;  // one bit per axis of axes_
  const inst& at(std::int32_t i) const { return b_.code[static_cast<std::size_t>(i)]; }
  axis_set along(std::int32_t i) const { return along_[static_cast<std::size_t>(i)]; }

  axis_set along_operand(const inst& i) const {
    axis_set set = 0;
    const index_expr& e = b_.operands[static_cast<std::size_t>(i.which)].at;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      if (e.stride(axes_[k]) != 0) set |= 1u << k;
    }
    return set;
  }

  /// Does it combine at one element for all places along the axes, where once is as good as often,
  /// as for a range check?
  bool is_told(const inst& i) const {
    const bool extreme = i.code == op::maximum || i.code == op::minimum;
    return extreme && !along_operand(i) && (i.args[2] < 0 || !along(i.args[2]));
  }

  /// Finds along which of the axes each instruction differs. False: one cannot be unrolled.
  bool follow() {
    for (const inst& i : b_.code) {
      axis_set set = 0;
      for (std::int32_t a : i.args) set |= a >= 0 ? along(a) : 0;
      const bool store = i.kind == inst_kind::store;
      const bool reaches = store || i.kind == inst_kind::load || i.kind == inst_kind::gather ||
                           i.kind == inst_kind::index;
      if (reaches) {
        const axis_set moves = along_operand(i);
        if (moves && !b_.operands[static_cast<std::size_t>(i.which)].at.affine()) return false;
        set |= moves;
      }
      if (i.kind == inst_kind::scan || i.kind == inst_kind::loop || i.kind == inst_kind::pick) {
        return false;
      }
      if (store && (i.args[1] >= 0 || i.args[2] >= 0) && !is_told(i)) return false;
      if (i.kind == inst_kind::reduce && walks_on_ && (i.arg || is_half(i.type))) return false;
      if (i.kind == inst_kind::reduce) set &= ~along_reduced_;
      along_.push_back(set);
    }
    return true;
  }

  std::int64_t places(axis_set set) const {
    std::int64_t n = 1;
    for (std::size_t k = 0; k < sides_.size(); ++k) n *= set >> k & 1 ? sides_[k] : 1;
    return n;
  }

  /// The number of instructions, if nothing turns out to be known.
  std::int64_t count() const {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < b_.code.size(); ++i) {
      n += places(along_[i] | (b_.code[i].kind == inst_kind::reduce ? along_reduced_ : 0));
    }
    return n;
  }

  /// A place: its coordinates along axes_, of which only those in the set matter.
  using place = std::vector<std::int64_t>;

  std::int64_t number(const place& p, axis_set set) const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < sides_.size(); ++k) n = n * sides_[k] + (set >> k & 1 ? p[k] : 0);
    return n;
  }

  template <class F> void each_place(place from, axis_set set, F f) const {
    for (std::size_t k = 0; k < sides_.size(); ++k) from[k] = set >> k & 1 ? 0 : from[k];
    for (;;) {
      f(std::as_const(from));
      std::size_t k = sides_.size();
      for (; k > 0; --k) {
        if (!(set >> (k - 1) & 1)) continue;
        if (++from[k - 1] < sides_[k - 1]) break;
        from[k - 1] = 0;
      }
      if (k == 0) return;
    }
  }

  std::int32_t push(const inst& i) {
    out_.code.push_back(i);
    return static_cast<std::int32_t>(out_.code.size()) - 1;
  }

  std::int32_t constant(dtype type, std::uint64_t bits) {
    return emit_constant(out_.code, type, bits);
  }

  const inst* known(std::int32_t v) const {
    const inst& i = out_.code[static_cast<std::size_t>(v)];
    return i.kind == inst_kind::constant ? &i : nullptr;
  }

  index_expr moved(index_expr e, const place& p) const {
    if (!e.strides.empty()) e.strides.resize(domain_.size(), 0);
    for (std::size_t k = axes_.size(); k-- > 0;) {
      if (e.strides.empty()) break;
      if (e.strides[axes_[k]] != 0) e.offset += p[k] * e.strides[axes_[k]];
      e.strides.erase(e.strides.begin() + static_cast<std::ptrdiff_t>(axes_[k]));
    }
    return e;
  }

  std::int32_t operand(std::int32_t which, axis_set set, const place& p, bool gathered) {
    const auto [known, fresh] = operands_.try_emplace({which, number(p, set), gathered}, -1);
    if (!fresh) return known->second;
    body_operand o = b_.operands[static_cast<std::size_t>(which)];
    o.at = moved(std::move(o.at), p);
    o.gathered = gathered;
    const auto same = std::ranges::find_if(out_.operands, [&](auto& x) { return alike(x, o); });
    known->second = static_cast<std::int32_t>(same - out_.operands.begin());
    if (same == out_.operands.end()) out_.operands.push_back(std::move(o));
    return known->second;
  }

  /// Do both access the same elements? A difference found here is no condition on other sizes.
  static bool alike(const body_operand& x, const body_operand& y) {
    const auto peeked = [](const extent& s, const extent& t) { return s.peek() == t.peek(); };
    return x.role == y.role && x.buffer == y.buffer && x.partial == y.partial &&
           x.gathered == y.gathered && x.at.affine() && y.at.affine() &&
           x.at.offset.peek() == y.at.offset.peek() &&
           std::ranges::equal(x.at.strides, y.at.strides, peeked) && same_access(x.at, y.at);
  }

  std::int32_t value(std::int32_t v, const place& p) {
    const std::pair key{v, number(p, along(v))};
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    const std::int32_t made = make(v, p);
    values_[key] = made;
    return made;
  }

  std::int32_t make(std::int32_t v, const place& p) {
    const inst& i = at(v);
    switch (i.kind) {
      case inst_kind::load: return reach(v, i, p, false);
      case inst_kind::gather: return gather(v, p);
      case inst_kind::index: return index(v, p);
      case inst_kind::reduce: return along_reduced_ ? reduce(v, p) : copy(v, p);
      case inst_kind::constant: return constant(i.type, i.bits);
      case inst_kind::compute: break;
      default: return copy(v, p);
    }
    if (i.code == op::where) {
      const std::int32_t condition = value(i.args[0], p);
      if (const inst* c = known(condition)) return value(i.args[c->bits ? 1 : 2], p);
    }
    inst x = i;
    for (std::int32_t& a : x.args) a = a < 0 ? a : value(a, p);
    const bool any = i.code == op::logical_or;
    for (int k = any || i.code == op::logical_and ? 1 : -1; k >= 0; --k) {
      const inst* c = known(x.args[k]);
      if (c) return (c->bits != 0) == any ? x.args[k] : x.args[1 - k];
    }
    return append(out_.code, x);
  }

  std::int32_t copy(std::int32_t v, const place& p) {
    inst x = at(v);
    for (std::int32_t& a : x.args) a = a < 0 ? a : value(a, p);
    return push(x);
  }

  std::int32_t reach(std::int32_t v, inst x, const place& p, bool gathered) {
    x.which = operand(at(v).which, along_operand(at(v)), p, gathered);
    return append(out_.code, x);
  }

  std::int32_t gather(std::int32_t v, const place& p) {
    inst x = at(v);
    for (std::int32_t& a : x.args) a = a < 0 ? a : value(a, p);
    const inst* condition = x.args[1] < 0 ? nullptr : known(x.args[1]);
    if (condition && !condition->bits && !is_half(x.type)) return constant(x.type, 0);
    if (condition && condition->bits) x.args[1] = -1;
    const bool elsewhere = x.args[0] >= 0 || x.args[1] >= 0;
    if (!elsewhere) x.kind = inst_kind::load;
    return reach(v, x, p, elsewhere);
  }

  /// A constant, if the index depends on the place alone; otherwise the index at that place.
  std::int32_t index(std::int32_t v, const place& p) {
    const body_operand& o = b_.operands[static_cast<std::size_t>(at(v).which)];
    const index_expr e = moved(o.at, p);
    const bool still = std::ranges::all_of(e.strides, [](const extent& s) { return s == 0; });
    if (!e.affine() || !still) return reach(v, at(v), p, o.gathered);
    return constant(dtype::int64, static_cast<std::uint64_t>(std::int64_t{e.offset}));
  }

  /// In the order of a walk, from the first element on; a sum of floats starts from 0, so that of
  /// -0 is 0. A reduction that also walks other axes combines the values of all places.
  std::int32_t reduce(std::int32_t v, const place& p) {
    const inst& i = at(v);
    std::int32_t held = -1, best = -1;
    if (i.code == op::add && is_real(i.type) && !walks_on_) held = constant(i.type, 0);
    const std::size_t first = out_.code.size();
    std::uint64_t position = 0;
    each_place(p, along_reduced_, [&](const place& q) {
      const std::int32_t x = value(i.args[0], q);
      const std::int32_t here = i.arg ? constant(dtype::int64, position++) : -1;
      if (held < 0) {
        held = x, best = here;
      } else if (i.arg) {
        const std::int32_t wins = better(i, x, held);
        held = choose(wins, x, held, i.type);
        best = choose(wins, here, best, dtype::int64);
      } else {
        const std::int32_t both[] = {held, x};
        held = emit(out_.code, i.code, i.type, both);
      }
    });
    for (std::size_t n = first; n < out_.code.size(); ++n) {
      if (out_.code[n].note < 0) out_.code[n].note = i.note;
    }
    if (walks_on_) {
      inst x = i;
      x.args[0] = held;
      return push(x);
    }
    return i.arg ? best : held;
  }

  /// Strictly better: the first NaN wins over all, else the first extremum.
  std::int32_t better(const inst& i, std::int32_t x, std::int32_t held) {
    const std::int32_t both[] = {x, held};
    const bool largest = info(i.code).identity == op_identity::lowest;
    const std::int32_t wins = emit(out_.code, largest ? op::greater : op::less, i.type, both);
    if (!is_real(i.type)) return wins;
    const std::int32_t nan = emit(out_.code, op::isnan, i.type, both);
    const std::int32_t number = emit(out_.code, op::equal, i.type, std::array{held, held}.data());
    const std::int32_t first = emit(out_.code, op::logical_and, dtype::bool_,
                                    std::array{nan, number}.data());
    return emit(out_.code, op::logical_or, dtype::bool_, std::array{wins, first}.data());
  }

  std::int32_t choose(std::int32_t c, std::int32_t x, std::int32_t y, dtype type) {
    const std::int32_t args[] = {c, x, y};
    return emit(out_.code, op::where, type, args);
  }

  /// Loads precede stores: an output may have the memory of an input.
  void write_stores() {
    std::vector<inst> stores;
    const place first(sides_.size(), 0);
    for (std::size_t n = 0; n < b_.code.size(); ++n) {
      const inst& i = b_.code[n];
      const auto v = static_cast<std::int32_t>(n);
      if (i.kind != inst_kind::store) continue;
      each_place(first, along(v), [&](const place& p) {
        inst x = i;
        for (std::int32_t& a : x.args) a = a < 0 ? a : value(a, p);
        const inst* condition = x.args[1] < 0 ? nullptr : known(x.args[1]);
        if (condition && !condition->bits) return;
        if (condition) x.args[1] = -1;
        x.which = operand(i.which, along_operand(i), p, false);
        stores.push_back(x);
      });
    }
    std::vector<std::int32_t> used;
    for (const inst& s : stores) std::ranges::copy(s.args, std::back_inserter(used));
    detail::drop_unused(out_.code, 0, used);  // conditions that are known are unused
    auto now = used.begin();
    for (inst& s : stores) {
      for (std::int32_t& a : s.args) a = *now++;
    }
    out_.code.insert(out_.code.end(), stores.begin(), stores.end());
  }

  const body& b_;
  const shape_t& domain_;
  const std::vector<bool>& reduced_;
  std::vector<std::size_t> axes_;
  std::vector<std::int64_t> sides_;
  axis_set along_reduced_ = 0;
  bool walks_on_ = false;        // other reduced axes are left
  std::vector<axis_set> along_;  // per instruction
  body out_;
  std::map<std::tuple<std::int32_t, std::int64_t, bool>, std::int32_t> operands_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> values_;
};

}  // namespace

std::int64_t cost_of(const body& b) {
  std::int64_t cost = 0;
  for (const inst& i : b.code) {
    if (i.kind == inst_kind::compute) cost += info(i.code).cost;
    if (i.kind == inst_kind::load || i.kind == inst_kind::gather) ++cost;
  }
  return cost;
}

std::optional<unrolled> unroll_axes(const body& b, const shape_t& domain,
                                    const std::vector<bool>& reduced,
                                    std::span<const std::size_t> axes) {
  return unroller(b, domain, reduced, axes).run();
}

}  // namespace sinter::ir
