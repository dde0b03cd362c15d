#include "ir/passes/sum_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "ir/index_expr.hpp"
#include "ir/loop_builder.hpp"
#include "ir/passes/computed_rows.hpp"
#include "ir/passes/rows_at_places.hpp"

namespace sinter::ir {
namespace {

/// Rows and places are counted in 32 bits, with room for a piece.
constexpr std::int64_t most = std::int64_t{1} << 30;

std::optional<row_sums> rows_of(const graph& g, const node& n, const machine& m) {
  auto s = rows_at_places(g, n);
  const extent width = m.sorted_sums ? 2 : wide_row;
  const extent elements = m.sorted_sums ? m.sorted_sums : worth_sorting;
  const bool fits = s && s->width >= width && s->rows * s->width >= elements && s->rows < most &&
                    s->places < most;
  return fits ? s : std::nullopt;
}

/// Where the rows of each place lie in the order: [first, end) of `order`, whose places are `keys`.
struct places_in_order {
  node_id keys, order, first, end;
  node_id nowhere;  // the key of rows that go to no place
};

/// Keys of as few bits as hold the places and one more, for rows that go to no place.
struct key_form {
  dtype type;
  int bits;

  double nowhere() const { return std::ldexp(1.0, bits) - 1; }
};

key_form keys_of(extent places) {
  constexpr key_form forms[] = {{dtype::uint8, 8}, {dtype::uint16, 16}, {dtype::uint32, 24}};
  for (const key_form& f : forms) {
    if (places < static_cast<std::int64_t>(f.nowhere())) return f;
  }
  return {dtype::uint32, 32};
}

/// How rows are computed, with their lists in sorted order.
struct ordered_rows {
  computed_rows of;
  std::vector<node_id> lists;  // last, if rows of its own are read: the order itself
  dtype type;
};

class row_summation {
 public:
  row_summation(graph_builder& b, const node& n, const row_sums& s, const places_in_order& order,
                ordered_rows values)
      : b_(b), n_(n), s_(s), order_(order), values_(std::move(values)) {}

  node_id run() {
    levels_.push_back({});  // the values
    extent pieces = s_.rows, alike = 1;
    while (pieces > serial) {
      pieces = pieces / rows_of_piece;
      alike = alike * rows_of_piece;
      levels_.push_back({sums_of_pieces(pieces, alike), 0, s_.width, 1});
    }
    const shape_t all{s_.places, s_.width};
    const node_id base = b_.view(n_.inputs[0], all, dense_strides(all));
    const node_id sum =
        summed(0, b_.cast(base, dtype::float64), order_.first, order_.end, all);
    return b_.view(b_.cast(sum, n_.type), n_.shape, dense_strides(n_.shape));
  }

 private:
  /// The most rows that may be added one after another.
  static constexpr int serial = 1024;

  /// Rows [first, gap) and [back, end), where gap may be end: int32, one of each per row of the
  /// result.
  struct range {
    node_id first, gap, back, end;
  };
  static range without_gap(node_id first, node_id end) { return {first, end, end, end}; }

  node_id whole(int v) { return b_.constant(dtype::int32, v); }
  node_id apply(op code, std::vector<node_id> in) { return b_.apply(code, std::move(in)); }
  node_id shifted(op code, node_id v) {
    return apply(code, {v, whole(std::countr_zero(static_cast<unsigned>(rows_of_piece)))});
  }
  /// A list of the result's rows, for all their elements.
  node_id of_rows(node_id list, const shape_t& all) { return b_.view(list, all, {1, 0}); }

  /// The sum of every piece of the order that belongs to one place, over as many rows of the last
  /// level; a piece has `alike` times as many values.
  node_id sums_of_pieces(extent pieces, extent alike) {
    const auto key = [&](extent offset) { return b_.view(order_.keys, {pieces}, {alike}, offset); };
    const node_id begins = key(0);
    const node_id same = apply(op::equal, {begins, key(alike - 1)});
    const node_id counts = apply(op::not_equal, {begins, order_.nowhere});
    const node_id one_place = apply(op::logical_and, {same, counts});
    const node_id first = shifted(op::shift_left, b_.cast(b_.count(pieces), dtype::int32));
    const node_id next = apply(op::add, {first, whole(rows_of_piece)});
    const node_id end = apply(op::where, {one_place, next, first});
    const shape_t all{pieces, s_.width};
    const node_id zero = b_.spread(b_.constant(dtype::float64, -0.0), all);
    return walked(levels_.back(), zero, without_gap(first, end), all);
  }

