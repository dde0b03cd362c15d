#include "engine/linalg/product_layout.hpp"

#include <optional>

namespace sinter::detail {
namespace {

/// Rows and columns of a library's tiles: a smaller product takes the same time.
constexpr std::int64_t tile = 128;

bool has(const label_list& all, int label) {
  return std::ranges::find(all, label) != all.end();
}

/// The labels of `order` that are in `among`.
label_list in_order_of(const label_list& order, const label_list& among) {
  label_list kept;
  for (int l : order) {
    if (has(among, l)) kept.push_back(l);
  }
  return kept;
}

/// Are the labels adjacent in the operand and in this order, or all missing?
bool is_run(const labelled& t, const label_list& labels) {
  const auto first = labels.empty() ? t.labels.end() : std::ranges::find(t.labels, labels[0]);
  if (first == t.labels.end()) {
    return std::ranges::none_of(labels, [&](int l) { return t.has(l); });
  }
  return static_cast<std::size_t>(t.labels.end() - first) >= labels.size() &&
         std::equal(labels.begin(), labels.end(), first);
}

/// Elements copied before the library can read an operand with these `free` labels. A batch has a
/// single stride between matrices: an operand that lacks some of its labels, which `other` has, is
/// materialised.
double moved(const labelled& t, const labelled& other, const product_layout& l,
             const label_list& free) {
  const bool inner = t.labels.empty() || !has(l.batch, t.labels.back());
  if (inner && is_run(t, l.batch) && is_run(t, free) && is_run(t, l.summed)) return 0;
  double size = static_cast<double>(t.x.size());
  if (std::ranges::none_of(l.batch, [&](int label) { return t.has(label); })) return size;
  for (int label : l.batch) {
    if (!t.has(label)) size *= static_cast<double>(other.extent(label));
  }
  return size;
}

double moved(const labelled& a, const labelled& b, const product_layout& l, double result,
             const label_list& wanted) {
  const bool in_order =
      wanted.empty() || std::ranges::equal(joined({l.batch, l.rows, l.columns}), wanted);
  return moved(a, b, l, l.swapped ? l.columns : l.rows) +
         moved(b, a, l, l.swapped ? l.rows : l.columns) + (in_order ? 0 : result);
}

/// Columns are the result's last axes of one operand, rows the axes of the other before them, and
/// the rest is a batch.
std::optional<product_layout> by_result(const labelled& a, const labelled& b, const pair_roles& r,
                                        const label_list& wanted) {
  product_layout l;
  l.swapped = has(r.left, wanted.back());
  const label_list& columns = l.swapped ? r.left : r.right;
  const label_list& rows = l.swapped ? r.right : r.left;
  std::size_t end = wanted.size(), middle = end, start;
  while (middle > 0 && has(columns, wanted[middle - 1])) --middle;
  for (start = middle; start > 0 && has(rows, wanted[start - 1]);) --start;
  const auto part = [&](std::size_t from, std::size_t to) {
    return label_list(wanted.begin() + static_cast<std::ptrdiff_t>(from),
                      wanted.begin() + static_cast<std::ptrdiff_t>(to));
  };
  l.batch = part(0, start), l.rows = part(start, middle), l.columns = part(middle, end);
  if (!std::ranges::all_of(r.batch, [&](int label) { return has(l.batch, label); })) return {};
  const auto elements = [&](const label_list& labels) {
    std::int64_t n = 1;
    for (int label : labels) n *= a.has(label) ? a.extent(label) : b.extent(label);
    return n;
  };
  const auto used = [](std::int64_t m, std::int64_t n) {
    return std::min(m, tile) * std::min(n, tile);
  };
  if (used(elements(l.rows), elements(l.columns)) < used(r.m, r.n)) return {};
  return l;
}

}  // namespace

label_list joined(std::initializer_list<label_list> parts) {
  label_list all;
  for (const label_list& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

product_layout layout_of(const labelled& a, const labelled& b, const pair_roles& r,
                         const label_list& wanted) {
  product_layout best{r.batch, r.left, r.right, r.summed};
  double size = static_cast<double>(r.m) * static_cast<double>(r.n);
  for (int l : r.batch) size *= static_cast<double>(a.extent(l));
  double least = moved(a, b, best, size, wanted);
  const auto consider = [&](product_layout l) {
    for (const labelled* t : {&a, &b}) {
      if (least == 0) return;
      l.summed = in_order_of(t->labels, r.summed);
      if (const double n = moved(a, b, l, size, wanted); n < least) best = l, least = n;
    }
  };
  consider(best);
  if (least == 0 || wanted.empty()) return best;
  const label_list batch = in_order_of(wanted, r.batch), left = in_order_of(wanted, r.left),
                   right = in_order_of(wanted, r.right);
  consider({batch, left, right, {}});
  consider({batch, right, left, {}, true});
  if (least == 0) return best;
  if (const auto l = by_result(a, b, r, wanted)) consider(*l);
  return best;
}

}  // namespace sinter::detail
