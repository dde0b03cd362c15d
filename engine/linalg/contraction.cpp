#include "engine/linalg/contraction.hpp"

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <functional>

#include <sinter/linalg.hpp>

#include "engine/linalg/product_layout.hpp"

namespace sinter::detail {
namespace {

using labels = label_list;
using short_extents = inline_vector<std::int64_t, 6>;

constexpr int first_label = -32, label_count = 192;

constexpr std::size_t place_of(int label) {
  return static_cast<std::size_t>(label - first_label);
}

class label_set {
 public:
  void add(const labels& all) {
    for (int l : all) in_.set(place_of(l));
  }
  bool has(int label) const { return in_.test(place_of(label)); }

 private:
  std::bitset<label_count> in_;
};

/// The extent that each label's axes broadcast to.
class label_extents {
 public:
  void add(const labelled& t) {
    for (std::size_t i = 0; i < t.labels.size(); ++i) {
      if (const auto e = t.x.extents()[i]; e != 1) set(t.labels[i], e);
    }
  }
  std::int64_t operator[](int label) const {
    const auto at = static_cast<std::size_t>(std::ranges::find(known_, label) - known_.begin());
    return at < known_.size() ? of_[at] : 1;
  }

 private:
  void set(int label, std::int64_t e) {
    if (std::ranges::find(known_, label) != known_.end()) return;
    known_.push_back(label);
    of_.push_back(e);
  }

  labels known_;
  short_extents of_;
};

bool contains(const labels& l, int label) {
  return std::ranges::find(l, label) != l.end();
}

/// Permutes the axes of `t` to this order; missing labels become axes of extent 1.
any_array arranged(const labelled& t, const labels& order, location where) {
  if (order == t.labels) return t.x;
  const auto strides = dense_strides(t.x.extents());
  short_extents shape;
  element_map map;
  for (int l : order) {
    const auto at = static_cast<std::size_t>(std::ranges::find(t.labels, l) - t.labels.begin());
    const bool present = at < t.labels.size();
    shape.push_back(present ? t.x.extents()[at] : 1);
    map.strides.push_back(present ? strides[at] : 0);
  }
  return make_view(t.x, shape, std::move(map), where);
}

bool repeats(const labels& l) {
  for (std::size_t i = 1; i < l.size(); ++i) {
    if (std::find(l.begin(), l.begin() + i, l[i]) != l.begin() + i) return true;
  }
  return false;
}

/// A label that repeats on one operand selects its diagonal.
labelled without_repeats(labelled t, location where) {
  if (!repeats(t.labels)) return t;
  const auto strides = dense_strides(t.x.extents());
  labelled result;
  short_extents shape;
  element_map map;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    const auto known = std::ranges::find(result.labels, t.labels[i]);
    if (known == result.labels.end()) {
      result.labels.push_back(t.labels[i]);
      shape.push_back(t.x.extents()[i]);
      map.strides.push_back(strides[i]);
    } else {
      map.strides[static_cast<std::size_t>(known - result.labels.begin())] += strides[i];
    }
  }
  if (product_of(shape) == 0) map.strides.assign(shape.size(), 0);
  result.x = make_view(t.x, shape, std::move(map), where);
  return result;
}

/// Drops axes of extent 1 that broadcast against longer ones.
labelled without_units(labelled t, const label_extents& extents, location where) {
  labels kept;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    if (t.x.extents()[i] == extents[t.labels[i]]) kept.push_back(t.labels[i]);
  }
  if (kept.size() == t.labels.size()) return t;
  return {arranged(t, kept, where), kept};
}

any_array total(const any_array& x, std::vector<int> axes, location where) {
  if (axes.empty()) return x;
  const ir::op code = is_bool(x.dtype()) ? ir::op::logical_or : ir::op::add;
  return make_reduce(x, code, false, std::move(axes), where);
}

/// Sums over the labels that neither the result nor another operand uses.
labelled reduced(labelled t, const label_set& wanted, location where) {
  labelled result;
  std::vector<int> axes;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    if (wanted.has(t.labels[i]))
      result.labels.push_back(t.labels[i]);
    else
      axes.push_back(static_cast<int>(i));
  }
  if (axes.empty()) return t;
  const any_array wide = make_cast(t.x, compute_of(t.x.dtype()), where);
  result.x = total(wide, std::move(axes), where);
  return result;
}