  /// `sum` plus rows [first, end) of a level, whole pieces of them by their sums.
  node_id summed(std::size_t level, node_id sum, node_id first, node_id end, const shape_t& all) {
    const matrix& from = levels_[level];
    if (level + 1 == levels_.size()) return walked(from, sum, without_gap(first, end), all);
    const node_id above = apply(op::add, {first, whole(rows_of_piece - 1)});
    const node_id piece = shifted(op::shift_right, above);
    const node_id last = apply(op::maximum, {piece, shifted(op::shift_right, end)});
    const node_id some = apply(op::less, {piece, last});
    const auto row_of = [&](node_id p) {
      return apply(op::where, {some, shifted(op::shift_left, p), end});
    };
    sum = walked(from, sum, {first, row_of(piece), row_of(last), end}, all);
    return summed(level + 1, sum, piece, last, all);
  }

  node_id walked(const matrix& from, node_id sum, const range& rows, const shape_t& all) {
    return from.x < 0 ? in_order(sum, rows, all) : in_a_row(from, sum, rows, all);
  }

  /// `sum` plus rows one after another.
  node_id in_a_row(const matrix& from, node_id sum, const range& rows, const shape_t& all) {
    loop_builder l(b_, all, 2);
    const int total = l.input(sum), row = l.input(of_rows(beginning(rows), all));
    const walk w = walk_of(l, rows, all);
    const int value = slice(l, from, from.row, row);
    const int goes_on = l.compute(op::less, dtype::int64, l.round(), w.count);
    const int more = l.compute(op::add, dtype::float64, total, value);
    return l.made(goes_on, {more, next(l, w, row)});
  }

  /// The values through the order: the lists' elements for the next row are read a round before it.
  node_id in_order(node_id sum, const range& rows, const shape_t& all) {
    const node_id begin = beginning(rows);
    const node_id last = apply(
        op::maximum, {whole(0), apply(op::subtract, {rows.end, whole(1)})});
    const auto inside = [&](node_id v) { return apply(op::minimum, {v, last}); };
    const node_id first = b_.cast(inside(begin), dtype::int64);
    const node_id then = inside(over_gap(apply(op::add, {begin, whole(1)}), rows));
    loop_builder l(b_, all, static_cast<int>(values_.lists.size()) + 2);
    const int total = l.input(sum);
    std::vector<int> here;
    for (const node_id list : values_.lists) {
      here.push_back(l.input(of_rows(b_.gather(list, first, {0, {0}}), all)));
    }
    const int place = l.input(of_rows(then, all));
    const walk w = walk_of(l, rows, all);
    const int stop = l.input(of_rows(last, all));
    std::vector<int> leaves = leaves_of(l, here, all), next_round = {-1};
    for (const node_id list : values_.lists) {
      next_round.push_back(l.slice(list, {0, {0, 0}}, 1, place));
    }
    const int value = l.run(values_.of.code, std::move(leaves));
    const int goes_on = l.compute(op::less, dtype::int64, l.round(), w.count);
    const int wide = l.cast(value, values_.type, dtype::float64);
    next_round[0] = l.compute(op::add, dtype::float64, total, wide);
    next_round.push_back(l.compute(op::minimum, dtype::int32, next(l, w, place), stop));
    return l.made(goes_on, std::move(next_round));
  }

  /// The operands of a row's value, given the lists' elements `here`.
  std::vector<int> leaves_of(loop_builder& l, const std::vector<int>& here, const shape_t& all) {
    using form = row_leaf::form;
    const std::vector<row_leaf>& leaves = values_.of.leaves;
    std::vector<int> values(leaves.size(), -1);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const matrix& m = leaves[k].of;
      if (leaves[k].is == form::same) {
        const bool number = b_.out[m.x].shape.empty();
        values[k] = l.input(number ? m.x : b_.view(m.x, all, {0, m.column}, m.offset));
      } else if (leaves[k].is == form::list) {
        values[k] = here[static_cast<std::size_t>(leaves[k].which)];
      }
    }
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const matrix& m = leaves[k].of;
      if (leaves[k].is == form::own) values[k] = slice(l, m, m.row, here.back());
      if (leaves[k].is == form::picked) {
        values[k] = slice(l, m, 1, here[static_cast<std::size_t>(leaves[k].which)]);
      }
    }
    return values;
  }

