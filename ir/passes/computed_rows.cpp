#include "ir/passes/computed_rows.hpp"

#include <algorithm>
#include <map>

#include "ir/index_expr.hpp"

namespace sinter::ir {
namespace {

constexpr std::size_t most_lists = 3, most_leaves = 6, most_code = 32;

class computed_analysis {
 public:
  computed_analysis(const graph& g, const shape_t& shape, std::size_t lead)
      : g_(g), shape_(shape), lead_(lead) {}

  std::optional<computed_rows> run(node_id values) {
    value(values);
    const auto leaves = static_cast<std::int16_t>(out_.leaves.size());
    for (instruction& i : out_.code.code) {
      for (int a = 0; a < arity(i); ++a) {
        if (i.args[a] < 0) i.args[a] = static_cast<std::int16_t>(leaves - 1 - i.args[a]);
      }
    }
    const bool fits = out_.lists.size() <= most_lists && out_.leaves.size() <= most_leaves &&
                      out_.code.code.size() <= most_code && real_;
    const bool memory = out_.code.code.empty() && out_.leaves[0].is == row_leaf::form::own;
    return fits && !memory ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// Until all leaves are known, value k of the code is -1 - k.
  using operand = std::int16_t;

  operand value(node_id id) {
    const auto known = values_.find(id);
    if (known != values_.end()) return known->second;
    const node& n = g_[id];
    real_ &= !is_complex(n.type);
    const operand made = n.kind == node_kind::map && n.shape == shape_ ? computed(n) : leaf(id);
    values_.emplace(id, made);
    return made;
  }

  operand computed(const node& n) {
    if (out_.code.code.size() > most_code) return 0;  // too long already: the result is discarded
    std::vector<operand> at;
    for (const node_id i : n.inputs) at.push_back(value(i));
    for (instruction i : n.program.code) {
      for (int a = 0; a < arity(i); ++a) i.args[a] = at[static_cast<std::size_t>(i.args[a])];
      out_.code.code.push_back(i);
      at.push_back(static_cast<operand>(-static_cast<int>(out_.code.code.size())));
    }
    return at.back();
  }

  operand leaf(node_id id) {
    out_.code.inputs.push_back(g_[id].type);
    out_.leaves.push_back(leaf_of(id));
    return static_cast<operand>(out_.leaves.size() - 1);
  }

  row_leaf leaf_of(node_id id) {
    using form = row_leaf::form;
    if (const auto picked = picked_rows(id)) return *picked;
    const auto seen = seen_as_rows(g_, id, shape_, lead_);
    if (!seen) return {form::own, dense(id)};
    if (seen->row == 0) return {form::same, *seen};
    if (seen->column == 0) return {form::list, {}, list({*seen, false, {}, {}, 0})};
    return {form::own, *seen};
  }

  matrix dense(node_id id) const {
    const shape_t row(shape_.begin() + static_cast<std::ptrdiff_t>(lead_), shape_.end());
    return {id, 0, size_of(row), 1};
  }

  std::optional<row_leaf> picked_rows(node_id id) {
    const node& n = g_[id];
    if (n.kind != node_kind::gather || n.shape != shape_) return std::nullopt;
    const std::size_t range = inputs_before_range(n.kind);
    const auto known_by_row = [&](std::size_t input) -> std::optional<matrix> {
      if (input >= n.inputs.size()) return std::nullopt;
      const auto m = seen_as_rows(g_, n.inputs[input], shape_, lead_);
      return m && m->column == 0 ? m : std::nullopt;
    };
    const auto strides = seen_as_rows(n.map, shape_, lead_);
    if (!strides || !(strides->row == 0)) return std::nullopt;
    row_list l;
    l.picks = true;
    l.wrong = known_by_row(range);
    l.words = known_by_row(range + 1);
    l.check = n.value[0];
    const auto index = known_by_row(1);
    const auto seen = 1u + (l.wrong ? 1u : 0u) + (l.words ? 1u : 0u);
    if (!index || seen + 1 != n.inputs.size()) return std::nullopt;
    l.of = *index;
    matrix base = *strides;
    base.x = n.inputs[0];
    return row_leaf{row_leaf::form::picked, base, list(l)};
  }

  int list(const row_list& l) {
    const auto known = std::ranges::find(out_.lists, l) - out_.lists.begin();
    if (known == std::ssize(out_.lists)) out_.lists.push_back(l);
    return static_cast<int>(known);
  }

  const graph& g_;
  const shape_t& shape_;
  const std::size_t lead_;
  computed_rows out_;
  std::map<node_id, operand> values_;
  bool real_ = true;
};

}  // namespace

bool computed_rows::reads_own() const {
  return std::ranges::any_of(leaves, [](const row_leaf& l) { return l.is == row_leaf::form::own; });
}

dtype computed_rows::type() const {
  return code.code.empty() ? code.inputs.back() : code.code.back().result;
}

std::optional<computed_rows> rows_computed(const graph& g, node_id values, const shape_t& shape,
                                           std::size_t lead) {
  if (g[values].shape != shape) return std::nullopt;
  return computed_analysis(g, shape, lead).run(values);
}

}  // namespace sinter::ir