pair_roles roles_of(const labelled& a, const labelled& b, const label_set& wanted) {
  pair_roles r;
  for (int l : a.labels) {
    if (!b.has(l)) {
      r.left.push_back(l);
      r.m *= a.extent(l);
    } else if (wanted.has(l)) {
      r.batch.push_back(l);
    } else {
      r.summed.push_back(l);
      r.k *= a.extent(l);
    }
  }
  for (int l : b.labels) {
    if (a.has(l)) continue;
    r.right.push_back(l);
    r.n *= b.extent(l);
  }
  return r;
}

short_extents extents_by(const labelled& a, const labelled& b, const labels& order) {
  short_extents shape;
  for (int l : order) shape.push_back(a.has(l) ? a.extent(l) : b.extent(l));
  return shape;
}

/// Is x a view of overlapping windows, with more elements than the array below?
bool is_windows(const any_array& x) {
  any_array base = x;
  while (const auto below = viewed(base)) {
    const auto repeats = [](auto stride) { return stride == 0; };
    if (std::ranges::any_of(below->second.strides, repeats)) return false;
    base = below->first;
  }
  return x.size() > 0 && base.size() * 2 <= x.size();
}

/// Sorts labels of windows by decreasing stride, so that the copy that materialises them has the
/// longest runs.
void order_by_memory(const labelled& t, labels& order) {
  const auto below = viewed(t.x);
  if (!below || below->second.strides.size() != t.labels.size()) return;
  const auto apart = [&](int l) {
    const auto at = std::ranges::find(t.labels, l) - t.labels.begin();
    return std::abs(below->second.strides[static_cast<std::size_t>(at)]);
  };
  std::ranges::stable_sort(order, std::greater<>(), apart);
}

/// `wanted`: the preferred order of the result's labels, if known.
labelled by_matmul(const labelled& a, const labelled& b, const pair_roles& r, const labels& wanted,
                   location where) {
  product_layout l = layout_of(a, b, r, wanted);
  const labelled& larger = a.x.size() >= b.x.size() ? a : b;
  if (is_windows(larger.x)) order_by_memory(larger, l.summed);
  const labelled &first = l.swapped ? b : a, &second = l.swapped ? a : b;
  const auto elements = [&](const labels& all) { return product_of(extents_by(a, b, all)); };
  const auto matrices = [&](const labelled& t, const labels& order, std::int64_t rows,
                            std::int64_t columns) {
    short_extents shape;
    for (int label : l.batch) shape.push_back(t.has(label) ? t.extent(label) : 1);
    shape.push_back(rows);
    shape.push_back(columns);
    return make_reshape(arranged(t, order, where), shape, where);
  };
  const any_array product = matmul(
      matrices(first, joined({l.batch, l.rows, l.summed}), elements(l.rows), r.k),
      matrices(second, joined({l.batch, l.summed, l.columns}), r.k, elements(l.columns)), where);
  labelled result{{}, joined({l.batch, l.rows, l.columns})};
  result.x = make_reshape(product, extents_by(a, b, result.labels), where);
  return result;
}

/// One multiplication and one reduction, which fuse with each other and with their neighbours. The
/// larger operand is walked in memory order, windows once per element of the other operand.
labelled by_sum(const labelled& a, const labelled& b, const pair_roles& r, location where) {
  const dtype type = compute_of(promote(a.x.dtype(), b.x.dtype()));
  const bool a_first = a.x.size() >= b.x.size();
  labels order = a_first ? a.labels : b.labels;
  const labels& more = a_first ? r.right : r.left;
  const bool slides = a_first ? sums_windows(a.x, r.k, r.n) : sums_windows(b.x, r.k, r.m);
  order.insert(slides ? order.begin() : order.end(), more.begin(), more.end());
  const any_array x = make_cast(arranged(a, order, where), type, where);
  const any_array y = make_cast(arranged(b, order, where), type, where);
  check_shape(extents_by(a, b, order), type, "product", where);
  const any_array terms =
      make_op(is_bool(type) ? ir::op::logical_and : ir::op::multiply, {x, y}, where);
  labelled result;
  std::vector<int> axes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (contains(r.summed, order[i]))
      axes.push_back(static_cast<int>(i));
    else
      result.labels.push_back(order[i]);
  }
  result.x = total(terms, std::move(axes), where);
  return result;
}