  node_id over_gap(node_id v, const range& r) {
    return apply(op::where, {apply(op::equal, {v, r.gap}), r.back, v});
  }
  node_id beginning(const range& r) { return over_gap(r.first, r); }

  /// What all rounds of a walk share: values of a loop's program.
  struct walk {
    int count, one, gap, back;
  };
  walk walk_of(loop_builder& l, const range& r, const shape_t& all) {
    const node_id rows = apply(op::add, {apply(op::subtract, {r.gap, r.first}),
                                         apply(op::subtract, {r.end, r.back})});
    walk w{};
    w.count = l.input(of_rows(b_.cast(rows, dtype::int64), all));
    w.one = l.input(whole(1));
    w.gap = l.input(of_rows(r.gap, all));
    w.back = l.input(of_rows(r.back, all));
    return w;
  }
  static int next(loop_builder& l, const walk& w, int place) {
    const int moved = l.compute(op::add, dtype::int32, place, w.one);
    return l.choose(dtype::int32, l.compute(op::equal, dtype::int32, moved, w.gap), w.back, moved);
  }

  static int slice(loop_builder& l, const matrix& m, extent along, int by) {
    return l.slice(m.x, {m.offset, {0, m.column}}, along, by);
  }

  graph_builder& b_;
  const node& n_;
  const row_sums& s_;
  const places_in_order order_;
  const ordered_rows values_;
  std::vector<matrix> levels_;
};

/// The rows of a scatter in the order of their places, equal ones in the order of the values.
class ordering {
 public:
  ordering(graph_builder& b, const row_sums& s) : b_(b), s_(s) {}

  places_in_order run(const node& n) {
    places_in_order o;
    const key_form form = keys_of(s_.places);
    o.nowhere = b_.constant(form.type, form.nowhere());
    const node_id place = apply(op::floor_divide, {list(s_.at), b_.size(s_.width)});
    node_id keys = b_.cast(place, form.type);
    if (s_.counts) keys = apply(op::where, {list(*s_.counts), keys, o.nowhere});
    o.keys = b_.call("sort", form.type, {s_.rows}, {keys}, {form.bits});
    o.order = b_.output(o.keys, 1, dtype::int32, {s_.rows});
    ends(o, n);
    return o;
  }

 private:
  node_id apply(op code, std::vector<node_id> in) { return b_.apply(code, std::move(in)); }
  node_id list(const matrix& m) { return b_.view(m.x, {s_.rows}, {m.row}, m.offset); }
  node_id long_number(int v) { return b_.constant(dtype::int64, v); }

  /// Where in the order each place begins and ends; empty places do so at its end.
  void ends(places_in_order& o, const node& n) {
    const node_id here = b_.count(s_.rows), zero = long_number(0), one = long_number(1);
    const node_id all = b_.size(s_.rows), last = apply(op::subtract, {all, one});
    const auto key = [&](node_id at) { return b_.gather(o.keys, at, {0, {0}}); };
    const node_id before = key(apply(op::maximum, {apply(op::subtract, {here, one}), zero}));
    const node_id behind = apply(op::add, {here, one});
    const node_id after = key(apply(op::minimum, {behind, last}));
    const node_id counts = apply(op::not_equal, {o.keys, o.nowhere});
    const node_id first = apply(op::logical_or, {apply(op::equal, {here, zero}),
                                                 apply(op::not_equal, {before, o.keys})});
    const node_id at =
        apply(op::where, {counts, b_.cast(o.keys, dtype::int64), zero});
    const auto put = [&](node_id where, node_id value) {
      const node_id none = b_.spread(b_.cast(all, dtype::int32), {s_.places});
      return b_.scatter(op::cast, none, at, b_.cast(value, dtype::int32),
                        apply(op::logical_and, {counts, where}), {0, {0}});
    };
    const std::vector<node_id> reported = wrong_indices();
    o.first = put(first, here);
    std::vector<node_id>& in = b_.out[o.first].inputs;
    in.insert(in.end(), reported.begin(), reported.end());
    b_.out[o.first].value[0] = n.value[0];
    o.end = put(apply(op::not_equal, {after, o.keys}), behind);
  }

