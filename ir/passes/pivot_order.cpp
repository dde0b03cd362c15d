#include "ir/passes/pivot_order.hpp"

#include "ir/loop_builder.hpp"

namespace sinter::ir {
namespace {

/// For every place, a walk along the exchanges, undoing the last one first.
class exchanges {
 public:
  exchanges(graph_builder& b, node_id pivots, const shape_t& all)
      : l_(b, all, 1), pivots_(pivots), count_(b.out[pivots].shape.back()) {
    extent_list along_rows(all.size(), extent(0));
    along_rows.back() = 1;
    const node_id places = b.view(b.count(all.back()), all, std::move(along_rows));
    row_ = l_.input(b.cast(places, dtype::int32));
    rounds_ = l_.input(b.size(count_));
    one_ = l_.input(b.constant(dtype::int32, 1));
    stacked_.assign(all.size(), extent(0));
    extent stride = count_;
    for (std::size_t d = all.size() - 1; d-- > 0; stride = stride * all[d]) stacked_[d] = stride;
  }

  node_id run(bool backwards) {
    const int round = l_.round();
    const index_map first{0, stacked_}, last{count_ - 1, stacked_};
    const int pivot = l_.slice(pivots_, backwards ? first : last, backwards ? 1 : -1, round);
    const int passed = narrow(round);
    const int left = compute(op::subtract, narrow(rounds_), passed);
    const int one = backwards ? passed : compute(op::subtract, left, one_);
    const int other = compute(op::subtract, pivot, one_);
    const int from_other = l_.choose(dtype::int32, compute(op::equal, row_, other), one, row_);
    const int next = l_.choose(dtype::int32, compute(op::equal, row_, one), other, from_other);
    return l_.made(l_.compute(op::less, dtype::int64, round, rounds_), {next});
  }

 private:
  int narrow(int v) { return l_.cast(v, dtype::int64, dtype::int32); }
  int compute(op code, int a, int b) { return l_.compute(code, dtype::int32, a, b); }

  loop_builder l_;
  const node_id pivots_;
  const extent count_;
  extent_list stacked_;
  int row_ = 0, rounds_ = 0, one_ = 0;
};

}  // namespace

node_id rows_by_pivots(graph_builder& b, node_id pivots, extent rows, bool backwards) {
  shape_t all = b.out[pivots].shape;
  all.back() = rows;
  return b.cast(exchanges(b, pivots, all).run(backwards), dtype::int64);
}

graph pivot_order(const graph& g) {
  const auto asks = [](const node& n) {
    return n.kind == node_kind::call && n.routine == "pivot_rows";
  };
  return replaced(g, asks, [](graph_builder& b, const node& n, const node& copy) {
    return rows_by_pivots(b, copy.inputs[0], n.shape.back(), n.attributes[0] != 0);
  });
}

}  // namespace sinter::ir