/// `order`: the result's labels if this pair is the last, else empty.
labelled pair_product(const labelled& a, const labelled& b, const label_set& wanted,
                      const labels& order, location where) {
  const pair_roles r = roles_of(a, b, wanted);
  const bool is_matrix = r.m > 1 && r.n > 1 && !r.summed.empty();
  const bool slides = sums_windows(a.x, r.k, r.n) || sums_windows(b.x, r.k, r.m);
  if (is_matrix && !slides && is_inexact(promote(a.x.dtype(), b.x.dtype()))) {
    labels own;
    for (int l : order) {
      if (a.has(l) || b.has(l)) own.push_back(l);
    }
    return by_matmul(a, b, r, own, where);
  }
  return by_sum(a, b, r, where);
}

label_set wanted_by(const std::vector<labelled>& operands, const labels& result,
                    std::size_t but_first, std::size_t but_second) {
  label_set wanted;
  wanted.add(result);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i != but_first && i != but_second) wanted.add(operands[i].labels);
  }
  return wanted;
}

/// The multiplications of a pair's product, then the growth in elements over the operands it
/// replaces.
std::pair<double, double> price(const labelled& a, const labelled& b, const label_set& wanted) {
  const pair_roles r = roles_of(a, b, wanted);
  double size = static_cast<double>(r.m) * static_cast<double>(r.n);
  for (int l : r.batch) size *= static_cast<double>(a.extent(l));
  return {size * static_cast<double>(r.k),
          size - static_cast<double>(a.x.size()) - static_cast<double>(b.x.size())};
}

/// Replaces the pair with the cheapest product by that product.
void contract_cheapest(std::vector<labelled>& operands, const labels& result, location where) {
  std::size_t first = 0, second = 1;
  auto best = price(operands[0], operands[1], wanted_by(operands, result, 0, 1));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t j = i + 1; j < operands.size(); ++j) {
      const auto p = price(operands[i], operands[j], wanted_by(operands, result, i, j));
      if (p < best) best = p, first = i, second = j;
    }
  }
  const auto wanted = wanted_by(operands, result, first, second);
  operands[first] = pair_product(operands[first], operands[second], wanted,
                                 operands.size() == 2 ? result : labels{}, where);
  operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(second));
}

/// The product with the requested order and extents of axes.
any_array finished(const labelled& product, const labels& result, const label_extents& extents,
                   dtype type, location where) {
  short_extents shape;
  for (int l : result) shape.push_back(extents[l]);
  const any_array ordered = arranged(product, result, where);
  return make_cast(make_broadcast(ordered, shape, "product", where), type, where);
}

/// Sums over small windows beat products: 1147 x 1643 floats by four kernels of 3 x 3 on two cores
/// of an EPYC took 9.7 ms by a product, 1.5 ms by sums. With 16 kernels, as the last axis of the
/// result, sums took twice as long as the product.
constexpr std::int64_t most_in_window = 64, most_by_windows = 8;

}  // namespace

bool sums_windows(const any_array& windows, std::int64_t elements, std::int64_t vectors) {
  return elements <= most_in_window && vectors <= most_by_windows && is_windows(windows);
}

any_array contract(labelled a, labelled b, const label_list& result, dtype type, location where) {
  label_extents extents;
  extents.add(a);
  extents.add(b);
  const auto prepared = [&](labelled t) {
    return without_units(without_repeats(std::move(t), where), extents, where);
  };
  a = prepared(std::move(a)), b = prepared(std::move(b));
  label_set wanted, by_a, by_b;
  wanted.add(result);
  by_a = by_b = wanted;
  by_a.add(b.labels);
  by_b.add(a.labels);
  a = reduced(std::move(a), by_a, where);
  b = reduced(std::move(b), by_b, where);
  return finished(pair_product(a, b, wanted, result, where), result, extents, type, where);
}

any_array contract(std::vector<labelled> operands, const label_list& result, dtype type,
                   location where) {
  label_extents extents;
  for (const labelled& t : operands) extents.add(t);
  for (labelled& t : operands) {
    t = without_units(without_repeats(std::move(t), where), extents, where);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    operands[i] = reduced(operands[i], wanted_by(operands, result, i, i), where);
  }
  while (operands.size() > 1) contract_cheapest(operands, result, where);
  return finished(operands[0], result, extents, type, where);
}

}  // namespace sinter::detail
