#include "codegen/cuda_text/reduce_layout.hpp"

#include <algorithm>
#include <set>

namespace sinter::codegen::cuda_text {
namespace {

/// Marks the inner instructions that `i` needs within one walk: not through another reduction.
void mark_walked(const ir::kernel& k, int i, std::vector<bool>& marks) {
  const ir::inst& at = k.body[static_cast<std::size_t>(i)];
  if (!at.inner || marks[static_cast<std::size_t>(i)]) return;
  marks[static_cast<std::size_t>(i)] = true;
  for (int a : arguments_of(at)) mark_walked(k, a, marks);
}

inst_list walked_by(const ir::kernel& k, const phase& p, bool last) {
  std::vector<bool> marks(k.body.size());
  for (int r : p.reduces) mark_walked(k, k.body[static_cast<std::size_t>(r)].args[0], marks);
  for (int i = 0; last && i < static_cast<int>(k.body.size()); ++i) {
    if (k.body[static_cast<std::size_t>(i)].kind == ir::inst_kind::store) mark_walked(k, i, marks);
  }
  inst_list walked;
  for (int i = 0; i < static_cast<int>(marks.size()); ++i) {
    if (marks[static_cast<std::size_t>(i)]) walked.push_back(i);
  }
  return walked;
}

/// Inner stores run in the last walk, after the last read of the row: a dying input may be an
/// output.
std::vector<phase> phases(const ir::kernel& k) {
  const std::vector<int> numbers = ir::phases_of(k);
  int walks = 0;
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const bool walks_here = k.body[i].kind == ir::inst_kind::reduce || k.body[i].inner;
    if (walks_here) walks = std::max(walks, numbers[i] + 1);
  }
  std::vector<phase> result(static_cast<std::size_t>(walks) + 1);
  for (std::size_t i = 0; i < k.body.size(); ++i) {
    const ir::inst& at = k.body[i];
    auto number = static_cast<std::size_t>(numbers[i]);
    if (at.kind == ir::inst_kind::reduce) result[number].reduces.push_back(static_cast<int>(i));
    if (at.kind == ir::inst_kind::reduce || at.inner) continue;
    if (at.kind == ir::inst_kind::store) number = result.size() - 1;
    result[number].outer.push_back(static_cast<int>(i));
  }
  for (int p = 0; p < walks; ++p) {
    auto& current = result[static_cast<std::size_t>(p)];
    current.walked = walked_by(k, current, p + 1 == walks);
  }
  return result;
}

inst_list level(const ir::kernel& k, bool inner) {
  inst_list list;
  for (int i : every_inst(k)) {
    if (k.body[static_cast<std::size_t>(i)].inner == inner) list.push_back(i);
  }
  return list;
}

}  // namespace

reduce_layout::reduce_layout(const ir::kernel& k)
    : scans(ir::scan_count(k) > 0),
      chained(scans && k.schedule.split),
      columns(k.schedule.lanes == ir::lane_axis::kept),
      vector(k.schedule.vector),
      unroll(k.schedule.unroll),
      row_threads(k.schedule.row_threads),
      elastic(k.schedule.elastic),
      cluster(k.schedule.cluster),
      groups(k.schedule.threads / k.schedule.row_threads),
      resident(k.schedule.resident),
      filled(k.schedule.filled),
      lead(k.schedule.lead),
      phases(cuda_text::phases(k)),
      outer_operands(operands_of(k, level(k, false))),
      inner_operands(operands_of(k, level(k, true))) {
  std::set<int> early;
  for (std::size_t p = 0; p + 2 < phases.size(); ++p) {
    for (int which : operands_of(k, phases[p].walked).inputs) early.insert(which);
  }
  for (int which : inner_operands.inputs) {
    (early.count(which) ? kept_inputs : late_inputs).push_back(which);
  }
  frames(k);
}

void reduce_layout::frames(const ir::kernel& k) {
  outer.axis = k.kept - 1;
  inner.vector = vector;
  inner.unroll = unroll;
  inner.left = "left";
  inner.empty = unroll > 1 || scans;
  if (columns) {
    inner.axis = outer.axis;
    outer.vector = vector;
    outer.left = "columns";
    outer.empty = true;
    if (unroll == 1 && !scans) inner.left = "columns";
  } else {
    inner.axis = k.kept + k.reduced - 1;
    inner.partial = k.reduced == 1 && vector > 1;
    inner.empty |= k.schedule.resident;
    outer.left = "live";
    outer.empty = k.schedule.rows > 1;
  }
}

std::vector<stretch> reduce_layout::stretches() const {
  stretch some{0, unroll, inner, inner};
  some.stored.unroll = 1;
  if (filled == 0) return {some};
  stretch whole = whole_stretch();
  whole.last = some.first = filled;
  if (groups > 1) {
    whole.stored.empty = true;
    whole.stored.left = "live";
  }
  if (filled == unroll) return {whole};
  if (lead < 0) return {whole, some};
  stretch begin = whole;
  begin.last = whole.first = 1;
  begin.inner.first = begin.stored.first = "first";
  if (filled == 1) return {begin, some};
  return {begin, whole, some};
}

stretch reduce_layout::whole_stretch() const {
  stretch s{0, unroll, inner, inner};
  s.inner.partial = s.inner.empty = false;
  s.stored = s.inner;
  s.stored.unroll = 1;
  return s;
}

}  // namespace sinter::codegen::cuda_text