  /// One scatter reports them, in whatever order.
  std::vector<node_id> wrong_indices() {
    std::vector<node_id> out;
    if (s_.wrong) out.push_back(list(*s_.wrong));
    if (s_.words) out.push_back(list(*s_.words));
    return out;
  }

  graph_builder& b_;
  const row_sums& s_;
};

/// The operands of rows, in an order of the rows.
class ordered_lists {
 public:
  ordered_lists(graph_builder& b, const row_sums& s, node_id order)
      : b_(b), s_(s), order_(order), places_(b.cast(order, dtype::int64)) {}

  ordered_rows run(computed_rows of) {
    ordered_rows out;
    for (std::size_t k = 0; k < of.lists.size(); ++k) {
      out.lists.push_back(ordered(of.lists[k], index_type(of, static_cast<int>(k))));
    }
    if (of.reads_own()) out.lists.push_back(order_);
    out.type = of.type();
    out.of = std::move(of);
    return out;
  }

 private:
  node_id list(const matrix& m) { return b_.view(m.x, {s_.rows}, {m.row}, m.offset); }

  node_id ordered(const row_list& l, dtype index) {
    const node_id all = list(l.of), from = l.picks ? b_.cast(all, index) : all;
    std::vector<node_id> reported;
    for (const auto& r : {l.wrong, l.words}) {
      if (r) reported.push_back(list(*r));
    }
    const node_id made = b_.gather(from, places_, {0, {0}});
    std::vector<node_id>& in = b_.out[made].inputs;
    in.insert(in.end(), reported.begin(), reported.end());
    b_.out[made].value[0] = l.check;
    return made;
  }

  dtype index_type(const computed_rows& of, int which) const {
    const auto large = [&](const row_leaf& l) {
      return l.is == row_leaf::form::picked && l.which == which &&
             size_of(b_.out[l.of.x].shape) >= most;
    };
    return std::ranges::any_of(of.leaves, large) ? dtype::int64 : dtype::int32;
  }

  graph_builder& b_;
  const row_sums& s_;
  const node_id order_, places_;
};

/// The values of a scatter: read from memory if they are `stored`.
computed_rows values_of(const graph& g, const node& n, const row_sums& s, bool stored) {
  const node_id x = s.values.x;
  const shape_t& shape = g[n.inputs[1]].shape;
  if (!stored && s.values == matrix{x, 0, s.width, 1}) {
    if (auto computed = rows_computed(g, x, shape, s.lead)) return std::move(*computed);
  }
  computed_rows memory;
  memory.leaves.push_back({row_leaf::form::own, s.values});
  memory.code.inputs.push_back(g[x].type);
  return memory;
}

/// How many readers a value has.
int users_of(const graph& g, node_id id) {
  std::ptrdiff_t users = std::ranges::count(g.outputs, id);
  for (const node& n : g.nodes) users += std::ranges::count(n.inputs, id);
  return static_cast<int>(users);
}

}  // namespace

graph sum_rows(const graph& g, const machine& m) {
  if (m.target != target::gpu || !m.sorts) return g;
  // Several sums at the same places, such as the parts of complex numbers, share one order.
  struct ordered {
    std::vector<node_id> by;
    std::uint64_t check;
    extent places;
    places_in_order order;
  };
  std::vector<ordered> orders;
  const auto asks = [&](const node& n) { return rows_of(g, n, m).has_value(); };
  return replaced(g, asks, [&](graph_builder& b, const node& n, node copy) {
    const row_sums s = *rows_of(b.out, copy, m);
    std::vector<node_id> by = copy.inputs;
    by.erase(by.begin() + 2);
    by.erase(by.begin());
    const auto same = [&](const ordered& o) {
      return o.by == by && o.check == copy.value[0] && o.places == s.places;
    };
    auto found = std::ranges::find_if(orders, same);
    if (found == orders.end()) {
      found = orders.insert(found, {by, copy.value[0], s.places, ordering(b, s).run(copy)});
    }
    const bool stored = !m.fuse || users_of(g, rows_of(g, n, m)->values.x) > 1;
    ordered_lists lists(b, s, found->order.order);
    return row_summation(b, copy, s, found->order, lists.run(values_of(b.out, copy, s, stored)))
        .run();
  });
}

}  // namespace sinter::ir
